"""A table as Parquet: the rows of the CSV with their types, for readers that want columns.

Lists are lists, null is null, no cell is guarded against spreadsheets. The same rows give the same bytes under one
release of Arrow, whose version stands in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.domain.export.column_types import ColumnType

if TYPE_CHECKING:
    import pyarrow as pa


def parquet_bytes(types: Mapping[str, ColumnType], rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a Parquet file of the columns in the order of `types`, zstd, one row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [pa.array([_value(row.get(name)) for row in rows], type=_arrow(kind)) for name, kind in types.items()]
    fields = [pa.field(name, _arrow(kind), nullable=not kind.required) for name, kind in types.items()]
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.Table.from_arrays(arrays, schema=pa.schema(fields)),
        sink,
        compression="zstd",
        row_group_size=max(len(rows), 1),
        version="2.6",
    )
    return bytes(sink.getvalue().to_pybytes())


def _arrow(kind: ColumnType) -> pa.DataType:
    import pyarrow as pa

    plain = {"boolean": pa.bool_(), "integer": pa.int64(), "number": pa.float64()}
    if kind.items:
        return pa.list_(pa.field("item", plain.get(kind.items, pa.string()), nullable=False))
    return plain.get(kind.kind, pa.string())


def _value(value: Any) -> Any:
    if isinstance(value, str):
        text = value.replace("\x00", "\u2400")
        return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return [_value(one) for one in value] if isinstance(value, list | tuple) else value
