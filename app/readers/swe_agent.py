"""SWE-agent trajectories (.traj), 0.x and 1.x: one step is one act and its observation.

Acts come from `trajectory`, the task from `history` (demonstrations left out: they are not the agent's acts). The
prompts that 1.x repeats in every step (`messages`, `query`) are dropped: `history` holds them once. There are no exit
codes here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.errors import BadInput
from app.readers.chat import role_of, rows_of
from app.readers.format import Format, Sessions, file_by_file
from app.readers.pieces import inside, text_or_none, tool_call, tool_result
from app.readers.session import Session
from app.readers.source import Source, parse_json
from app.readers.text_calls import command_name

_READ = ("action", "observation", "thought", "messages", "query")
_OUTCOME = ("exit_status", "submission")


def recognise(source: Source) -> str | None:
    """Return why the file is a SWE-agent trajectory, or None."""
    if source.is_binary or source.is_lines or not isinstance(source.json, Mapping):
        return None
    steps = source.json.get("trajectory")
    first = steps[0] if isinstance(steps, list) and steps else None
    if isinstance(first, Mapping) and {"action", "observation"} <= first.keys() and "history" in source.json:
        return "its trajectory has steps with action and observation, beside a history"
    return None


def read(source: Source) -> Sessions:
    """Yield the file's one session. Raises `BadInput` naming file and step for a step that is no object."""
    record = source.object
    said = record.get("info")
    info: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
    config = _config(record.get("replay_config"))
    session = Session(
        session_id=source.stem,
        src_file=source.name,
        model=text_or_none(inside(config, "agent", "model", "name")),
        task_id=text_or_none(inside(config, "problem_statement", "id")),
        agent="swe-agent",
        outcome={key: info.get(key) for key in _OUTCOME},
    )
    left = {key: value for key, value in record.items() if key not in ("trajectory", "history", "info")}
    session.facts = {**left, **{key: value for key, value in info.items() if key not in _OUTCOME}}
    _add_task(session, record.get("history"))
    steps = record.get("trajectory")
    if not isinstance(steps, list):
        raise BadInput(f"{source.name}: trajectory is not a list of steps")
    for n, step in enumerate(steps):
        if not isinstance(step, Mapping):
            raise BadInput(f"{source.name}: step {n} of the trajectory is not an object")
        _add_step(session, n, step)
    yield session.turns()


def _config(value: Any) -> Any:
    """The replay configuration, which is often JSON inside a string; what is not JSON tells nothing."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value, "replay_config")
    except BadInput:
        return None


def _add_task(session: Session, history: Any) -> None:
    """The system and user rows before the agent's first act; they have no record in `trajectory`."""
    for message in history if isinstance(history, list) else []:
        role = role_of(message) if isinstance(message, Mapping) else None
        if role not in ("system", "user"):
            return
        if not message.get("is_demo"):
            session.add_turns(rows_of({k: v for k, v in message.items() if v is not None}, role), ())


def _add_step(session: Session, n: int, step: Mapping[str, Any]) -> None:
    action, thought = text_or_none(step.get("action")), text_or_none(step.get("thought"))
    calls = (tool_call(command_name(action), {"command": action}),) if action and action.strip() else ()
    state = step.get("state")
    left = {key: value for key, value in step.items() if key not in _READ}
    left["state"] = _config(state) if isinstance(state, str) else state
    session.add("assistant", thought, n, tool_calls=calls, extra=left)
    observation = text_or_none(step.get("observation"))
    if observation is not None or calls:
        result = tool_result(observation, match="inline")
        session.add("tool", None, n, kind="tool_result", tool_results=(result,))


FORMAT = Format(
    name="swe-agent",
    description="SWE-agent trajectories (.traj), 0.x and 1.x",
    recognise=recognise,
    read=file_by_file(read),
)
