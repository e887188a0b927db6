"""Is a table what the spec declares? Columns, kinds, row keys, finite numbers; the first fault with its place.

Responsible for refusing a table before anything is computed from it. It neither opens files nor repairs values.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from app.domain.reconcile.faults import SpecFault
from app.domain.reconcile.spec import Path, Table

LARGEST = 1e15


def find_drift(declared: Table, found: pa.Table) -> SpecFault | None:
    """Return the first way in which `found` is not what `declared` says, or None.

    Rows are counted from 1. The path is that of the declaration which does not hold.
    """
    for check in (_names, _kinds, _readable, _finite, _unique):
        for path, message in check(declared, found):
            return SpecFault(("tables", declared.role, *path), message)
    return None


def _names(declared: Table, found: pa.Table) -> Iterator[tuple[Path, str]]:
    names = found.column_names
    for name in declared.columns:
        if name not in names:
            yield ("columns", name), f"{declared.file} has no such column"
    for name in names:
        if name not in declared.columns:
            yield ("columns",), f'{declared.file} has the column "{name}", which is not declared'
        if names.count(name) > 1:
            yield ("columns", name), f"{declared.file} has this column twice"
    if not found.num_rows:
        yield ("file",), f"{declared.file} holds no row"


def _kind(kind: pa.DataType) -> str | None:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    if pa.types.is_float64(kind):
        return "number"
    if pa.types.is_integer(kind):
        return "whole"
    return "truth" if pa.types.is_boolean(kind) else None


def _kinds(declared: Table, found: pa.Table) -> Iterator[tuple[Path, str]]:
    for name, kind in declared.columns.items():
        is_now = found.schema.field(name).type
        if _kind(is_now) != kind:
            yield ("columns", name), f"is declared as {kind}, and in {declared.file} it is of type {is_now}"


def _readable(declared: Table, found: pa.Table) -> Iterator[tuple[Path, str]]:
    for name in declared.columns:
        try:
            found.column(name).validate(full=True)
        except pa.ArrowInvalid:
            yield ("columns", name), f"{declared.file} holds bytes there that are no UTF-8 text"


def _finite(declared: Table, found: pa.Table) -> Iterator[tuple[Path, str]]:
    for name, kind in declared.columns.items():
        if kind == "number":
            column = found.column(name)
            sound = pc.and_(pc.is_finite(column), pc.less_equal(pc.abs(column), LARGEST))
            finite = pc.fill_null(sound, True)
            wrong = pc.index(finite, False).as_py()
            if wrong >= 0:
                value = found.column(name)[wrong].as_py()
                yield (
                    ("columns", name),
                    f"{declared.file}, row {wrong + 1} holds {value}; only finite numbers up to 1e15 are taken",
                )


def _unique(declared: Table, found: pa.Table) -> Iterator[tuple[Path, str]]:
    seen: dict[tuple[object, ...], int] = {}
    columns = [found.column(name).to_pylist() for name in declared.unique]
    for row, key in enumerate(zip(*columns, strict=True), start=1):
        named = ", ".join(f"{name} {value!r}" for name, value in zip(declared.unique, key, strict=True))
        if None in key:
            yield ("unique",), f"{declared.file}, row {row} lacks a part of its key ({named})"
        if key in seen:
            yield ("unique",), f"{declared.file}, rows {seen[key]} and {row} have the same key ({named}); keep one"
        seen[key] = row
