"""Read claim lists: Parquet, CSV (UTF-8, a BOM is tolerated) and JSONL, with the columns of one contract.

Responsible for bytes to typed rows. Whether a claim holds against a log is `domain.claims.check`; writing is
`claims_writer`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from app.domain.claims.raw import COLUMNS, RawClaim
from app.domain.errors import BadInput
from app.readers.csv_table import check_columns, decode, parse_csv, read_bytes, unguard

REQUIRED = ("claim_id", "session_id", "turn_index", "target", "text")
_WHOLE = ("turn_index", "span_start", "span_end", "unit_parts", "scope_end_turn", "condition_turn")
_TRUTH = ("conditional",)
_WHOLE_TEXT = re.compile(r"[+-]?[0-9]{1,18}(?:\.0+)?\Z")
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}
_LARGEST = 2**31 - 1


def load_claims(path: Path) -> list[RawClaim]:
    """Return the rows of a claims file in file order, types settled, nothing yet held against a log.

    The format is told by content and must fit the name (`.parquet`, `.csv`, `.jsonl`). Raises `BadInput` with one
    sentence naming file, row and column: empty file, damaged or cut-short Parquet, CSV given as Parquet, unknown,
    doubled or missing column, a cell of another type, invalid UTF-8, half a surrogate pair.
    """
    data = read_bytes(path)
    kind = _kind(path, data)
    rows = {"parquet": _parquet_rows, "csv": _csv_rows, "jsonl": _jsonl_rows}[kind](path, data)
    faults: list[str] = []
    claims = [_typed(row, values, path.name, faults) for row, values in enumerate(rows, start=1)]
    if faults:
        more = f" (and {len(faults) - 1} more cells)" if len(faults) > 1 else ""
        raise BadInput(faults[0] + more)
    return claims


def _kind(path: Path, data: bytes) -> str:
    suffix = path.suffix.lower()
    named = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}.get(suffix)
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    found = "parquet" if data.startswith(b"PAR1") else "jsonl" if start == b"{" else "csv"
    if named is not None and named != found:
        names = {"parquet": "Parquet", "csv": "CSV", "jsonl": "JSONL"}
        raise BadInput(
            f"{path.name}: the name says {names[named]}, the content is not {names[named]} (it looks like "
            f"{names[found]}); rename the file or write it again"
        )
    return found


def _parquet_rows(path: Path, data: bytes) -> Iterable[Mapping[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(data))
        table.validate(full=True)
        names = table.column_names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path.name}: the Parquet file is cut short or damaged; copy or write it again") from error
    check_columns(names, path.name, COLUMNS, REQUIRED)
    return _pylist(table, path.name)


def _pylist(table: Any, name: str) -> list[dict[str, Any]]:
    """Return the table's rows; a column whose bytes are not UTF-8 is named."""
    columns: dict[str, list[Any]] = {}
    for column in table.column_names:
        try:
            columns[column] = table.column(column).to_pylist()
        except (ValueError, OverflowError) as error:
            raise BadInput(f"{name}, column {column}: cannot be read as text or number; write it again") from error
    return [{column: columns[column][i] for column in columns} for i in range(table.num_rows)]


def _csv_rows(path: Path, data: bytes) -> Iterable[Mapping[str, Any]]:
    table = parse_csv(data, path.name, COLUMNS, REQUIRED)
    for values in table.rows:
        text = values["text"]
        row: dict[str, Any] = {column: cell if cell != "" else None for column, cell in values.items()}
        yield {**row, "unguarded_text": unguard(text) if unguard(text) != text else None}


def _jsonl_rows(path: Path, data: bytes) -> Iterable[Mapping[str, Any]]:
    row = 0
    for number, line in enumerate(decode(data, path.name).split("\n"), start=1):
        if not line.strip():
            continue
        row += 1
        where = f"{path.name}, row {row} (line {number})"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deep"
            raise BadInput(f"{where}: not JSON ({reason}); write one JSON object a line") from error
        if not isinstance(value, dict):
            raise BadInput(f"{where}: not a JSON object; write one object a line, its keys the column names")
        check_columns(value, where, COLUMNS, REQUIRED)
        yield value


def _typed(row: int, values: Mapping[str, Any], name: str, faults: list[str]) -> RawClaim:
    """Return the row with its types settled; what does not fit is added to `faults` as a sentence."""
    settled: dict[str, Any] = {}
    for column, value in values.items():
        try:
            settled[column] = _settle(column, value)
        except BadInput as error:
            faults.append(f"{name}, row {row}, column {column}: {error}")
    return RawClaim(row=row, **settled)


def _settle(column: str, value: Any) -> Any:
    """Return one cell as whole number, truth or text (None where empty); raise `BadInput` with the sentence."""
    if value is None:
        return None
    if column in _WHOLE:
        return _whole(value)
    if column in _TRUTH:
        return _truth(value)
    if not isinstance(value, str):
        raise BadInput(f"{value!r} is not text; write a text")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise BadInput("the text holds half of a surrogate pair; replace it by the whole character")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, str) and _WHOLE_TEXT.match(value.strip()):
        value = int(value.strip().partition(".")[0])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST:
        raise BadInput(f"{str(value)[:40]!r} is not a whole number; write digits only")
    return value


def _truth(value: Any) -> bool:
    if isinstance(value, str):
        value = _TRUTHS.get(value.strip().lower(), value)
    if not isinstance(value, bool):
        raise BadInput(f"{str(value)[:40]!r} is not true or false; write one of them")
    return value
