"""Potato's annotations: `annotated_instances` and `annotations` as JSON lines, CSV or TSV, of every release.

A question is a scheme; its answer is the label that is ticked. Where a scheme has one field only (a select, a text, a
slider), the field's value is the answer. Lines without a user (older releases write one folder a user) take the
folder's name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.domain.errors import BadInput
from app.readers.delimited import header_of, open_delimited, refuse_width
from app.readers.format import first_objects
from app.readers.rating_export import Entry, Export, Marked, RatingFormat
from app.readers.source import Source

_RATER = ("user_id", "user")
_LABELS = ("label_annotations", "labels", "annotation")
_SPANS = ("span_annotations", "spans")
_OWN = {"id", "instance_id", *_RATER, "displayed_text", "text", "annotator_origin", "annotator_origin_detail"}
_BESIDE = "free_response"
"""A text typed beside a choice; it is no choice."""

Fields = Mapping[str, Any]


def recognise(source: Source) -> str | None:
    """Return why a file holds Potato's annotations, or None."""
    if source.is_binary:
        return None
    if source.text.lstrip()[:1] in ("{", "["):
        for one in first_objects(source):
            instance = "instance_id" in one or "displayed_text" in one or "behavioral_data" in one
            if instance and any(isinstance(one.get(key), Mapping) for key in _LABELS):
                return "Potato's annotations as JSON lines"
        return None
    for mark in ("\t", ","):
        header = set(header_of(source.text, mark))
        if "instance_id" in header and header & set(_RATER):
            return "Potato's annotations as a table"
    return None


def read(sources: Sequence[Source]) -> Export:
    """Return the entries of Potato's files. Raises `BadInput` naming file, line or row."""
    found: list[Entry] = []
    warnings: list[str] = []
    for source in sources:
        rows = _lines(source) if source.text.lstrip()[:1] in ("{", "[") else _table(source)
        for entry in rows:
            found.append(entry if entry.rater else replace(entry, rater=_folder(source, entry.where)))
            if not entry.rater and _by_folder(source) not in warnings:
                warnings.append(_by_folder(source))
    machines = sum(entry.context.get("annotator_origin") not in (None, "", "human") for entry in found)
    if machines:
        warnings.append(f"{machines} entries come from machine annotators and are counted as any other")
    values = _schemes_that_hold_values(found)
    answered = [replace(e, answers={name: _answer(name, a, values) for name, a in e.answers.items()}) for e in found]
    return Export(answered, warnings)


def _lines(source: Source) -> Iterator[Entry]:
    for place, line in source.records:
        where = f"{source.name}, line {place + 1}"
        if not isinstance(line, Mapping):
            raise BadInput(f"{where}: not an object, as Potato writes one a line")
        unit = line.get("instance_id", line.get("id"))
        labels = next((line[key] for key in _LABELS if isinstance(line.get(key), Mapping)), None)
        if not isinstance(unit, str | int) or labels is None:
            raise BadInput(f"{where}: the line needs instance_id (or id) and label_annotations (or labels)")
        rater = next((str(line[key]) for key in _RATER if line.get(key)), "")
        yield Entry(where, str(unit), rater, {**_span_schemes(line), **labels}, line)


def _span_schemes(line: Fields) -> dict[str, Any]:
    """Return what was marked, by scheme; older releases list spans without one."""
    given = next((line[key] for key in _SPANS if line.get(key)), None)
    if isinstance(given, Mapping):
        return {str(name): Marked("spans") for name, spans in given.items() if spans}
    return {"span_annotation": Marked("spans")} if isinstance(given, list) and given else {}


def _table(source: Source) -> Iterator[Entry]:
    lines, _ = open_delimited(source.text, source.name, ("instance_id", *_RATER, "displayed_text"))
    header = [cell.strip() for cell in next(lines, (0, []))[1]]
    for row, cells in lines:
        refuse_width(cells, header, source.name, row)
        named = dict(zip(header, cells, strict=True))
        where = f"{source.name}, row {row}"
        if not named.get("instance_id"):
            raise BadInput(f"{where}, column instance_id: the cell is empty")
        rater = next((named[key] for key in _RATER if named.get(key)), "")
        if not rater:
            raise BadInput(f"{where}, column {next(k for k in _RATER if k in named)}: the cell is empty")
        yield Entry(where, named["instance_id"], rater, _schemes(named), named)


def _schemes(row: Mapping[str, str]) -> dict[str, Any]:
    """Return a table's answers: `scheme:::label` and `scheme.label` columns, and `scheme` where one is the answer."""
    found: dict[str, Any] = {}
    ticked: dict[str, dict[str, str]] = defaultdict(dict)
    for column, value in row.items():
        scheme, mark, label = column.partition(":::" if ":::" in column else ".")
        if column in _OWN or scheme == column in ticked or label.startswith("_room"):
            continue
        if label == "_spans" or (mark == ":::" and scheme == "span_annotation"):
            if value not in ("", "[]"):
                found[scheme] = Marked("spans")
        elif mark:
            ticked[scheme][label] = value
        elif value:
            found[column] = value
    return {**ticked, **found}


def _folder(source: Source, where: str) -> str:
    name = source.path.absolute().parent.name
    if not name:
        raise BadInput(f"{where}: the line names no user, and neither does a folder; give one folder a user")
    return name


def _by_folder(source: Source) -> str:
    name = source.path.absolute().parent.name
    return f"{source.name} names no user; its folder's name {name!r} is taken"


def _schemes_that_hold_values(entries: Sequence[Entry]) -> set[str]:
    """Return the schemes with one field over all entries whose values are not mere ticks."""
    names: dict[str, set[str]] = defaultdict(set)
    plain: dict[str, bool] = defaultdict(lambda: True)
    for entry in entries:
        for scheme, fields in entry.answers.items():
            for label, value in _given(fields):
                names[scheme].add(label)
                plain[scheme] = plain[scheme] and _is_tick(label, value)
    return {scheme for scheme, labels in names.items() if len(labels) == 1 and not plain[scheme]}


def _given(fields: Any) -> list[tuple[str, Any]]:
    if not isinstance(fields, Mapping):
        return []
    chosen = [(str(label), value) for label, value in fields.items() if not _is_nothing(value)]
    return [pair for pair in chosen if pair[0] != _BESIDE] or chosen


def _is_nothing(value: Any) -> bool:
    return value is None or value is False or str(value).strip().lower() in ("", "false", "none", "nan")


def _is_tick(label: str, value: Any) -> bool:
    return value is True or str(value).strip().lower() in ("true", "on") or str(value) == label


def _answer(scheme: str, fields: Any, values: set[str]) -> Any:
    if not isinstance(fields, Mapping):
        return fields
    return [value if scheme in values else label for label, value in _given(fields)]


FORMAT = RatingFormat(
    "potato",
    "Potato: annotated_instances or annotations, JSON lines, CSV or TSV; single-choice schemes",
    "user_id, user, or the folder of that user",
    recognise,
    read,
)
