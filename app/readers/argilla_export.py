"""Argilla records as JSON or JSON lines: nested or flat, with responses of every user, and the older feedback records.

Submitted responses count; drafts and discarded ones are left out and counted. Suggestions are nobody's answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.domain.errors import BadInput
from app.readers.format import first_objects
from app.readers.rating_export import Entry, Export, Marked, RatingFormat
from app.readers.source import Source

_FLAT = ".responses"
_COUNTED = (None, "submitted")


@dataclass
class _Record:
    """One record while it is read: its place, its id, and each user's answers."""

    where: str
    unit: str
    context: Mapping[str, Any]
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    skipped: int = 0

    def add(self, question: str, user: Any, value: Any, status: Any) -> None:
        """Take one response, unless it is a draft or was discarded."""
        if user in (None, "", "None"):
            raise BadInput(f"{self.where}, question {question}: a response names no user")
        if status not in _COUNTED:
            self.skipped += 1
            return
        own = self.answers.setdefault(str(user), {})
        if question in own:
            raise BadInput(f"{self.where}, question {question}: user {user} answers a second time")
        own[question] = _value(value)


def recognise(source: Source) -> str | None:
    """Return why a file holds Argilla records, or None."""
    if source.is_binary or source.text.lstrip()[:1] not in ("{", "["):
        return None
    for one in first_objects(source):
        if isinstance(one.get("fields"), Mapping) and isinstance(one.get("responses"), Mapping | list):
            return "Argilla records"
        if any(key.endswith(_FLAT) for key in one) or any(_is_response_list(value) for value in one.values()):
            return "flat Argilla records"
    return None


def _is_response_list(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, Mapping) and {"user_id", "value"} <= set(one) for one in value)
    )


def read(sources: Sequence[Source]) -> Export:
    """Return the entries of Argilla records. Raises `BadInput` naming file, record and question."""
    entries: list[Entry] = []
    skipped = 0
    for source in sources:
        for place, stored in _records(source):
            record = _record(source, place, stored)
            skipped += record.skipped
            for user, answers in record.answers.items():
                entries.append(Entry(f"{record.where}, user {user}", record.unit, user, answers, record.context))
    warnings = [f"{skipped} responses are drafts or discarded and are taken as not given"] if skipped else []
    return Export(entries, warnings)


def _records(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for place, one in source.records:
        if not isinstance(one, Mapping):
            raise BadInput(f"{source.name}, record {place + 1}: not an object with responses")
        yield place + 1, one


def _record(source: Source, place: int, stored: Mapping[str, Any]) -> _Record:
    where = f"{source.name}, record {place}"
    unit = next((stored[key] for key in ("id", "external_id", "_server_id") if stored.get(key) is not None), None)
    if not isinstance(unit, str | int):
        raise BadInput(f"{where}: the record has no id")
    nested = {k: v for k in ("fields", "metadata") if isinstance(stored.get(k), Mapping) for k, v in stored[k].items()}
    record = _Record(f"{where} (id {unit})", str(unit), {**stored, **nested})
    responses = stored.get("responses")
    if isinstance(responses, Mapping):
        for question, given in responses.items():
            _take(record, str(question), given)
    elif isinstance(responses, list):
        _of_users(record, responses)
    for key, value in stored.items():
        if key.endswith(_FLAT):
            _of_lists(record, stored, key)
        elif key != "responses" and _is_response_list(value):
            _take(record, key, value)
    return record


def _take(record: _Record, question: str, given: Any) -> None:
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise BadInput(f"{record.where}, question {question}: responses are not a list of objects")
    for one in given:
        record.add(question, one.get("user_id"), one.get("value"), one.get("status"))


def _of_users(record: _Record, responses: Sequence[Any]) -> None:
    """Take responses listed by user, each with the values of all questions."""
    for one in responses:
        values = one.get("values") if isinstance(one, Mapping) else None
        if not isinstance(values, Mapping | None) or not isinstance(one, Mapping):
            raise BadInput(f"{record.where}: a response has no values by question")
        for question, value in (values or {}).items():
            inner = value.get("value") if isinstance(value, Mapping) else value
            record.add(str(question), one.get("user_id"), inner, one.get("status"))


def _of_lists(record: _Record, stored: Mapping[str, Any], key: str) -> None:
    """Take flat responses: values, users and states stand in lists of equal length."""
    question = key.removesuffix(_FLAT)
    values, users = stored[key], stored.get(f"{key}.users")
    states = stored.get(f"{key}.status")
    if values is None:
        return
    if not isinstance(values, list) or not isinstance(users, list) or len(users) != len(values):
        raise BadInput(f"{record.where}, question {question}: {key}.users does not name one user a response")
    states = states if isinstance(states, list) and len(states) == len(values) else [None] * len(values)
    for user, value, status in zip(users, values, states, strict=True):
        record.add(question, user, value, status)


def _value(value: Any) -> Any:
    if isinstance(value, list) and any(isinstance(one, Mapping | list) for one in value):
        return Marked("spans or a ranking")
    return Marked("structured answers") if isinstance(value, Mapping) else value


FORMAT = RatingFormat(
    "argilla",
    "Argilla: records as JSON or JSON lines, nested or flat; label and rating questions",
    "the response's user_id",
    recognise,
    read,
)
