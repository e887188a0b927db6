"""Analytic standard errors and intervals of Cohen's kappa, plain and weighted.

Responsible for the Fleiss–Cohen–Everitt errors, the interval from a smoothed table that stays honest in small samples,
and its widening for claims that share a run. Resampling lives in `resampling`. Which interval is the primary one is
decided by the coverage simulation (docs/agreement.md) and named here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from app.domain.stats.ratings import Floats
from app.domain.stats.two_raters import weighted_kappa

NORMAL_975 = NormalDist().inv_cdf(0.975)
SMOOTHING = 2.0
LEAST_ICC = 0.1
PRIMARY_INTERVAL = "small_sample_effective"
WITHOUT_RUNS = "small_sample"


@dataclass(frozen=True)
class RunSpread:
    """How claims cluster in runs.

    `runs` with a jointly rated claim, `crowding` Σm²/Σm − 1 (how many others share a claim's run, on average), ICC of
    the agreement indicator, and the design effect that follows from both.
    """

    runs: int
    crowding: float
    icc: float
    design_effect: float


def standard_errors(table: Floats, disagreement: Floats) -> tuple[float, float]:
    """Return (se, se0) of a kappa from one table: for the interval, and under the hypothesis that kappa is 0.

    Fleiss, Cohen and Everitt 1969, equations 13 and 14, with agreement weights 1 − d (the result does not depend on
    their unit). Variances are kept from falling below 0; the root of a variance that should be 0 can be rounding dust
    of some 1e-8. NaN, NaN where kappa is undefined.
    """
    n, weights = float(table.sum()), 1.0 - disagreement
    if not n:
        return math.nan, math.nan
    p, rows, columns = table / n, table.sum(axis=1) / n, table.sum(axis=0) / n
    by_chance = np.outer(rows, columns)
    if not (by_chance * disagreement).any():
        return math.nan, math.nan
    observed, expected = _in_order(weights * p), _in_order(weights * rows[:, None] * columns[None, :])
    marginal = (weights * columns).cumsum(axis=1)[:, -1:] + (weights * rows[:, None]).cumsum(axis=0)[-1:, :]
    own, null = weights * (1 - expected) - marginal * (1 - observed), weights - marginal
    middle = observed * expected - 2 * expected + observed
    spread, spread0 = (
        _in_order(p * (own * own)) - middle * middle,
        _in_order(by_chance * (null * null)) - expected * expected,
    )
    below = math.sqrt(n) * (1 - expected)
    return math.sqrt(max(spread, 0.0)) / (below * (1 - expected)), math.sqrt(max(spread0, 0.0)) / below


def _in_order(terms: Floats) -> float:
    """Return the sum taken cell after cell: where a variance should be 0, the dust left is then the same anywhere."""
    return float(np.cumsum(terms)[-1])


def smoothed(table: Floats) -> Floats:
    """Return the table with 2/q² added to every cell (in the spirit of Agresti and Coull 1998)."""
    q = table.shape[-1]
    return np.asarray(table + SMOOTHING / (q * q))


def clip(low: float, high: float) -> tuple[float, float]:
    """Return the limits kept within [−1, 1]."""
    return max(-1.0, low), min(1.0, high)


def wald_interval(value: float, se: float) -> tuple[float, float]:
    """Return value ± 1.96 se, clipped to [−1, 1]."""
    return clip(value - NORMAL_975 * se, value + NORMAL_975 * se)


def run_spread(tables: Floats) -> RunSpread:
    """Return the spread of agreement over runs from one table a run, (R, q, q); runs without a common claim left out.

    ICC of the 0/1 agreement indicator by the one-way analysis of variance with unequal group sizes (Donner and Koval
    1980); 0 where nothing varies or no run holds two claims. Design effect max(1, 1 + (Σm²/Σm − 1)·ICC).
    """
    sizes = tables.sum(axis=(-1, -2))
    agreeing = np.trace(tables, axis1=-2, axis2=-1)[sizes > 0]
    sizes = sizes[sizes > 0]
    runs, n = len(sizes), float(sizes.sum())
    if runs < 2 or n <= runs:
        return RunSpread(runs, 0.0 if not n else float((sizes**2).sum()) / n - 1.0, 0.0, 1.0)
    between = float((agreeing**2 / sizes).sum() - agreeing.sum() ** 2 / n) / (runs - 1)
    within = float(agreeing.sum() - (agreeing**2 / sizes).sum()) / (n - runs)
    typical = (n - float((sizes**2).sum()) / n) / (runs - 1)
    total = between + (typical - 1) * within
    icc = (between - within) / total if total > 1e-12 else 0.0
    crowding = float((sizes**2).sum()) / n - 1.0
    return RunSpread(runs, crowding, icc, max(1.0, 1.0 + crowding * icc))


def small_sample_interval(table: Floats, disagreement: Floats, spread: RunSpread | None) -> tuple[float, float]:
    """Return the interval of a kappa from the smoothed table, widened for runs; NaN, NaN below two runs.

    Without runs (`spread` None): kappa of the smoothed table ± 1.96 of its own error. With runs: that error times the
    square root of the design effect, and the t quantile of runs − 1 degrees of freedom.
    """
    table = smoothed(table)
    se, _ = standard_errors(table, disagreement)
    middle = float(weighted_kappa(table, disagreement))
    if spread is None:
        return wald_interval(middle, se)
    if spread.runs < 2:
        return math.nan, math.nan
    half = student_975(spread.runs - 1) * se * math.sqrt(spread.design_effect)
    return clip(middle - half, middle + half)


def effective_interval(table: Floats, disagreement: Floats, spread: RunSpread | None) -> tuple[float, float]:
    """Return the primary interval of a kappa: the small-sample interval of as many claims as the runs are worth.

    The counts are divided by the design effect before 2/q² is added to each cell, so that rare labels weigh what they
    weigh in the effective sample; then t with runs − 1 degrees of freedom. The ICC is taken as 0.1 at least: a few runs
    cannot show that it is smaller. Without runs the small-sample interval itself; NaN, NaN below two runs.
    """
    if spread is None or spread.runs < 2:
        return small_sample_interval(table, disagreement, spread)
    effect = max(spread.design_effect, 1.0 + spread.crowding * LEAST_ICC)
    table = smoothed(table / effect)
    half = student_975(spread.runs - 1) * standard_errors(table, disagreement)[0]
    middle = float(weighted_kappa(table, disagreement))
    return clip(middle - half, middle + half)


def student_975(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t."""
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    return float(stdtrit(degrees, 0.975))
