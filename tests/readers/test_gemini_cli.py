"""Gemini CLI sessions: calls and results of one record, thoughts, a claim with no call at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.readers.logs import read_logs
from tests.readers.conftest import at_source, claims_of, only_session, says

Write = Callable[..., Path]


def record(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"sessionId": "sid", "projectHash": "h", "messages": list(messages)}


def test_calls_carry_their_results_in_the_same_record(json_file: Write) -> None:
    response = [{"functionResponse": {"id": "c1", "name": "shell", "response": {"output": "a b"}}}]
    calls = [
        {"id": "c1", "name": "shell", "args": {"command": "ls"}, "result": response, "status": "success"},
        {"id": "c2", "name": "shell", "args": {}, "result": [{"text": "odd"}], "status": "error", "resultDisplay": "x"},
        {"id": "c3", "name": "shell", "args": {}},
    ]
    thoughts = [{"subject": "Plan", "description": "list first"}, "then answer"]
    said = {
        "id": "m2",
        "type": "gemini",
        "content": "I look.",
        "model": "mod",
        "thoughts": thoughts,
        "toolCalls": calls,
    }
    turns = only_session(
        json_file(record({"type": "user", "content": "Hi", "timestamp": "2026-01-01T00:00:00Z"}, said))
    )
    assert [(t.role, t.text, t.src_index) for t in turns] == [
        ("user", "Hi", (0,)),
        ("assistant", "I look.", (1,)),
        ("tool", None, (1,)),
        ("tool", None, (1,)),
    ]
    assert (turns[1].model, turns[1].reasoning) == ("mod", "Plan: list first\n\nthen answer")
    assert len(turns[1].tool_calls) == 3
    assert [(r.output, r.is_error, r.call_key, r.match) for t in turns for r in t.tool_results] == [
        ("a b", False, "t1.c0", "inline"),
        ('{"text": "odd"}', True, "t1.c1", "inline"),
    ]
    assert json.loads(turns[3].extra_json or "")["resultDisplay"] == "x"
    assert json.loads(turns[0].extra_json or "") == {"session": {"projectHash": "h"}}


def test_notes_of_the_program_are_events_and_unknown_speakers_refused(json_file: Write) -> None:
    turns = only_session(
        json_file(record({"type": "info", "content": "Saved."}, {"type": "error", "content": "Quota."}))
    )
    assert [(t.role, t.kind) for t in turns] == [("event", "meta"), ("event", "error")]
    with pytest.raises(BadInput, match=r"log\.json: message 0 has the unknown type 'boss'"):
        read_logs([json_file(record({"type": "boss", "content": "x"}))])


@pytest.mark.real_data
@pytest.mark.parametrize("claim", claims_of("gemini_cli/"), ids=lambda c: c["id"])
def test_the_real_session_holds_its_claim_and_no_call(real_log: Callable[[str], Path], claim: dict[str, Any]) -> None:
    path = real_log(claim["file"])
    logs = read_logs([path])
    assert (logs.counts["turns"], logs.counts["tool_calls"], logs.counts["tool_results"]) == (2, 0, 0)
    turns = only_session(path)
    assert {t.session_id for t in turns} == {claim["session"]}
    assert says(at_source(turns, claim["turn"]), claim["claim"])
    assert all(at_source(turns, index) for index in claim["evidence_turns"])
