"""Claims against the log: what holds is frozen, what does not is named by row and column."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.canonical import sha256_hex
from app.domain.claims.check import require_claims, resolve_claims
from app.domain.claims.raw import RawClaim
from app.domain.errors import BadInput
from app.domain.turnlog.turns import ToolCall, Turn

calm = settings(deadline=None)  # a busy machine is no fault of the text
SAID = "I ran the suite. All 38 pass."
ARGS = json.dumps({"message": 'Done: "x"\nis fixed.', "n": 2})
RUN = (
    Turn("run", 0, "user", "Please fix x."),
    Turn("run", 1, "assistant", SAID, reasoning="hm", tool_calls=(ToolCall("t1.c0", "finish", ARGS),)),
    Turn("run", 2, "assistant", None),
    Turn("run", 3, "assistant", "All 38 pass.", kind="final"),
)
LOG = {"run": RUN}
GOOD = RawClaim(1, "c1", "run", 1, "text", 17, 29, "All 38 pass.")


def fault_of(claim: RawClaim) -> tuple[str, str]:
    claims, [fault] = resolve_claims([claim], LOG)
    assert claims == ()
    assert fault.row == claim.row
    return fault.column, fault.message


def test_a_claim_that_holds_is_frozen_with_the_hash_of_its_text() -> None:
    [claim], faults = resolve_claims([GOOD], LOG)
    assert faults == ()
    assert (claim.claim_id, claim.text, claim.span_start, claim.span_end) == ("c1", "All 38 pass.", 17, 29)
    assert claim.text_sha256 == sha256_hex("All 38 pass.")
    assert (claim.unit_parts, claim.conditional, claim.claim_source, claim.repeat_of) == (1, False, "transcript", None)


def test_a_final_row_is_a_report_unless_the_file_says_otherwise() -> None:
    report = RawClaim(1, "c1", "run", 3, "text", 0, 12, "All 38 pass.")
    assert resolve_claims([report], LOG)[0][0].claim_source == "report"
    assert resolve_claims([replace(report, claim_source="transcript")], LOG)[0][0].claim_source == "transcript"


def test_without_a_span_the_text_is_looked_up() -> None:
    claims, faults = resolve_claims([replace(GOOD, span_start=None, span_end=None)], LOG)
    assert (faults, claims[0].span_start, claims[0].span_end) == ((), 17, 29)


def test_a_text_inside_arguments_is_found_as_it_reads_and_kept_as_it_stands() -> None:
    wanted = RawClaim(1, "c1", "run", 1, "args:t1.c0", text='"x"\nis fixed.')
    [claim], faults = resolve_claims([wanted], LOG)
    assert faults == ()
    assert claim.text == '\\"x\\"\\nis fixed.'
    assert ARGS[claim.span_start : claim.span_end] == claim.text


@pytest.mark.parametrize(
    ("claim", "column", "said"),
    [
        (
            replace(GOOD, span_start=18),
            "span_start",
            'cuts "ll 38 pass.", not "All 38 pass."; the text stands at 17 to 29',
        ),
        (replace(GOOD, span_end=28), "span_start", 'cuts "All 38 pass", not'),
        (replace(GOOD, span_end=30), "span_end", "which has 29 characters"),
        (replace(GOOD, span_start=-1), "span_start", "does not lie in the target"),
        (replace(GOOD, span_start=29), "span_start", "does not lie in the target"),
        (replace(GOOD, span_start=None), "span_start", "give both ends or neither"),
        (replace(GOOD, span_end=None), "span_end", "give both ends or neither"),
        (replace(GOOD, turn_index=9), "turn_index", 'run "run" has turns 0 to 3; there is no turn 9'),
        (replace(GOOD, turn_index=-1), "turn_index", "there is no turn -1"),
        (replace(GOOD, session_id="other"), "session_id", 'the log has no run "other"'),
        (replace(GOOD, turn_index=2), "target", "turn 2 has no text"),
        (replace(GOOD, target="words"), "target", '"words" is not a target'),
        (replace(GOOD, target="args:t9.c0"), "target", 'has no call "t9.c0"; it has args:t1.c0'),
        (replace(GOOD, turn_index=3, target="args:t1.c0"), "target", "it has no call at all"),
        (replace(GOOD, claim_id=None), "claim_id", "is empty"),
        (replace(GOOD, text=""), "text", "is empty"),
        (replace(GOOD, target=None), "target", "is empty"),
        (replace(GOOD, text="absent", span_start=None, span_end=None), "text", '"absent" does not stand in text'),
        (replace(GOOD, text="s", span_start=None, span_end=None), "text", "stands 3 times"),
        (replace(GOOD, unit_parts=0), "unit_parts", "use 1 or more"),
        (replace(GOOD, polarity="maybe"), "polarity", "do, not_do"),
        (replace(GOOD, scope_end_turn=7), "scope_end_turn", "there is no turn 7"),
        (replace(GOOD, condition_turn=7), "condition_turn", "there is no turn 7"),
        (replace(GOOD, claim_source="chat"), "claim_source", "transcript, report"),
        (replace(GOOD, text_sha256="0" * 64), "text_sha256", "has changed"),
        (replace(GOOD, repeat_of="c9"), "repeat_of", '"c9" is not the id of another claim'),
        (replace(GOOD, repeat_of="c1"), "repeat_of", "not the id of another claim"),
    ],
)
def test_what_does_not_hold_is_named_by_its_column(claim: RawClaim, column: str, said: str) -> None:
    found, message = fault_of(claim)
    assert found == column
    assert said in message


def test_ids_are_unique_and_the_second_one_is_named_with_the_first_ones_row() -> None:
    second = replace(GOOD, row=2, span_start=0, span_end=16, text="I ran the suite.")
    claims, [fault] = resolve_claims([GOOD, second], LOG)
    assert [claim.text for claim in claims] == ["All 38 pass."]
    assert (fault.row, fault.column) == (2, "claim_id")
    assert "row 1" in fault.message


def test_a_repeat_names_a_claim_of_its_own_run() -> None:
    repeat = RawClaim(2, "c2", "run", 3, "text", 0, 12, "All 38 pass.", repeat_of="c1")
    claims, faults = resolve_claims([repeat, replace(GOOD, row=3)], LOG)
    assert (len(claims), faults) == (2, ())
    elsewhere = {"run": RUN, "run2": tuple(replace(turn, session_id="run2") for turn in RUN)}
    moved = replace(repeat, session_id="run2")
    assert resolve_claims([GOOD, moved], elsewhere)[1][0].column == "repeat_of"


def test_a_guarded_cell_is_taken_without_its_apostrophe_where_only_that_fits() -> None:
    log = {"run": (Turn("run", 0, "assistant", "- All pass"),)}
    cell = RawClaim(1, "c1", "run", 0, "text", 0, 10, "'- All pass", unguarded_text="- All pass")
    assert resolve_claims([cell], log)[0][0].text == "- All pass"
    assert resolve_claims([replace(cell, span_start=None, span_end=None)], log)[0][0].text == "- All pass"
    assert resolve_claims([replace(cell, unguarded_text=None)], log)[1][0].column == "span_start"


def test_all_or_nothing_where_a_study_needs_the_claims() -> None:
    assert len(require_claims([GOOD], LOG, "claims.csv")) == 1
    broken = [replace(GOOD, row=2, claim_id="c2", turn_index=9), replace(GOOD, row=3, claim_id="c3", target="x")]
    with pytest.raises(BadInput, match=r"^claims\.csv, row 2, column turn_index: .* \(and 1 more faults"):
        require_claims([GOOD, *broken], LOG, "claims.csv")


@calm
@given(st.text(min_size=1), st.data())
def test_a_span_cuts_the_exact_substring_of_any_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    log = {"run": (Turn("run", 0, "assistant", text),)}
    raw = RawClaim(1, "c1", "run", 0, "text", start, end, text[start:end])
    [claim], faults = resolve_claims([raw], log)
    assert faults == ()
    assert text[claim.span_start : claim.span_end] == claim.text == text[start:end]


@calm
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.data())
def test_a_readable_text_in_arguments_resolves_to_its_only_place_or_is_refused(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    source = json.dumps({"k": text})
    log = {"run": (Turn("run", 0, "assistant", None, tool_calls=(ToolCall("t0.c0", "finish", source),)),)}
    claims, faults = resolve_claims([RawClaim(1, "c1", "run", 0, "args:t0.c0", text=text[start:end])], log)
    if faults:
        assert "times" in faults[0].message
    else:
        assert source[claims[0].span_start : claims[0].span_end] == claims[0].text
