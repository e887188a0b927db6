"""Each rule of the canonical log, broken once: the fault names its row and column, and nothing else is accused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.turnlog.check import Fault, check_table
from app.domain.turnlog.linking import link_turns
from app.domain.turnlog.schema import SCHEMA, table_from_turns
from app.domain.turnlog.stream_check import check_stream
from app.domain.turnlog.turns import ToolCall, ToolResult, Turn


def session(name: str) -> list[Turn]:
    return link_turns(
        [
            Turn(name, 0, "user", "do it", src_index=(0,), outcome_json="{}"),
            Turn(name, 0, "assistant", "I do", tool_calls=(ToolCall("", "bash", "{}"), ToolCall("", "bash", "{}"))),
            Turn(name, 0, "tool", None, kind="tool_result", tool_results=(ToolResult("a", "none", 1),)),
            Turn(name, 0, "tool", None, kind="tool_result", tool_results=(ToolResult("b", "none", 1),)),
            Turn(name, 0, "tool", None, kind="tool_result", tool_results=(ToolResult("orphan", "none", 6),)),
        ]
    )


def log() -> list[Turn]:
    return [*session("a"), *session("b")]


def found(rows: list[Turn], must_be_sorted: bool = True) -> list[tuple[int | None, str]]:
    return [(f.row, f.column) for f in check_table(table_from_turns(rows), must_be_sorted)]


def changed(row: int, change: Callable[[Turn], Turn]) -> list[Turn]:
    rows = log()
    rows[row] = change(rows[row])
    return rows


def with_result(row: int, **fields: object) -> list[Turn]:
    return changed(row, lambda t: replace(t, tool_results=(replace(t.tool_results[0], **fields),)))


def test_a_sound_log_has_no_fault() -> None:
    assert found(log()) == []
    assert found([]) == []


@pytest.mark.parametrize(
    ("rows", "faults"),
    [
        (changed(7, lambda t: replace(t, role="ai")), [(7, "role"), (7, "tool_results")]),
        (changed(5, lambda t: replace(t, kind="chat")), [(5, "kind")]),
        (changed(5, lambda t: replace(t, thread_id="")), [(5, "thread_id")]),
        (changed(9, lambda t: replace(t, turn_index=-1)), [(9, "turn_index")]),
        (changed(9, lambda t: replace(t, turn_index=3)), [(9, "turn_index")]),
        (changed(9, lambda t: replace(t, turn_index=6)), [(9, "turn_index")]),
        (changed(1, lambda t: replace(t, role="system")), [(1, "tool_calls")]),
        (changed(7, lambda t: replace(t, role="event")), [(7, "tool_results")]),
        (changed(6, lambda t: replace(t, outcome_json="{}")), [(6, "outcome_json")]),
        (changed(6, lambda t: replace(t, src_index=(1, -1))), [(6, "src_index")]),
        (changed(6, lambda t: replace(t, tool_calls=t.tool_calls[::-1])), [(6, "tool_calls.call_key")] * 2),
        (with_result(7, match="maybe"), [(7, "tool_results.match")]),
        (with_result(7, match="none"), [(7, "tool_results.call_key")]),
        (with_result(7, call_key=None), [(7, "tool_results.call_key")]),
        (with_result(7, call_key="first"), [(7, "tool_results.call_key")]),
        (with_result(7, call_key="t2.c0"), [(7, "tool_results.call_key")]),
        (with_result(7, call_key="t3.c0"), [(7, "tool_results.call_key")]),
        (with_result(7, call_key="t1.c2"), [(7, "tool_results.call_key")]),
        (with_result(8, call_key="t1.c0"), [(8, "tool_results.call_key")]),
        (with_result(7, truncated=True), [(7, "tool_results.truncated_by")]),
        (with_result(7, truncated_by="source"), [(7, "tool_results.truncated_by")]),
        (with_result(7, truncated=True, truncated_by="me"), [(7, "tool_results.truncated_by")]),
        (with_result(7, bytes=-1), [(7, "tool_results.bytes")]),
    ],
)
def test_each_broken_rule_is_told_with_row_and_column(rows: list[Turn], faults: list[tuple[int, str]]) -> None:
    assert found(rows) == faults


def test_a_time_outside_the_calendar_is_told_with_its_row() -> None:
    """Python has no datetime for it: reading the row would fail much later."""
    table = table_from_turns(log())
    micros = pa.array([None] * 8 + [2**62, 0], type=pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    faults = check_table(table.set_column(15, SCHEMA.field("ts"), micros))
    assert faults == [Fault(8, "ts", "the time lies outside the years 1 to 9999")]


def test_doubled_turns_and_gaps_are_told_apart() -> None:
    doubled = changed(9, lambda t: replace(t, turn_index=3))
    assert [f.message for f in check_table(table_from_turns(doubled))] == ["turn 3 of this session stands there twice"]
    gap = changed(9, lambda t: replace(t, turn_index=6))
    assert check_table(table_from_turns(gap))[0].message.startswith("turn 4 is missing")


def test_a_key_may_not_reach_into_another_session() -> None:
    """Session b has only one row; its result names a call that session a makes."""
    stray = Turn("b", 0, "tool", None, tool_results=(ToolResult("x", "id", 1, call_key="t1.c0"),))
    assert found([*session("a"), stray]) == [(5, "tool_results.call_key")]


def test_what_is_marked_cut_by_whom_is_sound() -> None:
    assert found(with_result(7, truncated=True, truncated_by="source")) == []
    assert found(with_result(7, truncated=True, truncated_by="importer")) == []


def test_rows_out_of_order_are_a_fault_only_where_order_is_asked() -> None:
    rows = log()
    assert found(rows[5:] + rows[:5]) == [(5, "session_id")]
    assert found([rows[1], rows[0], *rows[2:]]) == [(1, "turn_index")]
    assert found(rows[::-1], must_be_sorted=False) == []


def test_faults_in_shuffled_rows_name_the_rows_as_they_stand() -> None:
    rows = log()[::-1]
    rows[0] = replace(rows[0], turn_index=3)
    assert found(rows, must_be_sorted=False) == [(1, "turn_index")]
    rows = log()[::-1]
    rows[2] = replace(rows[2], tool_results=(replace(rows[2].tool_results[0], call_key="t1.c9"),))
    assert found(rows, must_be_sorted=False) == [(2, "tool_results.call_key")]


def test_a_gap_accuses_the_first_row_after_it_in_each_session() -> None:
    rows = [replace(t, turn_index=t.turn_index + (t.turn_index > 1)) for t in session("a")]
    assert found(rows) == [(2, "turn_index")]
    assert check_table(table_from_turns(rows))[0].message.startswith("turn 2 is missing")


def test_missing_doubled_and_wrongly_typed_columns_are_told() -> None:
    table = table_from_turns(log())
    assert check_table(table.drop_columns(["kind"])) == [Fault(None, "kind", "the column is missing")]
    doubled = table.append_column(SCHEMA.field("kind"), table.column("kind"))
    assert check_table(doubled) == [Fault(None, "kind", "the column stands there twice")]
    wide = table.set_column(1, "turn_index", table.column("turn_index").cast(pa.int64()))
    assert check_table(wide)[0].sentence() == "column turn_index: the type is int64, not int32"


def test_nulls_are_told_before_what_depends_on_them() -> None:
    table = table_from_turns(log())
    names = pa.array([None, *["a"] * 4, *["b"] * 5], type=pa.string())
    assert check_table(table.set_column(0, SCHEMA.field("session_id"), names)) == [
        Fault(0, "session_id", "empty (null) where a value is required")
    ]


def test_text_that_is_not_utf8_is_told_with_its_row() -> None:
    table = table_from_turns(log())
    raw = pa.array([b"ok"] * 9 + [b"\xed\xa0\x80"], type=pa.large_binary())
    broken = pa.Array.from_buffers(pa.large_string(), 10, raw.buffers())
    faults = check_table(table.set_column(10, SCHEMA.field("text"), broken))
    assert faults == [Fault(9, "text", "the text is not valid UTF-8")]


def pieces(table: pa.Table, size: int) -> list[pa.Table]:
    return [table.slice(start, size) for start in range(0, table.num_rows, size)]


@settings(deadline=None)
@given(st.integers(1, 12), st.sampled_from(["sound", "role", "key", "gap"]), st.integers(0, 9))
def test_a_stream_says_what_the_whole_says(size: int, what: str, row: int) -> None:
    rows = log()
    if what == "role":
        rows[row] = replace(rows[row], role="nobody", tool_calls=(), tool_results=())
    if what == "gap":
        rows[row] = replace(rows[row], turn_index=rows[row].turn_index + 7)
    if what == "key" and rows[row].tool_results:
        rows[row] = replace(rows[row], tool_results=(replace(rows[row].tool_results[0], call_key="t0.c0", match="id"),))
    table = table_from_turns(rows)
    stream = check_stream(pieces(table, size))
    assert (stream.sessions, stream.turns) == (2, 10)
    assert {(f.row, f.column) for f in stream.faults} == {(f.row, f.column) for f in check_table(table)}


def test_a_stream_finds_sessions_out_of_order_and_in_two_places() -> None:
    rows = [*session("b"), *session("c"), *session("a")]
    assert [(f.row, f.column) for f in check_stream(pieces(table_from_turns(rows), 5)).faults] == [(10, "session_id")]
    again = [*session("a"), *session("b"), *session("a")]
    assert [(f.row, f.column) for f in check_stream(pieces(table_from_turns(again), 5)).faults] == [(10, "session_id")]


def test_many_faults_are_capped_a_rule() -> None:
    rows = [Turn("s", n, "nobody", "x") for n in range(1500)]
    assert len(check_table(table_from_turns(rows))) == 1000
