"""Inspect logs: archives and JSON, texts kept apart, errors of tools, one session a sample and epoch."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.readers.logs import read_logs
from tests.readers.conftest import at_source, claims_of, says, turns_of
from tests.readers.test_zip_member import zstd_archive

Write = Callable[..., Path]
SPEC = {"eval_id": "E", "run_id": "R", "task": "t/ctf", "model": "org/mod", "packages": {"inspect_ai": "0.3"}}


def sample(number: int = 1, epoch: int = 2, **more: Any) -> dict[str, Any]:
    call = {"id": "c1", "function": "bash", "arguments": {"cmd": "ls", "x": None}, "view": {"title": "bash"}}
    odd = {"id": "c2", "function": "bash", "arguments": {"cmd": "{"}, "parse_error": "not JSON"}
    messages = [
        {"role": "system", "content": "attachment://a1"},
        {"role": "user", "source": "input", "content": [{"type": "text", "text": "Find."}], "tool_call_id": ["c0"]},
        {
            "role": "assistant",
            "source": "generate",
            "model": "mod-2",
            "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "I look."}],
            "tool_calls": [call, odd],
        },
        {"role": "tool", "tool_call_id": "c1", "function": "bash", "content": "a\n"},
        {
            "role": "tool",
            "tool_call_id": "c2",
            "function": "bash",
            "content": "",
            "error": {"type": "timeout", "message": "Too slow."},
        },
    ]
    attachments = {"a1": "The long rules."}
    scores = {"includes": {"value": "C"}}
    made = {"id": number, "epoch": epoch, "messages": messages, "attachments": attachments, "scores": scores}
    return {**made, "target": "flag", "events": [{"event": "model"}], **more}


def log(*samples: dict[str, Any]) -> dict[str, Any]:
    return {"version": 2, "status": "success", "eval": SPEC, "samples": list(samples)}


def packed(tmp_path: Path, members: dict[str, Any], *, zstd: bool, name: str = "x.eval") -> Path:
    data = {member: json.dumps(value).encode() for member, value in members.items()}
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, raw in data.items():
            archive.writestr(member, raw)
    path = tmp_path / name
    path.write_bytes(zstd_archive(data) if zstd else held.getvalue())
    return path


def test_a_sample_becomes_a_session_with_texts_put_back_and_errors_told(json_file: Write) -> None:
    logs = read_logs([json_file(log(sample()))])
    assert logs.format == "inspect"
    (turns,) = turns_of(logs).values()
    assert [(t.role, t.text, t.model) for t in turns] == [
        ("system", "The long rules.", None),
        ("user", "Find.", None),
        ("assistant", "I look.", "mod-2"),
        ("tool", None, None),
        ("tool", None, None),
    ]
    assert turns[2].reasoning == "hm"
    assert [(c.name, c.args_json, c.args_ok) for c in turns[2].tool_calls] == [
        ("bash", '{"cmd": "ls", "x": null}', True),
        ("bash", '{"cmd": "{"}', False),
    ]
    assert [(r.output, r.is_error, r.error_kind, r.call_key) for t in turns for r in t.tool_results] == [
        ("a\n", None, None, "t2.c0"),
        ("Too slow.", True, "timeout", "t2.c1"),
    ]
    facts = {(t.session_id, t.run_id, t.task_id, t.repeat, t.agent) for t in turns}
    assert facts == {("E/1/2", "R", "t/ctf/1", 2, "inspect 0.3")}
    assert json.loads(turns[0].outcome_json or "") == {"scores": {"includes": {"value": "C"}}}
    session = json.loads(turns[0].extra_json or "")["session"]
    assert session == {"id": 1, "epoch": 2, "target": "flag", "n_events": 1}
    assert json.loads(turns[2].extra_json or "")["call_fields"] == [
        {"call": 0, "view": {"title": "bash"}},
        {"call": 1, "parse_error": "not JSON"},
    ]


@pytest.mark.parametrize("zstd", [False, True])
def test_archives_hold_one_sample_a_member(tmp_path: Path, zstd: bool) -> None:
    members = {
        "header.json": {"eval": SPEC},
        "samples/1_epoch_1.json": sample(1, 1),
        "samples/1_epoch_2.json": sample(),
    }
    logs = read_logs([packed(tmp_path, members, zstd=zstd)])
    sessions = turns_of(logs)
    assert {name: turns[0].src_file for name, turns in sessions.items()} == {
        "E/1/1": "x.eval/samples/1_epoch_1.json",
        "E/1/2": "x.eval/samples/1_epoch_2.json",
    }
    assert logs.warnings == ()


def test_a_run_that_broke_off_has_its_start_in_the_journal(tmp_path: Path) -> None:
    members = {"_journal/start.json": {"eval": SPEC}, "samples/1_epoch_2.json": sample()}
    assert list(turns_of(read_logs([packed(tmp_path, members, zstd=False)]))) == ["E/1/2"]


def test_histories_that_only_events_tell_are_warned_of(json_file: Write) -> None:
    logs = read_logs([json_file(log(sample(events=[{"event": "compaction"}])), "x.json")])
    assert logs.warnings == (
        "x.json: events tell of compaction, branches or sub-agents; only the final messages were read",
    )


@pytest.mark.parametrize(
    ("value", "says_so"),
    [
        ({**log(), "samples": []}, r"x\.json: the log holds no samples"),
        ({**log(), "samples": [5]}, r"x\.json: the sample is not an object"),
        (log(sample(messages="no")), r"x\.json, column messages: not valid JSON"),
        (log(sample(messages=[{"role": "boss"}])), r"x\.json: message 0 has the unknown role 'boss'"),
    ],
)
def test_what_is_no_sample_is_refused(json_file: Write, value: Any, says_so: str) -> None:
    with pytest.raises(BadInput, match=says_so):
        read_logs([json_file(value, "x.json")])


def test_a_damaged_sample_is_refused_by_its_member(tmp_path: Path) -> None:
    path = packed(tmp_path, {"samples/a.json": sample()}, zstd=False)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("samples/b.json", "{broken")
    with pytest.raises(BadInput, match=r"x\.eval/samples/b\.json: not valid JSON"):
        read_logs([path])


DOCENT = "inspect/docent_intercode_ctf_gpt-4o.eval"


@pytest.mark.real_data
def test_the_real_archive_counts_as_its_source(real_log: Callable[[str], Path]) -> None:
    """By hand: 15 samples, 332 messages, 121 calls, 120 tool messages each right after its call, 6 errors."""
    path = real_log(DOCENT)
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/")]
        raw = {name: json.loads(archive.read(name))["messages"] for name in names}
    everything = [m for messages in raw.values() for m in messages]
    assert (len(raw), len(everything), sum(m["role"] == "tool" for m in everything)) == (15, 332, 120)
    assert sum(len(m.get("tool_calls") or []) for m in everything) == 121
    logs = read_logs([path])
    wanted = {
        "sessions": 15,
        "turns": 332,
        "tool_calls": 121,
        "tool_results": 120,
        "matched_by_id": 120,
        "unmatched": 0,
    }
    assert {name: logs.counts[name] for name in wanted} == wanted
    errors = 0
    for turns in turns_of(logs).values():
        messages = raw[(turns[0].src_file or "").split(".eval/")[1]]
        calls = {c.call_key: (c.call_id, t.turn_index) for t in turns for c in t.tool_calls}
        for turn, message in zip(turns, messages, strict=True):
            for result in turn.tool_results:
                call_id, asked_at = calls[result.call_key or ""]
                assert (call_id, asked_at) == (message["tool_call_id"], turn.turn_index - 1)
                assert result.output == (message["content"] or message.get("error", {}).get("message", ""))
                errors += result.error_kind is not None
    assert errors == 6


@pytest.mark.real_data
def test_real_fixtures_of_errors_images_and_pools_are_read(real_log: Callable[[str], Path]) -> None:
    """By hand: eleven tool messages with an error and no call at all; one picture; one pooled sample."""
    errors = read_logs([real_log("inspect/log_tool_call_error.json")])
    assert (errors.counts["tool_results"], errors.counts["unmatched"], errors.counts["truncated"]) == (11, 11, 1)
    (turns,) = turns_of(errors).values()
    assert [r.error_kind for t in turns for r in t.tool_results] == [
        *("parsing", "timeout", "parsing", "unicode_decode", "permission", "file_not_found", "is_a_directory"),
        *("limit", "approval", "unknown", "output_limit"),
    ]
    path = real_log("inspect/log_images_tc.json")
    picture = json.loads(path.read_text(encoding="utf-8"))["samples"][0]["messages"][1]["content"][1]["image"]
    size = 3 * len(picture.split(",")[1]) // 4 - picture.count("=")
    (turns,) = turns_of(read_logs([path])).values()
    assert [(a.mime, a.bytes) for a in turns[1].attachments] == [("image/png", size)]
    assert "base64" not in str(turns)
    path = real_log("inspect/log_message_deduplication.eval")
    with zipfile.ZipFile(path) as archive:
        messages = json.loads(archive.read("samples/0_epoch_1.json"))["messages"]
    (turns,) = turns_of(read_logs([path])).values()
    assert len(turns) == len(messages)


@pytest.mark.real_data
@pytest.mark.parametrize("claim", claims_of("inspect/"), ids=lambda c: c["id"])
def test_real_claims_are_found_at_their_mapped_turn(real_log: Callable[[str], Path], claim: dict[str, Any]) -> None:
    sessions = turns_of(read_logs([real_log(claim["file"])])).values()
    turns = next(turns for turns in sessions if (turns[0].src_file or "").endswith(claim["session"]))
    assert says(at_source(turns, claim["turn"]), claim["claim"])
    assert all(at_source(turns, index) for index in claim["evidence_turns"])
