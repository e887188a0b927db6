"""Claude Code sessions: who speaks, what is one message, what belongs to which session, in which order."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.domain.turnlog.turns import Turn
from app.readers.logs import read_logs
from tests.readers.conftest import at_source, claims_of, only_session, says, turns_of

Write = Callable[..., Path]
PNG = base64.b64encode(b"\x89PNG" + b"pixels" * 200).decode()


def line(kind: str, content: Any, uuid: str | None = None, parent: str | None = None, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **more.pop("message", {})}
    said = {"type": kind, "message": message, "sessionId": "S", "uuid": uuid, "parentUuid": parent, "version": "2.0.0"}
    return {**said, "timestamp": "2026-01-01T10:00:00.000Z", "isSidechain": False, **more}


def use(call_id: str, name: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def answer(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def test_lines_of_one_message_become_one_row_and_results_in_any_order_find_their_calls(json_file: Write) -> None:
    turns = only_session(
        json_file(
            [
                line("user", "please", "u1"),
                line("assistant", [text("First.")], "a1", "u1", message={"id": "m1", "model": "mod"}, requestId="r1"),
                line("assistant", [use("c1", command="ls")], "a2", "a1", message={"id": "m1", "model": "mod"}),
                line("assistant", [use("c2", command="pwd")], "a3", "a2", message={"id": "m1", "model": "mod"}),
                line("user", [answer("c2", "/root")], "u2", "a3", toolUseResult={"stdout": "/root"}),
                line("user", [answer("c1", "a b", is_error=False)], "u3", "u2"),
                line("assistant", [text("Then."), text("Done.")], "a4", "u3", message={"id": "m2", "model": "mod"}),
            ],
            "s.jsonl",
        )
    )
    assert [(t.role, t.src_index) for t in turns] == [
        ("user", (0,)),
        ("assistant", (1, 2, 3)),
        ("tool", (4,)),
        ("tool", (5,)),
        ("assistant", (6,)),
    ]
    said = turns[1]
    assert (said.text, said.model, said.turn_id, said.parent_turn_id) == ("First.", "mod", "a1", "u1")
    assert [(c.call_key, c.call_id, c.args_json) for c in said.tool_calls] == [
        ("t1.c0", "c1", '{"command": "ls"}'),
        ("t1.c1", "c2", '{"command": "pwd"}'),
    ]
    assert [(t.tool_results[0].call_key, t.tool_results[0].output, t.tool_results[0].name) for t in turns[2:4]] == [
        ("t1.c1", "/root", "Bash"),
        ("t1.c0", "a b", "Bash"),
    ]
    assert [t.tool_results[0].is_error for t in turns[2:4]] == [None, False]
    assert turns[4].text == "Then.\n\nDone."
    extra = json.loads(turns[4].extra_json or "")
    assert extra["text_part_lengths"] == [5, 5]
    assert json.loads(turns[2].extra_json or "")["toolUseResult"] == {"stdout": "/root"}
    assert [later["uuid"] for later in json.loads(said.extra_json or "")["merged_lines"]] == ["a2", "a3"]
    assert said.agent == "claude-code 2.0.0"
    assert said.ts is not None
    assert said.ts.isoformat() == "2026-01-01T10:00:00+00:00"


def kinds(turns: list[Turn]) -> list[tuple[str, str, bool]]:
    return [(t.role, t.kind, t.in_context) for t in turns]


def test_harness_text_in_user_lines_is_not_the_user(json_file: Write) -> None:
    turns = only_session(
        json_file(
            [
                line("user", "Caveat: made by the harness", "1", isMeta=True),
                line("user", "<command-name>/clear</command-name>", "2"),
                line("user", "<local-command-stdout></local-command-stdout>", "3"),
                line("user", [text("[Request interrupted by user]")], "4"),
                line("user", "This session is being continued ...", "5", isCompactSummary=True),
                line("user", "only shown", "6", isVisibleInTranscriptOnly=True),
                line("user", "a real wish about <command-name>", "7"),
                {
                    "type": "system",
                    "subtype": "compact_boundary",
                    "content": "Conversation compacted",
                    "sessionId": "S",
                },
                {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
                line("assistant", [text("API Error")], "8", message={"model": "<synthetic>"}, isApiErrorMessage=True),
                line("assistant", [text("No response requested.")], "9", message={"model": "<synthetic>"}),
            ],
            "s.jsonl",
        )
    )
    assert kinds(turns) == [
        *[("event", "meta", True)] * 4,
        ("user", "summary", True),
        ("user", "message", False),
        ("user", "message", True),
        ("event", "state", False),
        ("event", "state", False),
        ("assistant", "error", True),
        ("assistant", "meta", True),
    ]
    assert turns[7].text == "Conversation compacted"
    assert [t.model for t in turns[-2:]] == [None, None]


def test_a_line_holding_results_and_words_becomes_a_tool_row_then_a_user_row(json_file: Write) -> None:
    blocks = [answer("c1", "out"), answer("c2", "bad", is_error=True), text("and do it again")]
    rows = [
        line("assistant", [use("c1"), use("c2")], "a", message={"id": "m"}),
        line("user", blocks, "u", "a", toolUseResult="x"),
    ]
    turns = only_session(json_file(rows, "s.jsonl"))
    assert [(t.role, t.text, t.src_index) for t in turns[1:]] == [
        ("tool", None, (1,)),
        ("user", "and do it again", (1,)),
    ]
    assert [(r.call_key, r.is_error) for r in turns[1].tool_results] == [("t0.c0", None), ("t0.c1", True)]
    assert json.loads(turns[1].extra_json or "")["toolUseResult"] == "x"
    assert turns[2].extra_json is None


def test_rejections_interruptions_and_exit_codes_are_facts_of_the_result(json_file: Write) -> None:
    rows = [
        line("assistant", [use("1"), use("2"), use("3"), use("4")], "a", message={"id": "m"}),
        line("user", [answer("1", "The user doesn't want to proceed with this tool use.", is_error=True)], "b", "a"),
        line("user", [answer("2", "Exit code 127\nsh: no", is_error=True)], "c", "b"),
        line("user", [answer("3", "part")], "d", "c", toolUseResult={"interrupted": True, "stdout": "part"}),
        line("user", [answer("4", "Exit code 9 is what the text says")], "e", "d"),
    ]
    facts = [t.tool_results[0] for t in only_session(json_file(rows, "s.jsonl"))[1:]]
    assert [(r.error_kind, r.exit_code) for r in facts] == [
        ("rejected", None),
        (None, 127),
        ("interrupted", None),
        (None, None),
    ]


def test_pictures_leave_the_text_and_extra_by_their_hash(json_file: Write) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    rows = [
        line("user", [text("look"), image], "u"),
        line("assistant", [use("c", "Read")], "a", "u", message={"id": "m"}),
        line("user", [answer("c", [image])], "r", "a", toolUseResult={"type": "image", "file": {"base64": PNG}}),
    ]
    path = json_file(rows, "s.jsonl")
    turns = only_session(path)
    raw = base64.b64decode(PNG)
    digest = hashlib.sha256(raw).hexdigest()
    for turn in (turns[0], turns[2]):
        assert [(a.kind, a.mime, a.sha256, a.bytes) for a in turn.attachments] == [
            ("image", "image/png", digest, len(raw))
        ]
    assert turns[0].text == f"look\n\n[image: image/png, {len(raw)} bytes, sha256 {digest[:12]}]"
    assert turns[2].tool_results[0].output == f"[image: image/png, {len(raw)} bytes, sha256 {digest[:12]}]"
    assert PNG[:100] not in str(turns)


def test_order_is_the_parent_graph_then_the_file_never_the_clock(json_file: Write) -> None:
    rows = [
        line("user", "one", "1", None, timestamp="2026-01-01T10:00:09Z"),
        line("user", "three", "3", "2", timestamp="2026-01-01T10:00:01Z"),
        line("user", "two", "2", "1", timestamp="2026-01-01T10:00:08Z"),
        line("user", "four", "4", "gone"),
        line("user", "ring a", "x", "y"),
        line("user", "ring b", "y", "x"),
    ]
    turns = only_session(json_file(rows, "s.jsonl"))
    assert [t.text for t in turns] == ["one", "two", "three", "four", "ring a", "ring b"]


def test_a_resumed_file_repeats_lines_that_are_read_once(json_file: Write) -> None:
    first = [line("user", "one", "1"), line("assistant", [text("two")], "2", "1", message={"id": "m1"})]
    path = json_file(first, "a.jsonl")
    json_file([*first, line("user", "three", "3", "2")], "b.jsonl")
    logs = read_logs([path.parent])
    (turns,) = turns_of(logs).values()
    assert [(t.text, t.src_file) for t in turns] == [("one", "a.jsonl"), ("two", "a.jsonl"), ("three", "b.jsonl")]
    assert [w for w in logs.warnings if "known uuid" in w] == [
        "b.jsonl line 1: a line with a known uuid was read once only",
        "b.jsonl line 2: a line with a known uuid was read once only",
    ]


def test_a_copy_under_a_new_session_is_kept_as_copied(json_file: Write) -> None:
    path = json_file([line("user", "one", "1")], "a.jsonl")
    json_file([line("user", "one", "1", sessionId="T"), line("user", "two", "2", "1", sessionId="T")], "b.jsonl")
    sessions = turns_of(read_logs([path.parent]))
    assert [(t.text, t.kind) for t in sessions["T"]] == [("one", "copied"), ("two", "message")]
    assert [t.kind for t in sessions["S"]] == ["message"]


def test_a_summary_of_another_session_is_left_out_and_told(json_file: Write) -> None:
    rows = [
        {"type": "summary", "summary": "something else", "leafUuid": "elsewhere"},
        line("user", "one", "1"),
        {"type": "summary", "summary": "this one", "leafUuid": "1"},
    ]
    logs = read_logs([json_file(rows, "s.jsonl")])
    (turns,) = turns_of(logs).values()
    assert [(t.role, t.kind, t.text, t.in_context) for t in turns] == [
        ("user", "message", "one", True),
        ("event", "summary", "this one", False),
    ]
    assert logs.warnings == ("s.jsonl line 1: a summary of another session was left out",)


def test_a_sub_agents_own_file_stands_just_before_the_result_that_reports_it(tmp_path: Path) -> None:
    main = [
        line("assistant", [use("c", "Task")], "a", message={"id": "m"}),
        line("user", [answer("c", "report")], "r", "a", toolUseResult={"agentId": "ag1"}),
    ]
    agent = [
        line("user", "do this", "x", isSidechain=True, agentId="ag1"),
        line("assistant", [use("c", "Bash")], "y", "x", isSidechain=True, agentId="ag1", message={"id": "n"}),
        line("user", [answer("c", "out")], "z", "y", isSidechain=True, agentId="ag1"),
    ]
    (tmp_path / "S" / "subagents").mkdir(parents=True)
    for name, rows in (("S.jsonl", main), ("S/subagents/agent-ag1.jsonl", agent)):
        (tmp_path / name).write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    (turns,) = turns_of(read_logs([tmp_path])).values()
    assert [t.thread_id for t in turns] == ["main", "ag1", "ag1", "ag1", "main"]
    assert [r.call_key for t in turns for r in t.tool_results] == ["t2.c0", "t0.c0"]


def test_two_sessions_in_one_file_stay_apart(json_file: Write) -> None:
    rows = [line("user", "a", "1"), line("user", "b", "2", sessionId="T"), line("user", "c", "3", "1")]
    sessions = turns_of(read_logs([json_file(rows, "s.jsonl")]))
    assert {name: [t.text for t in turns] for name, turns in sessions.items()} == {"S": ["a", "c"], "T": ["b"]}


# Counted with a few lines over the raw JSON: messages by distinct message.id, tool_use and tool_result blocks, lines of
# other kinds; every result's tool_use_id is among the calls before it.
REAL = [
    ("full-session-askuserquestion.jsonl", 11, 3, 3, 2),
    ("full-session-four.jsonl", 70, 30, 27, 27),
    ("full-session-two.jsonl", 36, 11, 10, 10),
]


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "rows", "messages", "calls", "results"), REAL)
def test_real_sessions_count_as_their_source(
    real_log: Callable[[str], Path], name: str, rows: int, messages: int, calls: int, results: int
) -> None:
    path = real_log(f"claude_code/{name}")
    raw = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
    blocks = [b for r in raw for b in ((r.get("message") or {}).get("content") or []) if isinstance(b, dict)]
    ids = {r["message"]["id"] for r in raw if r["type"] == "assistant"}
    assert len(ids) == messages
    assert sum(b["type"] == "tool_use" for b in blocks) == calls
    assert sum(b["type"] == "tool_result" for b in blocks) == results
    assert len(raw) - sum(r["type"] == "assistant" for r in raw) + messages == rows

    logs = read_logs([path])
    wanted = {"sessions": 1, "turns": rows, "tool_calls": calls, "tool_results": results, "matched_by_id": results}
    assert logs.counts == {**wanted, "matched_by_order": 0, "matched_inline": 0, "unmatched": 0, "truncated": 0}
    (turns,) = turns_of(logs).values()
    assert sorted(n for t in turns for n in t.src_index) == list(range(len(raw)))
    by_key = {c.call_key: c.call_id for t in turns for c in t.tool_calls}
    assert all(by_key[r.call_key or ""] == r.call_id for t in turns for r in t.tool_results)


@pytest.mark.real_data
@pytest.mark.parametrize("claim", claims_of("claude_code/"), ids=lambda c: c["id"])
def test_real_claims_are_found_at_their_mapped_turn(real_log: Callable[[str], Path], claim: dict[str, Any]) -> None:
    turns = only_session(real_log(claim["file"]))
    assert says(at_source(turns, claim["turn"]), claim["claim"])
    assert all(at_source(turns, index) for index in claim["evidence_turns"])
