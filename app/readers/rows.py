"""Data sets with one record a session and the messages in one of its fields, as a list or as JSON text.

Responsible for one record → one session: which field holds the messages, what names the session, which fields are the
run's, the outcome's, the rest. Reads no files; `session_rows` and `parquet_wide` bring the records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.domain.errors import BadInput
from app.domain.turnlog.turns import Turn
from app.readers.chat import role_of, rows_of
from app.readers.pieces import int32_or_none, text_or_none
from app.readers.session import Session
from app.readers.source import Source
from app.readers.text_calls import with_text_calls

MESSAGE_FIELDS = ("messages", "trajectory", "conversations", "traj", "history", "steps")
_ID_FIELDS = ("session_id", "trajectory_id", "traj_id", "transcript_id", "conversation_id", "id")
_OUTCOME = (
    *("reward", "resolved", "target", "success", "score", "exit_status", "result", "outcome", "model_patch"),
    *("generated_patch", "patch", "test_result", "eval_logs", "gen_tests_correct", "pred_passes_gen_tests", "error"),
)
_RUN = {
    "model": ("model", "model_name"),
    "arm": ("arm",),
    "run_id": ("run_id", "run"),
    "task_id": ("task_id", "instance_id", "task"),
    "agent": ("agent",),
}
_REPEAT = ("repeat", "trial", "epoch", "task_repeat")


def message_field(record: Mapping[str, Any]) -> str | None:
    """Return the name of the field that holds the record's messages, or None."""
    return next((name for name in MESSAGE_FIELDS if _may_hold_messages(record.get(name))), None)


def _may_hold_messages(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, Mapping) for item in value)
    return isinstance(value, str) and value.lstrip().startswith("[")


def messages_of(record: Mapping[str, Any], name: str, source: Source, where: str) -> list[Mapping[str, Any]]:
    """Return the record's messages, parsed if they are JSON text. Raises `BadInput` naming `where` and the field."""
    value = record.get(name)
    if isinstance(value, str):
        value = source.parse(value, f"{where}, column {name}")
    if not isinstance(value, list):
        raise BadInput(f"{where}, column {name}: not a list of messages; give one list a session")
    for n, message in enumerate(value):
        if not isinstance(message, Mapping):
            raise BadInput(f"{where}, column {name}: message {n} is not an object with a role and content")
    return value


def session_of(record: Mapping[str, Any], name: str, n: int, source: Source) -> Session:
    """Return the session of record `n` (0-based) of a source whose messages stand in field `name`.

    Raises `BadInput` naming file, row and column for messages that are none or whose role is not known.
    """
    where = f"{source.name} row {n}"
    messages = messages_of(record, name, source, where)
    session = Session(session_id=session_id_of(record, n, source), src_file=source.name, **_run_columns(record))
    session.outcome = {key: record[key] for key in _OUTCOME if record.get(key) is not None}
    used = {name, *_OUTCOME, *_REPEAT, *(key for keys in _RUN.values() for key in keys)}
    session.facts = {key: value for key, value in record.items() if key not in used and value is not None}
    for index, message in enumerate(messages):
        session.add_turns(message_turns(message, f"{where}, column {name}: message {index}"), index)
    session.rows = with_text_calls(session.rows)
    return session


def message_turns(message: Mapping[str, Any], where: str) -> list[Turn]:
    """Return the rows of one chat message. Raises `BadInput` naming `where` if its role is missing or unknown."""
    role = role_of(message)
    if role is None:
        said = message.get("role") or message.get("from")
        raise BadInput(f"{where} has the unknown role {said!r}; use system, user, assistant or tool")
    return rows_of(without_nulls(message), role)


def without_nulls(value: Any) -> Any:
    """Return a message struct without its null fields, in its parts and calls too; arguments stay as they are."""
    if isinstance(value, Mapping):
        inside = ("content", "tool_calls", "function", "function_call", "custom")
        return {k: without_nulls(v) if k in inside else v for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def session_id_of(record: Mapping[str, Any], n: int, source: Source) -> str:
    """Return the record's own id, else its instance and place, else the file's name and place."""
    for key in _ID_FIELDS:
        named = text_or_none(record.get(key))
        if named:
            return named
    instance = text_or_none(record.get("instance_id"))
    return f"{instance or source.stem}#{n}"


def _run_columns(record: Mapping[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for column, keys in _RUN.items():
        columns[column] = next((text_or_none(record[k]) for k in keys if text_or_none(record.get(k))), None)
    numbers = (int32_or_none(record.get(key)) for key in _REPEAT)
    columns["repeat"] = next((number for number in numbers if number is not None), None)
    if columns["model"] is None and columns["run_id"]:
        prefix = re.match(r"^(.+?)_maxiter_", columns["run_id"])
        columns["model"] = prefix[1] if prefix else None
    return columns
