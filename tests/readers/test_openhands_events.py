"""OpenHands v0 events: whose words count, which observation answers which action, what the model never saw."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.readers.logs import read_logs
from tests.readers.conftest import only_session, turns_of

Write = Callable[..., Path]


def act(number: int | None, action: str, source: str = "agent", **args: Any) -> dict[str, Any]:
    made = {
        "action": action,
        "source": source,
        "args": args,
        "message": f"Running {action}",
        "timestamp": "2026-01-01T10:00:00",
    }
    return made if number is None else {"id": number, **made}


def see(cause: int | None, observation: str, content: str, **extras: Any) -> dict[str, Any]:
    made = {"observation": observation, "source": "agent", "content": content, "extras": extras, "message": "seen"}
    return made if cause is None else {"cause": cause, **made}


def from_model(event: dict[str, Any], response: str, call_id: str) -> dict[str, Any]:
    metadata = {"tool_call_id": call_id, "model_response": {"id": response, "model": "org/mod"}}
    return {**event, "tool_call_metadata": metadata}


def test_the_agent_speaks_in_thought_content_and_final_thought_only(json_file: Write) -> None:
    events = [
        act(0, "system", content="Act.", openhands_version="0.58"),
        act(1, "message", "user", content="Do it", image_urls=["http://x/y.png"]),
        act(2, "run", thought="I list.", command="ls"),
        see(2, "run", "a b", metadata={"exit_code": 3}),
        act(4, "message", content="I found two."),
        act(5, "finish", final_thought="", thought="", outputs={"content": "All is done."}),
        act(6, "reject", thought="I cannot."),
    ]
    turns = only_session(json_file(events, "s1.json"))
    assert [(t.role, t.kind, t.text) for t in turns] == [
        ("system", "message", "Act."),
        ("user", "message", "Do it"),
        ("assistant", "message", "I list."),
        ("tool", "tool_result", None),
        ("assistant", "message", "I found two."),
        ("assistant", "final", "All is done."),
        ("assistant", "final", "I cannot."),
    ]
    assert [(c.name, c.call_id, c.args_json) for c in turns[2].tool_calls] == [("run", "2", '{"command": "ls"}')]
    assert [(r.output, r.exit_code, r.call_key, r.match) for r in turns[3].tool_results] == [("a b", 3, "t2.c0", "id")]
    assert not any("Running" in (t.text or "") for t in turns)
    assert json.loads(turns[2].extra_json or "")["message"] == "Running run"
    assert (turns[2].ts, turns[2].ts_raw) == (None, "2026-01-01T10:00:00")
    assert [(a.kind, a.ref) for a in turns[1].attachments] == [("image", "http://x/y.png")]
    assert {(t.session_id, t.agent) for t in turns} == {("s1", "openhands 0.58")}


def test_actions_of_one_response_are_one_row_and_answers_find_them(json_file: Write) -> None:
    events = [
        from_model(act(1, "run", thought="Both.", command="a"), "r1", "c1"),
        from_model(see(1, "run", "A"), "r1", "c1"),
        from_model(act(3, "run", thought="", command="b"), "r1", "c2"),
        from_model(see(3, "run", "B", exit_code=1), "r1", "c2"),
        from_model(act(5, "read", path="x"), "r2", "c3"),
    ]
    turns = only_session(json_file(events))
    assert [(t.role, t.src_index, t.model) for t in turns] == [
        ("assistant", (0, 2), "org/mod"),
        ("tool", (1,), None),
        ("tool", (3,), None),
        ("assistant", (4,), "org/mod"),
    ]
    assert turns[0].text == "Both."
    assert [(r.output, r.call_key, r.exit_code) for t in turns for r in t.tool_results] == [
        ("A", "t0.c0", None),
        ("B", "t0.c1", 1),
    ]


def test_ids_that_restart_answer_the_latest_action_of_that_id(json_file: Write) -> None:
    """The first run 1 is never answered; after the restart the same id must not answer it."""
    events = [
        act(1, "run", command="old"),
        act(1, "run", command="new"),
        see(1, "run", "NEW"),
        act(1, "run", command="third"),
        see(1, "run", "THIRD"),
    ]
    turns = only_session(json_file(events))
    assert [(r.output, r.call_key) for t in turns for r in t.tool_results] == [("NEW", "t1.c0"), ("THIRD", "t3.c0")]


def test_observations_without_a_cause_are_orphans_never_guesses(json_file: Write) -> None:
    events = [
        act(1, "run", command="a"),
        see(None, "error", "API went away", error_id="LLM_ERROR"),
        see(99, "run", "whose?"),
        see(1, "user_rejected", "No."),
    ]
    turns = only_session(json_file(events))
    assert [(r.match, r.is_error, r.error_kind) for t in turns for r in t.tool_results] == [
        ("none", True, "LLM_ERROR"),
        ("none", None, None),
        ("id", True, "rejected"),
    ]


def test_state_and_recall_are_events_the_model_never_saw(json_file: Write) -> None:
    events = [
        act(1, "recall", "user", query="x"),
        see(1, "recall", "Added workspace context"),
        act(None, "change_agent_state", "environment", agent_state="running"),
        see(None, "agent_state_changed", "", agent_state="running"),
        act(5, "condensation", summary="So far ...", forgotten_event_ids=[1]),
        see(None, "null", ""),
    ]
    turns = only_session(json_file(events))
    assert [(t.role, t.kind, t.in_context) for t in turns] == [
        ("event", "state", False),
        ("event", "state", False),
        ("event", "state", False),
        ("event", "state", False),
        ("event", "summary", True),
        ("event", "state", False),
    ]
    assert turns[4].text == "So far ..."
    assert json.loads(turns[4].extra_json or "")["args"] == {"forgotten_event_ids": [1]}


def test_a_harness_output_gives_one_session_a_line_retries_kept(json_file: Write) -> None:
    pair = [act(1, "run", thought="t", command="ls"), see(1, "run", "out")]
    line = {
        "instance_id": "org__repo-1",
        "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "org/mod"}},
        "test_result": {"git_patch": "diff"},
        "history": [pair],
    }
    logs = read_logs([json_file([line, {**line, "history": pair}], "output.jsonl")])
    sessions = turns_of(logs)
    assert list(sessions) == ["org__repo-1#0", "org__repo-1#1"]
    for turns in sessions.values():
        assert [(t.role, t.src_index, t.model, t.task_id) for t in turns] == [
            ("assistant", (0,), "org/mod", "org__repo-1"),
            ("tool", (1,), None, "org__repo-1"),
        ]
        assert json.loads(turns[0].outcome_json or "") == {"test_result": {"git_patch": "diff"}}
        assert turns[0].agent == "CodeActAgent"


def test_a_feedback_record_holds_its_events_in_trajectory(json_file: Write) -> None:
    record = {"version": "1", "feedback": "positive", "trajectory": [act(1, "message", "user", content="Hi")]}
    turns = only_session(json_file(record, "f.json"))
    assert [(t.session_id, t.text) for t in turns] == [("f", "Hi")]


def test_what_is_no_event_is_refused_by_its_place(json_file: Write) -> None:
    with pytest.raises(BadInput, match=r"e\.json: event 1 is not an object"):
        read_logs([json_file([act(1, "run"), 5], "e.json")])
    with pytest.raises(BadInput, match=r"o\.jsonl row 1: no history or trajectory of events"):
        read_logs([json_file([{"history": [act(1, "run")]}, {"history": []}], "o.jsonl")])


@pytest.mark.real_data
def test_the_real_events_count_as_their_source(real_log: Callable[[str], Path]) -> None:
    """By hand: system, user message, recall and its observation, run and its observation (exit 0), finish."""
    path = real_log("openhands_v0_events/hello_world_v0.58.0.json")
    raw = json.loads(path.read_text(encoding="utf-8"))
    assert [e.get("action") or e["observation"] for e in raw] == [
        *("system", "message", "recall", "recall", "run", "run", "finish")
    ]
    logs = read_logs([path])
    wanted = {"sessions": 1, "turns": 7, "tool_calls": 1, "tool_results": 1, "matched_by_id": 1, "unmatched": 0}
    assert {name: logs.counts[name] for name in wanted} == wanted
    (turns,) = turns_of(logs).values()
    assert [(t.role, t.in_context) for t in turns] == [
        ("system", True),
        ("user", True),
        ("event", False),
        ("event", False),
        ("assistant", True),
        ("tool", True),
        ("assistant", True),
    ]
    assert [turns[4].model, turns[6].model] == [raw[4]["tool_call_metadata"]["model_response"]["model"]] * 2
    assert turns[5].tool_results[0].exit_code == 0
    assert turns[6].text == raw[6]["args"]["final_thought"]
    assert all("next on the agenda" not in (t.text or "") for t in turns)
