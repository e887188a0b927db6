"""The permutation null, every draw again in loops; numpy only deals the permutations, with the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.domain.reconcile.check.declared import Tree, families_by_column
from app.domain.reconcile.check.judging import Matched, Result, stand, why_structural
from app.domain.reconcile.check.summaries import mean, sizes_of


def null_again(matched: Matched) -> Tree:
    """Return observed value, median, 5th and 95th percentile of every statistic of every addressed column."""
    rule = matched.spec["null"]
    n_rows, n_groups = len(matched.rows), len(matched.groups.names)
    rng = np.random.default_rng(rule["seed"])
    draws = [[int(j) for j in rng.permutation(max(n_rows, n_groups))[:n_rows]] for _ in range(rule["draws"])]
    found: Tree = {}
    for column, family in families_by_column(matched.spec).items():
        reason = why_structural(matched, column, family)
        if not matched.results[column]:
            found[column] = {"policy": None, "structural": True, "reason": reason, "statistics": {}}
            continue
        drawn = _drawn(matched, column, family, draws)
        own = _statistics(family["kind"], matched.results[column][family["primary"]])
        described = {name: _describe(values, own[name], reason) for name, values in drawn.items()}
        still = all(_is_still(values) for values in drawn.values())
        found[column] = {
            "policy": family["primary"],
            "structural": reason is not None or still,
            "reason": reason,
            "statistics": described,
        }
    return {"seed": rule["seed"], "draws": rule["draws"], "columns": found}


def _drawn(matched: Matched, column: str, family: Tree, draws: list[list[int]]) -> dict[str, list[float | None]]:
    values = matched.values[column, family["primary"]]
    against: dict[tuple[int, int], Result] = {}
    for i, published in enumerate(matched.published[column]):
        for j, group in enumerate(matched.groups.names):
            against[i, j] = stand(values.get(group), published, family, matched.spec)
    nothing = stand(None, None, family, matched.spec)
    drawn: dict[str, list[float | None]] = {}
    for draw in draws:
        results = [against.get((i, j), nothing) for i, j in enumerate(draw)]
        for name, value in _statistics(family["kind"], results).items():
            drawn.setdefault(name, []).append(value)
    return drawn


def _statistics(kind: str, results: list[Result]) -> dict[str, float | None]:
    met = float(sum(1 for result in results if result["tier"] == "T0"))
    if kind == "number":
        return {"rows_at_T0": met, "mean_absolute_deviation": mean(sizes_of(results))}
    return {"rows_at_T0": met, "matches": met}


def _is_still(values: list[float | None]) -> bool:
    known = [value for value in values if value is not None]
    return not known or max(known) - min(known) <= 1e-9


def _describe(values: list[float | None], observed: float | None, reason: str | None) -> dict[str, Any]:
    known = sorted(value for value in values if value is not None)
    structural = reason is not None or _is_still(values)
    median = _percentile(known, 50)
    return {
        "observed": observed,
        "median": median,
        "p5": _percentile(known, 5),
        "p95": _percentile(known, 95),
        "structural": structural,
        "undefined_draws": len(values) - len(known),
    }


def _percentile(ordered: list[float], percent: int) -> float | None:
    """Linear between the two nearest ranks (Hyndman and Fan's seventh definition)."""
    if not ordered:
        return None
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
