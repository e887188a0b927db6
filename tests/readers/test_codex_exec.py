"""codex exec streams: completed items once, call and result of one item, thinking beside its act."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.readers.logs import read_logs
from tests.readers.conftest import at_source, claims_of, only_session, says, turns_of

Write = Callable[..., Path]


def done(number: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": f"item_{number}", "type": kind, **more}}


def test_items_become_calls_with_their_results_inline(json_file: Write) -> None:
    rows = [
        {"type": "thread.started", "thread_id": "th-1"},
        {"type": "turn.started"},
        done(0, "reasoning", text="hm"),
        {"type": "item.started", "item": {"id": "item_1", "type": "command_execution", "command": "ls", "status": "x"}},
        done(1, "command_execution", command="ls", aggregated_output="a\n", exit_code=2, status="failed"),
        done(2, "file_change", changes=[{"path": "a", "kind": "add"}], status="completed"),
        done(3, "mcp_tool_call", server="s", tool="t", arguments={"q": 1}, result={"content": []}, status="completed"),
        done(4, "web_search", query="x"),
        done(5, "todo_list", items=[{"text": "test it", "completed": True}]),
        done(6, "error", message="oops"),
        done(7, "agent_message", text="Done."),
        {"type": "turn.completed", "usage": {"input_tokens": 5}},
        {"type": "turn.failed", "error": {"message": "over"}},
    ]
    logs = read_logs([json_file(rows, "e.jsonl")])
    (turns,) = turns_of(logs).values()
    assert [(t.role, t.text, t.reasoning, t.src_index) for t in turns] == [
        ("assistant", None, "hm", (2, 4)),
        ("tool", None, None, (4,)),
        ("assistant", None, None, (5,)),
        ("tool", None, None, (5,)),
        ("assistant", None, None, (6,)),
        ("tool", None, None, (6,)),
        ("assistant", None, None, (7,)),
        ("assistant", None, None, (8,)),
        ("event", "oops", None, (9,)),
        ("assistant", "Done.", None, (10,)),
        ("event", "over", None, (12,)),
    ]
    assert [(c.name, c.args_json) for t in turns for c in t.tool_calls] == [
        ("command_execution", '{"command": "ls"}'),
        ("file_change", '{"changes": [{"path": "a", "kind": "add"}]}'),
        ("t", '{"server": "s", "tool": "t", "arguments": {"q": 1}}'),
        ("web_search", '{"query": "x"}'),
        ("todo_list", '{"items": [{"text": "test it", "completed": true}]}'),
    ]
    assert [(r.output, r.exit_code, r.is_error, r.call_key, r.match) for t in turns for r in t.tool_results] == [
        ("a\n", 2, True, "t0.c0", "inline"),
        ("completed", None, None, "t2.c0", "inline"),
        ('{"content": []}', None, None, "t4.c0", "inline"),
    ]
    assert json.loads(turns[0].extra_json or "")["session"] == {"usage": [{"input_tokens": 5}]}
    assert {(t.session_id, t.agent, t.model) for t in turns} == {("th-1", "codex exec", None)}


def test_what_never_completed_stays_an_open_call(json_file: Write) -> None:
    rows = [
        {"type": "item.started", "item": {"id": "i", "type": "command_execution", "command": "sleep 9"}},
        done(1, "reasoning", text="waiting"),
    ]
    logs = read_logs([json_file(rows, "e.jsonl")])
    (turns,) = turns_of(logs).values()
    assert [(t.src_index, t.reasoning, len(t.tool_calls)) for t in turns] == [((1, 0), "waiting", 1)]
    assert (logs.counts["tool_calls"], logs.counts["tool_results"]) == (1, 0)


def test_thinking_with_nothing_after_it_is_a_row_of_its_own(json_file: Write) -> None:
    (turn,) = only_session(json_file([done(0, "reasoning", text="only this")], "e.jsonl"))
    assert (turn.role, turn.kind, turn.text, turn.reasoning) == ("assistant", "reasoning", None, "only this")


def test_each_thread_is_a_session(json_file: Write) -> None:
    rows = [
        {"type": "thread.started", "thread_id": "a"},
        done(0, "agent_message", text="A"),
        {"type": "thread.started", "thread_id": "b"},
        done(0, "agent_message", text="B"),
    ]
    sessions = turns_of(read_logs([json_file(rows, "e.jsonl")]))
    assert {name: [t.text for t in turns] for name, turns in sessions.items()} == {"a": ["A"], "b": ["B"]}


def test_a_line_that_is_no_event_is_refused(json_file: Write) -> None:
    with pytest.raises(BadInput, match=r"e\.jsonl line 2: not an object with a type"):
        read_logs([json_file([done(0, "agent_message", text="A"), 5], "e.jsonl")])


# By hand, from the streams: item.completed lines less the thinking, one tool row more for each command.
REAL = [("2", 3, "019a2d7a-6455-7170-a661-c6d8b94c630a"), ("4", 3, "019a2d7b-231d-7290-acc1-6bc6571440da")]


@pytest.mark.real_data
@pytest.mark.parametrize(("number", "rows", "thread"), [*REAL, ("5", 3, "019a2d7b-7fb8-78e1-8cfa-5bdbe274a3aa")])
def test_real_streams_count_as_their_source(
    real_log: Callable[[str], Path], number: str, rows: int, thread: str
) -> None:
    path = real_log(f"codex/stream-output-{number}.jsonl")
    logs = read_logs([path])
    wanted = {"sessions": 1, "turns": rows, "tool_calls": 1, "tool_results": 1, "matched_inline": 1}
    assert {name: logs.counts[name] for name in wanted} == wanted
    (turns,) = turns_of(logs).values()
    assert {t.session_id for t in turns} == {thread}
    raw = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
    items = [r["item"] for r in raw if r["type"] == "item.completed"]
    assert turns[1].tool_results[0].output == next(i["aggregated_output"] for i in items if "exit_code" in i)
    assert turns[2].text == items[-1]["text"]


@pytest.mark.real_data
@pytest.mark.parametrize("claim", claims_of("codex/"), ids=lambda c: c["id"])
def test_real_claims_are_found_at_their_mapped_turn(real_log: Callable[[str], Path], claim: dict[str, Any]) -> None:
    turns = only_session(real_log(claim["file"]))
    assert says(at_source(turns, claim["turn"]), claim["claim"])
    assert all(at_source(turns, index) for index in claim["evidence_turns"])
