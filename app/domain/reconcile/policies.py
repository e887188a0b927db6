"""Every declared policy of every addressed column, computed for every group of source rows, in pandas.

Responsible for values alone; what is published is not looked at here. Sums are exactly rounded (`math.fsum`), so the
order of rows cannot change a bit of any value. A value that cannot be formed (0 in the denominator, no value) is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.domain.canonical import round_half_even
from app.domain.reconcile.joining import Joined
from app.domain.reconcile.spec import Family, Formula, Policy, Spec, category_of, expand

Value = float | int | str | None


@dataclass(frozen=True)
class Recomputed:
    """One policy's value on one group. Of texts also how many values the rows have: 2 or more with `value` None means
    that the rows name no one value, which is a finding; 0 means that there is nothing to compare."""

    value: Value
    n_values: int | None = None

    @property
    def undefined(self) -> bool:
        """Whether the policy gives nothing that could be compared."""
        return self.value is None and not self.n_values


Values = Mapping[str, Recomputed]


def recompute(spec: Spec, joined: Joined) -> dict[tuple[str, str], Values]:
    """Return (column, policy id) → group → value, for every family; a group without rows is left out."""
    found: dict[tuple[str, str], Values] = {}
    for family in spec.families:
        for policy in family.policies:
            for column in expand(family.columns, spec.mapping.prefixes):
                found[column, policy.id] = _of_column(spec, joined, family, policy, column)
    return found


def _of_column(spec: Spec, joined: Joined, family: Family, policy: Policy, column: str) -> Values:
    if policy.text_rule is not None:
        return _texts(joined.source, column, policy.text_rule)
    if policy.distinct_having is not None:
        return _distinct(spec, joined, family, policy.distinct_having)
    if policy.macro is not None:
        return _macro(spec, joined, family, policy.macro, policy.over == "all")
    prefix = category_of(column, family, spec.mapping.prefixes)
    rows = joined.source if prefix is None else joined.source[joined.source["_prefix"] == prefix]
    formula = policy.formula
    assert formula is not None  # the reader takes exactly one of the four ways
    return _as_values(_formula(spec, rows, ["_group"], family, formula))


def _as_values(series: Any) -> dict[str, Recomputed]:
    return {str(group): Recomputed(None if math.isnan(v) else float(v)) for group, v in series.items()}


def _formula(spec: Spec, rows: Any, by: list[str], family: Family, formula: Formula) -> Any:
    """Return the formula's value for each group of `by` as a float series, NaN where undefined."""
    column = family.value
    zero = spec.missing[formula.missing] == "zero"
    if formula.aggregation == "median":
        values = rows[column].fillna(0.0) if zero else rows[column]
        result = values.groupby([rows[name] for name in by]).median()
    else:
        grouped = rows.groupby(by)
        bottom = _denominator(spec, grouped, formula.denominator)
        top = grouped[column].sum() if formula.aggregation == "share" else _exact_sums(rows, by, column, bottom.index)
        result = formula.scale * _floats(top) / _floats(bottom).replace(0.0, np.nan)
    result = _floats(result)
    if formula.rounded_to is not None:
        digits = formula.rounded_to
        result = result.map(lambda value: round_half_even(value, digits), na_action="ignore")
    return result


def _denominator(spec: Spec, grouped: Any, name: str | None) -> Any:
    denominator = spec.denominators[name or ""]
    if denominator.counts == "rows":
        return grouped.size()
    column = grouped[denominator.column]
    return column.count() if denominator.counts == "observed" else column.sum()


def _exact_sums(rows: Any, by: list[str], column: str | None, groups: Any) -> Any:
    """The sum of the values there are, for each group; 0 where there is none."""
    present = rows[rows[column].notna()]
    values = present[column].astype("float64")
    return values.groupby([present[name] for name in by]).agg(math.fsum).reindex(groups, fill_value=0.0)


def _floats(series: Any) -> Any:
    return series.astype("Float64").astype("float64")


def _macro(spec: Spec, joined: Joined, family: Family, inner: Formula, over_all: bool) -> Values:
    """The mean over categories: those with a value, or all that are declared, a missing one as 0."""
    mapped = joined.source[joined.source["_prefix"].notna()]
    by_category = _formula(spec, mapped, ["_group", "_prefix"], family, inner).dropna()
    grouped = by_category.groupby(level="_group")
    sums = grouped.agg(math.fsum).reindex(joined.groups)
    if over_all:
        return _as_values(sums.fillna(0.0) / len(spec.mapping.prefixes))
    return _as_values(sums / grouped.size().reindex(joined.groups))


def _distinct(spec: Spec, joined: Joined, family: Family, having: str) -> Values:
    rows = joined.source if having == "rows" else joined.source[joined.source[family.value].notna()]
    counts = rows.groupby("_group")[spec.mapping.benchmark].nunique().reindex(joined.groups, fill_value=0)
    return {str(group): Recomputed(int(n)) for group, n in counts.items()}


def _texts(source: Any, column: str, rule: str) -> Values:
    counts = source.groupby("_group")[column].value_counts()
    found: dict[str, Recomputed] = {str(group): Recomputed(None, 0) for group in source["_group"].dropna().unique()}
    for group, of_group in counts.groupby(level="_group"):
        values = of_group.droplevel("_group")
        if rule == "only_value":
            best = [str(value) for value in values.index]
        else:
            best = [str(value) for value in values.index[values == values.max()]]
        found[str(group)] = Recomputed(best[0] if len(best) == 1 else None, len(values))
    return found
