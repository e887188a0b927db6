"""One line of a Claude Code session → its row or rows.

Responsible for who speaks: tool results and harness text stand in `user` lines and are not the user. Which lines belong
together, in which order, and merging the lines of one model message is `claude_code.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.domain.turnlog.turns import ToolResult, Turn
from app.readers.chat import Content, read_content
from app.readers.pieces import extra_json, text_or_none, time_columns

_HARNESS = re.compile(
    r"^\s*(<command-name>|<command-message>|<local-command-|<bash-input>|<bash-stdout>|<system-reminder>"
    r"|\[Request interrupted by user)"
)
_REJECTED = "The user doesn't want to"
_EXIT_CODE = re.compile(r"^(?:Error: )?Exit code (\d{1,9})\b")
_READ = ("message", "uuid", "parentUuid", "timestamp", "version", "agentId", "sessionId")
_IN_MESSAGE = ("content", "role", "model")
_UNSEEN = (
    *("file-history-snapshot", "queue-operation", "progress", "ai-title", "custom-title", "agent-name"),
    *("summary", "system"),
)


def rows_of_line(line: Mapping[str, Any]) -> list[Turn]:
    """Return the rows of one line: its results (all in one tool row), then its own words and calls."""
    message = line.get("message")
    if line.get("type") not in ("user", "assistant") or not isinstance(message, Mapping):
        return [_event_row(line)]
    content = read_content(message.get("content"))
    own = _agent_row(line, message, content) if line["type"] == "assistant" else _user_row(line, message, content)
    if not content.results:
        return [own]
    result = _tool_row(line, content, own)
    if line["type"] == "assistant":
        return [own, result]
    return [result, replace(own, extra_json=None)] if content.texts else [result]


def thread_of(line: Mapping[str, Any]) -> str:
    """Return `main`, the sub-agent's id, or `sidechain` where a side chain has no id."""
    named = text_or_none(line.get("agentId"))
    return named or ("sidechain" if line.get("isSidechain") is True else "main")


def _columns(line: Mapping[str, Any]) -> dict[str, Any]:
    version = line.get("version")
    return {
        "session_id": "",
        "turn_index": 0,
        "turn_id": text_or_none(line.get("uuid")),
        "parent_turn_id": text_or_none(line.get("parentUuid")),
        "thread_id": thread_of(line),
        "agent": f"claude-code {version}" if isinstance(version, str) else "claude-code",
        **time_columns(line.get("timestamp")),
    }


def _left_over(line: Mapping[str, Any], message: Mapping[str, Any], content: Content) -> str | None:
    left = {key: value for key, value in line.items() if key not in _READ}
    inner = {key: value for key, value in message.items() if key not in _IN_MESSAGE and value is not None}
    return extra_json({**left, "message": inner or None, **content.extra()})


def _agent_row(line: Mapping[str, Any], message: Mapping[str, Any], content: Content) -> Turn:
    model = text_or_none(message.get("model"))
    made_up = model == "<synthetic>"
    failed = line.get("isApiErrorMessage") is True
    return Turn(
        **_columns(line),
        role="assistant",
        kind="error" if failed else "meta" if made_up else "message",
        text=content.text,
        reasoning=content.reasoning,
        tool_calls=tuple(content.calls),
        attachments=tuple(content.attachments),
        model=None if made_up else model,
        extra_json=_left_over(line, message, content),
    )


def _user_row(line: Mapping[str, Any], message: Mapping[str, Any], content: Content) -> Turn:
    role, kind = _speaker(line, content.text or "")
    return Turn(
        **_columns(line),
        role=role,
        kind=kind,
        text=content.text,
        attachments=tuple(content.attachments),
        in_context=line.get("isVisibleInTranscriptOnly") is not True,
        extra_json=_left_over(line, message, content),
    )


def _speaker(line: Mapping[str, Any], text: str) -> tuple[str, str]:
    if line.get("isCompactSummary") is True:
        return "user", "summary"
    if line.get("isMeta") is True or _HARNESS.match(text):
        return "event", "meta"
    return "user", "message"


def _tool_row(line: Mapping[str, Any], content: Content, own: Turn) -> Turn:
    results = tuple(_with_facts(result, line.get("toolUseResult")) for result in content.results)
    row = replace(own, role="tool", kind="tool_result", text=None, reasoning=None, tool_calls=(), model=None)
    return replace(row, tool_results=results, attachments=tuple(content.result_attachments), in_context=True)


def _with_facts(result: ToolResult, structured: Any) -> ToolResult:
    """The facts that stand only in the harness's prose or beside it: exit code, rejection, interruption."""
    output = result.output or ""
    code = _EXIT_CODE.match(output) if result.is_error else None
    interrupted = isinstance(structured, Mapping) and structured.get("interrupted") is True
    rejected = result.is_error is True and output.startswith(_REJECTED)
    kind = "rejected" if rejected else "interrupted" if interrupted else None
    return replace(result, error_kind=kind, exit_code=int(code[1]) if code else None)


def _event_row(line: Mapping[str, Any]) -> Turn:
    kind = line.get("type")
    words = (line.get("summary"), line.get("content"))
    left = {key: value for key, value in line.items() if key not in _READ or key == "message"}
    return Turn(
        **_columns(line),
        role="event",
        kind="summary" if kind == "summary" else "state" if kind in _UNSEEN else "other",
        text=next((text for text in words if isinstance(text, str)), None),
        in_context=kind not in _UNSEEN,
        extra_json=extra_json(left),
    )
