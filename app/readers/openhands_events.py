"""OpenHands v0 event lists: a session export, a feedback record, or output.jsonl of the evaluation harness.

Actions of one model response are one row; an observation answers the action its `cause` names. What one event says as a
row, and what in it is nobody's words, is `openhands_rows.py`. The SDK's v1 events are another format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.domain.errors import BadInput
from app.domain.turnlog.turns import Turn
from app.readers.format import Format, Sessions, file_by_file, first_objects
from app.readers.openhands_rows import row_of
from app.readers.pieces import as_json, inside, text_or_none
from app.readers.session import Session
from app.readers.source import Source, parse_json

_HISTORIES = ("trajectory", "history")
_OUTCOME = ("test_result", "error", "metrics", "feedback")


def _is_event(value: Any) -> bool:
    if not isinstance(value, Mapping) or ("action" in value) == ("observation" in value):
        return False
    return any(key in value for key in ("source", "args", "extras", "cause"))


def _history_of(record: Any) -> list[Any] | None:
    """The record's events, pairs of action and observation laid flat; None where it holds none."""
    found = record if isinstance(record, list) else None
    if isinstance(record, Mapping):
        found = next((record[name] for name in _HISTORIES if isinstance(record.get(name), list)), None)
    flat = [event for item in found or [] for event in (item if isinstance(item, list) else [item])]
    return flat if flat and _is_event(flat[0]) else None


def recognise(source: Source) -> str | None:
    """Return why the file holds OpenHands events, or None."""
    if source.is_binary:
        return None
    objects = first_objects(source, 1)
    if objects and _is_event(objects[0]):
        return "its records are events with an action or an observation"
    if objects and _history_of(objects[0]):
        return "its records hold a history of actions and observations"
    return None


def read(source: Source) -> Sessions:
    """Yield one session a list of events. Raises `BadInput` naming file, row and event."""
    records = source.records
    if records and _is_event(records[0][1]):
        yield _session({}, [event for _, event in records], source.stem, source).turns()
        return
    for n, record in records:
        history = _history_of(record)
        if history is None:
            raise BadInput(f"{source.name} row {n}: no history or trajectory of events")
        given: Mapping[str, Any] = record if isinstance(record, Mapping) else {}
        instance = text_or_none(given.get("instance_id"))
        name = f"{instance}#{n}" if instance else source.stem if len(records) == 1 else f"{source.stem}#{n}"
        yield _session(given, history, name, source).turns()


def _session(record: Mapping[str, Any], events: Sequence[Any], name: str, source: Source) -> Session:
    version = next((v for e in events[:5] if (v := text_or_none(inside(e, "args", "openhands_version")))), None)
    session = Session(
        session_id=name,
        src_file=source.name,
        model=text_or_none(inside(record, "metadata", "llm_config", "model")),
        task_id=text_or_none(record.get("instance_id")),
        agent=f"openhands {version}" if version else text_or_none(inside(record, "metadata", "agent_class")),
        outcome={key: record[key] for key in _OUTCOME if record.get(key) is not None},
    )
    session.facts = {k: v for k, v in record.items() if k not in (*_OUTCOME, *_HISTORIES, "instance_id")}
    session.rows = list(_rows(events, source.name))
    return session


@dataclass
class _Calls:
    """The id under which each action's call is known; event ids repeat after a restart, so the latest action counts."""

    by_event: dict[str, str] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)

    def id_for(self, event: Mapping[str, Any], n: int) -> str | None:
        own = text_or_none(inside(event, "tool_call_metadata", "tool_call_id"))
        if "observation" in event:
            return own or self.by_event.get(text_or_none(event.get("cause")) or "")
        number = text_or_none(event.get("id"))
        call_id = own or (f"{number}@{n}" if number in self.given else number)
        if number is not None and call_id is not None:
            self.by_event[number] = call_id
            self.given.add(number)
        return call_id


def _rows(events: Sequence[Any], name: str) -> Iterator[Turn]:
    """The events' rows; actions of one response are merged into the row of the first."""
    calls = _Calls()
    rows: list[Turn] = []
    first_of: dict[str, int] = {}
    for n, event in enumerate(events):
        if not isinstance(event, Mapping):
            raise BadInput(f"{name}: event {n} is not an object")
        row = replace(row_of(event, calls.id_for(event, n)), src_index=(n,))
        response = text_or_none(inside(event, "tool_call_metadata", "model_response", "id"))
        if response is None or not row.tool_calls:
            rows.append(row)
        elif response in first_of:
            rows[first_of[response]] = _merged(rows[first_of[response]], row)
        else:
            first_of[response] = len(rows)
            rows.append(row)
    return iter(rows)


def _merged(first: Turn, later: Turn) -> Turn:
    texts = [text for text in (first.text, later.text) if text]
    extra = parse_json(first.extra_json or "{}", "extra")
    merged = [*extra.get("merged_events", []), parse_json(later.extra_json or "{}", "extra")]
    return replace(
        first,
        text="\n\n".join(texts) if texts else first.text,
        tool_calls=(*first.tool_calls, *later.tool_calls),
        src_index=(*first.src_index, *later.src_index),
        extra_json=as_json({**extra, "merged_events": merged}),
    )


FORMAT = Format(
    name="openhands-events",
    description="OpenHands v0 events: a JSON list, a feedback record, or output.jsonl of the evaluation harness",
    recognise=recognise,
    read=file_by_file(read),
)
