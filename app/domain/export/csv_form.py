"""The bytes of an exported table: RFC 4180 with LF, every cell in its canonical form, every row hashed.

The standard writer leaves a lone carriage return unquoted on Python 3.11 and quotes it on later versions; a row with
one would fall apart when read, and the bytes would depend on the interpreter. So the quoting is written out here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.domain.canonical import cell, sha256_hex

ROW_HASH = "row_sha256"


def line(values: Iterable[Any]) -> str:
    """Return one line, LF at the end; a cell is quoted where it holds a comma, a quote, CR or LF.

    A lone surrogate, which UTF-8 cannot carry, becomes U+FFFD.

    >>> line([1, "a,b", None, 0.5, "=1"])
    '1,"a,b",,0.5,\\'=1\\n'
    """
    return ",".join(_quoted(_encodable(cell(value))) for value in values) + "\n"


def table_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return a CSV file's bytes: the header, then the rows in the order given; a missing key is an empty cell."""
    lines = [line(columns), *(line(row.get(name) for name in columns) for row in rows)]
    return "".join(lines).encode("utf-8")


def hashed(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with `row_sha256`: SHA-256 over the UTF-8 line of all other cells, in column order with LF."""
    others = [name for name in columns if name != ROW_HASH]
    complete = ({name: row.get(name) for name in others} for row in rows)
    return [{**row, ROW_HASH: sha256_hex(line(row.values()))} for row in complete]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\r\n') else text


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
