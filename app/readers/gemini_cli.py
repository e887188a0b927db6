"""Gemini CLI saved sessions: {sessionId, messages[{type user|gemini, content, thoughts, toolCalls}]}.

Calls and results of a message stand in one record. A saved session may hold a claim and no call at all: whether that is
"not done" or "not saved" the log cannot say, and nothing is made up here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.errors import BadInput
from app.domain.turnlog.turns import ToolResult
from app.readers.chat import ROLE_OF, read_content
from app.readers.format import Format, Sessions, file_by_file
from app.readers.pieces import as_json, inside, text_or_none, time_columns, tool_call, tool_result
from app.readers.rows import messages_of
from app.readers.session import Session
from app.readers.source import Source

_READ = ("id", "timestamp", "type", "content", "thoughts", "model", "toolCalls")
_KINDS = {"info": "meta", "error": "error", "warning": "meta"}


def recognise(source: Source) -> str | None:
    """Return why the file is a Gemini CLI session, or None."""
    if source.is_binary or source.is_lines or not isinstance(source.json, Mapping):
        return None
    if "sessionId" in source.json and isinstance(source.json.get("messages"), list):
        return "it has a sessionId and messages"
    return None


def read(source: Source) -> Sessions:
    """Yield the file's one session. Raises `BadInput` naming file and message."""
    record = source.object
    session = Session(text_or_none(record.get("sessionId")) or source.stem, source.name, agent="gemini-cli")
    session.facts = {key: value for key, value in record.items() if key not in ("sessionId", "messages")}
    for n, message in enumerate(messages_of(record, "messages", source, source.name)):
        kind = str(message.get("type"))
        role = ROLE_OF.get(kind, "event" if kind in _KINDS else None)
        if role is None:
            raise BadInput(f"{source.name}: message {n} has the unknown type {kind!r}")
        _add(session, n, message, role)
    yield session.turns()


def _add(session: Session, n: int, message: Mapping[str, Any], role: str) -> None:
    content = read_content(message.get("content"))
    calls = [call for call in _list(message.get("toolCalls")) if isinstance(call, Mapping)]
    made = tuple(tool_call(c.get("name"), c.get("args"), text_or_none(c.get("id"))) for c in calls)
    role = "assistant" if made else role
    thoughts = [text for thought in _list(message.get("thoughts")) if (text := _thought(thought))]
    left = {key: value for key, value in message.items() if key not in _READ}
    session.add(
        role,
        content.text,
        n,
        kind=_KINDS.get(str(message.get("type")), "message"),
        reasoning="\n\n".join(thoughts) if thoughts else None,
        tool_calls=made,
        attachments=tuple(content.attachments),
        turn_id=text_or_none(message.get("id")),
        model=text_or_none(message.get("model")),
        extra={**left, **content.extra()},
        **time_columns(message.get("timestamp")),
    )
    for call in calls:
        if call.get("result") is not None or call.get("status") is not None:
            rest = {k: v for k, v in call.items() if k not in ("id", "name", "args", "timestamp")}
            columns = {"kind": "tool_result", "tool_results": (_result(call),), **time_columns(call.get("timestamp"))}
            session.add("tool", None, n, extra=rest, **columns)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _thought(thought: Any) -> str | None:
    if isinstance(thought, str):
        return thought or None
    words = [text for key in ("subject", "description") if (text := text_or_none(inside(thought, key)))]
    return ": ".join(words) or None


def _result(call: Mapping[str, Any]) -> ToolResult:
    """The result of one call: the function responses' outputs, or their JSON where they have another shape."""
    outputs = []
    for part in _list(call.get("result")) or [call.get("result")]:
        response = inside(part, "functionResponse", "response")
        text = text_or_none(inside(response, "output")) or text_or_none(inside(response, "error"))
        shown = part if response is None else response
        outputs.append(text if text is not None else shown if isinstance(shown, str) else as_json(shown))
    failed = call.get("status") in ("error", "cancelled")
    return tool_result(
        "\n\n".join(outputs) if call.get("result") is not None else None,
        call_id=text_or_none(call.get("id")),
        match="inline",
        is_error=True if failed else False if call.get("status") == "success" else None,
        error_kind=text_or_none(call.get("status")) if failed else None,
    )


FORMAT = Format(
    name="gemini-cli",
    description="Gemini CLI saved sessions (.json)",
    recognise=recognise,
    read=file_by_file(read),
)
