"""Hand-made parquet with one row a turn: what is accepted and filled, what is repaired, what is refused where."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.domain.turnlog.check import check_table
from app.domain.turnlog.turns import Turn
from app.readers.logs import read_logs
from tests.readers.conftest import turns_of


def write(tmp_path: Path, columns: dict[str, Any], name: str = "hand.parquet") -> Path:
    path = tmp_path / name
    pq.write_table(pa.table(columns), path)
    return path


def four(**more: Any) -> dict[str, Any]:
    return {
        "session_id": ["b", "a", "b", "a"],
        "turn_index": [1, 0, 0, 1],
        "role": ["assistant", "user", "human", "ai"],
        "text": ["b1", "a0", None, ""],
        **more,
    }


def read(path: Path) -> dict[str, list[Turn]]:
    return turns_of(read_logs([path]))


def test_four_columns_are_enough_and_the_rest_is_filled(tmp_path: Path) -> None:
    logs = read_logs([write(tmp_path, four())])
    assert logs.format == "parquet-long"
    assert check_table(logs.table) == []
    sessions = turns_of(logs)
    assert [(t.session_id, t.turn_index, t.role, t.text) for s in sessions.values() for t in s] == [
        ("a", 0, "user", "a0"),
        ("a", 1, "assistant", ""),
        ("b", 0, "user", None),
        ("b", 1, "assistant", "b1"),
    ]
    assert sessions["a"][1] == Turn("a", 1, "assistant", "", src_index=(1,))


def test_other_types_are_brought_to_the_schemas(tmp_path: Path) -> None:
    table = pa.table(
        {
            "session_id": pa.array([7, 7], pa.int64()),
            "turn_index": pa.array([0.0, 1.0], pa.float64()),
            "role": pa.array(["user", "assistant"]).dictionary_encode(),
            "text": pa.array(["a", "b"], pa.large_string()),
            "repeat": pa.array([1, None], pa.float64()),
            "model": pa.array(["m", None], pa.string()),
            "in_context": pa.array([None, False], pa.bool_()),
            "kind": pa.array([None, "final"], pa.large_string()),
            "src_index": pa.array([[5], None], pa.large_list(pa.int64())),
        }
    )
    pq.write_table(table, tmp_path / "x.parquet")
    (turns,) = read(tmp_path / "x.parquet").values()
    assert turns == [
        Turn("7", 0, "user", "a", src_index=(5,), repeat=1, model="m"),
        Turn("7", 1, "assistant", "b", kind="final", src_index=(1,), in_context=False),
    ]


def test_numbers_written_as_floats_or_text_count_as_source_records_too(tmp_path: Path) -> None:
    for numbers in ([1.0, 0.0, 0.0, 1.0], ["1", "0", "0", "1"]):
        sessions = read(write(tmp_path, four(turn_index=numbers)))
        assert [t.src_index for t in sessions["a"]] == [(0,), (1,)]


def calls_and_results() -> dict[str, Any]:
    openai = [{"id": "c1", "function": {"name": "bash", "arguments": '{"a": 1}'}}, {"name": "read", "args": {"p": "é"}}]
    answers = [
        {"tool_call_id": "c1", "content": "out", "exit_code": 1},
        {"name": "read", "output": "", "truncated": True},
    ]
    return {
        "session_id": ["s"] * 3,
        "turn_index": [0, 1, 2],
        "role": ["assistant", "tool", "user"],
        "text": ["x", None, "y"],
        "tool_calls": [json.dumps(openai), None, ""],
        "tool_results": ["[]", json.dumps(answers), None],
        "attachments": [None, None, json.dumps([{"type": "image", "mime": "image/png", "bytes": 3}])],
    }


def test_list_columns_may_be_json_text(tmp_path: Path) -> None:
    (turns,) = read(write(tmp_path, calls_and_results())).values()
    assert [(c.call_key, c.call_id, c.name, c.args_json, c.args_ok) for c in turns[0].tool_calls] == [
        ("t0.c0", "c1", "bash", '{"a": 1}', True),
        ("t0.c1", None, "read", '{"p": "é"}', True),
    ]
    assert [(r.call_key, r.match, r.output, r.exit_code, r.truncated_by) for r in turns[1].tool_results] == [
        ("t0.c0", "id", "out", 1, None),
        ("t0.c1", "order", "", None, "source"),
    ]
    assert [(a.kind, a.mime, a.bytes) for a in turns[2].attachments] == [("image", "image/png", 3)]


def test_list_columns_may_be_structs_of_other_types(tmp_path: Path) -> None:
    columns = calls_and_results()
    for name in ("tool_calls", "tool_results"):
        columns[name] = [json.loads(cell) if cell else None for cell in columns[name]]
    columns["tool_calls"][0] = [{"name": "bash", "args_json": "not json", "call_id": "c1"}]
    columns["tool_results"][1] = [{"call_id": "c1", "output": "out", "is_error": False, "bytes": 99}]
    (turns,) = read(write(tmp_path, columns)).values()
    assert [(c.args_json, c.args_ok) for c in turns[0].tool_calls] == [("not json", False)]
    assert [(r.call_key, r.is_error, r.bytes) for r in turns[1].tool_results] == [("t0.c0", False, 99)]


def test_without_a_column_of_results_the_words_of_a_tool_row_are_the_result(tmp_path: Path) -> None:
    """The words stay where they are; the result says which call they answer."""
    columns = {name: cells for name, cells in calls_and_results().items() if name != "tool_results"}
    columns["text"] = ["x", "é [3 lines truncated]", "y"]
    (turns,) = read(write(tmp_path, columns)).values()
    assert turns[1].text == "é [3 lines truncated]"
    assert [(r.call_key, r.match, r.output, r.bytes, r.truncated_by) for r in turns[1].tool_results] == [
        ("t0.c0", "order", None, 22, "source")
    ]
    bare = {name: cells for name, cells in columns.items() if name != "tool_calls"}
    (turns,) = read(write(tmp_path, bare)).values()
    assert turns[1].tool_results == ()


def test_calls_link_whatever_order_the_rows_stand_in(tmp_path: Path) -> None:
    columns = {name: cells[::-1] for name, cells in calls_and_results().items()}
    (turns,) = read(write(tmp_path, columns)).values()
    assert [r.call_key for r in turns[1].tool_results] == ["t0.c0", "t0.c1"]


@pytest.mark.parametrize(
    ("cell", "ts", "raw"),
    [
        (pa.array([datetime(2026, 1, 2, 3, 4, 5)], pa.timestamp("ns")), None, "2026-01-02T03:04:05.000000000"),  # noqa: DTZ001
        (pa.array(["2026-01-02T03:04:05"]), None, "2026-01-02T03:04:05"),
        (pa.array(["2026-01-02T03:04:05Z"]), datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02T03:04:05Z"),
        (pa.array([1767323045.0]), datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "1767323045.0"),
        (
            pa.array([datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)], pa.timestamp("ms", "Europe/Berlin")),
            datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
            None,
        ),
    ],
)
def test_a_time_without_a_zone_stays_text(tmp_path: Path, cell: pa.Array, ts: datetime | None, raw: str | None) -> None:
    path = write(tmp_path, {"session_id": ["s"], "turn_index": [0], "role": ["user"], "text": ["x"], "ts": cell})
    (turns,) = read(path).values()
    assert (turns[0].ts, turns[0].ts_raw) == (ts, raw)


def test_columns_without_a_place_are_kept_in_extra(tmp_path: Path) -> None:
    extra = [None, '{"own": 1}', "not json", None]
    more = {"mood": ["x", None, None, "y"], "n": [1.5, float("nan"), None, 2.0], "extra_json": extra}
    sessions = read(write(tmp_path, four(**more)))
    held = [json.loads(t.extra_json) if t.extra_json else None for s in ("b", "a") for t in sessions[s][::-1]]
    assert held == [{"mood": "x", "n": 1.5}, {"extra_json": "not json"}, {"mood": "y", "n": 2.0}, {"own": 1}]


def test_text_that_is_not_utf8_is_repaired_and_told(tmp_path: Path) -> None:
    raw = pa.array([b"fine", b"bad \xff", b"x", b"y"], pa.binary())
    broken = pa.Array.from_buffers(pa.string(), 4, raw.buffers())
    calls = pa.array([[{"name": b"\xfe"}], None, None, None], pa.list_(pa.struct([("name", pa.binary())])))
    kind = pa.list_(pa.struct([("name", pa.string())]))
    names = pa.Array.from_buffers(pa.string(), 1, calls.flatten().field("name").buffers())
    items = pa.StructArray.from_arrays([names], ["name"])
    nested = pa.ListArray.from_arrays(pa.array([0, 1, 1, 1, 1], pa.int32()), items).cast(kind)
    logs = read_logs([write(tmp_path, {**four(), "text": broken, "tool_calls": nested})])
    sessions = turns_of(logs)
    assert sessions["a"][0].text == "bad \ufffd"
    assert sessions["b"][1].tool_calls[0].name == "\ufffd"
    assert [w.split(": ")[0] for w in logs.warnings] == [
        "hand.parquet rows from 0, column text",
        "hand.parquet rows from 0, column tool_calls",
    ]


BAD: list[tuple[dict[str, Any], str]] = [
    (four(session_id=["b", "a", "b", None]), r"hand\.parquet row 3, column session_id: empty"),
    (four(turn_index=[1, None, 0, 1]), r"hand\.parquet row 1, column turn_index: empty"),
    (four(role=["assistant", "user", None, "ai"]), r"hand\.parquet row 2, column role: empty"),
    (
        four(role=["assistant", "boss", "user", "ai"]),
        r"hand\.parquet row 1, column role: 'boss' is not one of system, user",
    ),
    (
        four(turn_index=[1, 0, 1, 1]),
        r"hand\.parquet row 2, column turn_index: turn 1 of this session stands there twice",
    ),
    (four(turn_index=[1, 0, 0, -1]), r"hand\.parquet row 3, column turn_index: turns count from 0"),
    (four(turn_index=[2, 0, 0, 1]), r"hand\.parquet row 0, column turn_index: turn 1 is missing"),
    (four(turn_index=[1, 0, 0, 2**40]), r"hand\.parquet row 3, column turn_index: 1099511627776 does not fit int32"),
    (four(turn_index=[1, 0, 0, 0.5]), r"hand\.parquet row 3, column turn_index: 0\.5 does not fit int32"),
    (four(turn_index=["1", "0", "zero", "1"]), r"hand\.parquet row 2, column turn_index: 'zero' does not fit int32"),
    (four(kind=["chat", None, None, None]), r"hand\.parquet row 0, column kind: 'chat' is not one of message"),
    (four(tool_calls=["[", None, None, None]), r"hand\.parquet row 0, column tool_calls: not valid JSON"),
    (four(tool_calls=["7", None, None, None]), r"hand\.parquet row 0, column tool_calls: not a list"),
    (four(tool_calls=["[7]", None, None, None]), r"hand\.parquet row 0, column tool_calls: an item is not an object"),
    (four(tool_calls=["[{}]", None, None, None]), r"hand\.parquet row 0, column tool_calls: a call has no name"),
    (
        four(tool_results=[None, '[{"output": 5}]', None, None]),
        r"row 1, column tool_results: the output .* is not text",
    ),
    (four(tool_results=[None, '[{"output": "x"}]', None, None]), r"row 1, column tool_results: results stand only in"),
    (four(src_index=[["x"], None, None, None]), r"hand\.parquet row 0, column src_index: not valid JSON"),
    (four(outcome_json=["{}", None, None, None]), r"hand\.parquet row 0, column outcome_json: the outcome stands"),
]


@pytest.mark.parametrize(("columns", "says"), BAD, ids=[says for _, says in BAD])
def test_what_breaks_a_rule_is_refused_with_file_row_and_column(
    tmp_path: Path, columns: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        read_logs([write(tmp_path, columns)])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", ["turn_index", "text", "role"])
def test_a_missing_required_column_is_named(tmp_path: Path, missing: str) -> None:
    columns = {name: cells for name, cells in four().items() if name != missing}
    with pytest.raises(BadInput, match=rf"hand\.parquet: the column {missing} is missing"):
        read_logs([write(tmp_path, columns)])


def test_another_version_is_refused(tmp_path: Path) -> None:
    table = pa.table(four()).replace_schema_metadata({"turnlog.version": "2"})
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(BadInput, match=r"x\.parquet: turn log version 2 is not known"):
        read_logs([tmp_path / "x.parquet"])


def test_a_file_that_claims_to_be_canonical_must_have_the_columns(tmp_path: Path) -> None:
    table = pa.table(four()).replace_schema_metadata({"turnlog.version": "1"})
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(BadInput, match=r"x\.parquet column turn_index: the type is int64, not int32 \(and \d+ more\)"):
        read_logs([tmp_path / "x.parquet"])


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.none() | st.text(), min_size=1, max_size=8))
def test_any_text_survives_a_hand_made_file(tmp_path: Path, words: list[str | None]) -> None:
    n = len(words)
    calls = [json.dumps([{"name": "t", "args": {"x": w}}]) for w in words]
    columns = {"session_id": ["s"] * n, "turn_index": range(n), "role": ["assistant"] * n, "tool_calls": calls}
    (turns,) = read(write(tmp_path, {**columns, "text": pa.array(words, pa.string())})).values()
    assert [t.text for t in turns] == words
    assert [json.loads(t.tool_calls[0].args_json or "")["x"] for t in turns] == words
