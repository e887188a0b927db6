"""Reading an exported CSV character by character, and writing one row again, to compare its hash.

Written from RFC 4180 and the export's own conventions (LF, UTF-8), without the csv module, so that a fault of the
writer is not repeated by the reader.
"""

from __future__ import annotations

import hashlib

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
ROW_HASH = "row_sha256"


class UnreadableError(Exception):
    """The bytes are not a table as exports write them; the message says where."""


def parse_table(data: bytes) -> tuple[list[str], list[list[str]]]:
    """Return (header, rows) of a CSV file; raises `UnreadableError` for bytes that no export writes.

    Every row has as many cells as the header; the file ends with LF.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as broken:
        raise UnreadableError(f"byte {broken.start + 1} is not UTF-8") from broken
    lines: list[list[str]] = []
    place = 0
    while place < len(text):
        cells, place = _row(text, place, len(lines) + 1)
        lines.append(cells)
    if not lines:
        raise UnreadableError("the file is empty")
    for number, cells in enumerate(lines, start=1):
        if len(cells) != len(lines[0]):
            raise UnreadableError(f"row {number} has {len(cells)} cells, the header {len(lines[0])}")
    return lines[0], lines[1:]


def _row(text: str, place: int, number: int) -> tuple[list[str], int]:
    cells: list[str] = []
    while True:
        cell, place = _quoted(text, place, number) if text[place : place + 1] == '"' else _bare(text, place, number)
        cells.append(cell)
        if text[place : place + 1] == "\n":
            return cells, place + 1
        if text[place : place + 1] != ",":
            raise UnreadableError(f"row {number} does not end with LF")
        place += 1


def _bare(text: str, place: int, number: int) -> tuple[str, int]:
    start = place
    while place < len(text) and text[place] not in ",\n":
        if text[place] in '"\r':
            raise UnreadableError(f"row {number} has a quote or CR in an unquoted cell")
        place += 1
    return text[start:place], place


def _quoted(text: str, place: int, number: int) -> tuple[str, int]:
    parts: list[str] = []
    place += 1
    while True:
        end = text.find('"', place)
        if end < 0:
            raise UnreadableError(f"row {number} has a quote that is never closed")
        parts.append(text[place:end])
        if text[end + 1 : end + 2] != '"':
            return "".join(parts), end + 1
        parts.append('"')
        place = end + 2


def written_row(cells: list[str]) -> str:
    """Return the CSV line of cells as an export writes it."""
    out = []
    for cell in cells:
        special = "," in cell or '"' in cell or "\r" in cell or "\n" in cell
        out.append('"' + cell.replace('"', '""') + '"' if special else cell)
    return ",".join(out) + "\n"


def row_hash(header: list[str], cells: list[str]) -> str:
    """Return the SHA-256 over the line of all cells but `row_sha256`."""
    others = [cell for name, cell in zip(header, cells, strict=True) if name != ROW_HASH]
    return hashlib.sha256(written_row(others).encode("utf-8")).hexdigest()


def unguarded(cell: str) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet from running it."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in FORMULA_STARTS and len(cell) > 1 else cell


def as_dicts(header: list[str], rows: list[list[str]]) -> list[dict[str, str]]:
    """Return the rows as dictionaries of unguarded cells."""
    return [{name: unguarded(cell) for name, cell in zip(header, cells, strict=True)} for cells in rows]
