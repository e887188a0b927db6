"""One CSV file as a header and rows of text cells, with every fault named by file, row and column.

Responsible for bytes to cells: UTF-8 (a BOM is tolerated), RFC 4180 quoting, a header with known, single names and rows
as wide as it. It does not know what the columns mean. Its writing side is `domain.canonical`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.domain.errors import BadInput

_WIDEST_CELL = 2**31 - 1
_GUARDED = re.compile(r"'+[=+\-@\t\r]")


@dataclass(frozen=True)
class CsvTable:
    """A header and its rows; `rows[i]` is row i + 1 in messages (the header is not counted)."""

    header: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes; raise `BadInput` where it is absent, no file, unreadable or empty."""
    if path.exists() and not path.is_file():
        raise BadInput(f"{path.name}: cannot be read (it is no file); give the path of a file")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path.name}: cannot be read ({error.strerror or error}); give the path of a file") from error
    if not data.strip():
        raise BadInput(f"{path.name}: the file is empty; there is nothing to read")
    return data


def decode(data: bytes, name: str) -> str:
    """Return the text of UTF-8 bytes without a BOM; raise `BadInput` naming the line of the first wrong byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput(f"{name}, line {line}: not UTF-8 (byte {error.start}); save the file as UTF-8") from error


def parse_csv(data: bytes, name: str, known: Collection[str], required: Collection[str]) -> CsvTable:
    """Return the table in `data`.

    `known` are the columns that may stand in it, `required` those that must. Raises `BadInput` for Parquet given as
    CSV, broken quoting, a column that is unknown, twice there or missing, and a row of another width than the header.
    """
    if data.startswith(b"PAR1"):
        raise BadInput(f"{name}: this is a Parquet file under a CSV name; rename it to .parquet")
    csv.field_size_limit(_WIDEST_CELL)
    reader = csv.reader(io.StringIO(decode(data, name), newline=""), strict=True)
    try:
        lines = [line for line in reader if line]
    except csv.Error as error:
        raise BadInput(
            f"{name}, line {reader.line_num}: the quoting is broken ({error}); write the cell again"
        ) from error
    if not lines:
        raise BadInput(f"{name}: the file holds no header; the first line names the columns")
    header = tuple(lines[0])
    check_columns(header, name, known, required)
    for row, line in enumerate(lines[1:], start=1):
        if len(line) != len(header):
            column = header[min(len(line), len(header)) - 1]
            raise BadInput(
                f"{name}, row {row}, column {column}: the row has {len(line)} cells and the header {len(header)}; "
                "a comma or a line break in a text needs quotes around it"
            )
    return CsvTable(header, tuple(dict(zip(header, line, strict=True)) for line in lines[1:]))


def check_columns(header: Collection[str], name: str, known: Collection[str], required: Collection[str]) -> None:
    """Raise `BadInput` for a column that is unknown, there twice, or required and missing."""
    seen: set[str] = set()
    for column in header:
        if column not in known:
            raise BadInput(f'{name}: unknown column "{column}"; the columns are {", ".join(known)}')
        if column in seen:
            raise BadInput(f'{name}: column "{column}" stands twice in the header; keep one')
        seen.add(column)
    for column in required:
        if column not in seen:
            raise BadInput(f'{name}: the column "{column}" is missing; add it to the header')


def unguard(cell: str) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet from running it as a formula.

    >>> unguard("'=1+1"), unguard("'tis"), unguard("''=1")
    ('=1+1', "'tis", "'=1")
    """
    return cell[1:] if _GUARDED.match(cell) else cell
