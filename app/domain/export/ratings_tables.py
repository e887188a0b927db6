"""Ratings as other statistics programs take them: wide (R's irr and irrCAC, krippendorff), long, and the categories.

All fields stand in one file each, the field in the first column. A code is a label's position in the declared order,
from 1: programs that sort labels by the alphabet are handed the order with it. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.domain.accounting import Case
from app.domain.errors import BadInput
from app.domain.export.csv_form import line
from app.domain.export.manifest import Artifact
from app.domain.export.reliability import field_ratings, measured_fields
from app.domain.record import StudyRecord
from app.domain.stats.ratings import Ratings

WIDE, LONG, CATEGORIES = "ratings_wide.csv", "ratings_long.csv", "categories.csv"
LONG_COLUMNS = ("field", "unit", "rater", "label", "code", "run")
CATEGORY_COLUMNS = ("field", "code", "label", "level")
_BEFORE = ("field", "unit", "run")


@dataclass(frozen=True)
class RatedField:
    """One field's ratings: `values[g][i]` is rater g's label for unit i, or None; `runs` None where there are none."""

    name: str
    level: str
    categories: tuple[str, ...]
    raters: tuple[str, ...]
    units: tuple[str, ...]
    runs: tuple[str, ...] | None
    values: tuple[tuple[str | None, ...], ...]


def study_fields(record: StudyRecord, cases: Sequence[Case]) -> list[RatedField]:
    """Return every field of `agreement.json`, by name, with just the ratings its coefficients are computed from."""
    found = []
    for measured in sorted(measured_fields(record), key=lambda one: one.name):
        given = field_ratings(record, cases, measured)
        found.append(
            RatedField(
                measured.name, measured.level, measured.categories, given.slots, given.units, given.runs, given.values
            )
        )
    return found


def table_field(ratings: Ratings, name: str, level: str) -> RatedField:
    """Return the one field of a long table."""
    values = tuple(tuple(None if code < 0 else ratings.categories[code] for code in row) for row in ratings.codes)
    runs = tuple(ratings.cluster_names[at] for at in ratings.clusters) if ratings.clustered else None
    return RatedField(name, level, ratings.categories, ratings.raters, ratings.units, runs, values)


def ratings_artifacts(fields: Sequence[RatedField]) -> list[Artifact]:
    """Return the three files; a unit that nobody rated on a field has no row, a rating not given an empty cell.

    Raises `BadInput` for a rater whose name is also that of a column.
    """
    raters = tuple(dict.fromkeys(rater for field in fields for rater in field.raters))
    columns = wide_columns(raters)
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise BadInput(f"rater {twice!r} has the name of a column of {WIDE}; give the rater another name")
    cells = _cells_of(fields)
    wide = [row for field in fields for row in _wide(field, raters, cells)]
    long = [row for field in fields for row in _long(field, cells)]
    categories = [
        line((field.name, code, label, field.level))
        for field in fields
        for code, label in enumerate(field.categories, start=1)
    ]
    return [
        _file(WIDE, columns, wide),
        _file(LONG, LONG_COLUMNS, long),
        _file(CATEGORIES, CATEGORY_COLUMNS, categories),
    ]


def _file(path: str, columns: tuple[str, ...], lines: Sequence[str]) -> Artifact:
    return Artifact(path, "".join([line(columns), *lines]).encode("utf-8"), columns, len(lines))


def wide_columns(raters: Sequence[str]) -> tuple[str, ...]:
    """Return the header: field, unit, run, each rater's label, each rater's code.

    >>> wide_columns(["R1", "R2"])
    ('field', 'unit', 'run', 'R1', 'R2', 'R1_code', 'R2_code')
    """
    return (*_BEFORE, *raters, *(f"{rater}_code" for rater in raters))


def _wide(field: RatedField, raters: Sequence[str], cells: Mapping[str, str]) -> Iterator[str]:
    labels, runs = _labels(field), field.runs or ("",) * len(field.units)
    start, nothing = _cell(field.name), (None,) * len(field.units)
    rows = dict(zip(field.raters, field.values, strict=True))
    for unit, run, given in zip(
        field.units, runs, zip(*(rows.get(r, nothing) for r in raters), strict=True), strict=True
    ):
        if any(given):
            pairs = [labels[label] for label in given]
            told = ",".join([*(text for text, _ in pairs), *(code for _, code in pairs)])
            yield f"{start},{cells[unit]},{cells[run]},{told}\n"


def _long(field: RatedField, cells: Mapping[str, str]) -> Iterator[str]:
    labels, runs = _labels(field), field.runs or ("",) * len(field.units)
    start, names = _cell(field.name), [_cell(rater) for rater in field.raters]
    for unit, run, given in zip(field.units, runs, zip(*field.values, strict=True), strict=True):
        for name, label in zip(names, given, strict=True):
            if label is not None:
                text, code = labels[label]
                yield f"{start},{cells[unit]},{name},{text},{code},{cells[run]}\n"


def _cells_of(fields: Sequence[RatedField]) -> dict[str, str]:
    """Return the cell of every unit and run: each text is put into its form once, however many fields it stands in."""
    texts = {text for field in fields for text in (*field.units, *(field.runs or ()))}
    return {"": "", **{text: _cell(text) for text in texts}}


def _labels(field: RatedField) -> dict[str | None, tuple[str, str]]:
    """Return each label's cell and code; no label is two empty ones."""
    labels: dict[str | None, tuple[str, str]] = {None: ("", "")}
    return labels | {label: (_cell(label), str(code)) for code, label in enumerate(field.categories, start=1)}


def _cell(text: str) -> str:
    return line([text])[:-1]
