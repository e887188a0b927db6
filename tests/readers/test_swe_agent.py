"""SWE-agent trajectories: a step is an act and its observation; demonstrations and repeated prompts stay out."""

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


def record(**more: Any) -> dict[str, Any]:
    history = [
        {"role": "system", "content": "Act.", "agent": "main"},
        {"role": "user", "content": "A demonstration", "is_demo": True},
        {"role": "user", "content": [{"type": "text", "text": "The task"}], "message_type": "observation"},
        {"role": "assistant", "content": "never read from here"},
    ]
    steps = [
        {
            "action": "open a.py\r\n",
            "observation": "1:x\r\n",
            "response": "I open.",
            "thought": "Open it",
            "state": '{"d": 1}',
        },
        {
            "action": "",
            "observation": "Format error",
            "response": "eh",
            "thought": "eh",
            "messages": [{"role": "user"}],
        },
        {"action": "ls && pwd", "observation": "", "thought": "", "execution_time": 0.5, "state": {"d": 2}},
    ]
    return {"environment": "e", "trajectory": steps, "history": history, "info": {"exit_status": "submitted"}, **more}


def test_each_step_is_an_act_and_its_observation(json_file: Write) -> None:
    turns = only_session(json_file(record(), "run-7.traj"))
    assert [(t.role, t.text, t.src_index) for t in turns] == [
        ("system", "Act.", ()),
        ("user", "The task", ()),
        ("assistant", "Open it", (0,)),
        ("tool", None, (0,)),
        ("assistant", "eh", (1,)),
        ("tool", None, (1,)),
        ("assistant", "", (2,)),
        ("tool", None, (2,)),
    ]
    assert [(c.name, c.args_json) for t in turns for c in t.tool_calls] == [
        ("open", '{"command": "open a.py\\r\\n"}'),
        ("bash", '{"command": "ls && pwd"}'),
    ]
    assert [(r.output, r.call_key, r.match) for t in turns for r in t.tool_results] == [
        ("1:x\r\n", "t2.c0", "inline"),
        ("Format error", None, "none"),
        ("", "t6.c0", "inline"),
    ]
    extras = [json.loads(turns[n].extra_json or "{}") for n in (2, 4, 6)]
    assert extras == [
        {"response": "I open.", "state": {"d": 1}},
        {"response": "eh"},
        {"execution_time": 0.5, "state": {"d": 2}},
    ]
    assert json.loads(turns[0].outcome_json or "") == {"exit_status": "submitted"}
    assert {t.session_id for t in turns} == {"run-7"}


@pytest.mark.parametrize("as_text", [False, True])
def test_the_model_is_in_the_replay_configuration(json_file: Write, as_text: bool) -> None:
    config: Any = {"agent": {"model": {"name": "org/mod"}}, "problem_statement": {"id": "task-1"}}
    turns = only_session(json_file(record(replay_config=json.dumps(config) if as_text else config), "x.traj"))
    assert {t.model for t in turns if t.role == "assistant"} == {"org/mod"}
    assert {t.task_id for t in turns} == {"task-1"}


def test_a_step_that_is_no_object_is_refused(json_file: Write) -> None:
    with pytest.raises(BadInput, match=r"x\.traj: step 1 of the trajectory is not an object"):
        read_logs([json_file({**record(), "trajectory": [record()["trajectory"][0], 5]}, "x.traj")])


@pytest.mark.real_data
def test_the_real_trajectory_counts_as_its_source(real_log: Callable[[str], Path]) -> None:
    """By hand: 5 steps; history has a system row, one demonstration and one task row before the first act."""
    path = real_log("swe_agent_traj/swe-agent__test-repo-i1.traj")
    raw = json.loads(path.read_text(encoding="utf-8"))
    assert len(raw["trajectory"]) == 5
    before = [m["role"] for m in raw["history"][:3] if not m.get("is_demo")]
    assert before == ["system", "user"]
    logs = read_logs([path])
    wanted = {
        "turns": 12,
        "tool_calls": 5,
        "tool_results": 5,
        "matched_inline": 5,
        "matched_by_order": 5,
        "unmatched": 0,
    }
    assert {name: logs.counts[name] for name in wanted} == wanted
    (turns,) = turns_of(logs).values()
    for n, step in enumerate(raw["trajectory"]):
        act, seen = turns[2 + 2 * n], turns[3 + 2 * n]
        assert (act.text, json.loads(act.tool_calls[0].args_json or "")) == (
            step["thought"],
            {"command": step["action"]},
        )
        assert (seen.tool_results[0].output, seen.tool_results[0].call_key) == (step["observation"], f"t{2 + 2 * n}.c0")
    assert [c.name for t in turns for c in t.tool_calls] == ["find_file", "open", "edit", "bash", "submit"]
