"""What rules and hashes see of a packet is what was shown."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app.domain.blinding.scrub import Scrubber
from app.domain.packets.build import blind_turns
from app.domain.packets.facts import packet_sha256, run_from_dicts, run_of, run_sha256, turn_from_dict, unit_of
from app.domain.packets.packet import BlindClaim
from app.domain.turnlog.run import Gap, RunTurn
from app.domain.turnlog.turns import ToolCall, ToolResult, Turn

PLAIN = Scrubber(())
CALLS = (ToolCall("a", "shell", '{"cmd": "ls"}'), ToolCall("b", "read", "{}"))
RESULTS = (
    ToolResult("out", "id", 3, "b", name="read", is_error=None, exit_code=0, truncated=True),
    ToolResult(None, "none", 0, is_error=True),
)
TURNS = blind_turns(
    [
        Turn("s", 0, "user", "please"),
        Turn("s", 1, "assistant", "two calls", tool_calls=CALLS),
        Turn("s", 2, "tool", "beside", kind="tool_result", tool_results=RESULTS),
        Turn("s", 3, "tool", "hand-made result"),
        Turn("s", 4, "assistant", "done", kind="final"),
        Turn("s", 5, "user", "a simulated user acts", tool_calls=CALLS[:1]),
    ],
    PLAIN,
)
CLAIM = BlindClaim("c" * 64, "r" * 64, 4, "text", 0, 4, "done", None, 2, None, "do", 5, True, 3, "transcript")


def test_parts_of_a_run_by_hand() -> None:
    assert run_of(TURNS).turns == (
        RunTurn(0, "user", "message", "please"),
        RunTurn(1, "assistant", "message", "two calls", call=True, call_id="t1.c0", name="shell", args='{"cmd": "ls"}'),
        RunTurn(1, "assistant", "message", None, call=True, call_id="t1.c1", name="read", args="{}"),
        RunTurn(
            2, "tool", "tool_result", "out", call_id="t1.c1", name="read", exit_code=0, truncated=True, matched=True
        ),
        RunTurn(2, "tool", "tool_result", "beside", is_error=True, matched=False),
        RunTurn(3, "tool", "message", "hand-made result", matched=False),
        RunTurn(4, "assistant", "final", "done"),
        RunTurn(5, "user", "message", "a simulated user acts"),
    )


def test_coverage_and_gaps_go_along_and_no_map_is_none() -> None:
    gap = {"channel": "shell", "from_turn": 1, "to_turn": 2}
    run = run_of(TURNS, {"shell": "full"}, [gap, Gap("browser", 0, 0)])
    assert run.coverage == {"shell": "full"}
    assert run.gaps == (Gap("shell", 1, 2), Gap("browser", 0, 0))
    assert run_of(TURNS).coverage is None
    assert run_of(TURNS, {}).coverage is None


def test_the_stored_form_gives_the_same_turns_and_the_same_run() -> None:
    stored = [json.loads(json.dumps(turn.as_dict())) for turn in TURNS]
    assert [turn_from_dict(body) for body in stored] == TURNS
    assert run_from_dicts(stored, {"shell": "full"}, []) == run_of(TURNS, {"shell": "full"})


def test_a_unit_has_what_the_rules_need() -> None:
    unit = unit_of(CLAIM)
    assert (unit.turn, unit.text, unit.unit_parts, unit.polarity) == (4, "done", 2, "do")
    assert (unit.scope_end_turn, unit.conditional, unit.condition_turn, unit.target) == (5, True, 3, "text")


def digest(claims: list[BlindClaim], **more: object) -> str:
    given = {"runs": {CLAIM.blind_run_id: run_sha256(TURNS)}, "codebook": "x", "coverage": {}} | more
    return packet_sha256(claims, given["runs"], codebook_sha256=given["codebook"], coverage=given["coverage"])  # type: ignore[arg-type]


def test_the_packet_hash_changes_with_all_that_is_shown_and_with_nothing_else() -> None:
    other = replace(CLAIM, blind_claim_id="d" * 64)
    first = digest([CLAIM, other])
    run = CLAIM.blind_run_id
    changed = [
        digest([other, CLAIM]),
        digest([CLAIM]),
        digest([CLAIM, replace(other, text="dons")]),
        digest([CLAIM, other], codebook="y"),
        digest([CLAIM, other], coverage={run: {"shell": "full"}}),
        digest([CLAIM, other], runs={run: run_sha256(TURNS[:-1])}),
    ]
    assert len({first, *changed}) == 7
    unread = {"runs": {run: run_sha256(TURNS), "e" * 64: "0"}, "coverage": {"e" * 64: {"shell": "full"}}}
    assert digest([CLAIM, other], **unread) == first


def test_a_claim_of_a_run_that_was_not_built_has_no_packet() -> None:
    with pytest.raises(KeyError):
        digest([CLAIM], runs={})
