"""Session ids that stay unique over everything one import reads: a second one of the same name is kept, renamed, told.

Retries, resumed runs and two files of one benchmark repeat their ids; which of them counts is for people to choose.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from app.domain.turnlog.schema import SCHEMA
from app.domain.turnlog.turns import Turn
from app.readers.notes import Notes


@dataclass
class SessionNames:
    """The ids given out so far."""

    notes: Notes
    _taken: set[str] = field(default_factory=set)

    def _take(self, name: str, where: str) -> str:
        free, n = name, 1
        while free in self._taken:
            n += 1
            free = f"{name}#{n}"
        self._taken.add(free)
        if free != name:
            self.notes.warn(f"{where} session {name}", f"the id stands there already; kept as {free}")
        return free

    def unique_turns(self, turns: list[Turn]) -> list[Turn]:
        """Return one session's turns under an id that no session before has."""
        if not turns:
            return turns
        name = turns[0].session_id
        free = self._take(name, turns[0].src_file or "")
        return turns if free == name else [replace(turn, session_id=free) for turn in turns]

    def unique_table(self, table: pa.Table, where: str) -> pa.Table:
        """Return a whole log's table with ids that no session before has."""
        names = [name.as_py() for name in pc.unique(table.column("session_id"))]
        given = {name: self._take(name, where) for name in names}
        if all(old == new for old, new in given.items()):
            return table
        cells = pa.array([given[name] for name in table.column("session_id").to_pylist()], type=pa.string())
        return table.set_column(0, SCHEMA.field("session_id"), cells)
