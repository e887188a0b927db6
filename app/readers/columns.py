"""One column of a hand-made turn log, brought to its turnlog/1 type or filled where it is missing.

Accepts other integer, float and text types, JSON text for list columns, times as text, numbers or without a zone.
Whether the rows then keep the rules is `domain.turnlog.check`; calls and results inside cells are `cells.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.domain.errors import BadInput
from app.readers.cells import items_of, list_of
from app.readers.chat import ROLE_OF
from app.readers.pieces import time_columns

Column: TypeAlias = Any  # an Arrow array, chunked or not
_ITEM_COLUMNS = ("tool_calls", "tool_results", "attachments")
_DEFAULTS: dict[str, Any] = {"thread_id": "main", "kind": "message", "in_context": True}


@dataclass(frozen=True)
class NormalColumn:
    """The column's values in their turnlog/1 type; `needs_linking` where calls or results came without sure keys."""

    values: Column
    needs_linking: bool = False


def normal_column(table: pa.Table, field: pa.Field, name: str) -> NormalColumn:
    """Return the table's column for `field`. Raises `BadInput` naming file `name`, row and column of a misfit."""
    if field.name in _ITEM_COLUMNS:
        return _items(table, field, name)
    if field.name in ("ts", "ts_raw"):
        return NormalColumn(_time(table, field))
    if field.name not in table.column_names:
        return NormalColumn(_filled(table, field, name))
    column = table.column(field.name)
    if field.name == "src_index":
        return NormalColumn(_source_records(table, field, name))
    if field.name == "role":
        column = _roles(column)
    column = _cast(column, field, name)
    if field.name in _DEFAULTS and column.null_count:
        column = pc.fill_null(column, _DEFAULTS[field.name])
    return NormalColumn(column)


def _filled(table: pa.Table, field: pa.Field, name: str) -> Column:
    if field.name == "src_index":
        return _source_records(table, field, name)
    return pa.array([_DEFAULTS.get(field.name)] * table.num_rows, type=field.type)


def _cast(column: pa.ChunkedArray, field: pa.Field, name: str) -> Column:
    if column.type == field.type:
        return column
    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    try:
        if pa.types.is_dictionary(field.type):
            return plain.cast(pa.string()).dictionary_encode().cast(field.type)
        return plain.cast(field.type)
    except pa.ArrowException as error:
        row = first_row_that_fails(plain, lambda one: one.cast(field.type))
        raise BadInput(
            f"{name} row {row}, column {field.name}: {_shown(plain, row)} does not fit {field.type}"
        ) from error


def _shown(column: pa.ChunkedArray, row: int) -> str:
    value = column[row].as_py()
    return repr(value)[:60]


def first_row_that_fails(column: pa.ChunkedArray, attempt: Callable[[pa.ChunkedArray], Any]) -> int:
    """Return the first row (0-based) whose slice alone fails `attempt` the same way; 0 where none does."""
    for row in range(len(column)):
        try:
            attempt(column.slice(row, 1))
        except pa.ArrowException:
            return row
    return 0


def _roles(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The roles with the known synonyms (ai, human, developer ...) replaced; others stay, to be refused by name."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    said = {value.as_py() for value in pc.unique(column)} - {None}
    to = {value: ROLE_OF.get(value.lower(), value) for value in said}
    if all(old == new for old, new in to.items()):
        return column
    return pa.chunked_array([pa.array([to.get(v) for v in column.to_pylist()], type=pa.string())])


def _source_records(table: pa.Table, field: pa.Field, name: str) -> Column:
    """The source records as given, the turn's own number where none are."""
    if field.name not in table.column_names:
        return _own_numbers(table, field)
    held = table.column(field.name)
    if held.type == field.type and not held.null_count:
        return held
    own = _own_numbers(table, field).to_pylist()
    cells = [list_of(value, f"{name} row {row}, column src_index") for row, value in enumerate(held.to_pylist())]
    filled: list[list[Any]] = [n if cell is None else cell for cell, n in zip(cells, own, strict=True)]
    try:
        return pa.array([[int(n) for n in cell] for cell in filled], type=field.type)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise BadInput(f"{name}, column src_index: a source record is not a whole number from 0") from error


def _own_numbers(table: pa.Table, field: pa.Field) -> pa.Array:
    """Each turn's own number as a list of one (a number that is none or negative is told by its own column)."""
    numbers = table.column("turn_index").cast(pa.int32()).combine_chunks()
    sound = pc.fill_null(pc.greater_equal(numbers, 0), False)
    ends = np.concatenate([[0], np.cumsum(np.asarray(sound, dtype=np.int32))])
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), numbers.filter(sound)).cast(field.type)


def _time(table: pa.Table, field: pa.Field) -> Column:
    names = table.column_names
    if field.name == "ts_raw" and "ts_raw" in names:
        return table.column("ts_raw").cast(pa.string())
    if "ts" not in names:
        return pa.nulls(table.num_rows, field.type)
    column = table.column("ts")
    if pa.types.is_timestamp(column.type):
        return _from_timestamps(column, field)
    read = [time_columns(value) for value in column.to_pylist()]
    return pa.array([cell.get(field.name) for cell in read], type=field.type)


def _from_timestamps(column: pa.ChunkedArray, field: pa.Field) -> Column:
    """A time with a zone is that moment in UTC; one without stays as text only."""
    if field.name == "ts":
        return column.cast(field.type, safe=False) if column.type.tz else pa.nulls(len(column), field.type)
    if column.type.tz:
        return pa.nulls(len(column), field.type)
    return pc.strftime(column, format="%Y-%m-%dT%H:%M:%S")


def _items(table: pa.Table, field: pa.Field, name: str) -> NormalColumn:
    if field.name not in table.column_names:
        return NormalColumn(pa.array([[]] * table.num_rows, type=field.type))
    column = table.column(field.name)
    if column.type == field.type and not column.null_count:
        return NormalColumn(column)
    cells = [
        items_of(field.name, list_of(value, f"{name} row {row}, column {field.name}"), f"{name} row {row}")
        for row, value in enumerate(column.to_pylist())
    ]
    linking = field.name != "attachments" and any(cells)
    return NormalColumn(pa.array(cells, type=field.type), linking)
