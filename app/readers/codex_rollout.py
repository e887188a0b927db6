"""Codex CLI rollout files (rollout-*.jsonl): the response items of one session.

`event_msg` lines repeat response items and are left out, but for an aborted turn. Reasoning and calls up to the next
result or message are one assistant row. The model is that of the last `turn_context`; what else a context says is kept
with the next row where it changed. `codex exec` streams are `codex_exec.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.domain.errors import BadInput
from app.readers.chat import ROLE_OF, read_content
from app.readers.codex_items import CALLS, RESULTS, call_of, reasoning_of, result_of
from app.readers.format import Format, Sessions, file_by_file, first_objects
from app.readers.pieces import inside, text_or_none, time_columns
from app.readers.session import Session
from app.readers.source import Source

_TYPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_HARNESS = ("<environment_context>", "<user_instructions>", "<turn_aborted>", "# AGENTS.md instructions")
_READ = ("type", "role", "content", "name", "arguments", "input", "action", "call_id", "output", "summary", "id")


def recognise(source: Source) -> str | None:
    """Return why the file is a Codex rollout, or None."""
    if source.is_binary:
        return None
    for value in first_objects(source, 20):
        if value.get("type") in _TYPES and isinstance(value.get("payload"), Mapping):
            return "its lines are session_meta, turn_context and response_item with a payload"
    return None


@dataclass
class _Reading:
    """What is known while the lines go by, and the assistant row being gathered."""

    session: Session
    model: str | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    new_context: Mapping[str, Any] | None = None
    lines: list[int] = field(default_factory=list)
    items: list[Mapping[str, Any]] = field(default_factory=list)
    time: Any = None

    def gather(self, n: int, item: Mapping[str, Any], time: Any) -> None:
        """Take an item of the agent; a second message begins a new row."""
        if item.get("type") == "message" and any(held.get("type") == "message" for held in self.items):
            self.close()
        self.time = time if not self.items else self.time
        self.lines.append(n)
        self.items.append(item)

    def close(self) -> None:
        """Write the gathered row, if there is one."""
        if not self.items:
            return
        messages = [item for item in self.items if item.get("type") == "message"]
        content = read_content([part for item in messages for part in _parts(item)] if messages else None)
        thoughts = [text for item in self.items if item.get("type") == "reasoning" for text in reasoning_of(item)]
        left = [rest for item in self.items if (rest := _left(item))]
        self.session.add(
            "assistant",
            content.text,
            self.lines,
            reasoning="\n\n".join(thoughts) if thoughts else None,
            tool_calls=tuple(call_of(item) for item in self.items if item.get("type") in CALLS),
            attachments=tuple(content.attachments),
            turn_id=next((text for item in self.items if (text := text_or_none(item.get("id")))), None),
            model=self.model,
            extra={"items": left or None, "turn_context": self.take_context(), **content.extra()},
            **time_columns(self.time),
        )
        self.lines, self.items = [], []

    def take_context(self) -> Mapping[str, Any] | None:
        """Return the turn context if it changed since a row last carried it."""
        context, self.new_context = self.new_context, None
        return context


def _parts(item: Mapping[str, Any]) -> list[Any]:
    content = item.get("content")
    return content if isinstance(content, list) else [content]


def _left(item: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in item.items() if key not in _READ and value is not None}
    return {"type": item.get("type"), **rest} if rest else {}


def read(source: Source) -> Sessions:
    """Yield the file's one session. Raises `BadInput` naming file and line for a line that is no object."""
    reading = _Reading(Session(session_id=source.stem, src_file=source.name, agent="codex"))
    for n, line in source.records:
        payload = line.get("payload") if isinstance(line, Mapping) else None
        if not isinstance(line, Mapping) or not isinstance(payload, Mapping):
            raise BadInput(f"{source.name} line {n + 1}: not an object with a payload")
        _take(reading, n, line, payload)
    reading.close()
    yield reading.session.turns()


def _take(reading: _Reading, n: int, line: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
    kind, time = line.get("type"), line.get("timestamp")
    if kind == "session_meta":
        _take_meta(reading.session, payload)
    elif kind == "turn_context":
        reading.model = text_or_none(payload.get("model")) or reading.model
        if payload != reading.context:
            reading.context = reading.new_context = payload
    elif kind == "response_item":
        _take_item(reading, n, payload, time)
    elif kind == "compacted":
        reading.close()
        text = text_or_none(payload.get("message"))
        reading.session.add("event", text, n, kind="summary", extra=_without(payload, "message"), **time_columns(time))
    elif inside(payload, "type") == "turn_aborted":
        reading.close()
        text = text_or_none(payload.get("reason"))
        reading.session.add("event", text, n, kind="error", extra=payload, **time_columns(time))


def _without(payload: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key not in names}


def _take_meta(session: Session, payload: Mapping[str, Any]) -> None:
    session.session_id = text_or_none(payload.get("id")) or session.session_id
    version = text_or_none(payload.get("cli_version"))
    session.agent = f"codex {version}" if version else session.agent
    session.facts = {**(session.facts or {}), **_without(payload, "id")}


def _take_item(reading: _Reading, n: int, item: Mapping[str, Any], time: Any) -> None:
    kind = item.get("type")
    role = ROLE_OF.get(str(item.get("role"))) if kind == "message" else None
    if kind in (*CALLS, "reasoning") or role == "assistant":
        reading.gather(n, item, time)
        return
    reading.close()
    if kind in RESULTS:
        result, metadata = result_of(item)
        left = {**_left(item), "metadata": metadata or None, "turn_context": reading.take_context()}
        columns = {"kind": "tool_result", "tool_results": (result,), **time_columns(time)}
        reading.session.add("tool", None, n, extra=left, **columns)
    elif role is not None:
        _add_message(reading, n, item, time)
    else:
        reading.session.add("event", None, n, kind="other", in_context=False, extra=item, **time_columns(time))


def _add_message(reading: _Reading, n: int, item: Mapping[str, Any], time: Any) -> None:
    content = read_content(_parts(item))
    role = ROLE_OF[str(item["role"])]
    by_harness = role == "user" and (content.text or "").lstrip().startswith(_HARNESS)
    reading.session.add(
        "event" if by_harness else role,
        content.text,
        n,
        kind="meta" if by_harness else "message",
        attachments=tuple(content.attachments),
        turn_id=text_or_none(item.get("id")),
        extra={**_left(item), "turn_context": reading.take_context(), **content.extra()},
        **time_columns(time),
    )


FORMAT = Format(
    name="codex-rollout",
    description="Codex CLI session files (rollout-*.jsonl)",
    recognise=recognise,
    read=file_by_file(read),
)
