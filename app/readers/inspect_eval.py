"""Inspect logs, .json and .eval (a ZIP of samples, deflate or zstd): one session a sample and epoch.

`messages` is what is read: the final state of the conversation. Compaction, forks and sub-agents live in `events`,
which are counted and told of, not read. Texts kept apart under a hash (`attachment://`, `tc://`) are put back first. Of
a failed tool the words stand in its error, its content being empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from app.domain.errors import BadInput
from app.domain.turnlog.turns import Turn
from app.readers.format import Format, Sessions, file_by_file
from app.readers.pieces import inside, int32_or_none, text_or_none
from app.readers.rows import message_turns, messages_of
from app.readers.session import Session
from app.readers.source import Source
from app.readers.zip_member import Archive

_APART = ("attachment://", "tc://")
_OUTCOME = ("scores", "error", "limit")
_DROPPED = ("messages", "events", "attachments", "transcript", "events_data", "message_pool", "timelines")
_FORKS = ("compaction", "branch", "subtask", "subagent")


def recognise(source: Source) -> str | None:
    """Return why the file is an Inspect log, or None."""
    if source.bytes[:4] == b"PK\x03\x04":
        names = Archive(source).names()
        return "it is an archive of samples" if any(name.startswith("samples/") for name in names) else None
    if source.is_binary or source.is_lines or not isinstance(source.json, Mapping):
        return None
    if isinstance(source.json.get("eval"), Mapping) and "version" in source.json:
        return "it has a version, an eval and samples"
    return None


def read(source: Source) -> Sessions:
    """Yield one session a sample. Raises `BadInput` naming file, sample and message."""
    header, samples = _of_archive(source) if source.is_binary else _of_json(source)
    spec = header.get("eval")
    for where, sample in samples:
        if not isinstance(sample, Mapping):
            raise BadInput(f"{where}: the sample is not an object")
        yield _session(spec if isinstance(spec, Mapping) else {}, sample, where, source).turns()


def _of_json(source: Source) -> tuple[Mapping[str, Any], Iterator[tuple[str, Any]]]:
    samples = source.object.get("samples")
    if not isinstance(samples, list) or not samples:
        raise BadInput(f"{source.name}: the log holds no samples")
    return source.object, ((source.name, sample) for sample in samples)


def _of_archive(source: Source) -> tuple[Mapping[str, Any], Iterator[tuple[str, Any]]]:
    archive = Archive(source)
    held = next((name for name in ("header.json", "_journal/start.json") if name in archive.names()), None)
    header = _parsed(source, f"{source.name}/{held}", archive.read(held)) if held else {}
    samples = archive.members("samples/")
    parsed = ((f"{source.name}/{name}", _parsed(source, f"{source.name}/{name}", data)) for name, data in samples)
    return header if isinstance(header, Mapping) else {}, parsed


def _parsed(source: Source, where: str, data: bytes) -> Any:
    return source.parse(data.decode("utf-8", "replace"), where)


def _session(spec: Mapping[str, Any], sample: Mapping[str, Any], where: str, source: Source) -> Session:
    number, epoch = text_or_none(sample.get("id")), sample.get("epoch")
    run = next((text for key in ("eval_id", "run_id", "task_id") if (text := text_or_none(spec.get(key)))), source.stem)
    task, version = text_or_none(spec.get("task")), text_or_none(inside(spec, "packages", "inspect_ai"))
    solver = text_or_none(spec.get("solver"))
    session = Session(
        session_id=f"{run}/{number}/{epoch}",
        src_file=where,
        model=text_or_none(spec.get("model")),
        run_id=text_or_none(spec.get("run_id")),
        task_id=f"{task}/{number}" if task else number,
        repeat=int32_or_none(epoch),
        agent=solver or (f"inspect {version}" if version else "inspect"),
        outcome={key: sample[key] for key in _OUTCOME if sample.get(key) is not None},
    )
    kept = {k: v for k, v in sample.items() if k not in (*_DROPPED, *_OUTCOME)}
    apart = _texts_apart(sample)
    session.facts = {**_put_back(kept, apart), "n_events": _count_events(sample, where, source)}
    for n, message in enumerate(messages_of(sample, "messages", source, where)):
        turns = message_turns(_put_back(message, apart), f"{where}: message {n}")
        session.add_turns([_with_parse_errors(turn, message) for turn in turns], n)
    return session


def _texts_apart(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    held = sample.get("attachments"), inside(sample, "transcript", "content")
    return {key: value for texts in held if isinstance(texts, Mapping) for key, value in texts.items()}


def _put_back(value: Any, apart: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {key: _put_back(item, apart) for key, item in value.items()}
    if isinstance(value, list):
        return [_put_back(item, apart) for item in value]
    prefix = next((p for p in _APART if isinstance(value, str) and value.startswith(p)), None)
    return apart.get(value[len(prefix) :], value) if prefix else value


def _count_events(sample: Mapping[str, Any], where: str, source: Source) -> int | None:
    """How many events the sample has; those that tell of another history than `messages` are told as a warning."""
    events = sample.get("events")
    if not isinstance(events, list):
        return None
    kinds = Counter(str(inside(event, "event")) for event in events)
    if any(kinds[kind] for kind in _FORKS):
        source.notes.warn(where, "events tell of compaction, branches or sub-agents; only the final messages were read")
    return len(events)


def _with_parse_errors(turn: Turn, message: Mapping[str, Any]) -> Turn:
    """The row with the calls marked whose arguments the log says could not be parsed."""
    listed = message.get("tool_calls")
    broken = [bool(inside(call, "parse_error")) for call in listed] if isinstance(listed, list) else []
    if not any(broken) or len(broken) != len(turn.tool_calls):
        return turn
    calls = (replace(c, args_ok=c.args_ok and not b) for c, b in zip(turn.tool_calls, broken, strict=True))
    return replace(turn, tool_calls=tuple(calls))


FORMAT = Format(
    name="inspect",
    description="Inspect logs: .eval archives (deflate or zstd) and .json",
    recognise=recognise,
    read=file_by_file(read),
)
