"""OpenAI chat messages: a JSON list, an object with `messages`, or either as JSON lines.

One session a list; messages on lines of their own are one session together. Content may be text, parts or null; call
ids link results. Responses items are another format.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.errors import BadInput
from app.readers.chat import role_of
from app.readers.format import Format, Sessions, file_by_file
from app.readers.rows import message_turns, session_of
from app.readers.session import Session
from app.readers.source import Source


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and "role" in value and role_of(value) is not None and _has_words(value)


def _has_words(value: Mapping[str, Any]) -> bool:
    return any(key in value for key in ("content", "tool_calls", "function_call", "refusal"))


def _is_conversation(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, Mapping) else value
    return isinstance(messages, list) and bool(messages) and _is_message(messages[0])


def recognise(source: Source) -> str | None:
    """Return why the file is OpenAI chat messages, or None."""
    if source.is_binary:
        return None
    values = [value for _, value in source.records]
    if values and _is_message(values[0]):
        return "its records have a role and content"
    if values and _is_conversation(values[0]):
        return "its records are lists of messages with a role and content"
    return None


def read(source: Source) -> Sessions:
    """Yield the file's sessions. Raises `BadInput` naming file and row for what is no message."""
    records = source.records
    if records and not _is_conversation(records[0][1]):
        yield _one_session(records, source).turns()
        return
    for n, value in records:
        record = value if isinstance(value, Mapping) else {"messages": value}
        session = session_of(record, "messages", n, source)
        if len(records) == 1 and session.session_id == f"{source.stem}#{n}":
            session.session_id = source.stem
        yield session.turns()


def _one_session(records: list[tuple[int, Any]], source: Source) -> Session:
    session = Session(session_id=source.stem, src_file=source.name)
    for n, message in records:
        where = f"{source.name} row {n}"
        if not isinstance(message, Mapping):
            raise BadInput(f"{where}: not a message with a role and content")
        session.add_turns(message_turns(message, f"{where}, column role: the message"), n)
    return session


FORMAT = Format(
    name="openai-chat",
    description="OpenAI chat messages: a JSON list, {messages: [...]}, or one message or one conversation a line",
    recognise=recognise,
    read=file_by_file(read),
)
