"""What a call's name and arguments show of what it touched, read mechanically.

No tool is known by name: a call writes when a word of its name says so or its command text does. Long texts (file
bodies) are not searched for things written, only short values are.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import RunTurn

_LONGEST_VALUE = 300
_LONGEST_ARGUMENTS = 200_000
_LONGEST_REMEMBERED = 4_000
_LONGEST_SEEN = 50_000
_LONGEST_COUNT = 3  # a bare number this short is a count or a line number, not a name
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Something one can name again: a path, a file name, an identifier; it has a digit, a slash or an inner dot.
_THING = re.compile(r"[\w./#@-]*[\d/.][\w./#@-]*")
_NAMED = re.compile(r"[\w.@#-]+")
_MAY_WRITE = re.compile(r">|u003e|\btee\b|\s-i|\b(?:rm|mv|cp|touch|truncate|git)\s")
_SHELL_WRITES = re.compile(
    r"(?:(?<=[\s\d&])>>?\s*|\btee\s+(?:-a\s+)?|\b(?:sed|perl)\s+-i\S*\s+(?:'[^']*'|\"[^\"]*\"|\S+)\s+"
    r"|\b(?:rm|mv|cp|touch|truncate)\s+(?:-\S+\s+)*|\bgit\s+(?:checkout|restore|apply)\s+(?:--\s+)?)"
    r"(?P<target>[^\s;&|<>\"']+)"
)


@lru_cache(maxsize=1024)
def name_words(name: str | None) -> frozenset[str]:
    """Return the lower-case words of a tool's name.

    >>> sorted(name_words("str_replaceEditor"))
    ['editor', 'replace', 'str']
    """
    return frozenset(word.lower() for word in _WORDS.findall(name or ""))


def argument_texts(args: str | None) -> list[str]:
    """Return the texts a call's arguments hold: the source string, and every value inside it if it is JSON."""
    if not args or len(args) > _LONGEST_ARGUMENTS:
        return []
    try:
        return [args, *_values(json.loads(args))]
    except (ValueError, RecursionError):
        return [args]


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _values(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def things_written(row: RunTurn, writes: Sequence[str]) -> frozenset[str]:
    """Return what a call writes to, as the last parts of the paths, and the identifiers, its arguments name."""
    args = row.args or ""
    by_name = not name_words(row.name).isdisjoint(writes)
    if not args or not (by_name or _MAY_WRITE.search(args)):
        return frozenset()
    return _remembered(args, by_name) if len(args) <= _LONGEST_REMEMBERED else _written(args, by_name)


def _written(args: str, by_name: bool) -> frozenset[str]:
    texts = argument_texts(args)
    targets = {match["target"] for text in texts for match in _SHELL_WRITES.finditer(text)}
    things = {target for target in targets if not target.startswith("/dev/")}
    if by_name:
        short = [text for text in texts[1:] or texts if len(text) <= _LONGEST_VALUE and "\n" not in text]
        things |= {thing for text in short for thing in _THING.findall(text)}
    last_parts = {thing.strip(".,/").rsplit("/", 1)[-1] for thing in things}
    return frozenset(name for name in last_parts if len(name) > (_LONGEST_COUNT if name.isdigit() else 1))


# A run that is judged without a prepared view is read once a claim; long arguments are not kept.
_remembered = lru_cache(maxsize=4096)(_written)


class Writings:
    """What the calls of one run write to: the names, and for each the positions of its calls, ascending."""

    def __init__(self, view: RunView, writes: Sequence[str]) -> None:
        found: dict[str, list[int]] = defaultdict(list)
        for row in view.turns:
            if row.call:
                for thing in things_written(row, writes):
                    found[thing].append(row.turn)
        self.turns = {thing: sorted(turns) for thing, turns in found.items()}
        self.things = frozenset(self.turns)

    def is_written(self, thing: str, after: int, before: int) -> bool:
        """Return whether a call strictly between two positions writes to the thing."""
        turns = self.turns[thing]
        following = bisect_right(turns, after)
        return following < len(turns) and turns[following] < before


def writings_of(view: RunView, writes: Sequence[str]) -> Writings:
    """Return what the run's calls write to; made once a view. A call writes if a word of its name is one of `writes`,
    or if its command text does."""
    words = tuple(writes)
    return view.kept(("writings", words), lambda: Writings(view, words))


def things_named(text: str) -> frozenset[str]:
    """Return the words of a text that can be the last part of a path or an identifier, its first 50,000 characters.

    >>> "a.py" in things_named("2 passed in src/a.py."), "a.py" in things_named("src/aa.py")
    (True, False)
    """
    return frozenset(word.strip(".-") for word in _NAMED.findall(text[:_LONGEST_SEEN]))
