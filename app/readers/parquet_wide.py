"""Parquet with one row a session and its messages in one column: a list of structs, or JSON text.

Reads the file piece by piece; what a row means is `rows.py`. Files with one row a turn are `parquet_long`.
"""

from __future__ import annotations

import pyarrow as pa

from app.domain.errors import BadInput
from app.readers.format import Format, Sessions, file_by_file
from app.readers.parquet_input import is_parquet, open_parquet, pieces_of, readable
from app.readers.pieces import json_value
from app.readers.rows import MESSAGE_FIELDS, session_of
from app.readers.source import Source

_ROWS = 64  # a session may hold megabytes


def _message_column(schema: pa.Schema) -> str | None:
    """The first known column that is a list of structs or of text, or text."""
    for name in MESSAGE_FIELDS:
        place = schema.get_field_index(name)
        if place >= 0 and _holds_messages(schema.field(place).type):
            return name
    return None


def _holds_messages(kind: pa.DataType) -> bool:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return bool(pa.types.is_struct(kind.value_type)) or _is_text(kind.value_type)
    return _is_text(kind)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def recognise(source: Source) -> str | None:
    """Return why the file has one row a session, or None."""
    if not is_parquet(source):
        return None
    name = _message_column(open_parquet(source).schema_arrow)
    return f"it has one row a session, messages in the column {name}" if name else None


def read(source: Source) -> Sessions:
    """Yield one session a row. Raises `BadInput` naming file, row and column."""
    file = open_parquet(source)
    name = _message_column(file.schema_arrow)
    if name is None:
        raise BadInput(f"{source.name}: no column {', '.join(MESSAGE_FIELDS)} holds messages")
    n = 0
    for piece in pieces_of(source, file, _ROWS):
        for record in readable(piece, source, n).to_pylist():
            if record[name] is None or record[name] == []:
                source.notes.warn(f"{source.name} row {n}, column {name}", "a session without messages was left out")
            else:
                yield session_of(json_value(record), name, n, source).turns()
            n += 1


FORMAT = Format(
    name="parquet-wide",
    description="Parquet with one row a session, messages in a list or JSON text column "
    "(messages, trajectory, conversations, traj, history or steps)",
    recognise=recognise,
    read=file_by_file(read),
)
