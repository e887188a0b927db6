"""Codex rollouts: response items only, thinking and calls joined, outputs in three shapes, the model of the moment."""

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


def line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-01-01T10:00:00.000Z", "type": kind, "payload": payload}


def item(kind: str, **more: Any) -> dict[str, Any]:
    return line("response_item", **{**more, "type": kind})


def message(role: str, words: str) -> dict[str, Any]:
    part = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": part, "text": words}])


def thinking(words: str) -> dict[str, Any]:
    return item("reasoning", summary=[{"type": "summary_text", "text": words}], content=None, encrypted_content="xyz")


def call(call_id: str, **more: Any) -> dict[str, Any]:
    return item("function_call", name="shell", arguments='{"command": ["ls"]}', call_id=call_id, **more)


def output(call_id: str, value: Any) -> dict[str, Any]:
    return item("function_call_output", call_id=call_id, output=value)


def test_thinking_and_calls_up_to_a_result_are_one_row(json_file: Write) -> None:
    rows = [
        line("session_meta", id="sid", cli_version="0.40.0", cwd="/w"),
        message("developer", "Act."),
        message("user", "<environment_context>\n<cwd>/w</cwd>"),
        message("user", "List."),
        line("event_msg", type="user_message", message="List."),
        line("turn_context", model="mod-1", cwd="/w"),
        thinking("hm"),
        call("c1"),
        call("c2"),
        output("c2", '{"output": "two", "metadata": {"exit_code": 1, "duration_seconds": 0.5}}'),
        output("c1", "plain"),
        line("turn_context", model="mod-2", cwd="/w"),
        line("event_msg", type="agent_message", message="Done."),
        thinking("so"),
        message("assistant", "Done."),
    ]
    turns = only_session(json_file(rows, "rollout-x.jsonl"))
    assert [(t.role, t.kind, t.text, t.src_index) for t in turns] == [
        ("system", "message", "Act.", (1,)),
        ("event", "meta", "<environment_context>\n<cwd>/w</cwd>", (2,)),
        ("user", "message", "List.", (3,)),
        ("assistant", "message", None, (6, 7, 8)),
        ("tool", "tool_result", None, (9,)),
        ("tool", "tool_result", None, (10,)),
        ("assistant", "message", "Done.", (13, 14)),
    ]
    assert [(t.reasoning, t.model) for t in (turns[3], turns[6])] == [("hm", "mod-1"), ("so", "mod-2")]
    assert [(r.output, r.exit_code, r.call_key, r.match) for t in turns for r in t.tool_results] == [
        ("two", 1, "t3.c1", "id"),
        ("plain", None, "t3.c0", "id"),
    ]
    assert json.loads(turns[4].extra_json or "")["metadata"] == {"duration_seconds": 0.5}
    assert json.loads(turns[6].extra_json or "")["turn_context"] == {"model": "mod-2", "cwd": "/w"}
    assert {(t.session_id, t.agent) for t in turns} == {("sid", "codex 0.40.0")}
    assert json.loads(turns[0].extra_json or "")["session"] == {"cli_version": "0.40.0", "cwd": "/w"}


def test_outputs_of_every_shape_keep_what_they_say(json_file: Write) -> None:
    rows = [call(str(n)) for n in range(5)]
    rows += [
        output("0", '{"output": 5}'),
        output("1", "{broken"),
        output("2", [{"type": "input_text", "text": "part"}]),
        output("3", {"odd": 1}),
        item("custom_tool_call_output", call_id="4", output=None),
    ]
    turns = only_session(json_file(rows, "r.jsonl"))
    assert [r.output for t in turns for r in t.tool_results] == [
        '{"output": 5}',
        "{broken",
        "part",
        '{"odd": 1}',
        None,
    ]


def test_built_in_and_custom_tools_are_calls(json_file: Write) -> None:
    rows = [
        item("custom_tool_call", name="apply_patch", input="*** Begin", call_id="c1", status="completed"),
        item("local_shell_call", call_id="c2", action={"type": "exec", "command": ["ls"]}),
        item("web_search_call", action={"query": "x"}, id="ws_1"),
    ]
    (turn,) = only_session(json_file(rows, "r.jsonl"))
    assert [(c.name, c.call_id, c.args_json) for c in turn.tool_calls] == [
        ("apply_patch", "c1", "*** Begin"),
        ("local_shell", "c2", '{"type": "exec", "command": ["ls"]}'),
        ("web_search", "ws_1", '{"query": "x"}'),
    ]
    assert json.loads(turn.extra_json or "")["items"] == [{"type": "custom_tool_call", "status": "completed"}]


def test_aborts_and_compactions_are_events_and_open_calls_stay_open(json_file: Write) -> None:
    rows = [
        call("c1"),
        line("event_msg", type="turn_aborted", reason="interrupted"),
        line("compacted", message="So far ..."),
        output("c9", "late"),
        item("ghost_snapshot", ghost="x"),
    ]
    logs = read_logs([json_file(rows, "r.jsonl")])
    (turns,) = turns_of(logs).values()
    assert [(t.role, t.kind, t.text) for t in turns] == [
        ("assistant", "message", None),
        ("event", "error", "interrupted"),
        ("event", "summary", "So far ..."),
        ("tool", "tool_result", None),
        ("event", "other", None),
    ]
    assert logs.counts["unmatched"] == 1


def test_a_line_without_a_payload_is_refused_by_its_number(json_file: Write) -> None:
    with pytest.raises(BadInput, match=r"r\.jsonl line 2: not an object with a payload"):
        read_logs([json_file([call("c"), {"type": "response_item"}], "r.jsonl")])


@pytest.mark.real_data
def test_the_real_rollout_counts_as_its_source(real_log: Callable[[str], Path]) -> None:
    """By hand: 34 calls, each answered by the next response item; 33 reasonings before an act, one without words."""
    path = real_log("codex/rollout_019982b8.REDACTED.jsonl")
    raw = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
    items = [(n, r["payload"]) for n, r in enumerate(raw) if r["type"] == "response_item"]
    calls = [n for n, p in items if p["type"] == "function_call"]
    logs = read_logs([path])
    wanted = {"turns": 2 + 34 + 34 + 1, "tool_calls": 34, "tool_results": 34, "matched_by_id": 34, "unmatched": 0}
    assert {name: logs.counts[name] for name in wanted} == wanted
    (turns,) = turns_of(logs).values()
    made = [t for t in turns if t.tool_calls]
    assert [t.src_index[-1] for t in made] == calls
    assert {t.src_index for t in turns if t.role == "tool"} == {(n + 1,) for n in calls}
    for turn in turns:
        for result in turn.tool_results:
            assert result.call_key == f"t{turn.turn_index - 1}.c0"
            wrapped = json.loads(raw[turn.src_index[0]]["payload"]["output"])
            assert (result.output, result.exit_code) == (wrapped["output"], wrapped["metadata"]["exit_code"])
    assert sum(p["type"] == "reasoning" for _, p in items) == 33
    assert sum(t.reasoning is not None for t in turns) == 33 - 1
    assert {t.model for t in turns if t.role == "assistant"} == {"gpt-5-codex"}
