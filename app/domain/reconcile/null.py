"""The negative control: what agreement would chance give, if groups were dealt to rows at random?

Responsible for permuting the groups over the target rows (one `default_rng(seed).permutation` a draw, groups and rows
in code-point order of their labels) and for the quantiles beside the observed value. Vectorised: every row is judged
against every group once, a draw only picks. Nothing is concluded here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def statistics_of(kind: str) -> tuple[str, ...]:
    """Return the statistics of a kind of column: deviations of numbers, matches of texts and counts."""
    return ("rows_at_T0", "mean_absolute_deviation") if kind == "number" else ("rows_at_T0", "matches")


def _statistics(
    spec: Spec, joined: Joined, entry: Addressed, of_groups: Values, orders: NDArray[np.int64]
) -> dict[str, Floats]:
    tolerance = spec.tolerances[entry.family.tolerance]
    judged = [
        [judge(of_groups.get(group), published, entry.family, tolerance) for group in joined.groups]
        for published in entry.published
    ]
    width = max(len(joined.rows), len(joined.groups))
    met = np.zeros((len(joined.rows), width))
    size = np.full((len(joined.rows), width), np.nan)
    for i, line in enumerate(judged):
        for j, result in enumerate(line):
            met[i, j] = result.tier == "T0"
            size[i, j] = np.nan if result.delta is None else abs(float(result.delta))
    rows = np.arange(len(joined.rows))
    drawn = {"rows_at_T0": met[rows, orders].sum(axis=1)}
    if entry.family.kind == "number":
        picked = size[rows, orders]
        known = (~np.isnan(picked)).sum(axis=1)
        total = np.nansum(picked, axis=1)
        drawn["mean_absolute_deviation"] = np.divide(total, known, out=np.full(len(total), np.nan), where=known > 0)
    else:
        drawn["matches"] = drawn["rows_at_T0"]
    return drawn


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
    ratio, reason = None, "structural" if structural else "median is 0" if not median else None
    if reason is None and observed is not None and median:
        ratio = observed / median
    return {
        "observed": observed,
        "median": median,
        "p5": p5,
        "p95": p95,
        "structural": structural,
        "undefined_draws": int(drawn.size - known.size),
        "ratio_to_median": {"value": ratio, "undefined_reason": reason},
    }
