"""`ratings_wide.csv`, `ratings_long.csv` and `categories.csv` again, from the codings; and the Parquet files by cells.

What stands in them must be what the coefficients are computed from, in the declared order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.domain.stats.check.raw import Raw
from app.domain.stats.check.verify_files import Table
from app.domain.stats.check.verify_ledger import Ledger

WIDE, LONG, CATEGORIES = "ratings_wide.csv", "ratings_long.csv", "categories.csv"
Ratings = Iterable[tuple[str, Raw]]


def check_ratings(tables: Mapping[str, Table], given: tuple[list[str], list[str], Ratings], ledger: Ledger) -> None:
    """Compare every row of the three tables; `given` is (claims in order, slots, each field's ratings)."""
    units, slots, ratings = given
    fields = sorted(ratings, key=lambda one: one[0])
    header = ["field", "unit", "run", *slots, *(f"{slot}_code" for slot in slots)]
    wide = [row for name, raw in fields for row in _wide(name, raw, units)]
    long = [row for name, raw in fields for row in _long(name, raw, (units, slots))]
    categories = [
        [name, str(place + 1), label, raw.level] for name, raw in fields for place, label in enumerate(raw.categories)
    ]
    _compare(WIDE, (header, wide), tables, ledger)
    _compare(LONG, (["field", "unit", "rater", "label", "code", "run"], long), tables, ledger)
    _compare(CATEGORIES, (["field", "code", "label", "level"], categories), tables, ledger)


def check_columnar(name: str, found: Table, table: Table, ledger: Ledger) -> None:
    """Compare a Parquet file, read as cells, with its CSV: the same columns, rows and cells."""
    _compare(name, table, {name: found}, ledger)


def _wide(name: str, raw: Raw, units: list[str]) -> Iterable[list[str]]:
    for place, unit in enumerate(units):
        labels = [row[place] for row in raw.rows]
        if any(label is not None for label in labels):
            codes = ["" if label is None else str(_code(raw, label)) for label in labels]
            yield [name, unit, _run(raw, place), *(_guarded(label or "") for label in labels), *codes]


def _long(name: str, raw: Raw, who: tuple[list[str], list[str]]) -> Iterable[list[str]]:
    units, slots = who
    for place, unit in enumerate(units):
        for slot, row in zip(slots, raw.rows, strict=True):
            label = row[place]
            if label is not None:
                yield [name, unit, slot, _guarded(label), str(_code(raw, label)), _run(raw, place)]


def _code(raw: Raw, label: str) -> int:
    """Return a label's place in the declared order, from 1; 0 for one that is not declared, which no file holds."""
    return list(raw.categories).index(label) + 1 if label in raw.categories else 0


def _run(raw: Raw, place: int) -> str:
    return raw.runs[place] if raw.runs is not None else ""


def _guarded(label: str) -> str:
    return "'" + label if label.startswith(("=", "+", "-", "@", "\t", "\r")) else label


def _compare(name: str, expected: Table, tables: Mapping[str, Table], ledger: Ledger) -> None:
    header, rows = tables[name]
    ledger.same((name, None, "columns"), expected[0], header)
    ledger.same((name, None, "rows"), len(expected[1]), len(rows))
    if expected[0] != header:
        return
    for number, (wanted, cells) in enumerate(zip(expected[1], rows, strict=False), start=2):
        for column, cell, given in zip(header, wanted, cells, strict=True):
            ledger.same((name, str(number), column), cell, given)
