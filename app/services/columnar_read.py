"""A Parquet file of an export read back as the cells its CSV has, for whoever compares the two.

It shares nothing with the writing of either file.
"""

from __future__ import annotations

from typing import Any

from app.domain.stats.check.verify_csv import FORMULA_STARTS, UnreadableError


def parquet_cells(data: bytes) -> tuple[list[str], list[list[str]]]:
    """Return (header, rows) of text cells. Raises `UnreadableError` for bytes that are no Parquet table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(data))
        columns = [column.to_pylist() for column in table.columns]
    except (pa.ArrowException, OSError, ValueError, OverflowError) as broken:
        raise UnreadableError(f"it cannot be read: {' '.join(str(broken).split())[:120]}") from broken
    rows = [[_cell(column[i]) for column in columns] for i in range(table.num_rows)]
    return list(table.column_names), rows


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    text = ";".join(str(one) for one in value) if isinstance(value, list) else str(value)
    return "'" + text if isinstance(value, str | list) and text.startswith(FORMULA_STARTS) else text
