"""The derived tier of each kind of row and part, and which call a result answers."""

from __future__ import annotations

import pytest

from app.domain.turnlog.positions import RunView, answered_by
from app.domain.turnlog.run import Run, RunTurn
from app.domain.turnlog.tiers import derived_tier, list_tiers


def call(turn: int, call_id: str | None = None, name: str = "shell") -> RunTurn:
    return RunTurn(turn, "assistant", text="doing it", call=True, call_id=call_id, name=name)


def result(turn: int, call_id: str | None = None, name: str | None = None, matched: bool | None = None) -> RunTurn:
    return RunTurn(turn, "tool", kind="tool_result", text="ok", call_id=call_id, name=name, matched=matched)


@pytest.mark.parametrize(
    ("row", "part", "tier"),
    [
        (RunTurn(3, "tool", matched=True), None, "T1"),
        (RunTurn(3, "tool", matched=False), None, "T2"),
        (RunTurn(3, "tool"), None, "T2"),
        (RunTurn(3, "event", kind="state"), None, "T2"),
        (RunTurn(3, "event", kind="error"), None, "T2"),
        (RunTurn(3, "assistant", kind="error"), None, "T2"),
        (RunTurn(3, "user"), None, "T2"),
        (RunTurn(3, "system"), None, "T2"),
        (RunTurn(3, "assistant", call=True), None, "T3"),
        (RunTurn(3, "assistant", call=True), "call", "T3"),
        (RunTurn(3, "assistant", call=True), "text", "T4"),
        (RunTurn(3, "assistant", call=True), "reasoning", "T4"),
        (RunTurn(3, "assistant"), None, "T4"),
        (RunTurn(3, "assistant"), "call", "T4"),
        (RunTurn(3, "assistant", kind="reasoning"), None, "T4"),
        (RunTurn(3, "assistant", kind="final"), None, "T5"),
        (RunTurn(3, "assistant", kind="final", call=True), "call", "T5"),
        (RunTurn(3, "event", kind="final"), None, "T5"),
        (RunTurn(3, "user", kind="summary"), None, "T5"),
        (RunTurn(3, "tool", kind="copied", matched=True), None, "T5"),
    ],
)
def test_the_tier_of_a_row_and_part(row: RunTurn, part: str | None, tier: str) -> None:
    assert derived_tier(Run((row,)), 3, part) == tier


def test_a_turn_that_is_not_there_has_no_tier() -> None:
    assert derived_tier(Run((call(1),)), 2) is None
    assert derived_tier(Run(()), 0) is None


def test_without_ids_a_result_answers_the_earliest_open_call() -> None:
    turns = (result(0), call(1), call(2), result(3), result(4), result(5))
    assert answered_by(turns) == {3: 1, 4: 2}
    assert list_tiers(Run(turns)) == {0: "T2", 1: "T3", 2: "T3", 3: "T1", 4: "T1", 5: "T2"}


def test_with_ids_a_result_answers_the_earliest_open_call_of_that_id() -> None:
    turns = (call(0, "a"), call(1, "b"), call(2, "a"), result(3, "b"), result(4, "a"), result(5, "a"), result(6, "a"))
    assert answered_by(turns) == {3: 1, 4: 0, 5: 2}


def test_a_named_result_answers_a_call_of_its_name() -> None:
    turns = (call(0, name="read"), call(1, name="write"), result(2, name="write"), result(3))
    assert answered_by(turns) == {2: 1, 3: 0}


def test_what_the_log_says_of_a_match_stands() -> None:
    turns = (call(0), result(1, matched=False), result(2, matched=True))
    assert list_tiers(Run(turns)) == {0: "T3", 1: "T2", 2: "T1"}


def test_several_calls_of_one_row_share_their_position() -> None:
    view = RunView(Run((call(4, "a"), call(4, "b"), result(5, "b"), result(6, "a"))))
    assert view.calls_behind(4, None) == (0, 1)
    assert view.calls_behind(4, "text") == ()
    assert view.calls_behind(5, None) == (1,)
    assert view.calls_behind(9, None) == ()
    assert view.last_turn == 6
