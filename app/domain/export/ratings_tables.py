"""Ratings as other statistics programs take them: wide (R's irr and irrCAC, krippendorff), long, and the categories.

All fields stand in one file each, the field in the first column. A code is a label's position in the declared order,
from 1: programs that sort labels by the alphabet are handed the order with it. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.accounting import Case
from app.domain.errors import BadInput
from app.domain.export.csv_form import table_bytes
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
    wide = [row for field in fields for row in _wide(field)]
    long = [row for field in fields for row in _long(field)]
    categories = [
        {"field": field.name, "code": code, "label": label, "level": field.level}
        for field in fields
        for code, label in enumerate(field.categories, start=1)
    ]
    return [
        Artifact(WIDE, table_bytes(columns, wide), columns, len(wide)),
        Artifact(LONG, table_bytes(LONG_COLUMNS, long), LONG_COLUMNS, len(long)),
        Artifact(CATEGORIES, table_bytes(CATEGORY_COLUMNS, categories), CATEGORY_COLUMNS, len(categories)),
    ]


def wide_columns(raters: Sequence[str]) -> tuple[str, ...]:
    """Return the header: field, unit, run, each rater's label, each rater's code.

    >>> wide_columns(["R1", "R2"])
    ('field', 'unit', 'run', 'R1', 'R2', 'R1_code', 'R2_code')
    """
    return (*_BEFORE, *raters, *(f"{rater}_code" for rater in raters))


def _wide(field: RatedField) -> Iterator[dict[str, Any]]:
    code = {label: place for place, label in enumerate(field.categories, start=1)}
    for i, unit in enumerate(field.units):
        labels = {rater: row[i] for rater, row in zip(field.raters, field.values, strict=True) if row[i] is not None}
        if labels:
            codes = {f"{rater}_code": code[label] for rater, label in labels.items() if label is not None}
            yield {"field": field.name, "unit": unit, "run": field.runs[i] if field.runs else None, **labels, **codes}


def _long(field: RatedField) -> Iterator[dict[str, Any]]:
    code = {label: place for place, label in enumerate(field.categories, start=1)}
    for i, unit in enumerate(field.units):
        for rater, row in zip(field.raters, field.values, strict=True):
            label = row[i]
            if label is not None:
                own = {"field": field.name, "unit": unit, "rater": rater, "label": label, "code": code[label]}
                yield {**own, "run": field.runs[i] if field.runs else None}
