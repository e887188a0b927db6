"""ATIF trajectories (Harbor, Terminal-Bench), versions 1.0 to 1.8: numbered steps of system, user and agent.

An observation becomes a tool row after its step, linked by `source_call_id`; without one it answers the step's call
only where there is exactly one of each. A hand-off (a system step that refers to sub-agents) and the user step after it
are kind summary, copied context is kind copied. Sub-agents' trajectories follow the step that refers to them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.domain.errors import BadInput
from app.domain.turnlog.turns import ToolResult
from app.readers.chat import read_content
from app.readers.format import Format, Sessions, file_by_file
from app.readers.pieces import as_json, inside, text_or_none, time_columns, tool_call, tool_result
from app.readers.session import Session
from app.readers.source import Source

_ROLES = {"agent": "assistant", "user": "user", "system": "event"}
_READ = ("source", "message", "timestamp", "model_name", "reasoning_content", "tool_calls", "observation")


def recognise(source: Source) -> str | None:
    """Return why the file is an ATIF trajectory, or None."""
    if source.is_binary or source.is_lines or not isinstance(source.json, Mapping):
        return None
    if str(source.json.get("schema_version", "")).startswith("ATIF") and isinstance(source.json.get("steps"), list):
        return "its schema_version says ATIF"
    return None


def read(source: Source) -> Sessions:
    """Yield the file's one session. Raises `BadInput` naming file and step."""
    record = source.object
    session = Session(_name(record, source), source.name, **_agent(record))
    session.facts = {k: v for k, v in record.items() if k not in ("steps", "subagent_trajectories", "session_id")}
    _add_steps(session, record, "main", source.name)
    yield session.turns()


def _name(record: Mapping[str, Any], source: Source) -> str:
    named = text_or_none(record.get("trajectory_id")) or text_or_none(record.get("session_id")) or source.stem
    continued = re.search(r"\.cont-(\d{1,4})(?:\.|$)", source.name)
    return f"{named}#cont{continued[1]}" if continued else named


def _agent(record: Mapping[str, Any]) -> dict[str, Any]:
    name, version = (text_or_none(inside(record, "agent", key)) for key in ("name", "version"))
    return {
        "model": text_or_none(inside(record, "agent", "model_name")),
        "agent": " ".join(part for part in (name, version) if part) or None,
    }


def _add_steps(session: Session, record: Mapping[str, Any], thread: str, where: str) -> None:
    steps = record.get("steps")
    subs = record.get("subagent_trajectories")
    waiting = [sub for sub in subs if isinstance(sub, Mapping)] if isinstance(subs, list) else []
    handed_off = False
    for n, step in enumerate(steps if isinstance(steps, list) else []):
        role = _ROLES.get(str(step.get("source"))) if isinstance(step, Mapping) else None
        if role is None or not isinstance(step, Mapping):
            raise BadInput(f"{where}: step {n} is not an object with the source system, user or agent")
        refers = _refers(step)
        summary = (role == "event" and bool(refers)) or (role == "user" and handed_off)
        kind = "copied" if step.get("is_copied_context") is True else "summary" if summary else "message"
        _add_step(session, n, step, {"role": role, "kind": kind, "thread_id": thread})
        handed_off = role == "event" and bool(refers)
        for sub in [s for s in waiting if _own_ids(s) & refers]:
            waiting.remove(sub)
            _add_sub(session, sub, thread, where)
    for sub in waiting:
        _add_sub(session, sub, thread, where)


def _add_sub(session: Session, sub: Mapping[str, Any], parent: str, where: str) -> None:
    own = text_or_none(sub.get("trajectory_id")) or text_or_none(sub.get("session_id")) or f"{parent}/sub"
    _add_steps(session, sub, own, f"{where}, trajectory {own}")


def _refers(step: Mapping[str, Any]) -> set[Any]:
    """The ids of the sub-agents a step's observation refers to."""
    refers = [ref for result in _results(step) for ref in _list(inside(result, "subagent_trajectory_ref"))]
    ids = [text_or_none(inside(ref, key)) for ref in refers for key in ("trajectory_id", "session_id")]
    return {name for name in ids if name is not None}


def _own_ids(record: Mapping[str, Any]) -> set[Any]:
    return {text_or_none(record.get(key)) for key in ("trajectory_id", "session_id")}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _results(step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [result for result in _list(inside(step, "observation", "results")) if isinstance(result, Mapping)]


def _add_step(session: Session, n: int, step: Mapping[str, Any], place: Mapping[str, str]) -> None:
    content = read_content(step.get("message"))
    calls = [call for call in _list(step.get("tool_calls")) if isinstance(call, Mapping)]
    agents = place["role"] == "assistant"
    made = tuple(tool_call(c.get("function_name"), c.get("arguments"), c.get("tool_call_id")) for c in calls)
    told = [result for result in _results(step) if result.get("content") is not None]
    left = {key: value for key, value in step.items() if key not in _READ}
    left["observation"] = None if told and len(told) == len(_results(step)) else step.get("observation")
    left["tool_calls"] = None if agents or not calls else calls
    session.add(
        text=content.text,
        source=n if place["thread_id"] == "main" else (),
        reasoning=text_or_none(step.get("reasoning_content")),
        tool_calls=made if agents else (),
        attachments=tuple(content.attachments),
        turn_id=text_or_none(step.get("step_id")),
        model=text_or_none(step.get("model_name")) if agents else None,
        extra={**left, **content.extra()},
        **place,
        **time_columns(step.get("timestamp")),
    )
    alone = len(told) == 1 and len(calls) == 1 and agents
    for result in told:
        _add_result(session, n, result, place, alone=alone)


def _add_result(session: Session, n: int, told: Mapping[str, Any], place: Mapping[str, str], *, alone: bool) -> None:
    content = read_content(told.get("content"))
    call_id = text_or_none(told.get("source_call_id"))
    output = content.text if not content.rest else as_json(told.get("content"))
    result: ToolResult = tool_result(output, call_id=call_id, match="inline" if alone and not call_id else "id")
    copied = place["kind"] == "copied"
    session.add(
        "tool",
        None,
        n if place["thread_id"] == "main" else (),
        kind="copied" if copied else "tool_result",
        thread_id=place["thread_id"],
        tool_results=(result,),
        attachments=tuple(content.attachments),
        extra={key: value for key, value in told.items() if key not in ("content", "source_call_id")},
    )


FORMAT = Format(
    name="atif",
    description="ATIF trajectories (Harbor, Terminal-Bench), versions 1.0 to 1.8",
    recognise=recognise,
    read=file_by_file(read),
)
