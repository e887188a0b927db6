"""Claude Code session files (JSON lines): which lines make a session, in which order, which lines are one message.

A model message is split over several lines with one `message.id`; a resumed session repeats earlier lines with their
`uuid`; results come in any order; times run backwards now and then, so order is the parent graph, then the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.domain.turnlog.linking import link_turns
from app.domain.turnlog.turns import Turn
from app.readers.claude_lines import rows_of_line, thread_of
from app.readers.format import Format, Sessions, first_objects
from app.readers.pieces import text_or_none
from app.readers.source import Source

_TYPES = ("user", "assistant", "summary", "system", "file-history-snapshot", "queue-operation")


@dataclass(frozen=True)
class _Line:
    """A line in its file. `copied`: its uuid belongs to another session, from which this one was resumed."""

    n: int
    value: Mapping[str, Any]
    source: Source
    copied: bool = False

    @property
    def uuid(self) -> str | None:
        return text_or_none(self.value.get("uuid"))

    @property
    def thread(self) -> str:
        return thread_of(self.value)

    @property
    def message_key(self) -> tuple[str, str, str] | None:
        message = self.value.get("message")
        if self.value.get("type") != "assistant" or not isinstance(message, Mapping):
            return None
        named = text_or_none(message.get("id"))
        return (self.source.name, self.thread, named) if named else None


def recognise(source: Source) -> str | None:
    """Return why the file is a Claude Code session, or None."""
    if source.is_binary:
        return None
    for value in first_objects(source, 50):
        if value.get("type") in _TYPES and ("sessionId" in value or "snapshot" in value or "leafUuid" in value):
            return "its lines have a type and a sessionId"
    return None


def read(sources: Sequence[Source]) -> Sessions:
    """Yield one session a `sessionId` over all the files together, sub-agents' files included.

    A line whose uuid the session already holds is read once; one that another session holds is kind `copied`.
    """
    sessions: dict[str, list[_Line]] = {}
    home: dict[str, str] = {}
    held: set[tuple[str, str]] = set()
    for source in sources:
        for name, line in _named_lines(source):
            if line.uuid and (name, line.uuid) in held:
                source.notes.warn(f"{source.name} line {line.n + 1}", "a line with a known uuid was read once only")
                continue
            copied = bool(line.uuid) and home.setdefault(line.uuid or "", name) != name
            held.add((name, line.uuid or ""))
            sessions.setdefault(name, []).append(replace(line, copied=copied))
    for name, lines in sessions.items():
        yield _turns(name, lines)


def _named_lines(source: Source) -> Iterator[tuple[str, _Line]]:
    """The file's lines with their session; a line without one belongs with the next line that has one."""
    waiting: list[_Line] = []
    name: str | None = None
    for line in _kept_lines(source):
        waiting.append(line)
        said = text_or_none(line.value.get("sessionId"))
        if said:
            name = said
            yield from ((name, held) for held in waiting)
            waiting = []
    yield from ((name or source.stem, held) for held in waiting)


def _kept_lines(source: Source) -> Iterator[_Line]:
    uuids = {text_or_none(v.get("uuid")) for _, v in source.records if isinstance(v, Mapping)}
    for n, value in source.records:
        where = f"{source.name} line {n + 1}"
        if not isinstance(value, Mapping):
            source.notes.warn(where, "a line that is no object was left out")
        elif value.get("type") == "summary" and text_or_none(value.get("leafUuid")) not in uuids:
            source.notes.warn(where, "a summary of another session was left out")
        else:
            yield _Line(n, value, source)


def _turns(name: str, lines: Sequence[_Line]) -> list[Turn]:
    rows: list[Turn] = []
    for group in _messages(_in_order(lines)):
        first = group[0]
        for turn in rows_of_line(_merged(group)):
            index = tuple(line.n for line in group)
            row = replace(turn, session_id=name, src_file=first.source.name, src_index=index)
            rows.append(replace(row, kind="copied") if first.copied else row)
    return link_turns(rows)


def _messages(lines: Sequence[_Line]) -> list[list[_Line]]:
    """The lines grouped: those of one model message together, at the place of the first."""
    groups: list[list[_Line]] = []
    by_message: dict[tuple[str, str, str], list[_Line]] = {}
    for line in lines:
        key = line.message_key
        group = by_message.get(key) if key else None
        if group is None:
            group = []
            groups.append(group)
            if key:
                by_message[key] = group
        group.append(line)
    return groups


def _merged(group: Sequence[_Line]) -> Mapping[str, Any]:
    """The group as one line: all content blocks in order; what else the later lines hold under `merged_lines`."""
    first = group[0].value
    if len(group) == 1:
        return first
    blocks: list[Any] = []
    for line in group:
        content = line.value["message"].get("content")
        blocks.extend(content if isinstance(content, list) else [content])
    later = []
    for line in group[1:]:
        inner = {k: v for k, v in line.value["message"].items() if k not in ("content", "role", "model")}
        later.append({**line.value, "message": inner})
    return {**first, "message": {**first["message"], "content": blocks}, "merged_lines": later}


def _in_order(lines: Sequence[_Line]) -> list[_Line]:
    """Parents before children within each file; a sub-agent's own file just before the result that reports on it."""
    files: dict[str, list[_Line]] = {}
    for line in lines:
        files.setdefault(line.source.name, []).append(line)
    ordered = [_parents_first(held) for held in files.values()]
    main = next((held for held in ordered if any(line.thread == "main" for line in held)), ordered[0])
    result = list(main)
    for held in ordered:
        if held is not main:
            place = next((i for i, line in enumerate(result) if _reports_on(line, held)), len(result))
            result[place:place] = held
    return result


def _reports_on(line: _Line, agent: Sequence[_Line]) -> bool:
    told = line.value.get("toolUseResult")
    return isinstance(told, Mapping) and told.get("agentId") is not None and told["agentId"] == agent[0].thread


def _parents_first(lines: Sequence[_Line]) -> list[_Line]:
    """The file's order, but no line before the line it answers; a ring of parents stays as it stood."""
    uuids = {line.uuid for line in lines if line.uuid}
    done: set[str | None] = set()
    waiting: dict[str, list[_Line]] = {}
    result: list[_Line] = []
    for line in lines:
        parent = text_or_none(line.value.get("parentUuid"))
        if parent in uuids and parent not in done and parent != line.uuid:
            waiting.setdefault(parent or "", []).append(line)
            continue
        ready = [line]
        while ready:
            now = ready.pop(0)
            result.append(now)
            done.add(now.uuid)
            ready[:0] = waiting.pop(now.uuid or "", [])
    left = {line.n for held in waiting.values() for line in held}
    return [*result, *(line for line in lines if line.n in left)]


FORMAT = Format(
    name="claude-code",
    description="Claude Code sessions (.jsonl), sub-agents inline or in files of their own",
    recognise=recognise,
    read=read,
)
