"""A table of codings made elsewhere, and the same table written again: one row a coding, every field one column.

Responsible for cells to answers and back, byte for byte. Whether an answer is allowed is the rule engine's question;
an empty cell is an absent value, never a default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.domain.canonical import canonical_json
from app.domain.codebook.columns import further_fields, under_columns, under_fields
from app.domain.codebook.crosswalk_model import AUTO, CROSSWALK, RECODE
from app.domain.codebook.model import Codebook, Field
from app.domain.errors import BadInput
from app.domain.export.csv_form import line
from app.readers.csv_table import CsvTable, parse_csv, read_bytes, unguard

FIELD_COLUMNS = (
    *("codability", "not_codable_reason", "claim_kind", "verdict", "evidence", "evidence_strength", "log_coverage"),
    *("search_from", "search_to", "unverifiable_reason", "undetermined_reason", "severity", "materiality"),
    "disclosure",
)
LAST_COLUMNS = ("confidence", "flags", "looked_for", "note", "warnings_confirmed")
CARRIED_COLUMNS = ("origin", "how", "reason", "needs")
"""What a crosswalk says of a row: empty where a rater coded it."""
_SPAN = {"search_from": "from_turn", "search_to": "to_turn", "looked_for": "looked_for"}
_AS_JSON = ("turn_list", "citation_list", "span")
_BESIDES = ("claim_id", "coder_slot", "warnings_confirmed", *CARRIED_COLUMNS)
_ORIGINS = ("", "human", CROSSWALK)
_WHOLE = re.compile(r"-?[0-9]{1,9}\Z")
_LOOKS_GUARDED = re.compile(r"'+[=+\-@\t\r]")


@dataclass(frozen=True)
class RawCoding:
    """One row as handed in. `row` counts codings from 1 (the header is not counted).

    `answer` holds only what the row says, under the codebook's own names (citations a list, the three search columns
    one span, flags a list). `coder_slot` stands in the custodian's own export and is None in a rater's file. `origin`
    is `crosswalk` and `how` `auto` for a coding that a crosswalk carried over, with what it `needs`; `how` is `recode`,
    and `answer` empty, for a claim that is to be coded again.
    """

    row: int
    claim_id: str
    answer: dict[str, Any]
    warnings_confirmed: tuple[str, ...] = ()
    coder_slot: str | None = None
    origin: str = ""
    how: str = ""
    reason: str = ""
    needs: tuple[str, ...] = ()


def load_codings(path: Path, codebook: Codebook | None = None) -> list[RawCoding]:
    """Return the codings of a CSV file in file order.

    The columns are `claim_id`, the field columns of `rater_long.csv` and the codebook's own further fields, then
    `looked_for, note, warnings_confirmed`, in any order, and those of a crosswalk (`origin, how, reason, needs`);
    absent columns are absent values. Raises `BadInput` with file, row and column: no CSV, unknown column, no claim id,
    one claim coded twice, a cell that cannot be read, a claim to code again that has a coding beside it.
    """
    return parse_codings(read_bytes(path), path.name, codebook)


def parse_codings(data: bytes, name: str, codebook: Codebook | None = None) -> list[RawCoding]:
    """Return the codings in the bytes of a CSV file; `name` is what messages call it. Errors as in `load_codings`."""
    known = codings_columns(codebook, slots=True, carried=True)
    return codings_of(parse_csv(data, name, known, ("claim_id",)), name, codebook)


def codings_of(table: CsvTable, name: str, codebook: Codebook | None = None) -> list[RawCoding]:
    """Return the codings of a table with known columns, `name` what messages call it. Errors as in `load_codings`."""
    further = {field.name: field for field in _further(codebook)}
    seen: dict[tuple[str, str], int] = {}
    codings = []
    for row, cells in enumerate(table.rows, start=1):
        coding = _coding(row, {column: unguard(cell) for column, cell in cells.items()}, name, further)
        if codebook:
            coding = replace(coding, answer=under_fields(codebook, coding.answer))
        key = (coding.claim_id, coding.coder_slot or "")
        if key in seen:
            raise BadInput(
                f'{name}, row {row}, column claim_id: "{coding.claim_id}" is coded in row {seen[key]} too; keep one'
            )
        seen[key] = row
        codings.append(coding)
    return codings


def codings_columns(codebook: Codebook | None = None, *, slots: bool = False, carried: bool = False) -> tuple[str, ...]:
    """Return the header: `claim_id` (then `coder_slot`, then what a crosswalk says), the field columns, the codebook's
    further fields, the rest."""
    first = ("claim_id", *(("coder_slot",) if slots else ()), *(CARRIED_COLUMNS if carried else ()))
    return (*first, *FIELD_COLUMNS, *(field.name for field in _further(codebook)), *LAST_COLUMNS)


def codings_csv(rows: Iterable[RawCoding], codebook: Codebook | None = None) -> str:
    """Return the CSV text of codings in the order given; what `load_codings` read from our own export, byte for byte.

    `coder_slot` is a column where any row has one, and so are those of a crosswalk. Absent values are empty cells,
    lists of words joined by `;`, evidence canonical JSON. Text that a spreadsheet would run gets an apostrophe (and
    text that looks as if it had one gets another, so that reading gives the text back). NUL cannot stand in CSV and
    becomes U+2400.
    """
    rows = list(rows)
    columns = codings_columns(
        codebook,
        slots=any(row.coder_slot is not None for row in rows),
        carried=any(row.origin or row.how for row in rows),
    )
    further = {field.name: field for field in _further(codebook)}
    written = [line(columns)]
    for row in rows:
        named = replace(row, answer=under_columns(codebook, row.answer)) if codebook else row
        cells = _cells(named, further)
        written.append(line(_doubly_guarded(cells.get(column)) for column in columns))
    return "".join(written)


def _further(codebook: Codebook | None) -> tuple[Field, ...]:
    """Return the codebook's fields that the fixed columns do not cover, in form order."""
    return further_fields(codebook) if codebook else ()


def _coding(row: int, cells: Mapping[str, str], name: str, further: Mapping[str, Field]) -> RawCoding:
    claim_id = cells["claim_id"]
    if not claim_id:
        raise BadInput(f"{name}, row {row}, column claim_id: is empty; name the claim that is coded")
    answer: dict[str, Any] = {}
    span: dict[str, Any] = {}
    for column, cell in cells.items():
        if cell == "" or column in _BESIDES:
            continue
        try:
            value = _read(column, cell, further)
        except BadInput as error:
            raise BadInput(f"{name}, row {row}, column {column}: {error}") from error
        if column in _SPAN:
            span[_SPAN[column]] = value
        else:
            answer[column] = value
    if span:
        answer["search_span"] = {key: span[key] for key in _SPAN.values() if key in span}
    confirmed = tuple(word for word in cells.get("warnings_confirmed", "").split(";") if word)
    coding = RawCoding(row, claim_id, answer, confirmed, cells.get("coder_slot") or None, **_carried(cells))
    column, sentence = _carried_fault(coding) or ("", "")
    if sentence:
        raise BadInput(f"{name}, row {row}, column {column}: {sentence}")
    return coding


def _carried(cells: Mapping[str, str]) -> dict[str, Any]:
    said = {column: cells.get(column, "") for column in CARRIED_COLUMNS}
    origin, how = said["origin"], said["how"]
    return said | {
        "how": AUTO if origin == CROSSWALK and not how else how,
        "origin": "" if origin == "human" else origin,
        "needs": tuple(word for word in said["needs"].split(";") if word),
    }


def _carried_fault(coding: RawCoding) -> tuple[str, str] | None:
    """Return column and sentence where what a crosswalk says of a row does not hold together."""
    if coding.origin not in _ORIGINS:
        return (
            "origin",
            f'"{coding.origin[:40]}" is no origin of a coding that is brought; leave it empty or write crosswalk',
        )
    if coding.how not in ("", AUTO, RECODE):
        return "how", f'"{coding.how[:40]}" is neither {AUTO} nor {RECODE}'
    if coding.how == RECODE and coding.origin:
        return "origin", "a claim that is to be coded again was carried over by nothing; leave it empty"
    if coding.how == RECODE and coding.answer:
        column = min("search_from" if name == "search_span" else name for name in coding.answer)
        return column, "a claim that is to be coded again has no coding beside it; leave its cells empty"
    if coding.how == AUTO and coding.origin != CROSSWALK:
        return "origin", f"a coding that was carried over has the origin {CROSSWALK}"
    return None


def _read(column: str, cell: str, further: Mapping[str, Field]) -> Any:
    kind = further[column].type if column in further else ""
    if column == "evidence":
        return [_without_derived(cited) for cited in _json_list(cell)]
    if column in ("search_from", "search_to"):
        if not _WHOLE.match(cell):
            raise BadInput(f'"{cell[:40]}" is not a turn number; write digits only')
        return int(cell)
    if column == "flags" or kind == "flags":
        return [word for word in cell.split(";") if word]
    if kind == "span":
        return _json(cell)
    return _json_list(cell) if kind in _AS_JSON else cell


def _json(cell: str) -> Any:
    try:
        value = json.loads(cell, parse_constant=str)
        canonical_json(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput("the text holds half of a surrogate pair; replace it by the whole character") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f'"{cell[:40]}" is not JSON; write a list such as [{{"turn": 4}}] or [4]') from error
    return value


def _json_list(cell: str) -> list[Any]:
    value = _json(cell)
    if not isinstance(value, list):
        raise BadInput(f'"{cell[:40]}" is not a list; write a list such as [{{"turn": 4}}] or [4]')
    return value


def _without_derived(cited: Any) -> Any:
    """Leave out the tier that `rater_long.csv` derives: it is no part of an answer."""
    return {key: value for key, value in cited.items() if key != "derived_tier"} if isinstance(cited, dict) else cited


def _cells(row: RawCoding, further: Mapping[str, Field]) -> dict[str, Any]:
    cells: dict[str, Any] = {"claim_id": row.claim_id, "coder_slot": row.coder_slot}
    for name, value in row.answer.items():
        if name == "search_span":
            cells.update({column: value.get(key) for column, key in _SPAN.items()})
        elif name == "evidence" or (name in further and further[name].type in _AS_JSON):
            cells[name] = canonical_json(value) if value else None
        else:
            cells[name] = ";".join(value) if isinstance(value, list | tuple) else value
    cells["warnings_confirmed"] = ";".join(row.warnings_confirmed)
    return cells | {"origin": row.origin, "how": row.how, "reason": row.reason, "needs": ";".join(row.needs)}


def _doubly_guarded(value: Any) -> Any:
    return "'" + value if isinstance(value, str) and _LOOKS_GUARDED.match(value) else value
