"""Codings that a crosswalk is to carry over: a codings file, or a `rater_long.csv`, of the old codebook.

Responsible for telling the two apart and for leaving out the book-keeping columns of the second. Whether a coding can
be understood is the crosswalk's question.
"""

from __future__ import annotations

from pathlib import Path

from app.domain.codebook.crosswalk_model import CROSSWALK, RECODE
from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput
from app.domain.export.long import long_columns
from app.readers.codings_file import RawCoding, codings_columns, codings_of
from app.readers.csv_table import CsvTable, parse_csv, read_bytes

_CLAIM, _BLIND = "claim_id", "blind_claim_id"


def load_old_codings(path: Path, codebook: Codebook) -> list[RawCoding]:
    """Return the codings of a file in file order.

    `rater_long.csv` names claims under `blind_claim_id`, which stands for `claim_id` where there is none; its further
    columns are not read. Raises `BadInput` as `load_codings` does, for a row of another codebook version, and for a row
    that is itself what a crosswalk made: only what a rater coded is carried over.
    """
    name = path.name
    mine = codings_columns(codebook, slots=True, carried=True)
    besides = [column for column in (*long_columns(codebook), "codebook_sha256") if column not in mine]
    table = parse_csv(read_bytes(path), name, (*mine, *besides), ())
    if _CLAIM not in table.header and _BLIND not in table.header:
        raise BadInput(f'{name}: the column "{_CLAIM}" is missing; add it to the header')
    for row, cells in enumerate(table.rows, start=1):
        version = cells.get("codebook_version") or codebook.version
        if version != codebook.version:
            raise BadInput(
                f"{name}, row {row}, column codebook_version: was coded under {version}, not {codebook.version}"
            )
    codings = codings_of(_narrowed(table, mine), name, codebook)
    for coding in codings:
        if coding.origin == CROSSWALK or coding.how == RECODE:
            column = "origin" if coding.origin else "how"
            raise BadInput(
                f"{name}, row {coding.row}, column {column}: is what a crosswalk made; carry over what a rater coded"
            )
    return codings


def _narrowed(table: CsvTable, mine: tuple[str, ...]) -> CsvTable:
    """Return the table with the columns of a codings file alone."""
    renamed = {_CLAIM if _CLAIM in table.header else _BLIND: _CLAIM}
    kept = {column: renamed.get(column, column) for column in table.header if renamed.get(column, column) in mine}
    rows = tuple({new: _plain(old, cells[old]) for old, new in kept.items()} for cells in table.rows)
    return CsvTable(tuple(kept.values()), rows)


def _plain(column: str, cell: str) -> str:
    """`human` and `machine` say who coded, which is nothing to a crosswalk; only what one made is told apart."""
    return "" if column == "origin" and cell != CROSSWALK else cell
