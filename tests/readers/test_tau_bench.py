"""tau-bench results: one session a task and trial; repeated call ids never link to the wrong call."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.readers.logs import read_logs
from tests.readers.conftest import at_source, claims_of, says, turns_of

Write = Callable[..., Path]


def asks(call_id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def record(traj: list[dict[str, Any]], task: int = 3, trial: int = 1) -> dict[str, Any]:
    return {"task_id": task, "trial": trial, "reward": 0.5, "info": {"source": "user"}, "traj": traj}


def test_a_repeated_id_links_each_result_to_the_call_it_answers(json_file: Write) -> None:
    traj = [
        {"role": "user", "content": "Hi"},
        asks("call_1", "get_user"),
        {"role": "tool", "tool_call_id": "call_1", "name": "get_user", "content": "one"},
        asks("call_1", "get_order"),
        {"role": "tool", "tool_call_id": "call_1", "name": "get_order", "content": "two"},
        {"role": "user", "content": "###STOP###"},
    ]
    logs = read_logs([json_file([record(traj)], "mod-4-airline.json")])
    (turns,) = turns_of(logs).values()
    assert [(r.call_key, r.match, r.output) for t in turns for r in t.tool_results] == [
        ("t1.c0", "id", "one"),
        ("t3.c0", "id", "two"),
    ]
    assert turns[1].text is None
    facts = {(t.session_id, t.task_id, t.repeat, t.agent) for t in turns}
    assert facts == {("task3/trial1", "airline-3", 1, "tau-bench")}
    assert [t.model for t in turns] == [None, "mod-4", None, "mod-4", None, None]
    assert turns[0].outcome_json == '{"reward": 0.5}'
    assert json.loads(turns[0].extra_json or "") == {"session": {"info": {"source": "user"}}}


def test_the_same_task_and_trial_twice_are_both_kept_and_told(json_file: Write) -> None:
    hello = [{"role": "user", "content": "Hi"}]
    logs = read_logs([json_file([record(hello), record(hello)], "x.json")])
    assert list(turns_of(logs)) == ["task3/trial1", "task3/trial1#2"]
    assert logs.warnings == ("x.json session task3/trial1: the id stands there already; kept as task3/trial1#2",)


@pytest.mark.parametrize(
    ("records", "says_so"),
    [
        ([record([]), 7], r"x\.json row 1: not an object"),
        ([record([]), {**record([]), "traj": "no"}], r"x\.json row 1, column traj: not valid JSON"),
        ([{**record([]), "traj": [1]}], r"x\.json row 0, column traj: message 0 is not an object"),
        (
            [record([{"role": "boss", "content": ""}])],
            r"x\.json row 0, column traj: message 0 has the unknown role 'boss'",
        ),
    ],
)
def test_what_is_no_session_is_refused_with_its_row(json_file: Write, records: list[Any], says_so: str) -> None:
    with pytest.raises(BadInput, match=says_so):
        read_logs([json_file(records, "x.json")], "tau-bench")


NAME = "tau_bench/gpt-4o-airline.trial0.12sessions.json"


@pytest.mark.real_data
def test_no_real_result_is_mislinked(real_log: Callable[[str], Path]) -> None:
    """The independent pairing is chat order: no message of the file makes two calls and each answer follows at once.

    Counted on the raw JSON: 12 sessions, 426 messages, 93 calls, 93 tool messages; ids repeat inside 4 sessions, so a
    dict id -> call (the last of an id wins) links some to the wrong call.
    """
    path = real_log(NAME)
    raw = json.loads(path.read_text(encoding="utf-8"))
    logs = read_logs([path])
    counts = {"sessions": 12, "turns": 426, "tool_calls": 93, "tool_results": 93, "matched_by_id": 93}
    assert logs.counts == {**counts, "matched_by_order": 0, "matched_inline": 0, "unmatched": 0, "truncated": 0}
    sessions = turns_of(logs)
    wrong_by_dict = 0
    for entry in raw:
        turns, traj = sessions[f"task{entry['task_id']}/trial{entry['trial']}"], entry["traj"]
        assert len(turns) == len(traj)
        last = {c["id"]: n for n, m in enumerate(traj) for c in m.get("tool_calls") or []}
        for n, message in enumerate(traj):
            if message["role"] == "tool":
                assert len(traj[n - 1]["tool_calls"]) == 1
                assert turns[n].tool_results[0].call_key == f"t{n - 1}.c0"
                assert turns[n].tool_results[0].output == message["content"]
                wrong_by_dict += last[message["tool_call_id"]] != n - 1
    assert wrong_by_dict > 0


@pytest.mark.real_data
@pytest.mark.parametrize("claim", claims_of("tau_bench/"), ids=lambda c: c["id"])
def test_real_claims_are_found_at_their_mapped_turn(real_log: Callable[[str], Path], claim: dict[str, Any]) -> None:
    turns = turns_of(read_logs([real_log(claim["file"])]))[claim["session"]]
    assert says(at_source(turns, claim["turn"]), claim["claim"])
    assert all(at_source(turns, index) for index in claim["evidence_turns"])
