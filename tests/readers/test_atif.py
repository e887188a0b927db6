"""ATIF trajectories: steps and their observations, hand-offs, copied context, sub-agents."""

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


def step(source: str, message: Any, **more: Any) -> dict[str, Any]:
    return {"source": source, "message": message, **more}


def call(call_id: str, name: str = "bash") -> dict[str, Any]:
    return {"tool_call_id": call_id, "function_name": name, "arguments": {"keystrokes": "ls\n"}}


def seen(*results: dict[str, Any]) -> dict[str, Any]:
    return {"results": list(results)}


def trajectory(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    agent = {"name": "terminus", "version": "2", "model_name": "org/mod"}
    numbered = [{"step_id": n, **s} for n, s in enumerate(steps, 1)]
    return {"schema_version": "ATIF-v1.7", "session_id": "sid", "agent": agent, "steps": numbered, **more}


def test_results_link_by_their_call_or_as_the_only_pair_of_the_step(json_file: Write) -> None:
    two = seen({"source_call_id": "b", "content": "B"}, {"source_call_id": "a", "content": "A"})
    record = trajectory(
        step("user", "Do it", timestamp="2026-01-01T00:00:00Z"),
        step("agent", "Both.", tool_calls=[call("a"), call("b")], observation=two, reasoning_content="hm"),
        step("agent", "One.", tool_calls=[call("c")], observation=seen({"content": "C"}), model_name="other"),
        step("agent", "Two.", tool_calls=[call("d"), call("e")], observation=seen({"content": "which?"})),
        step("agent", "None.", observation=seen({"content": "Parsing failed"})),
    )
    turns = only_session(json_file(record, "t.json"))
    assert [(t.role, t.src_index[0], t.model) for t in turns] == [
        ("user", 0, None),
        ("assistant", 1, "org/mod"),
        ("tool", 1, None),
        ("tool", 1, None),
        ("assistant", 2, "other"),
        ("tool", 2, None),
        ("assistant", 3, "org/mod"),
        ("tool", 3, None),
        ("assistant", 4, "org/mod"),
        ("tool", 4, None),
    ]
    assert [(r.output, r.call_key, r.match) for t in turns for r in t.tool_results] == [
        ("B", "t1.c1", "id"),
        ("A", "t1.c0", "id"),
        ("C", "t4.c0", "inline"),
        ("which?", None, "none"),
        ("Parsing failed", None, "none"),
    ]
    assert turns[1].tool_calls[0].args_json == '{"keystrokes": "ls\\n"}'
    assert turns[1].reasoning == "hm"
    assert {(t.session_id, t.agent) for t in turns} == {("sid", "terminus 2")}


def test_hand_offs_copies_and_sub_agents(json_file: Write) -> None:
    sub = {
        "trajectory_id": "sub-1",
        "steps": [
            step("agent", "S", tool_calls=[call("a")], observation=seen({"source_call_id": "a", "content": "s"}))
        ],
    }
    record = trajectory(
        step("agent", "M", tool_calls=[call("a")], observation=seen({"source_call_id": "a", "content": "m"})),
        step("system", "Summarized.", observation=seen({"subagent_trajectory_ref": [{"trajectory_id": "sub-1"}]})),
        step("user", "Here is what happened."),
        step("agent", "old words", is_copied_context=True, observation=seen({"content": "old"})),
        subagent_trajectories=[sub],
        trajectory_id="tid",
    )
    turns = only_session(json_file(record, "t.json"))
    assert [(t.role, t.kind, t.thread_id, t.text, t.src_index) for t in turns] == [
        ("assistant", "message", "main", "M", (0,)),
        ("tool", "tool_result", "main", None, (0,)),
        ("event", "summary", "main", "Summarized.", (1,)),
        ("assistant", "message", "sub-1", "S", ()),
        ("tool", "tool_result", "sub-1", None, ()),
        ("user", "summary", "main", "Here is what happened.", (2,)),
        ("assistant", "copied", "main", "old words", (3,)),
        ("tool", "copied", "main", None, (3,)),
    ]
    assert [r.call_key for t in turns for r in t.tool_results] == ["t0.c0", "t3.c0", None]
    assert {t.session_id for t in turns} == {"tid"}


def test_a_continued_file_is_a_session_of_its_own_name(json_file: Write) -> None:
    record = trajectory(step("user", "x"))
    logs = read_logs([json_file(record, "trajectory.json"), json_file(record, "trajectory.cont-1.json")])
    assert list(turns_of(logs)) == ["sid", "sid#cont1"]


def test_pictures_are_paths(json_file: Write) -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]
    (turn,) = only_session(json_file(trajectory(step("user", parts)), "t.json"))
    assert turn.text == "see\n\n[image: image/png, a.png]"
    assert [(a.mime, a.ref) for a in turn.attachments] == [("image/png", "a.png")]


def test_a_step_of_nobody_is_refused(json_file: Write) -> None:
    with pytest.raises(BadInput, match=r"t\.json: step 1 is not an object with the source system, user or agent"):
        read_logs([json_file(trajectory(step("user", "x"), step("boss", "y")), "t.json")])


# By hand: steps + observations with content; every call has its one observation in the same step; one observation in
# the second file answers no call ("Previous response had parsing errors").
REAL = [("context-summarization", 10 + 7, 7, 7, 0), ("invalid-json", 5 + 4, 3, 4, 1)]


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "rows", "calls", "results", "orphans"), REAL)
def test_real_trajectories_count_as_their_source(
    real_log: Callable[[str], Path], name: str, rows: int, calls: int, results: int, orphans: int
) -> None:
    path = real_log(f"atif/hello-world-{name}.trajectory.json")
    steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
    told = [r for s in steps for r in (s.get("observation") or {"results": []})["results"] if r.get("content")]
    assert (sum(len(s.get("tool_calls") or []) for s in steps), len(told)) == (calls, results)
    logs = read_logs([path])
    wanted = {"turns": rows, "tool_calls": calls, "tool_results": results, "unmatched": orphans}
    assert {key: logs.counts[key] for key in wanted} == wanted
    (turns,) = turns_of(logs).values()
    for turn in turns:
        for result in turn.tool_results:
            asked = turns[turn.turn_index - 1]
            assert asked.src_index == turn.src_index
            assert result.call_key == (asked.tool_calls[0].call_key if asked.tool_calls else None)
