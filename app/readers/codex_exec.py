"""`codex exec --json` streams: a thread's completed items; call and result stand in one item.

Only `item.completed` counts (an item that was started and never completed is a call without a result). Thinking is put
beside the act it precedes. There are no times and no model in these streams.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.domain.errors import BadInput
from app.readers.format import Format, Sessions, file_by_file, first_objects
from app.readers.pieces import as_json, inside, int32_or_none, text_or_none, tool_call, tool_result
from app.readers.session import Session
from app.readers.source import Source

_ARGUMENTS = {
    "command_execution": ("command",),
    "file_change": ("changes",),
    "mcp_tool_call": ("server", "tool", "arguments"),
    "web_search": ("query",),
    "todo_list": ("items",),
}
_OUTPUTS = {"command_execution": "aggregated_output", "file_change": "status", "mcp_tool_call": "result"}


def recognise(source: Source) -> str | None:
    """Return why the file is a codex exec stream, or None."""
    if source.is_binary:
        return None
    for value in first_objects(source, 20):
        kind = str(value.get("type"))
        if kind == "thread.started" or (kind.startswith("item.") and isinstance(value.get("item"), Mapping)):
            return "its lines are thread.started and item.completed"
    return None


@dataclass
class _Reading:
    """One thread as it goes by: thinking that waits for its act, items begun and not yet completed."""

    session: Session
    thoughts: list[str] = field(default_factory=list)
    thought_lines: list[int] = field(default_factory=list)
    begun: dict[str, tuple[int, Mapping[str, Any]]] = field(default_factory=dict)
    usage: list[Any] = field(default_factory=list)

    def say(self, text: str | None, n: int, **columns: Any) -> None:
        """Add an assistant row with the thinking that came before it."""
        thinking = "\n\n".join(self.thoughts) if self.thoughts else None
        self.session.add("assistant", text, [*self.thought_lines, n], reasoning=thinking, **columns)
        self.thoughts, self.thought_lines = [], []

    def end(self) -> Session:
        """Return the session, with what never found its end."""
        for n, item in self.begun.values():
            self.say(None, n, turn_id=text_or_none(item.get("id")), tool_calls=(_call_of(item),), extra=_left(item))
        if self.thoughts:
            lines, words = self.thought_lines, "\n\n".join(self.thoughts)
            self.session.add("assistant", None, lines, kind="reasoning", reasoning=words)
        self.session.facts = {"usage": self.usage} if self.usage else None
        return self.session


def read(source: Source) -> Sessions:
    """Yield one session a thread. Raises `BadInput` naming file and line for a line that is no event."""
    reading = _Reading(Session(source.stem, source.name, agent="codex exec"))
    for n, line in source.records:
        if not isinstance(line, Mapping):
            raise BadInput(f"{source.name} line {n + 1}: not an object with a type")
        if line.get("type") == "thread.started":
            if reading.session.rows or reading.begun or reading.thoughts:
                yield reading.end().turns()
            name = text_or_none(line.get("thread_id")) or source.stem
            reading = _Reading(Session(name, source.name, agent="codex exec"))
        else:
            _take(reading, n, line)
    yield reading.end().turns()


def _take(reading: _Reading, n: int, line: Mapping[str, Any]) -> None:
    kind, item = line.get("type"), line.get("item")
    if kind == "turn.completed":
        reading.usage.append(line.get("usage"))
    elif kind in ("turn.failed", "error"):
        text = text_or_none(inside(line, "error", "message")) or text_or_none(line.get("message"))
        reading.session.add("event", text, n, kind="error", extra=line)
    elif isinstance(item, Mapping):
        key = text_or_none(item.get("id")) or f"line {n}"
        if kind == "item.started":
            reading.begun[key] = (n, item)
        elif kind == "item.completed":
            reading.begun.pop(key, None)
            _complete(reading, n, item)


def _complete(reading: _Reading, n: int, item: Mapping[str, Any]) -> None:
    kind, text = str(item.get("type")), text_or_none(item.get("text"))
    if kind == "reasoning":
        reading.thoughts.append(text or "")
        reading.thought_lines.append(n)
    elif kind == "agent_message":
        reading.say(text, n, turn_id=text_or_none(item.get("id")), extra=_left(item, "text"))
    elif kind in _ARGUMENTS:
        reading.say(None, n, turn_id=text_or_none(item.get("id")), tool_calls=(_call_of(item),))
        if kind in _OUTPUTS:
            reading.session.add(
                "tool", None, n, kind="tool_result", tool_results=(_result_of(item),), extra=_left(item)
            )
    else:
        words = text_or_none(item.get("message")) or text
        reading.session.add("event", words, n, kind="error" if kind == "error" else "other", extra=item)


def _call_of(item: Mapping[str, Any]) -> Any:
    kind = str(item.get("type"))
    arguments = {name: item[name] for name in _ARGUMENTS.get(kind, ()) if item.get(name) is not None}
    return tool_call(item.get("tool") or kind, arguments)


def _result_of(item: Mapping[str, Any]) -> Any:
    output = item.get(_OUTPUTS[str(item.get("type"))])
    failed = item.get("status") in ("failed", "declined")
    return tool_result(
        output if isinstance(output, str) or output is None else as_json(output),
        match="inline",
        exit_code=int32_or_none(item.get("exit_code")),
        is_error=True if failed else None,
        error_kind=text_or_none(item.get("status")) if failed else None,
    )


def _left(item: Mapping[str, Any], *read: str) -> dict[str, Any]:
    known = {*read, "id", "exit_code", *_ARGUMENTS.get(str(item.get("type")), ()), *_OUTPUTS.values()} - {"status"}
    return {key: value for key, value in item.items() if key not in known}


FORMAT = Format(
    name="codex-exec",
    description="Codex CLI streams (codex exec --json)",
    recognise=recognise,
    read=file_by_file(read),
)
