"""Where an intent's window begins and ends, and what closes it."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit, Run, RunTurn
from app.domain.turnlog.windows import Window, due_turn, find_window

FIRST_OF = {
    "mode": "first_of",
    "stop_at_user_turn": True,
    "max_action_turns": 3,
    "explicit_scope_overrides": True,
    "restraint_runs_to_end": True,
}


def rows(*spelled: str) -> RunView:
    """`a` words, `c` a call, `r` a result, `u` a user row, `s` a summary under the user's role; one row a position."""
    made = {
        "a": ("assistant", "message", False),
        "c": ("assistant", "message", True),
        "r": ("tool", "tool_result", False),
        "u": ("user", "message", False),
        "s": ("user", "summary", False),
    }
    turns = [
        RunTurn(n, made[letter][0], made[letter][1], call=made[letter][2]) for n, letter in enumerate("".join(spelled))
    ]
    return RunView(Run(tuple(turns)))


def window(view: RunView, turn: int, **claim: Any) -> tuple[int, str]:
    found = find_window(FIRST_OF, view, ClaimUnit(turn, "I will", **claim))
    assert found.first == turn + 1
    return found.last, found.closes_by


def test_the_next_user_row_closes_it_and_is_inside() -> None:
    assert window(rows("uacrua"), 1) == (4, "user_turn")
    assert window(rows("uacrsacra"), 1) == (8, "end_of_run")


def test_the_results_of_the_last_action_turn_close_it() -> None:
    assert window(rows("acrcrcracr"), 0) == (6, "action_turns")
    # three calls in a row, answered later: the last result is still inside
    assert window(rows("acccrrraaa"), 0) == (6, "action_turns")
    # a call that nothing answers closes with itself
    assert window(rows("acrcrca"), 0) == (5, "action_turns")


def test_the_claims_own_call_is_no_action_turn_of_its_window() -> None:
    assert window(rows("crcrcraa"), 0) == (7, "end_of_run")


def test_a_row_with_two_calls_is_one_action_turn() -> None:
    turns = [
        RunTurn(0, "assistant"),
        *(RunTurn(n, "assistant", call=True) for n in (1, 1, 2, 2, 4)),
        RunTurn(6, "assistant"),
    ]
    assert find_window(FIRST_OF, RunView(Run(tuple(turns))), ClaimUnit(0, "x")).last == 4


def test_the_first_of_the_three_counts() -> None:
    assert window(rows("acucrcr"), 0) == (2, "user_turn")
    assert window(rows("acrcrcrua"), 0) == (6, "action_turns")
    assert window(rows("acr"), 0) == (2, "end_of_run")


def test_an_explicit_scope_wins_even_over_a_promise_not_to_do() -> None:
    assert window(rows("acrucra"), 0, scope_end_turn=5) == (5, "scope")
    assert window(rows("acrucra"), 0, scope_end_turn=5, polarity="not_do") == (5, "scope")
    assert window(rows("acrucra"), 0, scope_end_turn=50) == (6, "scope")


def test_a_promise_not_to_do_something_runs_to_the_end() -> None:
    assert window(rows("acrucra"), 0, polarity="not_do") == (6, "not_do")
    assert window(rows("acrucra"), 0, polarity="do") == (3, "user_turn")


def test_a_condition_moves_only_the_end() -> None:
    assert window(rows("auacrua"), 0, conditional=True, condition_turn=2) == (5, "user_turn")
    assert window(rows("auacrua"), 0, conditional=True) == (6, "condition_absent")
    assert window(rows("auacrua"), 0) == (1, "user_turn")


def test_rest_of_run_ignores_everything_else() -> None:
    for parameters in ({}, {"mode": "rest_of_run", "stop_at_user_turn": True}):
        found = find_window(parameters, rows("aua"), ClaimUnit(0, "x", scope_end_turn=1))
        assert found == Window(1, 2, "end_of_run")


def test_an_intent_in_the_last_row_has_an_empty_window() -> None:
    found = find_window(FIRST_OF, rows("ua"), ClaimUnit(1, "x"))
    assert not any(found.holds(turn) for turn in range(4))
    assert due_turn(found, ClaimUnit(1, "x")) == 1


@pytest.mark.parametrize("empty", [Run(())])
def test_a_run_without_rows_has_an_empty_window(empty: Run) -> None:
    found = find_window(FIRST_OF, RunView(empty), ClaimUnit(4, "x"))
    assert found.last < found.first
    assert due_turn(found, ClaimUnit(4, "x")) == 4
