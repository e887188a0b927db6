"""The Arrow form of turnlog/1: its 26 columns, and the way between `Turn` values and a table.

Responsible for types and for nulls in columns that forbid them (Arrow writes a null into a not-null list and reads it
back as `[]` without a word). Whether the rows mean anything together (gaps, keys, matches) is `check.py`. No files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from app.domain.errors import BadInput
from app.domain.turnlog.turns import Attachment, ToolCall, ToolResult, Turn

VERSION = "1"
REQUIRED_OF_HAND_MADE = ("session_id", "turn_index", "role", "text")

_NAMES = pa.dictionary(pa.int32(), pa.string())

CALL = pa.struct(
    [
        pa.field("call_key", pa.string(), nullable=False),
        pa.field("call_id", pa.string()),
        pa.field("name", pa.string(), nullable=False),
        pa.field("args_json", pa.large_string()),
        pa.field("args_ok", pa.bool_(), nullable=False),
        pa.field("requestor", pa.string()),
    ]
)
RESULT = pa.struct(
    [
        pa.field("call_key", pa.string()),
        pa.field("call_id", pa.string()),
        pa.field("name", pa.string()),
        pa.field("output", pa.large_string()),
        pa.field("is_error", pa.bool_()),
        pa.field("error_kind", pa.string()),
        pa.field("exit_code", pa.int32()),
        pa.field("bytes", pa.int64(), nullable=False),
        pa.field("truncated", pa.bool_(), nullable=False),
        pa.field("truncated_by", pa.string()),
        pa.field("match", pa.string(), nullable=False),
    ]
)
ATTACHMENT = pa.struct(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("mime", pa.string()),
        pa.field("sha256", pa.string()),
        pa.field("bytes", pa.int64()),
        pa.field("ref", pa.string()),
    ]
)
SCHEMA = pa.schema(
    [
        pa.field("session_id", pa.string(), nullable=False),
        pa.field("turn_index", pa.int32(), nullable=False),
        pa.field("src_file", _NAMES),
        pa.field("src_index", pa.list_(pa.int32()), nullable=False),
        pa.field("turn_id", pa.string()),
        pa.field("parent_turn_id", pa.string()),
        pa.field("thread_id", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("author", pa.string()),
        pa.field("text", pa.large_string()),
        pa.field("reasoning", pa.large_string()),
        pa.field("tool_calls", pa.list_(CALL), nullable=False),
        pa.field("tool_results", pa.list_(RESULT), nullable=False),
        pa.field("attachments", pa.list_(ATTACHMENT), nullable=False),
        pa.field("ts", pa.timestamp("us", tz="UTC")),
        pa.field("ts_raw", pa.string()),
        pa.field("model", _NAMES),
        pa.field("arm", _NAMES),
        pa.field("run_id", _NAMES),
        pa.field("task_id", _NAMES),
        pa.field("repeat", pa.int32()),
        pa.field("agent", _NAMES),
        pa.field("outcome_json", pa.string()),
        pa.field("in_context", pa.bool_(), nullable=False),
        pa.field("extra_json", pa.large_string()),
    ]
)
_ITEMS: dict[str, type[Any]] = {"tool_calls": ToolCall, "tool_results": ToolResult, "attachments": Attachment}


def _as_dicts(items: Iterable[Any], names: Sequence[str]) -> list[dict[str, Any]]:
    return [{name: getattr(item, name) for name in names} for item in items]


def _cells(name: str, turns: Sequence[Turn]) -> list[Any]:
    if name in _ITEMS:
        names = [f.name for f in fields(_ITEMS[name])]
        return [_as_dicts(getattr(turn, name), names) for turn in turns]
    if name == "src_index":
        return [list(turn.src_index) for turn in turns]
    return [getattr(turn, name) for turn in turns]


def _first_that_fails(cells: Sequence[Any], arrow_type: pa.DataType) -> int:
    for row, value in enumerate(cells):
        try:
            pa.array([value], type=arrow_type)
        except (pa.ArrowException, UnicodeEncodeError, OverflowError, TypeError, ValueError):
            return row
    return 0


def _array(name: str, turns: Sequence[Turn], arrow_type: pa.DataType) -> pa.Array:
    cells = _cells(name, turns)
    try:
        return pa.array(cells, type=arrow_type)
    except UnicodeEncodeError as error:
        row = _first_that_fails(cells, arrow_type)
        raise BadInput(
            f"row {row}, column {name}: the text holds a lone surrogate; replace it by U+FFFD first"
        ) from error
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        row = _first_that_fails(cells, arrow_type)
        raise BadInput(f"row {row}, column {name}: the value does not fit {arrow_type}; correct it") from error


def table_from_turns(turns: Iterable[Turn], metadata: Mapping[str, str] | None = None) -> pa.Table:
    """Return the turnlog/1 table of the turns, in the order given, with `turnlog.version` and `metadata` in its schema.

    Raises `BadInput` naming row (0-based) and column for a value that does not fit its column, a lone surrogate, or a
    null where the schema forbids one. Nothing is sorted or renumbered.
    """
    rows = list(turns)
    columns = [_array(field.name, rows, field.type) for field in SCHEMA]
    words = {"turnlog.version": VERSION, "offset_unit": "codepoint", **(metadata or {})}
    table = pa.Table.from_arrays(columns, schema=SCHEMA.with_metadata(words))
    faults = null_faults(table)
    if faults:
        row, column = faults[0]
        raise BadInput(f"row {row}, column {column}: empty (null) where a value is required; fill it")
    return table


def null_faults(table: pa.Table) -> list[tuple[int, str]]:
    """Return (row, column) of every null in a not-null column, or in a not-null field inside a list column.

    An element of a list column that is itself null counts. Only columns present in the table are looked at; a name
    inside a list reads `tool_calls.name`.
    """
    found: list[tuple[int, str]] = []
    for field in SCHEMA:
        if field.name not in table.column_names:
            continue
        column = table.column(field.name)
        if not field.nullable:
            found.extend((row, field.name) for row in _null_places(column))
        if pa.types.is_list(field.type):
            found.extend(_list_nulls(column, field))
    return found


def _null_places(values: pa.ChunkedArray | pa.Array) -> list[int]:
    import pyarrow.compute as pc

    return list(pc.indices_nonzero(pc.is_null(values)).to_pylist()) if values.null_count else []


def _list_nulls(column: pa.ChunkedArray, field: pa.Field) -> list[tuple[int, str]]:
    import pyarrow.compute as pc

    items = pc.list_flatten(column)
    places = [(place, field.name) for place in _null_places(items)]
    if pa.types.is_struct(field.type.value_type):
        for inner in field.type.value_type:
            if not inner.nullable:
                values = pc.struct_field(items, inner.name)
                places.extend((place, f"{field.name}.{inner.name}") for place in _null_places(values))
    rows = list_rows(column) if places else None
    return [(int(rows[place]), name) for place, name in places] if rows is not None else []


def list_rows(column: pa.ChunkedArray) -> Any:
    """Return, for each element of a list column laid flat, the row it stands in (numpy int64)."""
    import numpy as np

    lengths = list_lengths(column)
    return np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)


def list_lengths(column: pa.ChunkedArray) -> Any:
    """Return the number of elements of each row of a list column (numpy int64; null counts 0)."""
    import numpy as np
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(pc.list_value_length(column), 0), dtype=np.int64)


def turns_from_table(table: pa.Table) -> list[Turn]:
    """Return the table's rows as `Turn`s, in order; the inverse of `table_from_turns`.

    The table must have turnlog/1's columns (readers bring others to them). Raises `BadInput` naming the column
    where one is missing or holds text that is not UTF-8 or a time outside years 1 to 9999.
    """
    missing = [name for name in SCHEMA.names if name not in table.column_names]
    if missing:
        raise BadInput(f"the table lacks the column {missing[0]} of a turn log; convert it first")
    columns = {name: _values(table, name) for name in SCHEMA.names}
    return [Turn(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]


def _values(table: pa.Table, name: str) -> list[Any]:
    try:
        cells: list[Any] = table.column(name).to_pylist()
    except (UnicodeDecodeError, OverflowError, ValueError, pa.ArrowException) as error:
        raise BadInput(
            f"column {name}: a value cannot be read ({type(error).__name__}); convert the file again"
        ) from error
    if name in _ITEMS:
        kind = _ITEMS[name]
        return [tuple(kind(**item) for item in cell or ()) for cell in cells]
    if name == "src_index":
        return [tuple(cell or ()) for cell in cells]
    if name == "ts":
        return [cell.astimezone(UTC) if isinstance(cell, datetime) else cell for cell in cells]
    return cells
