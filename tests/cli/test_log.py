"""`saydo log`: what each command prints, its JSON keys, and its exit code for sound, faulty and foreign files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.cli import build_cli, run
from app.domain.turnlog.schema import table_from_turns
from app.domain.turnlog.turns import Turn
from app.readers.turnlog_file import pin

DATA = Path(__file__).resolve().parents[2] / "../shared/data/turnlogs"


class Said(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Saydo = Callable[..., Said]


@pytest.fixture
def saydo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Saydo:
    """Run the assembled command as a person would."""

    def command(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["saydo", *(str(argument) for argument in arguments)])
        code = run(build_cli(lambda *_: None, lambda: datetime(2026, 1, 1, tzinfo=UTC)))
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    return command


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "half \ud83d"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "a<response clipped>"},
        {"role": "tool", "content": "stray"},
    ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(messages), encoding="utf-8")
    return path


def test_formats_lists_names_and_descriptions(saydo: Saydo) -> None:
    said = saydo("log", "formats", "--json")
    assert said.code == 0
    assert all(set(entry) == {"name", "description"} for entry in said.json)
    names = [entry["name"] for entry in said.json]
    assert {"parquet-long", "parquet-wide", "openai-chat", "claude-code", "mini-swe-agent", "tau-bench"} <= set(names)
    assert [line.split()[0] for line in saydo("log", "formats").out.splitlines()] == names


def test_convert_writes_a_log_that_checks_and_counts_it(saydo: Saydo, chat: Path, tmp_path: Path) -> None:
    out = tmp_path / "log.parquet"
    said = saydo("log", "convert", chat, "--out", out, "--json")
    assert (said.code, said.err) == (0, "")
    assert said.json == {
        "format": "openai-chat",
        "sessions": 1,
        "turns": 4,
        "tool_calls": 1,
        "tool_results": 2,
        "matched_by_id": 1,
        "matched_by_order": 0,
        "matched_inline": 0,
        "unmatched": 1,
        "truncated": 1,
        "sha256": pin(out).sha256,
        "warnings": ["chat.json: 1 lone surrogates were replaced by U+FFFD"],
    }
    checked = saydo("log", "check", out, "--json")
    assert (checked.code, checked.json) == (0, {"ok": True, "sessions": 1, "turns": 4, "faults": []})
    assert saydo("log", "check", out).out == "log.parquet: 1 sessions, 4 turns, ok\n"


def test_convert_tells_a_person_the_same(saydo: Saydo, chat: Path, tmp_path: Path) -> None:
    said = saydo("log", "convert", chat, "--out", tmp_path / "log.parquet", "--format", "openai-chat")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[0] == "log.parquet: 1 sessions, 4 turns read as openai-chat"
    assert "1 calls, 2 results: 1 matched by id, 0 by order (0 of them inline), 1 unmatched; 1 truncated" in said.out
    assert "warning: chat.json: 1 lone surrogates" in said.out


def test_bad_input_exits_2_with_one_sentence_and_writes_nothing(saydo: Saydo, tmp_path: Path) -> None:
    bad = tmp_path / "bad.parquet"
    out = tmp_path / "log.parquet"
    for data in (b"", b"session_id,turn_index\ns,0\n"):
        bad.write_bytes(data)
        for arguments in (("log", "convert", bad, "--out", out, "--json"), ("log", "check", bad, "--json")):
            said = saydo(*arguments)
            assert (said.code, said.out) == (2, "")
            assert said.err.startswith("bad.parquet")
            assert said.err.count("\n") == 1
            assert "Traceback" not in said.err
    assert not out.exists()


def test_a_missing_file_exits_2(saydo: Saydo, tmp_path: Path) -> None:
    for command in (
        ("convert", tmp_path / "no.json", "--out", tmp_path / "x.parquet"),
        ("check", tmp_path / "no.parquet"),
    ):
        said = saydo("log", *command)
        assert said.code == 2
        assert "there is no such file" in said.err


def test_an_unknown_format_exits_2(saydo: Saydo, chat: Path, tmp_path: Path) -> None:
    said = saydo("log", "convert", chat, "--out", tmp_path / "x.parquet", "--format", "nope")
    assert (said.code, said.out) == (2, "")
    assert "there is no log format 'nope'" in said.err


def test_check_names_row_and_column_of_each_fault_and_exits_1(saydo: Saydo, tmp_path: Path) -> None:
    rows = [Turn("a", 0, "user", "x"), Turn("a", 0, "user", "x"), Turn("b", 0, "boss", "x"), Turn("b", -1, "user", "x")]
    path = tmp_path / "log.parquet"
    pq.write_table(table_from_turns(rows), path)
    said = saydo("log", "check", path, "--json")
    assert said.code == 1
    assert said.json["ok"] is False
    assert (said.json["sessions"], said.json["turns"]) == (2, 4)
    assert [(f["row"], f["column"]) for f in said.json["faults"]] == [(1, "turn_index"), (2, "role"), (3, "turn_index")]
    told = saydo("log", "check", path)
    assert told.code == 1
    assert told.out.splitlines() == [
        "log.parquet row 1, column turn_index: turn 0 of this session stands there twice",
        "log.parquet row 2, column role: 'boss' is not one of system, user, assistant, tool, event",
        "log.parquet row 3, column turn_index: turns count from 0",
        "log.parquet: 2 sessions, 4 turns, 3 faults",
    ]


def test_check_takes_hand_made_files_and_finds_all_their_faults(saydo: Saydo, tmp_path: Path) -> None:
    path = tmp_path / "hand.parquet"
    columns = {"session_id": ["a", "a"], "turn_index": [1, 0], "role": ["ai", "human"], "text": ["x", "y"]}
    pq.write_table(pa.table(columns), path)
    assert saydo("log", "check", path, "--json").json == {"ok": True, "sessions": 1, "turns": 2, "faults": []}
    broken = pa.Array.from_buffers(pa.string(), 2, pa.array([b"x", b"\xff"], pa.binary()).buffers())
    pq.write_table(pa.table({**columns, "turn_index": [1, 3], "text": broken}), path)
    said = saydo("log", "check", path, "--json")
    assert said.code == 1
    assert [(f["row"], f["column"]) for f in said.json["faults"]] == [(1, "text"), (0, "turn_index")]


def test_many_faults_are_shown_to_a_person_up_to_a_bound(saydo: Saydo, tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(table_from_turns([Turn("a", n, "boss", "x") for n in range(70)]), path)
    lines = saydo("log", "check", path).out.splitlines()
    assert len(lines) == 52
    assert lines[-2] == "... and 20 more faults"


def test_each_command_shows_an_example(saydo: Saydo) -> None:
    for command in ("formats", "convert", "check"):
        said = saydo("log", command, "--help")
        assert said.code == 0
        assert f"Example: saydo log {command}" in said.out


@pytest.mark.real_data
@pytest.mark.parametrize("folder", ["claude_code", "mini_swe_agent", "tau_bench"])
def test_real_folders_convert_and_check(saydo: Saydo, tmp_path: Path, folder: str) -> None:
    if not (DATA / folder).exists():
        pytest.skip(f"the real logs in {folder} are not here")
    out = tmp_path / "log.parquet"
    said = saydo("log", "convert", DATA / folder, "--out", out, "--json")
    assert said.code == 0
    matched = said.json["matched_by_id"] + said.json["matched_by_order"]
    assert matched + said.json["unmatched"] == said.json["tool_results"]
    assert saydo("log", "check", out, "--json").code == 0


@pytest.mark.real_data
def test_the_real_parquet_without_turns_exits_2(saydo: Saydo, tmp_path: Path) -> None:
    path = DATA / "not_a_turn_log/inspect_scout_scan_word_counter.parquet"
    if not path.exists():
        pytest.skip("the real parquet without turns is not here")
    for arguments in (("convert", path, "--out", tmp_path / "x.parquet"), ("check", path)):
        said = saydo("log", *arguments)
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith("inspect_scout_scan_word_counter.parquet")
