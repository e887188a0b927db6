"""One table of a scorecard as rows whose cells know where they stand: CSV, or JSON lines with one object a row.

Responsible for bytes to cells and for the sentence of a fault: file, row and column. Numbers are finite or refused.
What the columns mean is in `scorecard_tables`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.domain.errors import BadInput
from app.domain.stats.ratings import number_of
from app.readers.csv_table import check_columns, decode, parse_csv, read_bytes, unguard
from app.readers.source import parse_json, repair

_WHOLE = re.compile(r"[0-9]{1,15}\Z")
_TRUTHS = {"true": True, "false": False}
LONGEST_NAME = 1000
NESTED = "facts"
"""The one column of JSON lines that holds a list: the graded facts of a sheet."""


@dataclass(frozen=True)
class Cells:
    """One row: `where` names file and row, `values` are its cells as text, `nested` the list it may carry."""

    where: str
    values: Mapping[str, str]
    nested: Sequence[Any] | None = None

    def fault(self, column: str, sentence: str) -> BadInput:
        """Return the error that names this cell; the caller raises it."""
        return BadInput(f"{self.where}, column {column}: {sentence}")

    def maybe(self, column: str) -> str | None:
        """Return the cell's text, None where the column is absent or the cell empty."""
        text = self.values.get(column, "")
        if text[:1] == "'":
            text = unguard(text)
        return text if text and not text.isspace() else None

    def text(self, column: str) -> str:
        """Return the cell's text; an empty one is refused."""
        text = self.maybe(column)
        if text is None:
            raise self.fault(column, "the cell is empty; every row needs one")
        if len(text) > LONGEST_NAME:
            raise self.fault(column, f"{len(text)} characters are too many for a name; at most {LONGEST_NAME}")
        return text

    def one_of(self, column: str, known: Collection[str]) -> str:
        """Return the cell's text, which is one of the known words."""
        text = self.text(column)
        if text not in known:
            raise self.fault(column, f'"{text}" is not one of {", ".join(known)}')
        return text

    def number(self, column: str, low: float | None = None, high: float | None = None) -> float | None:
        """Return the cell as a finite number within its bounds, None where it is empty."""
        text = self.maybe(column)
        if text is None:
            return None
        value = number_of(text)
        if value is None:
            raise self.fault(column, f'"{text[:40]}" is not a finite number in plain digits; leave it empty for null')
        if (low is not None and value < low) or (high is not None and value > high):
            reach = f"{low:g} or more" if high is None else f"from {low:g} to {high:g}"
            raise self.fault(column, f"{value:g} is out of range; it takes {reach}")
        return value

    def whole(self, column: str, default: int | None = None) -> int | None:
        """Return the cell as a whole number from 0 on, `default` where it is empty."""
        text = self.maybe(column)
        if text is None:
            return default
        if not _WHOLE.match(text):
            raise self.fault(column, f'"{text[:40]}" is not a whole number from 0 on')
        return int(text)

    def truth(self, column: str, default: bool | None = None) -> bool | None:
        """Return the cell as true or false, `default` where it is empty."""
        text = self.maybe(column)
        if text is None:
            return default
        if text not in _TRUTHS:
            raise self.fault(column, f'"{text[:40]}" is neither true nor false')
        return _TRUTHS[text]


@dataclass(frozen=True)
class RowTable:
    """The rows of one file, its name as messages give it, and the hash of its bytes."""

    name: str
    rows: tuple[Cells, ...]
    sha256: str


def read_rows(path: Path, name: str, known: Collection[str], required: Collection[str]) -> RowTable:
    """Return the rows of a table; `.jsonl` is read as JSON lines, anything else as CSV.

    Raises `BadInput` naming file, row and column: a column that is unknown, twice there or missing, a broken row, bytes
    that are not UTF-8, a file that is not there.
    """
    data = read_bytes(path)
    found = _json_lines if name.endswith(".jsonl") else _csv_rows
    return RowTable(name, tuple(found(data, name, known, required)), hashlib.sha256(data).hexdigest())


def refuse_doubled(rows: Sequence[Cells], columns: Sequence[str]) -> None:
    """Raise `BadInput` for a row whose key stands in an earlier row."""
    seen: dict[tuple[str | None, ...], str] = {}
    for row in rows:
        key = tuple(row.maybe(column) for column in columns)
        if key in seen:
            said = ", ".join(f"{c} {k}" for c, k in zip(columns, key, strict=True) if k is not None)
            raise row.fault(columns[-1], f"{said} stands a second time (first in {seen[key]}); keep one")
        seen[key] = row.where


def _csv_rows(data: bytes, name: str, known: Collection[str], required: Collection[str]) -> Iterator[Cells]:
    table = parse_csv(data, name, [column for column in known if column != NESTED], required)
    for row, values in enumerate(table.rows, start=1):
        yield Cells(f"{name}, row {row}", values)


def _json_lines(data: bytes, name: str, known: Collection[str], required: Collection[str]) -> Iterator[Cells]:
    for at, line in enumerate(decode(data, name).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}, line {at}"
        value, _ = repair(parse_json(line, where))
        if not isinstance(value, dict):
            raise BadInput(f"{where}: is not an object with named values")
        check_columns(list(value), where, known, required)
        nested = value.pop(NESTED, None)
        if nested is not None and not isinstance(nested, list):
            raise BadInput(f"{where}, column {NESTED}: takes a list of facts")
        yield Cells(where, {column: _as_text(cell, where, column) for column, cell in value.items()}, nested)


def _as_text(cell: Any, where: str, column: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return repr(cell)
    if isinstance(cell, str):
        return cell
    raise BadInput(f"{where}, column {column}: takes one value, not a list or an object")
