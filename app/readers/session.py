"""One session while it is read: what holds for all its rows, and the rows in order.

Responsible for filling the run's facts into each row, for the outcome standing in the first row only, and for handing
out linked, numbered turns. What a record means is the formats' matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.domain.turnlog.linking import link_turns
from app.domain.turnlog.turns import Turn
from app.readers.pieces import as_json, extra_json
from app.readers.source import parse_json


@dataclass
class Session:
    """A session's facts and rows. `model` holds where a row has none of its own and the row is the agent's."""

    session_id: str
    src_file: str | None = None
    model: str | None = None
    arm: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    repeat: int | None = None
    agent: str | None = None
    outcome: Mapping[str, Any] | None = None
    facts: Mapping[str, Any] | None = None
    rows: list[Turn] = field(default_factory=list)

    def add(self, role: str, text: str | None, source: int | Sequence[int], **columns: Any) -> None:
        """Add a row read from the source record(s) `source`; `columns` are `Turn` fields, `extra` the rest of it."""
        extra = columns.pop("extra", None)
        index = (source,) if isinstance(source, int) else tuple(source)
        turn = Turn(
            session_id=self.session_id, turn_index=len(self.rows), role=role, text=text, src_index=index, **columns
        )
        self.rows.append(replace(turn, extra_json=extra_json(extra)) if extra else turn)

    def add_turns(self, turns: Sequence[Turn], source: int | Sequence[int]) -> None:
        """Add rows made elsewhere, all from the source record(s) `source`."""
        index = (source,) if isinstance(source, int) else tuple(source)
        self.rows.extend(replace(turn, src_index=index) for turn in turns)

    def turns(self) -> list[Turn]:
        """Return the session's turns, numbered, linked, with the run's facts in every row."""
        linked = link_turns(self.rows)
        if linked:
            linked[0] = self._with_outcome(linked[0])
        return [self._with_facts(turn) for turn in linked]

    def _with_outcome(self, first: Turn) -> Turn:
        if self.outcome:
            first = replace(first, outcome_json=extra_json(self.outcome))
        if self.facts:
            own = parse_json(first.extra_json, "extra") if first.extra_json else {}
            first = replace(
                first, extra_json=as_json({**own, "session": parse_json(extra_json(self.facts) or "{}", "")})
            )
        return first

    def _with_facts(self, turn: Turn) -> Turn:
        return replace(
            turn,
            session_id=self.session_id,
            src_file=turn.src_file or self.src_file,
            model=turn.model or (self.model if turn.role == "assistant" else None),
            arm=turn.arm or self.arm,
            run_id=turn.run_id or self.run_id,
            task_id=turn.task_id or self.task_id,
            repeat=self.repeat if turn.repeat is None else turn.repeat,
            agent=turn.agent or self.agent,
        )
