"""What is reported about one pair of raters: every coefficient with its intervals, the matrix, the null.

Responsible for the keys of a pair in `agreement/1`. The formulas are in `two_raters`, the intervals in `intervals` and
`resampling`; nothing here judges a value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from app.domain.stats.coefficients import (
    exact_agreement,
    expected_agreement,
    kappa_estimate,
    pair_estimates,
    pair_table,
    undefined_reason,
)
from app.domain.stats.intervals import (
    PRIMARY_INTERVAL,
    WITHOUT_RUNS,
    RunSpread,
    effective_interval,
    run_spread,
    small_sample_interval,
    standard_errors,
    wald_interval,
)
from app.domain.stats.permutation import permutation_null
from app.domain.stats.ratings import Floats, Ratings
from app.domain.stats.resampling import Bootstrap, Resampled, alone, percentile_limits
from app.domain.stats.scales import Scale
from app.domain.stats.statistic import Json, statistic, tidy
from app.domain.stats.sums import grouped_tables, label_counts
from app.domain.stats.two_raters import weighted_kappa

LEAST_USE_OF_A_LABEL = 10


def pair_report(
    ratings: Ratings, scale: Scale, pair: tuple[int, int], resampled: Resampled | None, null: Bootstrap | None
) -> Json:
    """Return the object of one pair as `agreement/1` lists it; without a common unit every value is null, n is 0."""
    by_run = _tables_by_run(ratings, pair)
    table = by_run.sum(axis=0)
    values = pair_estimates(table, alone(label_counts(ratings), table, pair), scale)
    report: Json = {
        "raters": [ratings.raters[g] for g in pair],
        "n": int(table.sum()),
        "exact_agreement": exact_agreement(table),
        "chance_agreement": expected_agreement(table),
        "confusion": table.astype(int).tolist(),
        "marginals": [table.sum(axis=1).astype(int).tolist(), table.sum(axis=0).astype(int).tolist()],
    }
    spread = run_spread(by_run) if ratings.clustered else None
    for name, value in values.items():
        if name != "exact_agreement":
            report[name] = statistic(value, undefined_reason(name, table))
        if name.startswith("cohen_kappa") and name != "cohen_kappa_max":
            report[name] |= kappa_intervals(table, _disagreement(name, scale), spread)
        report[name] |= {"ci95_cluster": cluster_interval(resampled, pair, name, _why(report[name], by_run, ratings))}
    if ratings.clustered:
        report["runs"] = _runs(spread, table)
    report["one_versus_rest"] = one_versus_rest(table, ratings.categories)
    if null is not None:
        report["permutation_null"] = permutation_null(ratings, pair, null)
    return report


def kappa_intervals(table: Floats, disagreement: Floats, spread: RunSpread | None) -> Json:
    """Return `se, se0, ci95, ci_method, ci95_fce, ci95_small_sample` of one kappa; null limits where it has none.

    `ci95` repeats the primary interval, which the coverage simulation in docs/agreement.md chose.
    """
    se, se0 = standard_errors(table, disagreement)
    if math.isnan(se):
        nothing: list[float | None] = [None, None]
        fields = ("ci95", "ci95_fce", "ci95_small_sample")
        return {"se": None, "se0": None, "ci_method": None} | {field: list(nothing) for field in fields}
    value = float(weighted_kappa(table, disagreement))
    return {
        "se": tidy(se),
        "se0": tidy(se0),
        "ci95": [_or_none(limit) for limit in effective_interval(table, disagreement, spread)],
        "ci_method": WITHOUT_RUNS if spread is None else PRIMARY_INTERVAL,
        "ci95_fce": [tidy(limit) for limit in wald_interval(value, se)],
        "ci95_small_sample": [_or_none(limit) for limit in small_sample_interval(table, disagreement, spread)],
    }


def cluster_interval(
    resampled: Resampled | None, pair: tuple[int, int] | None, name: str, reason: str | None
) -> Json | None:
    """Return `{lo, hi, method, B, seed, undefined_resamples, undefined_reason}`, or None where nothing was resampled.

    `pair` None means a coefficient over all raters. A `reason` (the value itself is undefined, or the runs are too few)
    leaves the limits null.
    """
    if resampled is None:
        return None
    values = (resampled.overall if pair is None else resampled.pairs[pair])[name]
    low, high, undefined = percentile_limits(values)
    if reason is None and math.isnan(low):
        reason = "no_defined_resample"
    return {
        "lo": None if reason else tidy(low),
        "hi": None if reason else tidy(high),
        "method": resampled.method,
        "B": resampled.bootstrap.resamples,
        "seed": resampled.bootstrap.stated_seed,
        "undefined_resamples": undefined,
        "undefined_reason": reason,
    }


def one_versus_rest(table: Floats, categories: Sequence[str]) -> list[Json]:
    """Return, label by label, `{label, counts: {both, first_only, second_only, neither}, cohen_kappa}`.

    The kappa is shown where both raters used the label at least ten times; otherwise the counts stand alone.
    """
    rows = []
    for k, label in enumerate(categories):
        both, first, second = table[k, k], table[k].sum(), table[:, k].sum()
        cells = np.array([[both, first - both], [second - both, table.sum() - first - second + both]])
        enough = min(first, second) >= LEAST_USE_OF_A_LABEL
        value = kappa_estimate(cells, "") if enough else math.nan
        reason = undefined_reason("cohen_kappa", cells) if enough or not table.sum() else "label_used_too_rarely"
        names = ("both", "first_only", "second_only", "neither")
        counts = dict(zip(names, cells.astype(int).reshape(-1).tolist(), strict=True))
        rows.append({"label": label, "counts": counts, "cohen_kappa": statistic(value, reason)})
    return rows


def _tables_by_run(ratings: Ratings, pair: tuple[int, int]) -> Floats:
    """Return the table of each run, (R, q, q); without runs, of all units at once."""
    if ratings.clustered:
        return grouped_tables(ratings, *pair, ratings.clusters, len(ratings.cluster_names))
    return pair_table(ratings, *pair)[None]


def _disagreement(name: str, scale: Scale) -> Floats:
    if name == "cohen_kappa_custom":
        if scale.custom is None:
            raise ValueError("a custom kappa without custom weights")
        return scale.custom
    return scale.forms[name.removeprefix("cohen_kappa")]


def _why(report: Json, by_run: Floats, ratings: Ratings) -> str | None:
    """Return why no interval over runs can be given, if so."""
    reason = report["undefined_reason"]
    if reason is not None or not ratings.clustered:
        return str(reason) if reason else None
    if len(ratings.cluster_names) < 2:
        return "one_cluster"
    touched = np.count_nonzero(by_run.sum(axis=(-1, -2)))
    return "too_few_clusters" if touched < 2 else None


def _runs(spread: RunSpread | None, table: Floats) -> Json:
    if spread is None or not table.sum():
        return {"n_runs": 0, "icc": None, "design_effect": None}
    known = spread.runs > 1
    return {
        "n_runs": spread.runs,
        "icc": tidy(spread.icc) if known else None,
        "design_effect": tidy(spread.design_effect) if known else None,
    }


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else tidy(value)
