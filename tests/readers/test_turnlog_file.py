"""The canonical file: same log same bytes, all or nothing, pinned, one session without the others."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from app.domain.errors import BadInput, Conflict, NotFound
from app.domain.turnlog.schema import table_from_turns
from app.domain.turnlog.turns import Turn
from app.readers.turnlog_file import ROWS_A_GROUP, open_turn_log, pin, verify_pin, write_turn_log


def session(name: str, n: int, **more: object) -> list[Turn]:
    return [Turn(name, i, "user", f"{name} says {i}", src_index=(i,), **more) for i in range(n)]


def log() -> list[Turn]:
    return [t for k in range(40) for t in session(f"s{k:02d}", 150, model=f"m{k % 3}")]


def test_the_same_log_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_turn_log(tmp_path / "a.parquet", table_from_turns(log()))
    assert write_turn_log(tmp_path / "b.parquet", table_from_turns(log())).sha256 == first.sha256
    assert write_turn_log(tmp_path / "c.parquet", table_from_turns(log()[:-1])).sha256 != first.sha256


def test_the_bytes_do_not_depend_on_the_process(tmp_path: Path) -> None:
    path = Path(__file__)
    code = (
        "from pathlib import Path; from tests.readers.test_turnlog_file import log, table_from_turns, write_turn_log; "
        f"print(write_turn_log(Path({str(tmp_path / 'z.parquet')!r}), table_from_turns(log())).sha256)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(path.parents[2])}
    made = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert made.stdout.strip() == write_turn_log(tmp_path / "a.parquet", table_from_turns(log())).sha256


def test_row_groups_hold_whole_sessions_and_zstd(tmp_path: Path) -> None:
    write_turn_log(tmp_path / "a.parquet", table_from_turns(log()))
    file = pq.ParquetFile(tmp_path / "a.parquet")
    groups = [file.read_row_group(g, columns=["session_id"]).column(0).to_pylist() for g in range(file.num_row_groups)]
    assert [len(names) for names in groups] == [2100, 2100, 1800]
    assert all(ROWS_A_GROUP <= len(names) < ROWS_A_GROUP + 150 for names in groups[:-1])
    for before, after in pairwise(groups):
        assert before[-1] < after[0]
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.metadata.row_group(0).column(0).statistics.min == "s00"


def test_one_session_is_read_from_its_row_group_alone(tmp_path: Path) -> None:
    write_turn_log(tmp_path / "a.parquet", table_from_turns(log()))
    opened = open_turn_log(tmp_path / "a.parquet")
    assert opened.session_ids() == [f"s{k:02d}" for k in range(40)]
    assert opened.count_turns() == 6000
    for name in ("s00", "s13", "s14", "s27", "s39"):
        assert opened.turns(name) == [t for t in log() if t.session_id == name]
    with pytest.raises(NotFound, match=r"a\.parquet: there is no session 's40'"):
        opened.turns("s40")
    group = pq.ParquetFile(tmp_path / "a.parquet").metadata.row_group(1)
    data = bytearray((tmp_path / "a.parquet").read_bytes())
    start = group.column(0).dictionary_page_offset or group.column(0).data_page_offset
    data[start : start + 200] = b"\0" * 200
    (tmp_path / "a.parquet").write_bytes(data)
    damaged = open_turn_log(tmp_path / "a.parquet", checked=False)
    damaged.__dict__["_places"] = opened._places
    assert damaged.turns("s39")[0].text == "s39 says 0"


def test_a_session_longer_than_a_row_group_is_read_whole(tmp_path: Path) -> None:
    rows = [*session("a", 3), *session("b", 3 * ROWS_A_GROUP), *session("c", 3)]
    write_turn_log(tmp_path / "a.parquet", table_from_turns(rows))
    opened = open_turn_log(tmp_path / "a.parquet")
    assert len(opened.turns("b")) == 3 * ROWS_A_GROUP
    assert opened.turns("c") == rows[-3:]


def test_identities_are_what_blinding_must_hide(tmp_path: Path) -> None:
    first = Turn("s2", 0, "user", "x", src_file="f.json", author="user", arm="A", run_id="r1", task_id="t1", agent="g")
    second = Turn("s2", 1, "assistant", "x", src_file="f.json", author="ann", model="m2")
    rows = [replace(first, session_id="s1", author=None, arm="B"), first, second]
    write_turn_log(tmp_path / "a.parquet", table_from_turns(rows))
    assert open_turn_log(tmp_path / "a.parquet").identities() == {
        "model": ["m2"],
        "arm": ["A", "B"],
        "run_id": ["r1"],
        "task_id": ["t1"],
        "agent": ["g"],
        "src_file": ["f.json"],
        "session_id": ["s1", "s2"],
        "author": ["ann"],
    }


def test_a_pin_holds_until_a_byte_changes(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pinned = write_turn_log(path, table_from_turns(log()))
    assert pinned == pin(path)
    verify_pin(pinned)
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    with pytest.raises(Conflict, match=r"a\.parquet: the file changed since it was pinned"):
        verify_pin(pinned)
    path.unlink()
    with pytest.raises(NotFound, match=r"a\.parquet: the file cannot be read"):
        verify_pin(pinned)


def test_a_table_that_breaks_a_rule_is_never_written(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write_turn_log(path, table_from_turns(log()))
    before = path.read_bytes()
    with pytest.raises(BadInput, match=r"a\.parquet row 1, column turn_index: turn 1 is missing"):
        write_turn_log(path, table_from_turns([Turn("s", 0, "user", "x"), Turn("s", 2, "user", "x")]))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.parquet"]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"a\.parquet: cannot be written there"):
        write_turn_log(tmp_path / "gone" / "a.parquet", table_from_turns(log()))
    (tmp_path / "dir.parquet").mkdir()
    with pytest.raises(BadInput, match=r"dir\.parquet: cannot be written there"):
        write_turn_log(tmp_path / "dir.parquet", table_from_turns(log()))
    assert [p.name for p in tmp_path.iterdir()] == ["dir.parquet"]


def test_a_faulty_file_is_not_opened(tmp_path: Path) -> None:
    table = table_from_turns([Turn("s", 0, "user", "x"), Turn("s", 0, "user", "x")])
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(
        BadInput, match=r"a\.parquet row 1, column turn_index: turn 0 of this session stands there twice"
    ):
        open_turn_log(tmp_path / "a.parquet")
    pq.write_table(table.replace_schema_metadata(None), tmp_path / "b.parquet")
    for checked in (True, False):
        with pytest.raises(BadInput, match=r"b\.parquet: not a canonical turn log; make one"):
            open_turn_log(tmp_path / "b.parquet", checked)
    with pytest.raises(NotFound, match=r"c\.parquet: there is no such file"):
        open_turn_log(tmp_path / "c.parquet")


def test_another_reader_sees_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write_turn_log(path, table_from_turns(log()))
    rows = duckdb.sql(f"select session_id, turn_index, text, model from '{path}' order by 1, 2").fetchall()
    assert rows == [(t.session_id, t.turn_index, t.text, t.model) for t in log()]
