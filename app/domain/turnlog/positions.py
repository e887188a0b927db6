"""Where things stand in one run: which rows share a position, which part is cited, which call a result answers.

A view over `Run`, built for one judgement and computed as it is asked. It decides nothing about tiers or windows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from app.domain.turnlog.run import Run, RunTurn

PARTS = ("call", "text", "reasoning")


def answered_by(turns: Sequence[RunTurn]) -> dict[int, int]:
    """Return, for each row that is a result, the row of the call it answers (both as places in `turns`).

    A result with a `call_id` answers the earliest still open call of that id; one without, the earliest open call, of
    its own name if it gives one. A tool row marked `matched=False`, or one that finds no open call, is left out.
    """
    links: dict[int, int] = {}
    waiting: dict[int, RunTurn] = {}
    of_id: dict[str | None, dict[int, RunTurn]] = defaultdict(dict)
    for place, row in enumerate(turns):
        if row.call:
            waiting[place] = of_id[row.call_id][place] = row
        elif row.role == "tool" and row.matched is not False:
            asked = of_id[row.call_id] if row.call_id else waiting
            found = next((w for w, call in asked.items() if row.call_id or _same_name(row, call)), None)
            if found is not None:
                links[place] = found
                call = waiting.pop(found)
                del of_id[call.call_id][found]
    return links


def _same_name(result: RunTurn, call: RunTurn) -> bool:
    return not result.name or not call.name or result.name == call.name


class RunView:
    """One run, indexed by position. Holds no state of its own beyond what the run says."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.turns = run.turns

    @cached_property
    def places(self) -> dict[int, tuple[int, ...]]:
        """Position → the places in `turns` of the rows that share it, in log order."""
        found: dict[int, tuple[int, ...]] = {}
        for place, row in enumerate(self.turns):
            found[row.turn] = (*found.get(row.turn, ()), place)
        return found

    @cached_property
    def links(self) -> dict[int, int]:
        """Place of a result → place of the call it answers."""
        return answered_by(self.turns)

    @cached_property
    def last_turn(self) -> int:
        """The last position of the run; -1 for a run without rows."""
        return max((row.turn for row in self.turns), default=-1)

    def rows(self, turn: int) -> tuple[RunTurn, ...]:
        """Return the rows at a position, in log order; none when the run has no such position."""
        return tuple(self.turns[place] for place in self.places.get(turn, ()))

    def makes_call(self, turn: int) -> bool:
        """Return whether a row at this position makes a call."""
        return any(row.call for row in self.rows(turn))

    def part(self, turn: int, asked: str | None) -> str:
        """Return which part a citation of this position means: what it asks for, else the call if there is one.

        `call` asked of a row that makes none is its `text`: a row without a call has no other part to stand for.
        """
        if asked in ("text", "reasoning"):
            return asked
        return "call" if self.makes_call(turn) else "text"

    def is_matched(self, place: int) -> bool:
        """Return whether the tool row at this place belongs to a call, as the log says or as its order shows."""
        matched = self.turns[place].matched
        return place in self.links if matched is None else matched

    def calls_behind(self, turn: int, part: str | None) -> tuple[int, ...]:
        """Return the places of the calls a citation stands on: the cited calls, or those the cited results answer."""
        places = self.places.get(turn, ())
        if self.part(turn, part) == "call":
            return tuple(place for place in places if self.turns[place].call)
        return tuple(self.links[place] for place in places if place in self.links)
