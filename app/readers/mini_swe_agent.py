"""mini-swe-agent trajectories (.traj.json), formats 1 and 1.1.

Format 1: the one ```bash block of an assistant message is the call, the next user message its result. Format 1.1: tool
calls, or `extra.actions`; results carry `raw_output` and `returncode`, which are stored instead of the templated (and
middle-cut) content. The last message (role exit, or the submission) ends the run and is nobody's words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.domain.turnlog.turns import ToolCall, Turn
from app.readers.chat import content_of, read_content, role_of
from app.readers.format import Format, Sessions, file_by_file, first_objects
from app.readers.pieces import extra_json, int32_or_none, text_or_none, time_columns, tool_call, tool_result
from app.readers.rows import message_turns, messages_of
from app.readers.session import Session
from app.readers.source import Source

_BASH = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n```", re.DOTALL)
_CODE = re.compile(r"<returncode>\s*(-?\d{1,9})\s*</returncode>")
_TIMED_OUT = "The last command <command>"


def recognise(source: Source) -> str | None:
    """Return why the file is a mini-swe-agent trajectory, or None."""
    if source.is_binary or source.is_lines or not isinstance(source.json, Mapping):
        return None
    head = first_objects(source, 1)[0]
    if str(head.get("trajectory_format", "")).startswith("mini-swe-agent"):
        return "trajectory_format says mini-swe-agent"
    if isinstance(head.get("info"), Mapping) and "mini_version" in head["info"] and "messages" in head:
        return "info.mini_version stands beside messages"
    return None


def read(source: Source) -> Sessions:
    """Yield the file's one session. Raises `BadInput` naming file and message where a role is unknown."""
    record = source.object
    info = _mapping(record.get("info"))
    messages = messages_of(record, "messages", source, source.name)
    config = _mapping(info.get("config"))
    instance = text_or_none(record.get("instance_id"))
    session = Session(
        session_id=instance or source.stem,
        src_file=source.name,
        model=text_or_none(_mapping(config.get("model")).get("model_name")),
        task_id=instance,
        agent=f"mini-swe-agent {info['mini_version']}" if info.get("mini_version") else "mini-swe-agent",
        outcome={key: info.get(key) for key in ("exit_status", "submission")},
    )
    left = {key: value for key, value in record.items() if key not in ("messages", "instance_id", "info")}
    session.facts = {**left, **{k: v for k, v in info.items() if k not in ("exit_status", "submission")}}
    waiting = False
    for n, message in enumerate(messages):
        ends = n == len(messages) - 1 and _is_end(message, info)
        turn = _end_row(message) if ends else _row(message, waiting, f"{source.name}: message {n}")
        waiting = bool(turn.tool_calls) or (waiting and turn.role == "tool")
        session.add_turns([turn], n)
    yield session.turns()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_end(message: Mapping[str, Any], info: Mapping[str, Any]) -> bool:
    if message.get("role") == "exit":
        return True
    said = read_content(content_of(message)).text or ""
    return message.get("role") == "user" and "exit_status" in info and said == (info.get("submission") or "")


def _end_row(message: Mapping[str, Any]) -> Turn:
    turn = message_turns({**message, "role": "exit"}, "")[0]
    left = {k: v for k, v in message.items() if k not in ("role", "content")}
    left["source_role"] = message.get("role")
    return replace(turn, role="event", kind="final", extra_json=extra_json(left))


def _row(message: Mapping[str, Any], waiting: bool, where: str) -> Turn:
    """One message's row; `waiting` says that a call was made and its results are due."""
    extra = _mapping(message.get("extra"))
    turn = replace(message_turns(message, where)[0], **time_columns(extra.get("timestamp")))
    role = role_of(message)
    if role == "assistant":
        return replace(turn, tool_calls=turn.tool_calls or _calls_in(turn.text or "", extra))
    if role == "tool" or (role == "user" and (waiting or "raw_output" in extra)):
        return _result_row(turn, message, extra)
    return replace(turn, kind="error") if role == "user" and _is_complaint(turn.text) else turn


def _calls_in(text: str, extra: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    actions = extra.get("actions")
    if isinstance(actions, list):
        done = [action if isinstance(action, Mapping) else {"command": action} for action in actions]
        return tuple(tool_call("bash", {"command": a.get("command")}, a.get("tool_call_id")) for a in done)
    blocks = _BASH.findall(text)
    return (tool_call("bash", {"command": blocks[0]}),) if len(blocks) == 1 else ()


def _is_complaint(text: str | None) -> bool:
    return (text or "").startswith(("Please always provide EXACTLY ONE action", "Tool call error:", "Format error"))


def _result_row(turn: Turn, message: Mapping[str, Any], extra: Mapping[str, Any]) -> Turn:
    said = turn.tool_results[0].output if turn.tool_results else turn.text
    raw, code, failed = extra.get("raw_output"), extra.get("returncode"), text_or_none(extra.get("exception_info"))
    output = raw if isinstance(raw, str) else said
    found = _CODE.match(said or "")
    timed_out = (said or "").startswith(_TIMED_OUT)
    result = tool_result(
        output,
        call_id=message.get("tool_call_id") if isinstance(message.get("tool_call_id"), str) else None,
        is_error=True if failed or timed_out else None,
        error_kind="timeout" if timed_out else "exception" if failed else None,
        exit_code=int(found[1]) if found and code is None else int32_or_none(code),
    )
    left = {k: v for k, v in message.items() if k not in ("role", "content", "tool_call_id", "extra")}
    left["extra"] = {k: v for k, v in extra.items() if k != "raw_output"} or None
    left["content"] = said if output != said else None
    left["source_role"] = None if message.get("role") == "tool" else message.get("role")
    row = replace(turn, role="tool", kind="tool_result", text=None, tool_results=(result,))
    return replace(row, extra_json=extra_json(left))


FORMAT = Format(
    name="mini-swe-agent",
    description="mini-swe-agent trajectories (.traj.json), formats 1 and 1.1",
    recognise=recognise,
    read=file_by_file(read),
)
