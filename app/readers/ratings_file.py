"""Ratings in a long CSV: one row a rating, with columns for the unit, the rater, the label and perhaps the run.

Responsible for the file's form (UTF-8, commas, semicolons or tabs, quoting, missing columns and cells), for naming row
and column of what cannot be read, and for warning of labels that look like slips. It never changes a label: no case is
folded, no space trimmed. It computes nothing.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.domain.codebook.crosswalk_model import CROSSWALK
from app.domain.errors import BadInput
from app.domain.stats.ratings import LongTable, Ratings, build_ratings, category_order, natural_key, number_of
from app.readers.csv_table import decode, read_bytes
from app.readers.delimited import DELIMITERS, Lines, open_delimited, refuse_width

DEFAULT_CLUSTER = "run"
_ORIGIN, _VERSION = "origin", "codebook_version"
LOOKS_MISSING = frozenset({"na", "n/a", "nan", "null", "none", ".", "-", "?"})


@dataclass(frozen=True)
class RatingColumns:
    """Which column holds what. `cluster` None: a column `run` is used where there is one."""

    unit: str = "unit"
    rater: str = "rater"
    label: str = "label"
    cluster: str | None = None


def read_ratings(path: Path, columns: RatingColumns, categories: Sequence[str] | None = None) -> Ratings:
    """Return the ratings in a CSV file over the declared categories, or over the labels that occur.

    An empty label is a rating that was not given, and so is a row whose `origin` says that a crosswalk carried it over:
    it is nobody's second opinion. Rows under two codebook versions are refused. Units, raters and runs are ordered by
    name, digits as numbers, so the order of rows does not matter. Raises `BadInput` naming file, row (the header is not
    counted) and column.
    """
    name = path.name
    wanted = {columns.unit, columns.rater, columns.label}
    lines, delimiter = open_delimited(decode(read_bytes(path), name), name, wanted)
    carried: list[int] = []
    table, spaces = _columns(lines, name, columns, carried)
    if not any(label is not None for label in table.labels) and categories is None:
        raise BadInput(f"{name}, column {columns.label}: there is not one label; nothing can be compared")
    read = TableRead(table, columns.label, lambda i: f"{name}, row {i + 1}")
    return ratings_of(read, categories, [*_about_form(delimiter, table, columns, spaces), *_about_carried(carried)])


@dataclass(frozen=True)
class TableRead:
    """A long table as read, what its label column is called, and where each of its ratings stands."""

    table: LongTable
    label_column: str
    where: Callable[[int], str]


def ratings_of(read: TableRead, categories: Sequence[str] | None, warnings: Iterable[str]) -> Ratings:
    """Return a read table as ratings over the declared categories, or over the labels that occur (at least one).

    Units, raters and runs are ordered by name, digits as numbers; `warnings` and those about labels that look like
    slips go with them. Raises `BadInput` as `build_ratings` does.
    """
    said = [*warnings, *label_warnings(read.table.labels)]
    if categories is None:
        categories = category_order(label for label in read.table.labels if label is not None)
        said.append(_about_order(categories))
    ratings = build_ratings(
        read.table, categories, sort_key=natural_key, where=read.where, label_column=read.label_column
    )
    return replace(ratings, warnings=tuple(said))


def read_categories(text: str) -> list[str]:
    """Return declared categories from `a,b,c`, or from a file given as `@FILE` with one a line.

    >>> read_categories("no, yes")
    ['no', 'yes']

    Raises `BadInput` for a file that cannot be read or a category without a name.
    """
    if text.startswith("@"):
        path = Path(text[1:])
        names = [line for line in decode(read_bytes(path), path.name).splitlines() if line.strip()]
    else:
        names = [part.strip() for part in text.split(",")]
    if not names or "" in names:
        raise BadInput(f"the categories {text!r} name an empty one; write them as a,b,c or as @FILE with one a line")
    return names


def read_weights(path: Path, n_categories: int) -> list[list[float]]:
    """Return the disagreement weights in a CSV of `n_categories` rows and columns, without a header.

    Raises `BadInput` naming row and column of what is no number or missing.
    """
    lines = [line for line in csv.reader(io.StringIO(decode(read_bytes(path), path.name))) if line]
    if len(lines) != n_categories:
        raise BadInput(f"{path.name}: {len(lines)} rows of weights for {n_categories} categories; one row a category")
    weights = []
    for row, line in enumerate(lines, start=1):
        if len(line) != n_categories:
            raise BadInput(f"{path.name}, row {row}: {len(line)} weights for {n_categories} categories")
        numbers = [number_of(cell) for cell in line]
        if None in numbers:
            column = numbers.index(None) + 1
            raise BadInput(f"{path.name}, row {row}, column {column}: {line[column - 1]!r} is not a number")
        weights.append([number for number in numbers if number is not None])
    return weights


def label_warnings(labels: Iterable[str | None]) -> list[str]:
    """Return sentences about labels that may be slips: case, spaces, one number spelt twice, words for missing."""
    seen = {label: None for label in labels if label is not None}
    said = []
    for kind, key in (("case or spaces", _folded), ("spelling of a number", number_of)):
        groups: dict[object, list[str]] = defaultdict(list)
        for label in seen:
            if key(label) is not None:
                groups[key(label)].append(label)
        for alike in groups.values():
            if len(alike) > 1:
                told = " and ".join(repr(label) for label in sorted(alike))
                said.append(f"labels {told} differ only in {kind} and are counted as different labels")
    for label in sorted(seen):
        if label.strip().casefold() in LOOKS_MISSING:
            said.append(f"label {label!r} is counted as a label; leave the cell empty where a rating was not given")
    return said


def _folded(label: str) -> str:
    return "".join(label.split()).casefold()


def _columns(lines: Lines, name: str, columns: RatingColumns, carried: list[int]) -> tuple[LongTable, list[int]]:
    """Return the columns as text, and the rows whose label is made of spaces only (taken as not given).

    `carried` receives the rows that a crosswalk carried over, whose label is taken as not given too.
    """
    header = [cell.strip() for cell in next(lines, (0, []))[1]]
    places = _places(header, name, columns)
    found: tuple[list[str], ...] = tuple([] for _ in places)
    labels: list[str | None] = []
    spaces: list[int] = []
    unit, rater, label, *run = places
    for row, cells in _of_one_version(lines, header, name):
        refuse_width(cells, header, name, row)
        if _is_carried(cells, header):
            cells[label] = ""
            carried.append(row)
        for column, place in enumerate(places):
            found[column].append(cells[place])
        given = cells[label]
        labels.append(given if given.strip() else None)
        if given and not given.strip():
            spaces.append(row)
    for column, place in ((0, unit), (1, rater), *((3, place) for place in run)):
        _refuse_empty(found[column], lambda row, at=place: f"{name}, row {row}, column {header[at]}")  # type: ignore[misc]
    return LongTable(found[0], found[1], labels, found[3] if run else None), spaces


def _of_one_version(lines: Lines, header: list[str], name: str) -> Lines:
    """Hand the lines on; raises `BadInput` at the first that was coded under another version than those before."""
    place = header.index(_VERSION) if _VERSION in header else None
    seen = ""
    for row, cells in lines:
        version = cells[place] if place is not None and place < len(cells) else ""
        if seen and version and version != seen:
            raise BadInput(
                f"{name}, row {row}, column {_VERSION}: {version} beside {seen}; agreement is never computed across "
                "codebook versions: keep the rows of one"
            )
        seen = seen or version
        yield row, cells


def _is_carried(cells: list[str], header: list[str]) -> bool:
    return _ORIGIN in header and cells[header.index(_ORIGIN)] == CROSSWALK


def _about_carried(rows: list[int]) -> list[str]:
    return [f"{len(rows)} rows that a crosswalk carried over are left out, the first is row {rows[0]}"] if rows else []


def _places(header: list[str], name: str, columns: RatingColumns) -> list[int]:
    wanted = [columns.unit, columns.rater, columns.label]
    cluster = columns.cluster or (DEFAULT_CLUSTER if DEFAULT_CLUSTER in header else None)
    for column in [*wanted, cluster]:
        if column is None:
            continue
        if column not in header:
            raise BadInput(f'{name}: there is no column "{column}"; the columns are {", ".join(header) or "none"}')
        if header.count(column) > 1:
            raise BadInput(f'{name}: column "{column}" stands twice in the header; keep one')
    return [header.index(column) for column in (*wanted, *([cluster] if cluster else []))]


def _refuse_empty(cells: list[str], where: Callable[[int], str]) -> None:
    if "" in cells:
        raise BadInput(f"{where(cells.index('') + 1)}: the cell is empty; every rating needs one")


def _about_form(delimiter: str, table: LongTable, columns: RatingColumns, spaces: list[int]) -> list[str]:
    said = []
    if delimiter != ",":
        said.append(f"the columns are read as separated by {DELIMITERS[delimiter]}")
    if spaces:
        said.append(
            f"{len(spaces)} labels are made of spaces only and taken as not given, the first in row {spaces[0]}"
        )
    if table.clusters is None:
        said.append(
            f'no column "{columns.cluster or DEFAULT_CLUSTER}": every unit stands for itself, and the intervals are '
            "too narrow if units of one run resemble each other"
        )
    return said


def _about_order(categories: Sequence[str]) -> str:
    shown = ", ".join(categories[:12]) + (", ..." if len(categories) > 12 else "")
    return (
        f"no categories were declared: the {len(categories)} labels that occur are used, in the order {shown}; a "
        "category nobody used is left out of Bennett's S, AC1, AC2 and Brennan-Prediger, and linear and quadratic "
        "weights follow this order"
    )
