"""The import as a whole: folders, mixed and named formats, repeated sessions, refusals, what a log says of itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.domain.errors import BadInput
from app.domain.turnlog.check import check_table
from app.readers.logs import formats, read_logs
from app.readers.turnlog_file import write_turn_log
from tests.readers.conftest import turns_of

Write = Callable[..., Path]
HELLO = [{"role": "user", "content": "hi"}]


def test_a_folder_of_mixed_formats_becomes_one_sorted_log(json_file: Write, tmp_path: Path) -> None:
    json_file(HELLO, "chat.json")
    json_file([{"task_id": 1, "trial": 0, "reward": 1.0, "traj": HELLO}], "mod-airline.json")
    line = {"type": "user", "sessionId": "S", "uuid": "1", "message": {"role": "user", "content": "hi"}}
    json_file([line], "session.jsonl")
    (tmp_path / "notes.txt").write_text("not a log", encoding="utf-8")
    read: list[str] = []
    logs = read_logs([tmp_path], on_file=read.append)
    assert logs.format == "claude-code+openai-chat+tau-bench"
    assert logs.table.column("session_id").to_pylist() == ["S", "chat", "task1/trial0"]
    assert check_table(logs.table) == []
    assert logs.reasons["chat.json"] == "its records have a role and content"
    assert sorted(read) == ["chat.json", "mod-airline.json", "session.jsonl"]


def test_other_files_in_a_folder_are_left_out_and_told_but_not_when_named(json_file: Write, tmp_path: Path) -> None:
    json_file(HELLO, "chat.json")
    other = json_file({"settings": True}, "other.json")
    logs = read_logs([tmp_path])
    assert (list(turns_of(logs)), logs.warnings) == (["chat"], ("other.json: no known log format, left out",))
    with pytest.raises(BadInput, match=r"other\.json: no known log format; name it with --format"):
        read_logs([tmp_path / "chat.json", other])
    (tmp_path / "cut.json").write_text("[{", encoding="utf-8")
    with pytest.raises(BadInput, match=r"cut\.json: not valid JSON"):
        read_logs([tmp_path])


def test_the_log_says_what_it_was_made_of(json_file: Write) -> None:
    path = json_file(HELLO)
    said = read_logs([path]).table.schema.metadata
    assert said[b"turnlog.version"] == b"1"
    assert said[b"source_format"] == b"openai-chat"
    assert said[b"offset_unit"] == b"codepoint"
    assert (said[b"importer"], said[b"importer_version"]) == (b"saydo", b"1")
    assert json.loads(said[b"source_sha256"]) == {"log.json": hashlib.sha256(path.read_bytes()).hexdigest()}


def test_converting_a_canonical_log_again_changes_nothing(json_file: Write, tmp_path: Path) -> None:
    first = write_turn_log(tmp_path / "a.parquet", read_logs([json_file(HELLO)]).table)
    again = read_logs([tmp_path / "a.parquet"])
    assert again.format == "turnlog"
    assert write_turn_log(tmp_path / "b.parquet", again.table).sha256 == first.sha256


def test_sessions_of_one_id_from_two_files_are_both_kept(json_file: Write, tmp_path: Path) -> None:
    one = {"messages": HELLO, "id": "same"}
    paths = [json_file(one, "a.json"), json_file(one, "b.json")]
    pq.write_table(
        pa.table({"session_id": ["same"], "turn_index": [0], "role": ["user"], "text": ["x"]}), tmp_path / "c.parquet"
    )
    logs = read_logs([*paths, tmp_path / "c.parquet"])
    assert list(turns_of(logs)) == ["same", "same#2", "same#3"]
    assert len(logs.warnings) == 2


def test_a_file_named_twice_is_read_once(json_file: Write, tmp_path: Path) -> None:
    path = json_file(HELLO)
    assert read_logs([path, path, tmp_path]).counts["sessions"] == 1


def test_a_named_format_is_not_sniffed(json_file: Write) -> None:
    path = json_file([{"task_id": 1, "trial": 0, "reward": 1.0, "traj": HELLO}], "x.json")
    assert read_logs([path], "tau-bench").reasons == {"x.json": "named"}
    with pytest.raises(BadInput, match="there is no log format 'tau'; known are turnlog, parquet-long"):
        read_logs([path], "tau")


def test_every_format_is_described_once() -> None:
    names = [name for name, _ in formats()]
    assert len(set(names)) == len(names)
    assert {"turnlog", "parquet-long", "parquet-wide", "openai-chat", "claude-code", "mini-swe-agent", "tau-bench"} <= {
        *names
    }
    assert all(description and "\n" not in description for _, description in formats())


def parquet_bytes() -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.table({"session_id": ["s"] * 500, "turn_index": range(500), "role": ["user"] * 500, "text": ["x"] * 500}),
        sink,
    )
    return bytes(sink.getvalue())


def damaged() -> bytes:
    """Sound first and last bytes, zeros over the first pages."""
    whole = parquet_bytes()
    return whole[:4] + b"\0" * 120 + whole[124:]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", r"x\.parquet: the file is empty"),
        (b"session_id,turn_index,role,text\ns,0,user,x\n", r"x\.parquet: not a readable parquet file"),
        (parquet_bytes()[:-40], r"x\.parquet: not a readable parquet file"),
        (parquet_bytes()[:60], r"x\.parquet: not a readable parquet file"),
        (damaged(), r"x\.parquet: the parquet file is damaged"),
        (b"PAR1", r"x\.parquet: not a readable parquet file"),
    ],
    ids=["empty", "csv", "cut footer", "cut early", "damaged pages", "magic only"],
)
def test_a_broken_parquet_is_refused_in_one_sentence(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=says) as caught:
        read_logs([path])
    assert "\n" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_a_parquet_without_turns_is_refused_by_its_columns(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1], "value": ["x"]}), tmp_path / "x.parquet")
    with pytest.raises(BadInput, match=r"x\.parquet: a parquet file without turns \(its columns: a, value"):
        read_logs([tmp_path / "x.parquet"])


@pytest.mark.real_data
def test_the_real_parquet_without_turns_is_refused(real_log: Callable[[str], Path]) -> None:
    with pytest.raises(BadInput, match="a parquet file without turns"):
        read_logs([real_log("not_a_turn_log/inspect_scout_scan_word_counter.parquet")])


def test_a_parquet_with_no_rows_has_no_turns(tmp_path: Path) -> None:
    empty = pa.table({"session_id": pa.array([], pa.string()), "turn_index": pa.array([], pa.int32())})
    empty = empty.append_column("role", pa.array([], pa.string())).append_column("text", pa.array([], pa.string()))
    pq.write_table(empty, tmp_path / "x.parquet")
    with pytest.raises(BadInput, match=r"x\.parquet: no turns were found"):
        read_logs([tmp_path / "x.parquet"])


def test_missing_files_and_empty_folders_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.json: there is no such file"):
        read_logs([tmp_path / "nowhere.json"])
    (tmp_path / "void").mkdir()
    with pytest.raises(BadInput, match="void: the folder holds no log file"):
        read_logs([tmp_path / "void"])
    with pytest.raises(BadInput, match="no source file was named"):
        read_logs([])
