"""Label Studio exports: JSON (tasks with their annotations), JSON_MIN and CSV (one row an annotation).

Reads choices, ratings and numbers, by the control's name. In JSON_MIN and CSV the task's own columns stand beside the
answers and cannot be told from them. Annotations a rater skipped are left out and counted; predictions are nobody's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.domain.errors import BadInput
from app.readers.delimited import header_of, open_delimited, refuse_width
from app.readers.format import first_objects
from app.readers.rating_export import Entry, Export, Marked, RatingFormat
from app.readers.source import Source

_SINGLE = {"choices": "choices", "rating": "rating", "number": "number", "textarea": "text", "datetime": "datetime"}
_FLAT = ("annotator", "annotation_id")
_OWN = {"id", *_FLAT, "created_at", "updated_at", "lead_time", "agreement", "was_cancelled"}


def recognise(source: Source) -> str | None:
    """Return why a file is a Label Studio export, or None."""
    if source.is_binary:
        return None
    if source.text.lstrip()[:1] not in ("{", "["):
        shown = {*header_of(source.text, ","), *header_of(source.text, "\t")}
        return "a Label Studio CSV export" if set(_FLAT) <= shown else None
    for one in first_objects(source):
        if isinstance(one.get("annotations", one.get("completions")), list) and isinstance(one.get("data"), Mapping):
            return "a Label Studio JSON export"
        if set(_FLAT) <= set(one):
            return "a Label Studio JSON_MIN export"
    return None


def read(sources: Sequence[Source]) -> Export:
    """Return the entries of Label Studio files of one form. Raises `BadInput` naming file, task and annotation."""
    entries: list[Entry] = []
    skipped, unsure = 0, False
    for source in sources:
        flat = "JSON export" not in (recognise(source) or "")
        for entry in _rows(source) if flat else _tasks(source):
            if entry is None:
                skipped += 1
            else:
                entries.append(entry)
        unsure = unsure or flat
    warnings = [f"{skipped} annotations were skipped by their rater and are taken as not given"] if skipped else []
    return Export(entries, warnings, unsure)


def _tasks(source: Source) -> Iterator[Entry | None]:
    for place, task in source.records:
        where = f"{source.name}, task {place + 1}"
        given = task.get("annotations", task.get("completions")) if isinstance(task, Mapping) else None
        if not isinstance(given, list) or task.get("id") is None:
            raise BadInput(f"{where}: a task needs an id and a list of annotations")
        context = task["data"] if isinstance(task.get("data"), Mapping) else {}
        for number, annotation in enumerate(given, start=1):
            at = f"{where} (id {task['id']}), annotation {number}"
            yield _annotation(annotation, at, str(task["id"]), context)


def _annotation(annotation: Any, where: str, unit: str, context: Mapping[str, Any]) -> Entry | None:
    result = annotation.get("result") if isinstance(annotation, Mapping) else None
    if not isinstance(result, list):
        raise BadInput(f"{where}: an annotation needs a list called result")
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return None
    answers: dict[str, Any] = {}
    for region in result:
        if isinstance(region, Mapping) and isinstance(region.get("from_name"), str):
            _add(answers, region["from_name"], _value(region))
    return Entry(where, unit, _rater(annotation.get("completed_by"), where), answers, context)


def _rater(completed_by: Any, where: str) -> str:
    """Return the rater as CSV exports name them: the e-mail where there is one, else the number."""
    if isinstance(completed_by, Mapping):
        completed_by = completed_by.get("email") or completed_by.get("id")
    if not isinstance(completed_by, str | int) or completed_by == "":
        raise BadInput(f"{where}: completed_by does not say who made it; export with the annotators")
    return str(completed_by)


def _value(region: Mapping[str, Any]) -> Any:
    value, kind = region.get("value"), region.get("type")
    key = _SINGLE.get(str(kind))
    if not isinstance(value, Mapping) or key is None or key not in value:
        return Marked(f"{kind or 'regions'}")
    if {"start", "end", "x", "y"} & set(value):
        return Marked("choices of single regions")
    return value[key]


def _add(answers: dict[str, Any], name: str, value: Any) -> None:
    """Put one region's answer beside earlier ones of the same control."""
    earlier = answers.get(name, [])
    if isinstance(value, Marked) or isinstance(earlier, Marked):
        answers[name] = value if isinstance(value, Marked) else earlier
        return
    answers[name] = [*earlier, *(value if isinstance(value, list) else [value])]


def _rows(source: Source) -> Iterator[Entry | None]:
    for place, row in _flat_rows(source):
        where = f"{source.name}, row {place}"
        if row.get("id") in (None, ""):
            raise BadInput(f"{where}, column id: the row says no task")
        if str(row.get("was_cancelled")).lower() == "true":
            yield None
            continue
        answers = {name: _flat_value(value, where, name) for name, value in row.items() if name not in _OWN}
        yield Entry(where, str(row["id"]), _rater(row.get("annotator"), where), answers, row)


def _flat_rows(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if source.text.lstrip()[:1] in ("{", "["):
        for place, row in source.records:
            if not isinstance(row, Mapping):
                raise BadInput(f"{source.name}, row {place + 1}: not an object, as JSON_MIN has it")
            yield place + 1, row
        return
    lines, _ = open_delimited(source.text, source.name, _FLAT)
    header = [cell.strip() for cell in next(lines, (0, []))[1]]
    for row_number, cells in lines:
        refuse_width(cells, header, source.name, row_number)
        yield row_number, dict(zip(header, cells, strict=True))


def _flat_value(value: Any, where: str, name: str) -> Any:
    """Return a flat cell as an answer: several choices and ratings are JSON in a CSV cell."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(value)
        except ValueError:
            return value  # the item's own text may begin so
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, Mapping):
        return next((value[key] for key in _SINGLE.values() if set(value) == {key}), Marked("regions"))
    if isinstance(value, list):
        return value if all(isinstance(one, str | int | float) for one in value) else Marked("regions")
    return value


FORMAT = RatingFormat(
    "label-studio",
    "Label Studio: JSON, JSON_MIN or CSV export; choices, ratings, numbers",
    "completed_by (annotator in JSON_MIN and CSV)",
    recognise,
    read,
)
