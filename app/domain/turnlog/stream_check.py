"""The same rules as `check.py` over a log that arrives piece by piece, whole sessions at a time.

Responsible for where to cut, for row numbers over the whole file and for order between pieces. Reads no files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from app.domain.turnlog.check import Fault, check_table


@dataclass
class StreamCheck:
    """Checks a sorted log piece by piece, whole sessions at a time; memory holds one piece and its last session."""

    faults: list[Fault] = field(default_factory=list)
    sessions: int = 0
    turns: int = 0
    _rest: pa.Table | None = None
    _last: str | None = None

    def feed(self, piece: pa.Table) -> None:
        """Take the next rows of the file, in order."""
        held = piece if self._rest is None else pa.concat_tables([self._rest, piece])
        names = held.column("session_id") if "session_id" in held.column_names else None
        if names is None or names.null_count or not len(names):
            self._judge(held)
            self._rest = None
            return
        change = pc.indices_nonzero(pc.not_equal(names[1:], names[:-1])) if len(names) > 1 else []
        cut = change[-1].as_py() + 1 if len(change) else 0
        self._judge(held.slice(0, cut))
        self._rest = held.slice(cut)

    def finish(self) -> list[Fault]:
        """Return every fault found, after the last piece."""
        if self._rest is not None:
            self._judge(self._rest)
            self._rest = None
        return self.faults

    def _judge(self, part: pa.Table) -> None:
        if not part.num_rows:
            return
        found = check_table(part)
        self.faults.extend(replace(f, row=f.row + self.turns if f.row is not None else None) for f in found)
        self._count(part, sound=not found)
        self.turns += part.num_rows

    def _count(self, part: pa.Table, sound: bool) -> None:
        if "session_id" not in part.column_names:
            return
        names = part.column("session_id")
        self.sessions += pc.count_distinct(names).as_py()
        if not sound:
            return
        first = names[0].as_py()
        if self._last is not None and first <= self._last:
            self.faults.append(Fault(self.turns, "session_id", "rows are not sorted by session and turn"))
        self._last = names[-1].as_py()


def check_stream(pieces: Iterable[pa.Table]) -> StreamCheck:
    """Return the finished check of a log that arrives in pieces."""
    check = StreamCheck()
    for piece in pieces:
        check.feed(piece)
    check.finish()
    return check
