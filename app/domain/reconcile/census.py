"""What the tables hold before anything is compared: nulls, decimals, and what was stated of them beforehand.

Responsible for counts alone. What was stated and does not hold is reported, never refused: a stated count is what was
seen when the spec was written, not a rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.domain.reconcile.spec import Spec, Table, expand

AT_MOST = "decimals at most"


def take_census(spec: Spec, target: Any, source: Any) -> dict[str, Any]:
    """Return nulls by table and column, the most decimals of each number column of the target, stated beside found."""
    frames = {"target": target, "source": source}
    nulls = {
        table.role: {name: int(frames[table.role][name].isna().sum()) for name in table.columns}
        for table in (spec.target, spec.source)
    }
    decimals = {
        name: most_decimals(target[name].dropna().tolist())
        for name, kind in spec.target.columns.items()
        if kind == "number"
    }
    stated = [
        line
        for table in (spec.target, spec.source)
        for line in _stated(spec, table, len(frames[table.role]), nulls[table.role], decimals)
    ]
    return {"nulls": nulls, "decimals": decimals, "stated": stated}


def most_decimals(values: list[float]) -> int | None:
    """Return the most decimals any value needs in its shortest form; None where there is no value.

    >>> most_decimals([81.0, 4.39, 0.0001]), most_decimals([5.0]), most_decimals([])
    (4, 0, None)
    """
    needed = [-int(Decimal(repr(float(value))).normalize().as_tuple().exponent) for value in values]
    return max(0, *needed) if needed else None


def _stated(
    spec: Spec, table: Table, rows: int, nulls: dict[str, int], decimals: dict[str, int | None]
) -> Iterator[dict[str, Any]]:
    stated = table.stated
    for what, said, found in (("rows", stated.rows, rows), ("columns", stated.columns, len(table.columns))):
        if said is not None:
            yield _line(table, what, None, said, found)
    for name, said in stated.nulls.items():
        for column in expand((name,), spec.mapping.prefixes):
            yield _line(table, "nulls", column, said, nulls[column])
    for name, said in stated.decimals.items():
        for column in expand((name,), spec.mapping.prefixes):
            yield _line(table, AT_MOST, column, said, decimals.get(column))


def _line(table: Table, what: str, column: str | None, said: int, found: int | None) -> dict[str, Any]:
    holds = found is not None and (found <= said if what == AT_MOST else found == said)
    return {"table": table.role, "what": what, "column": column, "stated": said, "found": found, "holds": holds}
