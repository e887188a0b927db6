"""doccano exports as JSON or JSON lines: one file a member, or all members in one where the lines say who labelled.

A member's file is named after the member, also inside the ZIP archive doccano offers. The one file of a project in
shared mode does not say who gave which label, so no agreement can be computed from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from app.domain.errors import BadInput
from app.readers.format import first_objects
from app.readers.rating_export import Entry, Export, Marked, RatingFormat
from app.readers.source import Source, parse_json
from app.readers.zip_member import Archive

_DATA = ("text", "data", "filename")
_CATEGORIES = ("label", "labels", "cats")
_SHARED = {"all", "export", "admin_all"}
_READ = (".jsonl", ".json")

Records = Iterator[tuple[int, Any]]


def recognise(source: Source) -> str | None:
    """Return why a file is a doccano export, or None."""
    if source.is_binary:
        names = Archive(source).names() if source.bytes[:2] == b"PK" else []
        return "a doccano archive of one file a member" if names and all(n.endswith(_READ) for n in names) else None
    if source.text.lstrip()[:1] not in ("{", "["):
        return None
    for one in first_objects(source):
        labelled = any(isinstance(one.get(key), list) for key in (*_CATEGORIES, "entities", "annotations"))
        if labelled and "id" in one and any(key in one for key in _DATA):
            return "a doccano export"
    return None


def read(sources: Sequence[Source]) -> Export:
    """Return the entries of doccano files. Raises `BadInput` naming file and line."""
    entries: list[Entry] = []
    members: set[str] = set()
    for source in sources:
        for name, member, records in _files(source):
            members.add(member)
            for place, line in records:
                entries.extend(_line(f"{name}, line {place + 1}", member, line))
    alone = len(members) == 1 and len({entry.rater for entry in entries}) == 1
    warnings = ["this is the file of one member; give the files of all members to compare them"] if alone else []
    return Export(entries, warnings)


def _files(source: Source) -> Iterator[tuple[str, str, Records]]:
    """Yield (name, member, records) of a file, or of every file in an archive."""
    if not source.is_binary:
        yield source.name, source.stem, iter(source.records)
        return
    archive = Archive(source)
    for name in archive.names():
        if name.endswith(_READ):
            where = f"{source.name}/{name}"
            yield where, PurePosixPath(name).stem, _records(archive.read(name), where)


def _records(data: bytes, where: str) -> Records:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{where}: not UTF-8 (byte {error.start})") from error
    if text.lstrip()[:1] == "[":
        yield from enumerate(parse_json(text, where))
        return
    for place, line in enumerate(text.split("\n")):
        if line.strip():
            yield place, parse_json(line, f"{where}, line {place + 1}")


def _line(where: str, member: str, line: Any) -> Iterator[Entry]:
    unit = line.get("id") if isinstance(line, Mapping) else None
    if not isinstance(unit, str | int):
        raise BadInput(f"{where}: the line has no id")
    if isinstance(line.get("annotations"), list):
        yield from _by_user(where, str(unit), line)
        return
    if member.lower() in _SHARED:
        raise BadInput(
            f"{where}: the file of a project in shared mode does not say who gave which label; export a project in "
            "which every member labels alone, and give one file a member (named after the member)"
        )
    answers = {key: _labels(line[key]) for key in _CATEGORIES if isinstance(line.get(key), list)}
    if line.get("entities"):
        answers["entities"] = Marked("spans")
    yield Entry(where, str(unit), member, answers, line)


def _by_user(where: str, unit: str, line: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield one entry a user of a line whose annotations say who made them."""
    by_user: dict[str, list[Any]] = {}
    for number, one in enumerate(line["annotations"], start=1):
        user = one.get("user") if isinstance(one, Mapping) else None
        if not isinstance(user, str | int):
            raise BadInput(f"{where}, annotation {number}: it does not say which user made it")
        marked = "start_offset" in one or not isinstance(one.get("label"), str | int)
        by_user.setdefault(str(user), []).append({} if marked else one["label"])
    for user, labels in by_user.items():
        yield Entry(where, unit, user, {"label": _labels(labels)}, line)


def _labels(given: Sequence[Any]) -> Any:
    return Marked("spans") if any(isinstance(one, Mapping | list) for one in given) else list(given)


FORMAT = RatingFormat(
    "doccano",
    "doccano: one JSON or JSON-lines file a member (or their ZIP), or lines that say who labelled; categories",
    "the member's file name, or the annotation's user",
    recognise,
    read,
)
