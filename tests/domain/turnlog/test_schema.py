"""Turns survive the way into Arrow and back; what Arrow would swallow is refused with its row and column."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.domain.turnlog.schema import SCHEMA, null_faults, table_from_turns, turns_from_table
from app.domain.turnlog.turns import KINDS, ROLES, Attachment, ToolCall, ToolResult, Turn

# The specification's table, typed off it by hand: column, Arrow type, may be null.
SPECIFIED = """
session_id string no | turn_index int32 no
src_file dictionary<values=string, indices=int32, ordered=0> yes
src_index list<item: int32> no | turn_id string yes | parent_turn_id string yes | thread_id string no | role string no
kind string no | author string yes | text large_string yes | reasoning large_string yes | tool_calls list no
tool_results list no | attachments list no | ts timestamp[us, tz=UTC] yes | ts_raw string yes
model dictionary<values=string, indices=int32, ordered=0> yes
arm dictionary<values=string, indices=int32, ordered=0> yes
run_id dictionary<values=string, indices=int32, ordered=0> yes
task_id dictionary<values=string, indices=int32, ordered=0> yes | repeat int32 yes
agent dictionary<values=string, indices=int32, ordered=0> yes | outcome_json string yes | in_context bool no
extra_json large_string yes
"""


def specified() -> list[tuple[str, str, bool]]:
    entries = [entry.strip() for line in SPECIFIED.strip().splitlines() for entry in line.split("|")]
    parted = [(entry.split(" ", 1)[0], entry.split(" ", 1)[1].rsplit(" ", 1)) for entry in entries]
    return [(name, kind, null == "yes") for name, (kind, null) in parted]


def test_the_schema_is_the_specified_one() -> None:
    assert len(SCHEMA) == 26
    for field, (name, kind, null) in zip(SCHEMA, specified(), strict=True):
        assert (field.name, field.nullable) == (name, null)
        assert str(field.type) == kind or (kind == "list" and pa.types.is_list(field.type))


def test_the_structs_are_the_specified_ones() -> None:
    def struct(name: str) -> list[tuple[str, str, bool]]:
        return [(f.name, str(f.type), f.nullable) for f in SCHEMA.field(name).type.value_type]

    assert struct("tool_calls") == [
        ("call_key", "string", False),
        ("call_id", "string", True),
        ("name", "string", False),
        ("args_json", "large_string", True),
        ("args_ok", "bool", False),
        ("requestor", "string", True),
    ]
    assert struct("tool_results") == [
        ("call_key", "string", True),
        ("call_id", "string", True),
        ("name", "string", True),
        ("output", "large_string", True),
        ("is_error", "bool", True),
        ("error_kind", "string", True),
        ("exit_code", "int32", True),
        ("bytes", "int64", False),
        ("truncated", "bool", False),
        ("truncated_by", "string", True),
        ("match", "string", False),
    ]
    assert struct("attachments") == [
        ("kind", "string", False),
        ("mime", "string", True),
        ("sha256", "string", True),
        ("bytes", "int64", True),
        ("ref", "string", True),
    ]


small = st.integers(-(2**31), 2**31 - 1)
words = st.none() | st.text()
moments = st.none() | st.datetimes(
    min_value=datetime(1, 1, 2),  # noqa: DTZ001 - hypothesis wants bounds without a zone
    max_value=datetime(9999, 12, 30),  # noqa: DTZ001
    timezones=st.just(UTC),
)
calls = st.builds(ToolCall, call_key=st.text(), name=st.text(), args_json=words, args_ok=st.booleans(), call_id=words)
results = st.builds(
    ToolResult,
    output=words,
    match=st.text(),
    bytes=st.integers(0, 2**63 - 1),
    call_key=words,
    name=words,
    is_error=st.none() | st.booleans(),
    exit_code=st.none() | small,
    truncated=st.booleans(),
)
attachments = st.builds(
    Attachment, kind=st.text(), mime=words, sha256=words, bytes=st.none() | st.integers(0, 2**40), ref=words
)
turns = st.builds(
    Turn,
    session_id=st.text(),
    turn_index=small,
    role=st.sampled_from(ROLES),
    text=words,
    kind=st.sampled_from(KINDS),
    src_file=words,
    src_index=st.lists(small).map(tuple),
    turn_id=words,
    author=words,
    reasoning=words,
    tool_calls=st.lists(calls, max_size=3).map(tuple),
    tool_results=st.lists(results, max_size=3).map(tuple),
    attachments=st.lists(attachments, max_size=2).map(tuple),
    ts=moments,
    ts_raw=words,
    model=words,
    task_id=words,
    repeat=st.none() | small,
    outcome_json=words,
    in_context=st.booleans(),
    extra_json=words,
)


@settings(deadline=None, max_examples=60)
@given(st.lists(turns, max_size=6))
def test_any_turn_survives_table_and_parquet(rows: list[Turn]) -> None:
    held = io.BytesIO()
    pq.write_table(table_from_turns(rows, {"source_format": "x"}), held, compression="zstd")
    back = pq.read_table(io.BytesIO(held.getvalue()))
    assert turns_from_table(back) == rows
    assert back.schema.metadata[b"turnlog.version"] == b"1"
    assert back.schema.metadata[b"offset_unit"] == b"codepoint"


def test_every_field_of_a_turn_survives() -> None:
    """Each column gets a value of its own, so a swapped or forgotten column shows."""
    turn = Turn(
        *("s", 3, "assistant", "words", "final", "a.jsonl", (4, 5), "id", "parent", "thread", "author", "thinking"),
        tool_calls=(ToolCall("t3.c0", "bash", "{}", False, "c1", "user"),),
        tool_results=(ToolResult("out", "id", 9, "t1.c0", "c0", "sh", True, "timeout", 124, True, "source"),),
        attachments=(Attachment("image", "image/png", "ab", 7, "ref"),),
        ts=datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
        ts_raw="raw",
        model="m",
        arm="a",
        run_id="r",
        task_id="t",
        repeat=2,
        agent="g",
        outcome_json="{}",
        in_context=False,
        extra_json="[]",
    )
    assert turns_from_table(table_from_turns([turn])) == [turn]


def test_a_moment_with_another_zone_is_the_same_moment() -> None:
    there = datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    (back,) = turns_from_table(table_from_turns([Turn("s", 0, "user", "x", ts=there)]))
    assert back.ts == there
    assert back.ts is not None
    assert back.ts.tzinfo is UTC


@pytest.mark.parametrize(
    ("turn", "says"),
    [
        (Turn("s", 1, "user", "half \ud83d"), "row 1, column text: the text holds a lone surrogate"),
        (Turn("s", 1, None, "x"), "row 1, column role: empty"),
        (Turn("s", None, "user", "x"), "row 1, column turn_index: empty"),
        (Turn("s", 2**31, "user", "x"), "row 1, column turn_index: the value does not fit int32"),
        (Turn("s", 1, "user", 7), "row 1, column text: the value does not fit large_string"),
        (Turn("s", 1, "user", "x", src_index=(2**40,)), "row 1, column src_index: the value does not fit"),
        (Turn("s", 1, "user", "x", tool_calls=(ToolCall("t1.c0", None),)), "row 1, column tool_calls.name: empty"),
        (
            Turn("s", 1, "tool", "x", tool_results=(ToolResult("o", None, 1),)),
            "row 1, column tool_results.match: empty",
        ),
        (Turn("s", 1, "tool", "x", tool_results=(ToolResult("\udc00", "id", 1),)), "row 1, column tool_results"),
    ],
)
def test_what_arrow_would_swallow_is_refused_with_row_and_column(turn: Any, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        table_from_turns([Turn("s", 0, "user", "fine"), turn])


def test_every_null_where_none_may_be_is_found() -> None:
    table = table_from_turns([Turn("s", n, "user", "x", src_index=(n,)) for n in range(4)])
    roles = pa.chunked_array([["user", None], [None, "user"]], type=pa.string())
    sources = pa.chunked_array([[[0], None], [[2, None], [3]]], type=pa.list_(pa.int32()))
    table = table.set_column(7, SCHEMA.field("role"), roles).set_column(3, SCHEMA.field("src_index"), sources)
    assert sorted(null_faults(table)) == [(1, "role"), (1, "src_index"), (2, "role"), (2, "src_index")]


def test_a_table_without_a_column_is_told_which() -> None:
    with pytest.raises(BadInput, match="lacks the column thread_id"):
        turns_from_table(table_from_turns([Turn("s", 0, "user", "x")]).drop_columns(["thread_id"]))


def test_text_that_is_not_utf8_is_told_by_its_column() -> None:
    table = table_from_turns([Turn("s", 0, "user", "x")])
    broken = pa.Array.from_buffers(pa.large_string(), 1, pa.array([b"\xff"], type=pa.large_binary()).buffers())
    with pytest.raises(BadInput, match="column text: a value cannot be read"):
        turns_from_table(table.set_column(10, SCHEMA.field("text"), broken))
