"""Proposals: where an agent speaks, with exact spans, the same ones every time."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.canonical import sha256_hex
from app.domain.claims.check import resolve_claims
from app.domain.claims.propose import Proposal, propose_claims
from app.domain.claims.raw import RawClaim
from app.domain.turnlog.turns import ToolCall, Turn

calm = settings(deadline=None)


def said(text: str | None, index: int = 0, **columns: object) -> Turn:
    return replace(Turn("run", index, "assistant", text), **columns)  # type: ignore[arg-type]


def called(name: str, arguments: object, index: int = 0) -> Turn:
    source = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return said(None, index, tool_calls=(ToolCall(f"t{index}.c0", name, source),))


def texts(proposals: list[Proposal]) -> list[str]:
    return [proposal.claim.text for proposal in proposals]


def kinds(proposals: list[Proposal]) -> list[tuple[str, str]]:
    return [(proposal.claim.text, proposal.kind_guess) for proposal in proposals]


def test_only_the_agents_own_words_are_read() -> None:
    speech = "I ran the tests."
    turns = [
        Turn("run", 0, "user", speech),
        Turn("run", 1, "tool", speech, kind="tool_result"),
        Turn("run", 2, "system", speech),
        Turn("run", 3, "event", speech, kind="meta"),
        said(speech, 4, kind="summary"),
        said(speech, 5, kind="copied"),
        said(None, 6, reasoning=speech),
        said(speech, 7),
        Turn("run", 8, "event", "I fixed the parser.", kind="final"),
    ]
    found = propose_claims(turns)
    assert [(p.claim.turn_index, p.claim.target, p.claim.claim_source) for p in found] == [
        (7, "text", "transcript"),
        (8, "text", "report"),
    ]


def test_a_message_becomes_units_with_kind_and_cue() -> None:
    text = "Great! I fixed the parser and updated the docs. All 38 tests pass.\n\nLet me know if you want more."
    found = propose_claims([said(text)])
    assert kinds(found) == [
        ("I fixed the parser", "action"),
        ("updated the docs.", "action"),
        ("All 38 tests pass.", "coverage"),
    ]
    assert [p.cue for p in found] == ["I fixed", "updated", "All"]
    assert [p.claim.unit_parts for p in found] == [1, 1, 38]
    assert all(p.claim.text_sha256 == sha256_hex(p.claim.text) for p in found)


def test_promises_carry_polarity_and_condition() -> None:
    found = propose_claims([said("I won't touch the database. If the tests fail I'll revert.")])
    assert [(p.kind_guess, p.claim.polarity, p.claim.conditional) for p in found] == [
        ("intent", "not_do", False),
        ("intent", "do", True),
    ]


def test_a_finish_message_is_read_inside_its_arguments() -> None:
    found = propose_claims([called("finish", {"message": 'I fixed "x".\nAll tests pass.'})])
    source = json.dumps({"message": 'I fixed "x".\nAll tests pass.'})
    assert texts(found) == ['I fixed \\"x\\".', "All tests pass."]
    assert {p.claim.target for p in found} == {"args:t0.c0"}
    assert all(source[p.claim.span_start : p.claim.span_end] == p.claim.text for p in found)


def test_a_bare_submitted_answer_is_a_result() -> None:
    assert kinds(propose_claims([called("submit", {"answer": " flag{a_b} "})])) == [("flag{a_b}", "result")]
    assert propose_claims([called("submit", {"patch": "flag{a_b}"})]) == []
    assert propose_claims([called("bash", {"answer": "flag{a_b}"})]) == []


def test_to_do_items_are_read_with_their_mark() -> None:
    todos = [{"content": "Write tests", "status": "completed", "id": "1"}, {"content": "Ship", "status": "pending"}]
    found = propose_claims([called("TodoWrite", {"todos": todos})])
    assert kinds(found) == [
        ('{"content": "Write tests", "status": "completed"', "action"),
        ('{"content": "Ship", "status": "pending"', "intent"),
    ]
    turned = [{"id": "1", "status": "completed", "title": "Write tests"}]
    assert texts(propose_claims([called("plan", {"items": turned})])) == [
        '"status": "completed", "title": "Write tests"'
    ]


def test_plan_steps_are_promises() -> None:
    found = propose_claims([called("ExitPlanMode", {"plan": "## Plan\n1. Add a helper\n2. Update the component"})])
    assert kinds(found) == [("Add a helper", "intent"), ("Update the component", "intent")]


def test_ticked_rows_boxes_and_quoted_output_are_units() -> None:
    boxes, rows = "- [x] docs written\n- [ ] shipped", "| task | ok |\n|---|---|\n| lint | ✅ |"
    text = f"{boxes}\n\n{rows}\n\nThe output was:\n```\n38 passed\n```"
    found = propose_claims([said(text)])
    assert [(p.claim.text, p.kind_guess, p.cue) for p in found] == [
        ("docs written", "action", "ticked item"),
        ("| lint | ✅ |", "result", "ticked row"),
        ("38 passed", "result", "output"),
    ]


def test_a_repeat_is_a_unit_of_its_own_that_names_the_first() -> None:
    found = propose_claims([said("All tests pass."), said("**All tests pass!**", 1), said("I ran it.", 2)])
    assert [p.claim.repeat_of for p in found] == [None, found[0].claim.claim_id, None]
    assert len({p.claim.claim_id for p in found}) == 3


def test_the_same_log_gives_the_same_proposals_and_ids_do_not_depend_on_neighbours() -> None:
    turns = [said("I ran it."), said("I fixed the parser.", 1)]
    assert propose_claims(turns) == propose_claims(turns)
    assert propose_claims(turns)[1] == propose_claims(turns[1:])[0]


def test_headings_code_diffs_and_endless_lines_give_nothing() -> None:
    text = "# I ran the tests\n```\nI ran the tests\n```\ndiff --git a/x b/x\n+I ran the tests\n\nI ran " + "x " * 2_000
    assert propose_claims([said(text)]) == []


SPEECH = st.lists(
    st.sampled_from(
        [
            "I ran the tests. ",
            "All pass! ",
            "I'll fix `a.py` and `b.py`.\n",
            "- [x] done\n",
            "```\n",
            "| a | ✅ |\n",
            "é😀 ",
            "\n\n",
        ]
    )
    | st.text(max_size=10),
    max_size=12,
).map("".join)


@calm
@given(SPEECH, SPEECH, st.booleans())
def test_every_proposal_cuts_its_exact_text_and_resolves(text: str, message: str, ascii_only: bool) -> None:
    source = json.dumps({"message": message}, ensure_ascii=ascii_only)
    turns = [said(text, tool_calls=(ToolCall("t0.c0", "finish", source),))]
    found = propose_claims(turns)
    raw = [
        RawClaim(
            row,
            p.claim.claim_id,
            p.claim.session_id,
            p.claim.turn_index,
            p.claim.target,
            p.claim.span_start,
            p.claim.span_end,
            p.claim.text,
            p.claim.text_sha256,
            repeat_of=p.claim.repeat_of,
        )
        for row, p in enumerate(found, start=1)
    ]
    claims, faults = resolve_claims(raw, {"run": turns})
    assert faults == ()
    assert [claim.text for claim in claims] == texts(found)
