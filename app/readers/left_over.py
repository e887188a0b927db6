"""The columns of a hand-made file that turnlog/1 has no place for: kept, as JSON, in `extra_json`.

Nothing is judged here and nothing is dropped but nulls.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from app.domain.errors import BadInput
from app.domain.turnlog.schema import SCHEMA
from app.readers.pieces import extra_json, json_value
from app.readers.source import parse_json


def with_left_over(normal: pa.Table, given: pa.Table) -> pa.Table:
    """Return `normal` with every column of `given` that it lacks folded into its `extra_json`."""
    names = [name for name in given.column_names if name not in SCHEMA.names]
    if not names:
        return normal
    own = normal.column("extra_json").to_pylist()
    rows = given.select(names).to_pylist()
    cells = [extra_json({**_as_object(held), **json_value(row)}) for held, row in zip(own, rows, strict=True)]
    place = normal.schema.get_field_index("extra_json")
    return normal.set_column(place, SCHEMA.field("extra_json"), pa.array(cells, type=pa.large_string()))


def _as_object(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        value = parse_json(text, "extra_json")
    except BadInput:
        return {"extra_json": text}
    return value if isinstance(value, dict) else {"extra_json": value}
