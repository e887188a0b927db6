"""The negative control: what agreement would chance give, if groups were dealt to rows at random?

Responsible for permuting the groups over the target rows (one `default_rng(seed).permutation` a draw, groups and rows
in code-point order of their labels) and for the quantiles beside the observed value. Vectorised: every row is judged
against every group once, a draw only picks. Nothing is concluded here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.canonical import round_half_even
from app.domain.reconcile.cells import Addressed
from app.domain.reconcile.joining import Joined
from app.domain.reconcile.policies import Values
from app.domain.reconcile.spec import Spec
from app.domain.reconcile.tiers import Judged, judge

DEGENERATE = 1e-9  # draws nearer to one another than this are the same draw: summation order is no variance
Floats = NDArray[np.float64]


def permutation_null(
    spec: Spec, joined: Joined, addressed: Mapping[str, Addressed], recomputed: Mapping[tuple[str, str], Values]
) -> dict[str, Any]:
    """Return the null of every addressed column under its primary policy.

    `columns[c]` holds each statistic's observed value, median, 5th and 95th percentile, and whether it is structural
    (no draw differs from another). Where there are fewer groups than rows, some rows of a draw get none; a group more
    than rows stays out of a draw by chance.
    """
    orders = draw_orders(spec, len(joined.rows), len(joined.groups))
    columns: dict[str, Any] = {}
    for column, entry in addressed.items():
        if not entry.judged:
            columns[column] = {"policy": None, "structural": True, "reason": entry.structural, "statistics": {}}
            continue
        of_groups = recomputed[column, entry.family.primary]
        observed = entry.judged[entry.family.primary]
        statistics = _statistics(spec, joined, entry, of_groups, orders)
        columns[column] = {
            "policy": entry.family.primary,
            "structural": entry.structural is not None or all(_same(drawn) for drawn in statistics.values()),
            "reason": entry.structural,
            "statistics": {
                name: _described(drawn, _observed(name, observed), entry.structural)
                for name, drawn in statistics.items()
            },
        }
    return {"seed": spec.null.seed, "draws": spec.null.draws, "columns": columns}


def draw_orders(spec: Spec, n_rows: int, n_groups: int) -> NDArray[np.int64]:
    """Return the draws, (draws, rows): which group each row gets; a number from `n_groups` on stands for none."""
    rng = np.random.default_rng(spec.null.seed)
    size = max(n_rows, n_groups)
    return np.array([rng.permutation(size)[:n_rows] for _ in range(spec.null.draws)], dtype=np.int64)


def ratio_to_median(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return observed ÷ median of one described statistic as `{value, undefined_reason}`; never infinite.

    It is undefined where the null is a structural floor, where its median is 0, and where nothing was observed.
    """
    median, observed = described["median"], described["observed"]
    reason = "structural" if described["structural"] else None if median else "median is 0"
    if reason is None and observed is None:
        reason = "nothing observed"
    return {"value": None if reason else observed / median, "undefined_reason": reason}


def _statistics(
    spec: Spec, joined: Joined, entry: Addressed, of_groups: Values, orders: NDArray[np.int64]
) -> dict[str, Floats]:
    met, size = _against_all(spec, joined, entry, of_groups)
    rows = np.arange(len(joined.rows))
    matches = met[rows, orders].sum(axis=1)
    if entry.family.kind != "number":
        return {"rows_at_T0": matches, "matches": matches}
    picked = size[rows, orders]
    known = (~np.isnan(picked)).sum(axis=1)
    sums = _exact_sums(np.nan_to_num(picked, nan=0.0))
    means = np.divide(sums, known, out=np.full(len(known), np.nan), where=known > 0)
    return {"rows_at_T0": matches, "mean_absolute_deviation": means}


def _against_all(spec: Spec, joined: Joined, entry: Addressed, of_groups: Values) -> tuple[Floats, Floats]:
    """Return whether each row meets each group at T0 (0 or 1), and their |Δ| (NaN: none), both (rows, groups or more).

    Of numbers each group is rounded once and taken as a decimal once; the rest of `tiers.judge` would be done a
    thousand times for the same answer.
    """
    width = max(len(joined.rows), len(joined.groups))
    met = np.zeros((len(joined.rows), width))
    size = np.full((len(joined.rows), width), np.nan)
    if entry.family.kind == "number":
        values = [of_groups[group].value if group in of_groups else None for group in joined.groups]
        known = [j for j, value in enumerate(values) if value is not None]
        exact = [Decimal(repr(float(values[j] or 0.0))) for j in known]
        rounded = np.array([round_half_even(float(values[j] or 0.0), entry.family.decimals or 0) for j in known])
        for i, published in enumerate(entry.published):
            if published is not None and known:
                other = Decimal(repr(float(published)))
                met[i, known] = rounded == float(published)
                size[i, known] = [abs(float(value - other)) for value in exact]
        return met, size
    tolerance = spec.tolerances[entry.family.tolerance]
    for i, published in enumerate(entry.published):
        for j, group in enumerate(joined.groups):
            met[i, j] = judge(of_groups.get(group), published, entry.family, tolerance).tier == "T0"
    return met, size


def _exact_sums(terms: Floats) -> Floats:
    """Return the sum of each line of `terms` with its rounding errors carried along (Neumaier 1974), as good as exact:
    the order of the rows changes nothing and the plain implementation's `fsum` gives the same."""
    total, lost = np.zeros(len(terms)), np.zeros(len(terms))
    for column in terms.T:
        new = total + column
        lost += np.where(np.abs(total) >= np.abs(column), (total - new) + column, (column - new) + total)
        total = new
    return np.asarray(total + lost, dtype=np.float64)


def _observed(name: str, judged: Sequence[Judged]) -> float | None:
    if name != "mean_absolute_deviation":
        return float(sum(result.tier == "T0" for result in judged))
    sizes = [abs(float(result.delta)) for result in judged if result.delta is not None]
    return math.fsum(sizes) / len(sizes) if sizes else None


def _same(drawn: Floats) -> bool:
    known = drawn[~np.isnan(drawn)]
    return not known.size or float(known.max() - known.min()) <= DEGENERATE


def _described(drawn: Floats, observed: float | None, column_is: str | None) -> dict[str, Any]:
    known = drawn[~np.isnan(drawn)]
    p5, median, p95 = (float(q) for q in np.percentile(known, [5, 50, 95])) if known.size else (None, None, None)
    structural = column_is is not None or _same(drawn)
    return {
        "observed": observed,
        "median": median,
        "p5": p5,
        "p95": p95,
        "structural": structural,
        "undefined_draws": int(drawn.size - known.size),
    }
