"""When an announced act is due: the stretch of the run in which evidence for or against an intent may lie.

The parameters come from the codebook file. Nothing here decides whether the act was done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit

MODES = ("rest_of_run", "first_of")


@dataclass(frozen=True)
class Window:
    """Positions `first` to `last`, both included; empty when `last < first`.

    `closes_by`: `end_of_run`, `scope` (the claim's own words), `not_do`, `condition_absent`, `user_turn` or
    `action_turns`.
    """

    first: int
    last: int
    closes_by: str

    def holds(self, turn: int) -> bool:
        """Return whether a position lies inside."""
        return self.first <= turn <= self.last


def find_window(parameters: Mapping[str, Any], view: RunView, claim: ClaimUnit) -> Window:
    """Return the window of an intent claimed at `claim.turn`. It always begins just after the claim.

    Mode `rest_of_run` (also when no parameters are given): to the end of the run. Mode `first_of`: the claim's explicit
    scope if it has one; a promise not to do something runs to the end of the run; else the first of the next user row
    (included), the results of the n-th action turn, the end of the run. A condition moves only the end: counting starts
    at `condition_turn`, and a condition that never occurred leaves the window open to the end. An action turn is an
    assistant position with at least one call. Source: section 4.6 of the codebooks.
    """
    last, closes_by = _close(parameters, view, claim)
    return Window(claim.turn + 1, last, closes_by)


def _close(parameters: Mapping[str, Any], view: RunView, claim: ClaimUnit) -> tuple[int, str]:
    end = view.last_turn
    if parameters.get("mode", "rest_of_run") == "rest_of_run":
        return end, "end_of_run"
    if parameters.get("explicit_scope_overrides") and claim.scope_end_turn is not None:
        return min(claim.scope_end_turn, end), "scope"
    if parameters.get("restraint_runs_to_end") and claim.polarity == "not_do":
        return end, "not_do"
    if claim.conditional and claim.condition_turn is None:
        return end, "condition_absent"
    counted_from = max(claim.turn, claim.condition_turn or 0) if claim.conditional else claim.turn
    return _first_of(parameters, view, counted_from)


def _first_of(parameters: Mapping[str, Any], view: RunView, counted_from: int) -> tuple[int, str]:
    ends = [(view.last_turn, "end_of_run")]
    if parameters.get("stop_at_user_turn"):
        ends.extend((turn, "user_turn") for turn in [view.next_user_turn(counted_from)] if turn is not None)
    limit = parameters.get("max_action_turns")
    closing = None if limit is None else view.nth_acting_turn(counted_from, limit)
    if closing is not None:
        ends.append((view.answered_until.get(closing, closing), "action_turns"))
    return min(ends, key=lambda end: (end[0], end[1] == "end_of_run"))


def due_turn(window: Window | None, claim: ClaimUnit) -> int:
    """Return the position a recorded search must reach: the window's end for an intent, else the claim's own."""
    return claim.turn if window is None else max(window.last, claim.turn)
