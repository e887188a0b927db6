"""What every log format gives the import: a name, a description, how it is recognised, how it is read.

Only the shape and two small things all formats need to recognise themselves. No format is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.domain.turnlog.turns import Turn
from app.readers.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

Sessions = Iterator[list[Turn]]


def _nothing(_sources: Sequence[Source]) -> Sessions:
    return iter(())


@dataclass(frozen=True)
class Format:
    """A log format. `recognise` returns why a file is one (or None); `read` yields each session's linked turns.

    A format that is columns already gives `read_table` instead: one file → one valid, sorted table.
    """

    name: str
    description: str
    recognise: Callable[[Source], str | None]
    read: Callable[[Sequence[Source]], Sessions] = _nothing
    read_table: Callable[[Source], pa.Table] | None = None


def file_by_file(read_one: Callable[[Source], Sessions]) -> Callable[[Sequence[Source]], Sessions]:
    """Return a `read` for a format whose files have nothing to do with each other."""

    def read(sources: Sequence[Source]) -> Sessions:
        for source in sources:
            yield from read_one(source)

    return read


def first_objects(source: Source, most: int = 50) -> list[Mapping[str, Any]]:
    """Return up to `most` JSON objects from the start of the file: its lines, its list, or itself."""
    return [value for _, value in source.records[:most] if isinstance(value, Mapping)]
