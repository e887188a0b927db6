"""mini-swe-agent trajectories, formats 1 and 1.1: blocks as calls, raw outputs, the end that is nobody's words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.readers.logs import read_logs
from tests.readers.conftest import at_source, claims_of, only_session, says, turns_of

Write = Callable[..., Path]


def trajectory(messages: list[dict[str, Any]], version: str = "1", submission: str = "") -> dict[str, Any]:
    info = {
        "exit_status": "Submitted",
        "submission": submission,
        "mini_version": "1.0",
        "config": {"model": {"model_name": "org/mod"}},
    }
    return {"info": info, "messages": messages, "trajectory_format": f"mini-swe-agent-{version}"}


def test_format_1_takes_the_one_block_as_the_call_and_the_next_message_as_its_result(json_file: Write) -> None:
    messages = [
        {"role": "system", "content": "You act."},
        {"role": "user", "content": [{"type": "text", "text": "Task: ```bash\nexample\n```"}]},
        {"role": "assistant", "content": "THOUGHT: look\n\n```bash\nls -a\npwd\n```"},
        {"role": "user", "content": "<returncode>2</returncode>\n<output>\nno\n</output>"},
        {"role": "assistant", "content": "two ```bash\na\n``` and ```bash\nb\n```"},
        {"role": "user", "content": "Please always provide EXACTLY ONE action in triple backticks, found 2"},
        {"role": "assistant", "content": "```bash\nsleep 99\n```"},
        {"role": "user", "content": "The last command <command>sleep 99</command> timed out and has been killed."},
        {"role": "assistant", "content": "```bash\necho COMPLETE\n```"},
        {"role": "user", "content": "the patch"},
    ]
    turns = only_session(json_file(trajectory(messages, submission="the patch"), "x.traj.json"))
    assert [(t.role, t.kind, len(t.tool_calls), len(t.tool_results)) for t in turns] == [
        ("system", "message", 0, 0),
        ("user", "message", 0, 0),
        ("assistant", "message", 1, 0),
        ("tool", "tool_result", 0, 1),
        ("assistant", "message", 0, 0),
        ("user", "error", 0, 0),
        ("assistant", "message", 1, 0),
        ("tool", "tool_result", 0, 1),
        ("assistant", "message", 1, 0),
        ("event", "final", 0, 0),
    ]
    assert turns[2].text == messages[2]["content"]
    assert turns[2].tool_calls[0].args_json == '{"command": "ls -a\\npwd"}'
    first, late = turns[3].tool_results[0], turns[7].tool_results[0]
    assert (first.exit_code, first.match, first.call_key, first.output) == (2, "order", "t2.c0", messages[3]["content"])
    assert (late.error_kind, late.is_error, late.exit_code, late.call_key) == ("timeout", True, None, "t6.c0")
    assert {t.session_id for t in turns} == {"x"}
    assert [t.model for t in turns if t.role == "assistant"] == ["org/mod"] * 4
    assert turns[0].model is None
    assert json.loads(turns[0].outcome_json or "") == {"exit_status": "Submitted", "submission": "the patch"}
    assert all(t.outcome_json is None for t in turns[1:])
    assert json.loads(turns[0].extra_json or "")["session"]["config"] == {"model": {"model_name": "org/mod"}}


def test_format_1_1_takes_the_raw_output_and_the_code(json_file: Write) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    shown = "<returncode>0</returncode>\n<output_head>a</output_head><elided_chars>9</elided_chars>"
    extra = {"raw_output": "aaaaaaaaa", "returncode": 0, "timestamp": 1776064266.5, "exception_info": ""}
    failed = {**extra, "raw_output": "", "returncode": -1, "exception_info": "Timeout"}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call], "function_call": None, "extra": {"cost": 1}},
        {"role": "tool", "content": shown, "tool_call_id": "c1", "extra": extra},
        {"role": "assistant", "content": "text only", "extra": {"actions": [{"command": "a"}, {"command": "b"}]}},
        {"role": "user", "content": "A", "extra": extra},
        {"role": "user", "content": "B", "extra": failed},
        {"role": "exit", "content": "the patch", "extra": {"submission": "the patch"}},
    ]
    record = {**trajectory(messages, "1.1", "the patch"), "instance_id": "org__repo-1"}
    turns = only_session(json_file(record, "y.traj.json"))
    result = turns[2].tool_results[0]
    assert (result.output, result.exit_code, result.bytes, result.truncated) == ("aaaaaaaaa", 0, 9, False)
    assert json.loads(turns[2].extra_json or "")["content"] == shown
    assert turns[2].ts is not None
    assert turns[2].ts.isoformat() == "2026-04-13T07:11:06.500000+00:00"
    assert turns[1].text is None
    assert [c.args_json for c in turns[3].tool_calls] == ['{"command": "a"}', '{"command": "b"}']
    assert [(r.call_key, r.match, r.is_error, r.error_kind) for t in turns[4:6] for r in t.tool_results] == [
        ("t3.c0", "order", None, None),
        ("t3.c1", "order", True, "exception"),
    ]
    assert (turns[6].role, turns[6].kind, turns[6].text) == ("event", "final", "the patch")
    assert {(t.session_id, t.task_id) for t in turns} == {("org__repo-1", "org__repo-1")}


@pytest.mark.real_data
def test_the_real_format_1_run_counts_as_its_source(real_log: Callable[[str], Path]) -> None:
    """By hand: 8 messages; three ```bash blocks; two <returncode> answers; last comes the empty submission."""
    path = real_log("mini_swe_agent/hello_world_v1_format.traj.json")
    raw = json.loads(path.read_text(encoding="utf-8"))["messages"]
    said = [m["content"] if isinstance(m["content"], str) else m["content"][0]["text"] for m in raw]
    assert sum(m["role"] == "assistant" and t.count("```bash") == 1 for m, t in zip(raw, said, strict=True)) == 3
    assert sum(t.startswith("<returncode>") for t in said) == 2
    logs = read_logs([path])
    assert logs.format == "mini-swe-agent"
    assert (logs.counts["turns"], logs.counts["tool_calls"], logs.counts["tool_results"]) == (8, 3, 2)
    assert (logs.counts["matched_by_order"], logs.counts["unmatched"]) == (2, 0)
    (turns,) = turns_of(logs).values()
    assert [r.call_key for t in turns for r in t.tool_results] == ["t2.c0", "t4.c0"]


@pytest.mark.real_data
def test_the_real_format_1_1_run_counts_as_its_source(real_log: Callable[[str], Path]) -> None:
    """By hand: 88 messages, 43 calls, 42 tool messages, one exit; results follow their calls directly."""
    path = real_log("mini_swe_agent/sqlfluff__sqlfluff-2419.traj.json")
    raw = json.loads(path.read_text(encoding="utf-8"))["messages"]
    assert (len(raw), sum(len(m.get("tool_calls") or []) for m in raw), sum(m["role"] == "tool" for m in raw)) == (
        88,
        43,
        42,
    )
    logs = read_logs([path])
    assert (logs.counts["turns"], logs.counts["tool_calls"], logs.counts["matched_by_id"]) == (88, 43, 42)
    (turns,) = turns_of(logs).values()
    for index, message in enumerate(raw):
        assert turns[index].src_index == (index,)
        if message["role"] == "tool":
            result = turns[index].tool_results[0]
            assert result.call_key == f"t{index - 1}.c0"
            assert result.output == message["extra"]["raw_output"]
            code = re.match(r"<returncode>(-?\d+)", message["content"])
            assert result.exit_code == int(code[1] if code else "")


@pytest.mark.real_data
@pytest.mark.parametrize("claim", claims_of("mini_swe_agent/"), ids=lambda c: c["id"])
def test_real_claims_are_found_at_their_mapped_turn(real_log: Callable[[str], Path], claim: dict[str, Any]) -> None:
    turns = only_session(real_log(claim["file"]))
    assert says(at_source(turns, claim["turn"]), claim["claim"])
    assert all(at_source(turns, index) for index in claim["evidence_turns"])
