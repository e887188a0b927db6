"""Where things stand in one run: which rows share a position, which part is cited, which call a result answers.

A view over `Run`, an index computed once as it is asked and never changed: one view serves any number of judgements, in
any number of threads. It decides nothing about tiers or windows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TypeVar, cast

from app.domain.turnlog.run import Run, RunTurn

PARTS = ("call", "text", "reasoning")
_MACHINE_KINDS = ("summary", "copied", "meta")

Kept = TypeVar("Kept")


class _Open:
    """The calls that no result has answered yet, in log order: all of them, by id and by name."""

    def __init__(self) -> None:
        self.all: dict[int, RunTurn] = {}
        self.by_id: dict[str | None, dict[int, None]] = defaultdict(dict)
        self.by_name: dict[str | None, dict[int, None]] = defaultdict(dict)

    def add(self, place: int, call: RunTurn) -> None:
        self.all[place] = call
        self.by_id[call.call_id][place] = self.by_name[call.name or None][place] = None

    def take(self, result: RunTurn) -> int | None:
        """Return the place of the call a result answers, which is then open no more; None where there is none."""
        found = min(self._earliest(result), default=None)
        if found is not None:
            call = self.all.pop(found)
            del self.by_id[call.call_id][found], self.by_name[call.name or None][found]
        return found

    def _earliest(self, result: RunTurn) -> list[int]:
        if result.call_id:
            asked: list[dict[int, None]] = [self.by_id[result.call_id]]
        elif result.name:
            asked = [self.by_name[result.name], self.by_name[None]]
        else:
            return [next(iter(self.all))] if self.all else []
        return [next(iter(places)) for places in asked if places]


def answered_by(turns: Sequence[RunTurn]) -> dict[int, int]:
    """Return, for each row that is a result, the row of the call it answers (both as places in `turns`).

    A result with a `call_id` answers the earliest still open call of that id; one without, the earliest open call, of
    its own name if it gives one (a call without a name has any). A tool row marked `matched=False`, or one that finds
    no open call, is left out. Takes time in proportion to the rows, however many calls stay open.
    """
    links: dict[int, int] = {}
    waiting = _Open()
    for place, row in enumerate(turns):
        if row.call:
            waiting.add(place, row)
        elif row.role == "tool" and row.matched is not False:
            found = waiting.take(row)
            if found is not None:
                links[place] = found
    return links


class RunView:
    """One run, indexed by position. Holds no state of its own beyond what the run says."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.turns = run.turns
        self._kept: dict[Hashable, object] = {}

    def prepared(self) -> RunView:
        """Return this view with its index computed, so that no judgement waits for it."""
        for index in (self.places, self.links, self.last_turn, self.user_turns, self.acting_turns, self.answered_until):
            del index
        return self

    def kept(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """Return what `make` made for this key the first time it was asked.

        For what others derive from the run alone. `make` is pure: two threads that ask at once may both make it, and
        either value is the same.
        """
        if key not in self._kept:
            self._kept[key] = make()
        return cast(Kept, self._kept[key])

    @cached_property
    def places(self) -> dict[int, tuple[int, ...]]:
        """Position → the places in `turns` of the rows that share it, in log order."""
        found: dict[int, list[int]] = defaultdict(list)
        for place, row in enumerate(self.turns):
            found[row.turn].append(place)
        return {turn: tuple(places) for turn, places in found.items()}

    @cached_property
    def links(self) -> dict[int, int]:
        """Place of a result → place of the call it answers."""
        return answered_by(self.turns)

    @cached_property
    def last_turn(self) -> int:
        """The last position of the run; -1 for a run without rows."""
        return max((row.turn for row in self.turns), default=-1)

    @cached_property
    def user_turns(self) -> list[int]:
        """The positions of rows that a person wrote, ascending: a summary or copied row under their role is none."""
        wrote = {row.turn for row in self.turns if row.role == "user" and row.kind not in _MACHINE_KINDS}
        return sorted(wrote)

    @cached_property
    def acting_turns(self) -> list[int]:
        """The assistant's positions with at least one call, ascending."""
        return sorted({row.turn for row in self.turns if row.call and row.role == "assistant"})

    @cached_property
    def answered_until(self) -> dict[int, int]:
        """Position of calls → the last position at which one of them is answered."""
        found: dict[int, int] = {}
        for result, call in self.links.items():
            turn = self.turns[call].turn
            found[turn] = max(found.get(turn, turn), self.turns[result].turn)
        return found

    def next_user_turn(self, after: int) -> int | None:
        """Return the first position past `after` that a person wrote, or None."""
        place = bisect_right(self.user_turns, after)
        return self.user_turns[place] if place < len(self.user_turns) else None

    def nth_acting_turn(self, after: int, n: int) -> int | None:
        """Return the `n`-th position past `after` at which the assistant acts, or None where there are fewer."""
        place = bisect_right(self.acting_turns, after) + n - 1
        return self.acting_turns[place] if place < len(self.acting_turns) else None

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
