"""The files an export adds for other programs: each checked against the codings and against the tables beside it.

Puts the checks in order; what is compared is in `verify_ratings`, `verify_times` and `verify_package`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.domain.stats.check.verify_agreement import ratings_again
from app.domain.stats.check.verify_coders import CodedClaim, Facts
from app.domain.stats.check.verify_csv import UnreadableError, as_dicts
from app.domain.stats.check.verify_files import Table
from app.domain.stats.check.verify_ledger import Ledger
from app.domain.stats.check.verify_package import NAME as PACKAGE
from app.domain.stats.check.verify_package import check_package
from app.domain.stats.check.verify_ratings import CATEGORIES, LONG, WIDE, check_columnar, check_ratings
from app.domain.stats.check.verify_times import check_controls, check_timesheet

TIMESHEET, CONTROLS = "timesheet.csv", "controls.csv"
TABLES = (TIMESHEET, CONTROLS, WIDE, LONG, CATEGORIES)
Folder = tuple[Mapping[str, bytes], Mapping[str, Table]]
Given = tuple[list[str], dict[str, CodedClaim], Facts]
Columnar = Callable[[bytes], Table | None]


def unread(data: bytes) -> Table | None:
    """Return None: where nobody reads Parquet, its hash alone speaks for it."""
    return None


def check_further(
    folder: Folder, documents: Mapping[str, object], given: Given, columnar: Columnar, ledger: Ledger
) -> None:
    """Check the further files of a folder; one that is missing is a fault. `given` as for `check_agreement`.

    `columnar` reads Parquet bytes as cells of text, or returns None where it cannot be read here.
    """
    files, tables = folder
    order, claims, facts = given
    for name in [*(t for t in TABLES if t not in tables), *([] if PACKAGE in files else [PACKAGE])]:
        ledger.fault((name, None, None), "a readable file, which every export has", "none")
    if TIMESHEET in tables:
        check_timesheet(TIMESHEET, as_dicts(*tables[TIMESHEET]), claims, facts, ledger)
    if CONTROLS in tables:
        check_controls(CONTROLS, as_dicts(*tables[CONTROLS]), facts, ledger)
    if {WIDE, LONG, CATEGORIES} <= set(tables):
        check_ratings(tables, (order, facts.slots, ratings_again(documents, given)), ledger)
    if PACKAGE in files:
        check_package(files, tables, facts, ledger)
    for name in sorted(name for name in files if name.endswith(".parquet")):
        _check_parquet(name, folder, columnar, ledger)


def _check_parquet(name: str, folder: Folder, columnar: Columnar, ledger: Ledger) -> None:
    files, tables = folder
    table = tables.get(name.removesuffix(".parquet") + ".csv")
    if table is None:
        ledger.fault((name, None, None), "a table of the same name", "none")
        return
    try:
        found = columnar(files[name])
    except UnreadableError as broken:
        ledger.fault((name, None, None), "a Parquet file", str(broken))
        return
    if found is not None:
        check_columnar(name, found, table, ledger)
