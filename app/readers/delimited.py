"""A text of rows and cells whose separator nobody named: commas, semicolons or tabs, found by the header.

Responsible for the separator, the quoting and the width of rows, each fault named by file and row (the header is not
counted). It does not know what the columns mean.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator

from app.domain.errors import BadInput

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_WIDEST_CELL = 2**31 - 1

Lines = Iterator[tuple[int, list[str]]]


def open_delimited(text: str, name: str, wanted: Collection[str]) -> tuple[Lines, str]:
    """Return (row, cells) of every line that is not empty, the header first as row 0, and the separator.

    The separator is the one under which the header shows most of the `wanted` columns, else most columns. Raises
    `BadInput` for Parquet, and while rows are taken for broken quoting.
    """
    if text.startswith("PAR1"):
        raise BadInput(f"{name}: this is a Parquet file; give the ratings as CSV")
    shown = {mark: set(header_of(text, mark)) for mark in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda mark: (len(shown[mark] & set(wanted)), len(shown[mark])))
    return _lines(text, name, delimiter), delimiter


def header_of(text: str, delimiter: str) -> list[str]:
    """Return the trimmed cells of the first line, read under one separator; [] where it is no line of cells.

    >>> header_of("unit; rater\\n1;A\\n", ";")
    ['unit', 'rater']
    """
    csv.field_size_limit(_WIDEST_CELL)
    head = text.split("\n", 1)[0].rstrip("\r")
    try:
        return [cell.strip() for cell in next(csv.reader([head], delimiter=delimiter), [])]
    except csv.Error:
        return []


def refuse_width(cells: list[str], header: list[str], name: str, row: int) -> None:
    """Raise `BadInput` naming file, row and column where a row has not as many cells as the header."""
    if len(cells) != len(header):
        column = header[min(len(cells), len(header) - 1)] if header else ""
        raise BadInput(
            f"{name}, row {row}, column {column}: the row has {len(cells)} cells and the header {len(header)}; the "
            f"columns are {', '.join(header)}"
        )


def _lines(text: str, name: str, delimiter: str) -> Lines:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    row = -1
    try:
        for cells in reader:
            if cells:
                row += 1
                yield row, cells
    except csv.Error as error:
        raise BadInput(f"{name}, row {row + 1}: the quoting is broken ({error}); write the cell again") from error
