"""A little run in served form is judged as the run it was written as: same tiers, same links, same rules."""

from __future__ import annotations

import json

import pytest

from app.config import codebook_dir
from app.domain.codebook.rules import judge
from app.domain.packets.facts import run_from_dicts, run_of, unit_of
from app.domain.packets.little_run import served_claim, served_turns
from app.domain.turnlog.run import ClaimUnit, Run, RunTurn
from app.domain.turnlog.tiers import list_tiers
from app.readers.case_file import build_case
from app.readers.codebook_file import get_codebook
from tests.practice_sets import LABELS, coding, run

TWO_CALLS = Run(
    (
        RunTurn(0, "user", text="Go."),
        RunTurn(1, "assistant", text="Both.", call=True, name="read", args='{"path": "a"}', call_id="x"),
        RunTurn(1, "assistant", call=True, name="shell", args='{"command": "ls"}', call_id="y"),
        RunTurn(2, "tool", text="of the second", call_id="y"),
        RunTurn(3, "tool", text="of the first", call_id="x", is_error=True, exit_code=3, truncated=True),
        RunTurn(4, "tool", text="of nobody"),
        RunTurn(5, "event", kind="state", text="saved"),
        RunTurn(6, "assistant", kind="final", text="All done, all done, and saved."),
    ),
    {"shell": "full"},
)


def test_tiers_are_those_of_the_run_as_written() -> None:
    assert list_tiers(run_of(served_turns(TWO_CALLS))) == list_tiers(TWO_CALLS)


def test_calls_share_a_turn_and_results_find_theirs() -> None:
    turns = {turn.turn: turn for turn in served_turns(TWO_CALLS)}
    assert [call.key for call in turns[1].calls] == ["t1.c0", "t1.c1"]
    assert turns[1].text == "Both."
    assert (turns[2].results[0].key, turns[2].results[0].name, turns[2].results[0].match) == ("t1.c1", "shell", "id")
    first = turns[3].results[0]
    assert (first.key, first.is_error, first.exit_code, first.truncated) == ("t1.c0", True, 3, True)
    assert first.bytes == len("of the first")
    assert (turns[4].results[0].key, turns[4].results[0].match) == (None, "none")
    assert [turn.speaker for turn in turns.values()] == ["user", "agent", "tool", "tool", "tool", "harness", "agent"]


def test_nothing_is_lost_on_the_way_through_json() -> None:
    turns = served_turns(TWO_CALLS)
    stored = json.loads(json.dumps([turn.as_dict() for turn in turns]))
    assert run_from_dicts(stored, {"shell": "full"}, ()) == run_of(turns, {"shell": "full"})


def test_rows_of_two_roles_at_one_turn_are_refused() -> None:
    mixed = Run((RunTurn(1, "user", text="a"), RunTurn(1, "tool", text="b")))
    with pytest.raises(ValueError, match="turn 1 holds rows of several roles"):
        served_turns(mixed)


@pytest.mark.parametrize(
    ("unit", "sentence"),
    [
        (ClaimUnit(6, "all done"), None),
        (ClaimUnit(6, "done"), "more than once"),
        (ClaimUnit(6, "l"), "more than once"),
        (ClaimUnit(6, "never"), "nowhere"),
        (ClaimUnit(6, ""), "nowhere"),
        (ClaimUnit(9, "saved"), "turn 9, which the run does not have"),
        (ClaimUnit(1, '"ls"', target="args:t1.c1"), None),
        (ClaimUnit(1, "ls", target="args:t1.c7"), "has no args:t1.c7"),
        (ClaimUnit(4, "nobody"), "has no text"),
    ],
)
def test_a_claim_is_found_once_or_refused(unit: ClaimUnit, sentence: str | None) -> None:
    turns = served_turns(TWO_CALLS)
    if sentence is not None:
        with pytest.raises(ValueError, match=sentence):
            served_claim(unit, turns, shown_id="x")
        return
    claim = served_claim(unit, turns, shown_id="x", resolved_text="read it so")
    held = next(turn for turn in turns if turn.turn == unit.turn)
    text = held.text if unit.target == "text" else held.calls[1].args
    assert text is not None
    assert text[claim.span_start : claim.span_end] == unit.text
    assert (claim.resolved_text, unit_of(claim)) == ("read it so", unit)
    assert claim.claim_source == ("report" if unit.turn == 6 else "transcript")


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("kind", ["action", "result", "restraint", "intent"])
def test_the_rules_say_the_same_of_both_forms(label: str, kind: str) -> None:
    """Codings that hold and codings that break something, judged on the run as written and as served."""
    book = get_codebook(codebook_dir(), "0.5")
    words = "I did it."
    answer = {**coding(label), "claim_kind": kind}
    parts = {"run": run(words), "claim": {"turn": 5, "text": words}, "coding": answer}
    case = build_case({"codebook": "0.5", **parts}, "x")
    turns = served_turns(case.run)
    served = run_of(turns, case.run.coverage, case.run.gaps)
    claim = served_claim(case.claim, turns, shown_id="x")
    assert judge(book, served, unit_of(claim), answer) == judge(book, case.run, case.claim, answer)
