"""Anthropic messages: a list, or a request {system, model, messages}, with content blocks (tool_use, tool_result ...).

The blocks are read by `chat.py` as everywhere; what is particular is the system prompt outside the messages. A
tool_result block becomes a tool row before the words of the same user message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.readers.chat import read_content
from app.readers.format import Format, Sessions, file_by_file
from app.readers.openai_chat import read as read_chat
from app.readers.pieces import text_or_none
from app.readers.rows import message_turns, messages_of, session_id_of
from app.readers.session import Session
from app.readers.source import Source

_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use")


def _has_blocks(messages: Any) -> bool:
    parts = [
        part
        for message in (messages if isinstance(messages, list) else [])
        if isinstance(message, Mapping) and message.get("role") in ("user", "assistant")
        for part in (message["content"] if isinstance(message.get("content"), list) else [])
    ]
    return any(isinstance(part, Mapping) and part.get("type") in _BLOCKS for part in parts)


def recognise(source: Source) -> str | None:
    """Return why the file is Anthropic messages, or None."""
    if source.is_binary:
        return None
    values = [value for _, value in source.records]
    first = values[0] if values else None
    held = first.get("messages") if isinstance(first, Mapping) else first
    if _has_blocks(held) or _has_blocks(values):
        return "its messages have blocks of type tool_use or tool_result"
    return None


def read(source: Source) -> Sessions:
    """Yield one session a list of messages. Raises `BadInput` naming file and row."""
    records = source.records
    if not any(isinstance(value, Mapping) and "messages" in value for _, value in records):
        yield from read_chat(source)
        return
    for n, record in records:
        yield _session(record if isinstance(record, Mapping) else {}, n, source, alone=len(records) == 1).turns()


def _session(record: Mapping[str, Any], n: int, source: Source, *, alone: bool) -> Session:
    where = f"{source.name} row {n}"
    name = session_id_of(record, n, source)
    session = Session(source.stem if alone and name.startswith(f"{source.stem}#") else name, source.name)
    session.model = text_or_none(record.get("model"))
    session.facts = {key: value for key, value in record.items() if key not in ("messages", "system", "model")}
    if record.get("system") is not None:
        content = read_content(record["system"])
        session.add("system", content.text, (), extra=content.extra())
    for index, message in enumerate(messages_of(record, "messages", source, where)):
        session.add_turns(message_turns(message, f"{where}, column messages: message {index}"), index)
    return session


FORMAT = Format(
    name="anthropic-messages",
    description="Anthropic messages: a list, or requests with system and messages, as JSON or JSON lines",
    recognise=recognise,
    read=file_by_file(read),
)
