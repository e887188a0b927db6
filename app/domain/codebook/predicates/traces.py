"""What a call's name and arguments show of what it touched, read mechanically.

No tool is known by name: a call writes when a word of its name says so or its command text does. Long texts (file
bodies) are not searched for things written, only short values are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

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


# One run is judged once a claim, and its calls stay the same; long arguments are not kept.
_remembered = lru_cache(maxsize=4096)(_written)


def things_named(text: str) -> frozenset[str]:
    """Return the words of a text that can be the last part of a path or an identifier, its first 50,000 characters.

    >>> "a.py" in things_named("2 passed in src/a.py."), "a.py" in things_named("src/aa.py")
    (True, False)
    """
    return _words_of(text[:_LONGEST_SEEN])


@lru_cache(maxsize=128)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(word.strip(".-") for word in _NAMED.findall(text))
