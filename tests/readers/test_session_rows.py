"""Published trajectory sets: records as JSON or lines, calls inside texts, results in user messages."""

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
PROMPT = "\n\n(Open file: n/a)\n(Current directory: /repo)\nbash-$"


def row(role: str, text: str | None, **more: Any) -> dict[str, Any]:
    return {"role": role, "text": text, "system_prompt": None, "mask": None, **more}


def test_fenced_calls_link_by_order_and_the_full_text_stays(json_file: Write) -> None:
    trajectory = [
        row("system", None, system_prompt="Act."),
        row("user", "The issue ```code```"),
        row("ai", "First ```x``` then\n```\nls -F\n```"),
        row("user", "a b" + PROMPT),
        row("ai", "No block here."),
        row("user", "Your output was not formatted correctly."),
        row("ai", "Submit.\n```\nsubmit\n```"),
    ]
    record = {"instance_id": "org__repo-1_7", "model_name": "mod", "target": True, "trajectory": trajectory}
    logs = read_logs([json_file([record, record])])
    assert logs.format == "session-rows"
    sessions = turns_of(logs)
    assert list(sessions) == ["org__repo-1_7#0", "org__repo-1_7#1"]
    turns = sessions["org__repo-1_7#0"]
    assert [(t.role, t.text) for t in turns] == [
        ("system", "Act."),
        ("user", "The issue ```code```"),
        ("assistant", trajectory[2]["text"]),
        ("tool", None),
        ("assistant", "No block here."),
        ("user", "Your output was not formatted correctly."),
        ("assistant", trajectory[6]["text"]),
    ]
    assert [(c.name, c.args_json) for t in turns for c in t.tool_calls] == [
        ("bash", '{"command": "ls -F"}'),
        ("submit", '{"command": "submit"}'),
    ]
    assert [(r.output, r.call_key, r.match) for r in turns[3].tool_results] == [("a b" + PROMPT, "t2.c0", "order")]
    assert {t.model for t in turns if t.role == "assistant"} == {"mod"}
    assert json.loads(turns[0].outcome_json or "") == {"target": True}
    assert json.loads(turns[3].extra_json or "") == {"source_role": "user"}


def test_function_tags_are_calls_and_observations_results(json_file: Write) -> None:
    call = "I run.\n<function=execute_bash>\n<parameter=command>\nls\npwd\n</parameter>\n</function>"
    messages = [
        {"role": "user", "content": "Task"},
        {"role": "assistant", "content": call},
        {"role": "user", "content": "EXECUTION RESULT of [execute_bash]:\na\n[Command finished with exit code 2]"},
        {"role": "assistant", "content": call},
        {"role": "user", "content": "OBSERVATION:\nb"},
        {"role": "assistant", "content": "<function=finish>\n<parameter=message>All done.</parameter>\n</function>"},
    ]
    turns = only_session(json_file([{"messages": messages, "instance_id": "i"}]))
    assert [(c.name, c.args_json) for t in turns for c in t.tool_calls] == [
        ("execute_bash", '{"command": "ls\\npwd"}'),
        ("execute_bash", '{"command": "ls\\npwd"}'),
        ("finish", '{"message": "All done."}'),
    ]
    assert [(r.call_key, r.exit_code, r.name) for t in turns for r in t.tool_results] == [
        ("t1.c0", 2, "execute_bash"),
        ("t3.c0", None, "execute_bash"),
    ]


def test_code_in_an_ordinary_conversation_is_no_act(json_file: Write) -> None:
    messages = [
        {"role": "user", "content": "How?"},
        {"role": "assistant", "content": "```\nrm -rf x\n```"},
        {"role": "user", "content": "Thanks, it says: ok"},
        {"role": "assistant", "content": "Then also\n```\nls\n```"},
    ]
    logs = read_logs([json_file({"history": messages})])
    assert (logs.counts["tool_calls"], logs.counts["tool_results"]) == (0, 0)


def test_structured_calls_are_never_doubled_from_the_text(json_file: Write) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "execute_bash", "arguments": "{}"}}
    output = "OBSERVATION:\nok\n[Command finished with exit code 0]"
    messages = [
        {"role": "assistant", "content": "```\nls\n```", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": output},
    ]
    turns = only_session(json_file([{"messages": messages, "run_id": "mod-1_maxiter_50_N-run_1"}]))
    assert [c.name for c in turns[0].tool_calls] == ["execute_bash"]
    assert [(r.output, r.exit_code) for r in turns[1].tool_results] == [(output, 0)]
    assert turns[0].model == "mod-1"


def test_a_record_without_messages_is_refused_by_its_row(json_file: Write) -> None:
    good = {"history": [{"role": "user", "content": "x"}]}
    with pytest.raises(BadInput, match=r"log\.jsonl row 1: no field of it holds messages"):
        read_logs([json_file([good, {"history": 5}], "log.jsonl")])


NAME = "swe_agent_hf_rows/nebius_SWE-agent-trajectories.sample5.json"


@pytest.mark.real_data
def test_the_real_rows_count_as_their_source(real_log: Callable[[str], Path]) -> None:
    """By hand: 103 messages; each of 49 ai rows has one fenced block; 49 user rows end with the prompt, 5 are tasks."""
    path = real_log(NAME)
    raw = json.loads(path.read_text(encoding="utf-8"))
    texts = [m for r in raw for m in r["trajectory"]]
    assert len(texts) == 103
    assert sum(m["role"] == "ai" and m["text"].count("```") == 2 for m in texts) == 49
    assert sum(m["role"] == "user" and m["text"].endswith("bash-$") for m in texts) == 44 + 5
    logs = read_logs([path])
    wanted = {
        "sessions": 5,
        "turns": 103,
        "tool_calls": 49,
        "tool_results": 44,
        "matched_by_order": 44,
        "matched_inline": 0,
    }
    assert {name: logs.counts[name] for name in wanted} == wanted
    sessions = turns_of(logs)
    for place, entry in enumerate(raw):
        turns = sessions[f"{entry['instance_id']}#{place}"]
        for n, message in enumerate(entry["trajectory"]):
            if turns[n].role == "tool":
                assert turns[n].tool_results[0].call_key == f"t{n - 1}.c0"
                assert turns[n].tool_results[0].output == message["text"]
            if message["role"] == "ai":
                command = json.loads(turns[n].tool_calls[0].args_json or "")["command"]
                assert command == message["text"].split("```")[1].strip("\n")


@pytest.mark.real_data
@pytest.mark.parametrize("claim", claims_of("swe_agent_hf_rows/"), ids=lambda c: c["id"])
def test_real_claims_are_found_at_their_mapped_turn(real_log: Callable[[str], Path], claim: dict[str, Any]) -> None:
    path = real_log(claim["file"])
    place = int(claim["session"].removeprefix("row:"))
    instance = json.loads(path.read_text(encoding="utf-8"))[place]["instance_id"]
    turns = turns_of(read_logs([path]))[f"{instance}#{place}"]
    assert says(at_source(turns, claim["turn"]), claim["claim"])
    assert all(at_source(turns, index) for index in claim["evidence_turns"])
