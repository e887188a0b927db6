"""A parquet file from anywhere, opened with care: broken files told in one sentence, broken text repaired.

Responsible for what Arrow raises and for text that is not UTF-8 (Arrow reads it and fails much later). What the columns
mean is for `parquet_long` and `parquet_wide`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from app.domain.errors import BadInput
from app.readers.source import Source, reason_of

_BROKEN = (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError)


def is_parquet(source: Source) -> bool:
    """Return whether the file says it is parquet, by its first bytes or by its name."""
    with source.path.open("rb") as file:
        return file.read(4) == b"PAR1" or source.name.lower().endswith((".parquet", ".pq"))


def open_parquet(source: Source) -> pq.ParquetFile:
    """Return the opened file. Raises `BadInput` for an empty, cut-off or foreign file."""
    if source.path.stat().st_size == 0:
        raise BadInput(f"{source.name}: the file is empty")
    try:
        file = pq.ParquetFile(source.path, pre_buffer=False)
        _ = str(file.schema_arrow)  # names that are not UTF-8 show only when they are asked for
        return file
    except _BROKEN as error:
        raise BadInput(f"{source.name}: not a readable parquet file ({reason_of(error)})") from error


def pieces_of(source: Source, file: pq.ParquetFile, rows: int) -> Iterator[pa.Table]:
    """Yield the file in tables of at most `rows` rows. Raises `BadInput` where its pages are broken."""
    try:
        for batch in file.iter_batches(batch_size=rows):
            yield pa.Table.from_batches([batch])
    except _BROKEN as error:
        raise BadInput(f"{source.name}: the parquet file is damaged ({reason_of(error)})") from error


def readable(table: pa.Table, source: Source, first_row: int = 0) -> pa.Table:
    """Return the table with text that is not UTF-8 repaired (U+FFFD), a warning for each such column."""
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            source.notes.warn(
                f"{source.name} rows from {first_row}, column {name}",
                "bytes that are not UTF-8 were replaced by U+FFFD",
            )
            table = table.set_column(
                place, table.schema.field(place), _decoded(column, f"{source.name}, column {name}")
            )
    return table


def _decoded(column: pa.ChunkedArray, where: str) -> pa.ChunkedArray:
    try:
        plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        values = [_as_text(value) for value in plain.cast(_as_binary(plain.type)).to_pylist()]
        return pa.chunked_array([pa.array(values, type=plain.type).cast(column.type)])
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise BadInput(f"{where}: the text is not UTF-8 and cannot be repaired; write the file again") from error


def _as_binary(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_large_string(kind):
        return pa.large_binary()
    if pa.types.is_string(kind):
        return pa.binary()
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_as_binary(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_as_binary(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_as_binary(field.type)) for field in kind])
    return kind


def _as_text(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_text(item) for key, item in value.items()}
    return value
