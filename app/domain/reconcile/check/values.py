"""Every policy's value on one set of rows, by the words of the registration: counts, sums, means, medians, one row at a
time. An undefined value is None."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from app.domain.reconcile.check.declared import Tree, category_of, families_by_column
from app.domain.reconcile.check.matching import Columns

Row = dict[str, Any]
Rows = list[Row]


def rounded(value: float, digits: int) -> float:
    """Return the value rounded half to even at `digits` decimals of its shortest decimal form."""
    unit = Decimal((0, (1,), -digits))
    return float(Decimal(repr(value)).quantize(unit, ROUND_HALF_EVEN, Context(prec=400)))


class Groups:
    """The source rows by group, and by group and category."""

    def __init__(self, source: Columns, labels: list[str | None], prefixes: list[str | None]) -> None:
        names = list(source)
        self.whole: dict[str, Rows] = {}
        self.by_category: dict[tuple[str, str], Rows] = {}
        for i, label in enumerate(labels):
            if label is None:
                continue
            row = {name: source[name][i] for name in names}
            self.whole.setdefault(label, []).append(row)
            prefix = prefixes[i]
            if prefix is not None:
                self.by_category.setdefault((label, prefix), []).append(row)
        self.names = sorted(self.whole)


def all_values(spec: Tree, groups: Groups) -> dict[tuple[str, str], dict[str, Any]]:
    """Return (column, policy) → group → value; for texts the value is (value, number of values)."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for column, family in families_by_column(spec).items():
        category = category_of(column, family, spec)
        for policy in family["policies"]:
            values = {}
            for name in groups.names:
                if category is not None and (name, category) not in groups.by_category:
                    continue
                values[name] = _value(spec, groups, name, column, policy)
            found[column, policy["id"]] = values
    return found


def _value(spec: Tree, groups: Groups, name: str, column: str, policy: Tree) -> Any:
    family = families_by_column(spec)[column]
    if "text_rule" in policy:
        return _text([row[column] for row in groups.whole[name]], policy["text_rule"])
    if "distinct_having" in policy:
        return _distinct(groups.whole[name], spec["mapping"]["benchmark"], family["value"], policy["distinct_having"])
    if "macro" in policy:
        return _mean_over_categories(spec, groups, name, family, policy)
    category = category_of(column, family, spec)
    rows = groups.whole[name] if category is None else groups.by_category[name, category]
    return formula_value(spec, rows, family["value"], policy["formula"])


def formula_value(spec: Tree, rows: Rows, column: str, formula: Tree) -> float | None:
    """Return one formula on a set of rows."""
    becomes = spec["missing"][formula["missing"]]
    scale = float(formula.get("scale", 1.0))
    if formula["aggregation"] == "median":
        value = _median(list(_present(rows, column, becomes)))
    else:
        bottom = _count(rows, spec["denominators"][formula["denominator"]])
        if bottom == 0:
            return None
        if formula["aggregation"] == "share":
            top = float(sum(1 for row in rows if row[column] is True))
        else:
            top = math.fsum(_present(rows, column, becomes))
        value = scale * top / bottom
    if value is not None and "rounded_to" in formula:
        value = rounded(value, formula["rounded_to"])
    return value


def _present(rows: Rows, column: str, becomes: str) -> Iterator[float]:
    for row in rows:
        if row[column] is not None:
            yield row[column]
        elif becomes == "zero":
            yield 0.0


def _median(values: list[float]) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _count(rows: Rows, denominator: Tree) -> int:
    n = 0
    for row in rows:
        if (
            denominator["counts"] == "rows"
            or (denominator["counts"] == "observed" and row[denominator["column"]] is not None)
            or (denominator["counts"] == "true" and row[denominator["column"]] is True)
        ):
            n += 1
    return n


def _mean_over_categories(spec: Tree, groups: Groups, name: str, family: Tree, policy: Tree) -> float | None:
    prefixes = spec["mapping"]["prefixes"]
    known = []
    for prefix in prefixes:
        rows = groups.by_category.get((name, prefix))
        value = None if rows is None else formula_value(spec, rows, family["value"], policy["macro"])
        if value is not None:
            known.append(value)
    if policy["over"] == "all":
        return math.fsum(known) / len(prefixes)
    return math.fsum(known) / len(known) if known else None


def _distinct(rows: Rows, benchmark: str, column: str, having: str) -> int:
    names = set()
    for row in rows:
        if row[benchmark] is not None and (having == "rows" or row[column] is not None):
            names.add(row[benchmark])
    return len(names)


def _text(values: list[str | None], rule: str) -> tuple[str | None, int]:
    times: dict[str, int] = {}
    for value in values:
        if value is not None:
            times[value] = times.get(value, 0) + 1
    kept = list(times)
    if rule == "most_frequent":
        kept = [value for value in times if times[value] == max(times.values())]
    return (kept[0] if len(kept) == 1 else None), len(times)
