"""What a call's name and arguments show of what it touched, read mechanically.

No tool is known by name: a call writes when a word of its name says so or its command text does. Long texts (file
bodies) are not searched for things written, only short values are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from app.domain.turnlog.run import RunTurn

_LONGEST_VALUE = 300
_LONGEST_ARGUMENTS = 200_000
_LONGEST_COUNT = 3  # a bare number this short is a count or a line number, not a name
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Something one can name again: a path, a file name, an identifier; it has a digit, a slash or an inner dot.
_THING = re.compile(r"[\w./#@-]*[\d/.][\w./#@-]*")
_SHELL_WRITES = re.compile(
    r"(?:(?<=[\s\d&])>>?\s*|\btee\s+(?:-a\s+)?|\b(?:sed|perl)\s+-i\S*\s+(?:'[^']*'|\"[^\"]*\"|\S+)\s+"
    r"|\b(?:rm|mv|cp|touch|truncate)\s+(?:-\S+\s+)*|\bgit\s+(?:checkout|restore|apply)\s+(?:--\s+)?)"
    r"(?P<target>[^\s;&|<>\"']+)"
)


def name_words(name: str | None) -> set[str]:
    """Return the lower-case words of a tool's name.

    >>> sorted(name_words("str_replaceEditor"))
    ['editor', 'replace', 'str']
    """
    return {word.lower() for word in _WORDS.findall(name or "")}


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


def things_written(row: RunTurn, writes: Sequence[str]) -> set[str]:
    """Return what a call writes to, as the paths, file names and identifiers its arguments name.

    A path also counts under its last part, so that `src/a.py` is found where only `a.py` stands.
    """
    texts = argument_texts(row.args)
    targets = {match["target"] for text in texts for match in _SHELL_WRITES.finditer(text)}
    things = {target for target in targets if not target.startswith("/dev/")}
    if name_words(row.name) & set(writes):
        short = [text for text in texts[1:] or texts if len(text) <= _LONGEST_VALUE and "\n" not in text]
        things |= {thing for text in short for thing in _THING.findall(text)}
    trimmed = {thing.strip(".,/") for thing in things}
    named = {name for thing in trimmed for name in (thing, thing.rsplit("/", 1)[-1])}
    return {name for name in named if len(name) > (_LONGEST_COUNT if name.isdigit() else 1)}
