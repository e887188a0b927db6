"""What goes wrong below every format: gzip, marks, encodings, surrogates, cut lines, absurd numbers and nesting."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.readers.logs import read_logs
from app.readers.notes import MOST_PER_KIND, Notes
from app.readers.source import Source, repair
from tests.readers.conftest import only_session

HELLO = '{"role": "user", "content": "hé"}'


def source(tmp_path: Path, data: bytes, name: str = "x.jsonl") -> Source:
    path = tmp_path / name
    path.write_bytes(data)
    return Source(path, name)


@pytest.mark.parametrize(
    "data",
    [
        HELLO.encode(),
        b"\xef\xbb\xbf" + HELLO.encode(),
        HELLO.encode("utf-16"),
        gzip.compress(HELLO.encode(), mtime=0),
        HELLO.encode() + b"\r\n\r\n",
    ],
    ids=["plain", "utf-8 mark", "utf-16", "gzip", "blank lines"],
)
def test_marks_gzip_and_line_ends_do_not_matter(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(data)
    assert [t.text for t in only_session(path)] == ["hé"]


def test_bytes_that_are_not_utf8_are_replaced_and_told(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'[{"role": "user", "content": "a\xff"}]')
    logs = read_logs([path])
    assert logs.table.column("text").to_pylist() == ["a\ufffd"]
    assert logs.warnings == ("x.json byte 31: bytes that are not UTF-8 were replaced by U+FFFD",)


def test_a_cut_last_line_is_left_out_and_told(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f"{HELLO}\n{HELLO}\n{HELLO[:20]}", encoding="utf-8")
    logs = read_logs([path])
    assert logs.counts["turns"] == 2
    assert logs.warnings == ("x.jsonl line 3: the last line is cut off and was left out",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{HELLO}\n{HELLO[:20]}\n{HELLO}\n", r"x\.jsonl line 2: not valid JSON at column"),
        (HELLO[:20], r"x\.jsonl line 1: not valid JSON"),
        ("", r"x\.jsonl: the file is empty"),
        (" \n\n ", r"x\.jsonl: the file is empty"),
        ('{"role": "user", "content": ' + "9" * 5000 + "}", r"x\.jsonl line 1: the JSON holds a number too long"),
        ("[" * 100_000, r"x\.jsonl line 1: the JSON is nested too deeply"),
        ('{"role": "user", "content": ' + "[" * 600 + "]" * 600 + "}", r"x\.jsonl"),
        ("hello\n", r"x\.jsonl: no known log format, it is neither parquet nor JSON nor an archive"),
        ("a,b\n1,2\n", r"x\.jsonl: no known log format, it is neither parquet nor JSON nor an archive"),
        ("null\n", r"x\.jsonl: no known log format"),
        ("{}\n", r"x\.jsonl: no known log format"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=says) as caught:
        read_logs([path])
    assert "\n" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_a_broken_gzip_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"x\.jsonl: the file cannot be read"):
        _ = source(tmp_path, gzip.compress(HELLO.encode())[:-9]).bytes


def test_numbers_that_are_none_come_back_as_their_names(tmp_path: Path) -> None:
    assert source(tmp_path, b'{"a": NaN, "b": -Infinity}', "x.json").json == {"a": "NaN", "b": "-Infinity"}


def test_lone_surrogates_are_replaced_and_pairs_kept(tmp_path: Path) -> None:
    held = source(tmp_path, b'["\\ud83d", "\\ud83d\\ude00", {"\\udc00": 1}, "\\\\ud83d"]', "x.json")
    assert held.json == ["\ufffd", "\U0001f600", {"\ufffd": 1}, "\\ud83d"]
    assert held.notes.warnings() == ["x.json: 2 lone surrogates were replaced by U+FFFD"]


@given(st.text(st.characters(exclude_categories=())))
def test_repaired_text_can_always_be_stored(text: str) -> None:
    fixed, lone = repair(text)
    fixed.encode("utf-8")
    assert lone == fixed.count("\ufffd") - text.count("\ufffd")
    assert repair(fixed) == (fixed, 0)


@given(st.text())
def test_text_without_surrogates_is_left_alone(text: str) -> None:
    assert repair({"a": [text]}) == ({"a": [text]}, 0)


@pytest.mark.parametrize(
    ("name", "stem"), [("a/run-1.traj.json", "run-1"), ("x.jsonl.gz", "x"), (".json", ".json"), ("v1.2", "v1.2")]
)
def test_the_stem_drops_only_what_says_the_kind(tmp_path: Path, name: str, stem: str) -> None:
    assert Source(tmp_path, name).stem == stem


def test_pretty_json_is_no_json_lines(tmp_path: Path) -> None:
    pretty = json.dumps([json.loads(HELLO)], indent=2).encode()
    assert not source(tmp_path, pretty, "x.json").is_lines
    assert source(tmp_path, f"{HELLO}\n{HELLO}".encode(), "x.json").is_lines
    assert not source(tmp_path, HELLO.encode(), "x.json").is_lines
    assert source(tmp_path, HELLO.encode(), "x.jsonl").is_lines


def test_warnings_of_one_kind_are_listed_up_to_a_bound_and_then_counted() -> None:
    notes = Notes()
    for n in range(MOST_PER_KIND + 5):
        notes.warn(f"line {n}", "odd")
    notes.warn("line 99", "other")
    assert len(notes.warnings()) == MOST_PER_KIND + 2
    assert notes.warnings()[-1] == "5 more places: odd"
