"""Chat messages in the shapes that providers and data sets share: roles, content parts, calls, results.

Responsible for one message → its rows, whatever set it came from (OpenAI, Anthropic blocks, ShareGPT, Hugging Face
structs with every field null). Does not know where a session begins or what a file is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.domain.errors import BadInput
from app.domain.turnlog.turns import Attachment, ToolCall, ToolResult, Turn
from app.readers.media import attachment_of, marker
from app.readers.pieces import extra_json, text_or_none, time_columns, tool_call, tool_result
from app.readers.source import parse_json

ROLE_OF = {
    **{name: "assistant" for name in ("assistant", "ai", "gemini", "agent", "model", "gpt", "bot")},
    **{name: "user" for name in ("user", "human")},
    **{name: "system" for name in ("system", "developer")},
    **{name: "tool" for name in ("tool", "environment", "function", "observation", "ipython", "tool_response")},
    **{name: "event" for name in ("exit", "event")},
}
_TEXT_PARTS = ("text", "input_text", "output_text", "refusal")
_THINKING = ("thinking", "reasoning", "redacted_thinking")
_CALLS = ("tool_use", "server_tool_use")
_IN_PARTS = {
    *("type", "text", "refusal", "thinking", "reasoning", "summary", "signature", "data", "id", "name", "input"),
    *(
        "tool_use_id",
        "content",
        "is_error",
        "source",
        "image_url",
        "input_audio",
        "image",
        "audio",
        "video",
        "document",
    ),
    *("file", "file_data"),
}
_CONTENT_KEYS = ("content", "value", "text", "system_prompt")
_TIME_KEYS = ("timestamp", "created_at")
_READ = {
    *("role", "from", "tool_calls", "tool_call_id", "function_call", "name", "id", "model"),
    *("reasoning", "reasoning_content", "refusal", *_CONTENT_KEYS, *_TIME_KEYS),
}


@dataclass
class Content:
    """What a message's content holds, sorted out. `parts` counts the code points of each text part that was joined."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    result_attachments: list[Attachment] = field(default_factory=list)
    rest: list[Any] = field(default_factory=list)
    left: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str | None:
        """The visible words, parts joined by an empty line; None where there were none."""
        return "\n\n".join(self.texts) if self.texts else None

    @property
    def reasoning(self) -> str | None:
        """The private thinking, joined the same way."""
        return "\n\n".join(self.thoughts) if self.thoughts else None

    def extra(self) -> dict[str, Any]:
        """What has no column: parts not understood, fields left over of those that were, where joined parts end."""
        lengths = [len(text) for text in self.texts] if len(self.texts) > 1 else None
        return {"content_parts": self.rest or None, "part_fields": self.left or None, "text_part_lengths": lengths}


def read_content(content: Any) -> Content:
    """Return the content (text, one part, a list of parts) sorted into texts, thoughts, calls, results and the rest."""
    found = Content()
    for n, part in enumerate(content if isinstance(content, list) else [content]):
        if isinstance(part, str):
            found.texts.append(part)
        elif isinstance(part, Mapping):
            _read_part(part, found)
            left = {k: v for k, v in part.items() if k not in _IN_PARTS and v is not None}
            found.left.extend([{"part": n, **left}] if left and found.rest[-1:] != [dict(part)] else [])
        elif part is not None:
            found.rest.append(part)
    return found


def _read_part(part: Mapping[str, Any], found: Content) -> None:
    kind = part.get("type")
    attachment = attachment_of(part)
    if kind in _THINKING:
        _read_thought(part, found)
    elif kind in _CALLS:
        found.calls.append(tool_call(part.get("name"), part.get("input"), part.get("id")))
    elif isinstance(kind, str) and kind.endswith("tool_result"):
        found.results.append(_block_result(part, found))
    elif attachment is not None:
        found.attachments.append(attachment)
        found.texts.append(marker(attachment))
    elif kind in (*_TEXT_PARTS, None) and isinstance(part.get("text") or part.get("refusal"), str):
        found.texts.append(part.get("text") or part["refusal"])
    elif kind in _TEXT_PARTS and part.get("text") == "":
        found.texts.append("")
    else:
        found.rest.append(dict(part))


def _read_thought(part: Mapping[str, Any], found: Content) -> None:
    words = next(
        (part[key] for key in ("thinking", "reasoning", "text", "summary") if isinstance(part.get(key), str)), None
    )
    if words:
        found.thoughts.append(words)
    left = {k: v for k, v in part.items() if k not in ("thinking", "reasoning", "text") and v is not None}
    if len(left) > 1:
        found.rest.append(left)


def _block_result(part: Mapping[str, Any], found: Content) -> ToolResult:
    """A result block: text or blocks; pictures in it become attachments of the row."""
    server = part.get("type") != "tool_result"
    inner = read_content(part.get("content"))
    found.result_attachments.extend(inner.attachments)
    output = inner.text if not inner.rest else extra_json({"content": part.get("content")})
    flag = part.get("is_error")
    return tool_result(
        output,
        call_id=part.get("tool_use_id") if isinstance(part.get("tool_use_id"), str) else None,
        is_error=flag if isinstance(flag, bool) else None,
        match="inline" if server else "none",
    )


def role_of(message: Mapping[str, Any]) -> str | None:
    """Return the canonical role of a message's `role` or `from`; None where it is not known."""
    said = message.get("role") or message.get("from")
    return ROLE_OF.get(said.lower()) if isinstance(said, str) else None


def content_of(message: Mapping[str, Any]) -> Any:
    """Return the message's content under whichever name its set uses; None where all are null."""
    return next((message[key] for key in _CONTENT_KEYS if message.get(key) is not None), None)


def rows_of(message: Mapping[str, Any], role: str) -> list[Turn]:
    """Return a message's rows: one, or a tool row for its results and then one for its own words and calls.

    Session, numbers, keys and matches are filled in later. What has no column is in the own row's `extra_json`.
    """
    content = read_content(content_of(message))
    columns = _columns(message, role, content)
    if role == "tool" and not content.results:
        return [_tool_row(message, content, columns)]
    if not content.results:
        return [Turn(**columns)]
    given = {**columns, "role": "tool", "kind": "tool_result", "tool_results": tuple(content.results)}
    given |= {"text": None, "reasoning": None, "tool_calls": (), "attachments": tuple(content.result_attachments)}
    if not (content.texts or content.thoughts or columns["tool_calls"]):
        return [Turn(**given)]
    pair = [Turn(**{**given, "extra_json": None}), Turn(**columns)]
    return pair[::-1] if role == "assistant" else pair


def _columns(message: Mapping[str, Any], role: str, content: Content) -> dict[str, Any]:
    thoughts = [
        *content.thoughts,
        *(message[k] for k in ("reasoning_content", "reasoning") if isinstance(message.get(k), str)),
    ]
    refusal = message.get("refusal")
    text = content.text if content.text is not None or not isinstance(refusal, str) else refusal
    time = next((time_columns(message[key]) for key in _TIME_KEYS if message.get(key) is not None), {})
    said = message.get("role") or message.get("from")
    left = {key: value for key, value in message.items() if key not in _READ}
    left["call_fields"] = _call_fields(message)
    left["tool_calls"] = None if _listed_calls(message) else message.get("tool_calls") or None
    if said not in (role, None):
        left["source_role"] = said
    return {
        "session_id": "",
        "turn_index": 0,
        "role": role,
        "text": text,
        "reasoning": "\n\n".join(thoughts) if thoughts else None,
        "tool_calls": (*content.calls, *_calls(message)),
        "attachments": tuple(content.attachments),
        "author": message["name"] if role != "tool" and isinstance(message.get("name"), str) else None,
        "turn_id": text_or_none(message.get("id")),
        "model": message["model"] if isinstance(message.get("model"), str) else None,
        "extra_json": extra_json({**left, **content.extra()}),
        **time,
    }


def _listed_calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The calls as objects; some sets keep the list as JSON text."""
    listed = message.get("tool_calls")
    if isinstance(listed, str):
        try:
            listed = parse_json(listed, "tool_calls")
        except BadInput:
            return []
    return [call for call in listed if isinstance(call, Mapping)] if isinstance(listed, list) else []


def _calls(message: Mapping[str, Any]) -> list[ToolCall]:
    calls = []
    for call in _listed_calls(message):
        inner = next((call[k] for k in ("function", "custom") if isinstance(call.get(k), Mapping)), call)
        arguments = next((inner[k] for k in ("arguments", "input", "args") if inner.get(k) is not None), None)
        requestor = call.get("requestor")
        name = inner.get("name") or call.get("function")
        calls.append(tool_call(name, arguments, call.get("id"), requestor if isinstance(requestor, str) else None))
    old = message.get("function_call")
    if isinstance(old, Mapping):
        calls.append(tool_call(old.get("name"), old.get("arguments")))
    return calls


def _call_fields(message: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """What the calls carry beside name, id and arguments, each with its place among them."""
    known = {"id", "type", "function", "custom", "name", "arguments", "input", "args", "requestor", "index"}
    calls = enumerate(_listed_calls(message))
    left = [{"call": n, **{k: v for k, v in c.items() if k not in known and v is not None}} for n, c in calls]
    return [fields for fields in left if len(fields) > 1] or None


def _tool_row(message: Mapping[str, Any], content: Content, columns: dict[str, Any]) -> Turn:
    call_id, name, error = (
        message.get("tool_call_id"),
        message.get("name") or message.get("function"),
        message.get("error"),
    )
    output, told = content.text, error if isinstance(error, Mapping) else {}
    result = tool_result(
        text_or_none(told.get("message")) if told and not output else output,
        call_id=call_id if isinstance(call_id, str) else None,
        name=name if isinstance(name, str) else None,
        is_error=True if told else error if isinstance(error, bool) else None,
        error_kind=text_or_none(told.get("type")),
    )
    return Turn(**{**columns, "kind": "tool_result", "text": None, "tool_results": (result,)})
