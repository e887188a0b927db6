"""Data sets as JSON or JSON lines with one record a session (trajectory sets as they are published).

What a record means is `rows.py`; calls inside texts are `text_calls.py`. Records whose messages stand in `messages`
are recognised as OpenAI chat; the two read alike.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.errors import BadInput
from app.readers.chat import role_of
from app.readers.format import Format, Sessions, file_by_file, first_objects
from app.readers.rows import message_field, session_of
from app.readers.source import Source


def recognise(source: Source) -> str | None:
    """Return why the file has one record a session, or None."""
    if source.is_binary:
        return None
    objects = first_objects(source, 1)
    name = message_field(objects[0]) if objects else None
    if name is None or name == "messages":
        return None
    value = objects[0][name]
    first = value[0] if isinstance(value, list) else None
    if first is not None and role_of(first) is None:
        return None
    return f"its records have one session each, messages in the field {name}"


def read(source: Source) -> Sessions:
    """Yield one session a record. Raises `BadInput` naming file, row and field."""
    for n, record in source.records:
        name = message_field(record) if isinstance(record, Mapping) else None
        if name is None:
            raise BadInput(f"{source.name} row {n}: no field of it holds messages")
        yield session_of(record, name, n, source).turns()


FORMAT = Format(
    name="session-rows",
    description="Trajectory sets as JSON or JSON lines, one session a record (nebius, SWE-smith, SWE-Gym ...)",
    recognise=recognise,
    read=file_by_file(read),
)
