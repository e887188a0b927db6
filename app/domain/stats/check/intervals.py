"""Second implementation: the analytic intervals, the resampled limits and the permutation null, in plain loops.

Responsible for recomputing intervals from the raw counts. Draws are handed in by the caller (runs drawn, orders drawn),
since repeating another library's random numbers is not a formula. Standard library only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import NormalDist

from app.domain.stats.check.counted import Matrix, Pattern, Patterns
from app.domain.stats.check.two_raters import Cells, Numbers, cells_of, cohen, cohen_errors, margins, table_errors

Limits = tuple[float, float]


def small_sample_limits(cells: Cells, weights: Matrix, by_run: Sequence[Cells] | None) -> Limits | None:
    """Return the interval of the table with 2/q² more in every cell; with runs, widened and by t, None below two."""
    if cohen(cells, weights) is None:
        return None
    middle, error = _smoothed(cells, weights, 1.0)
    reach = NormalDist().inv_cdf(0.975)
    if by_run is not None:
        runs, _, _, effect = spread_over_runs(by_run)
        if runs < 2:
            return None
        reach = t_quantile(runs - 1) * math.sqrt(effect)
    return max(-1.0, middle - reach * error), min(1.0, middle + reach * error)


def primary_limits(cells: Cells, weights: Matrix, by_run: Sequence[Cells] | None) -> Limits | None:
    """Return the interval of the table shrunk to what its runs are worth (ICC 0.1 at least), then smoothed; by t."""
    if by_run is None or cohen(cells, weights) is None:
        return small_sample_limits(cells, weights, by_run)
    runs, crowding, icc, _ = spread_over_runs(by_run)
    if runs < 2:
        return None
    middle, error = _smoothed(cells, weights, max(1.0, 1.0 + crowding * max(icc, 0.1)))
    reach = t_quantile(runs - 1)
    return max(-1.0, middle - reach * error), min(1.0, middle + reach * error)


def _smoothed(cells: Cells, weights: Matrix, effect: float) -> tuple[float, float]:
    """Return kappa and its error for the counts over `effect`, with 2/q² more in every cell."""
    q = len(cells)
    fuller = [[x / effect + 2 / (q * q) for x in row] for row in cells]
    rows = [sum(row) for row in fuller]
    columns = [sum(row[m] for row in fuller) for m in range(q)]
    n = sum(rows)
    observed = sum(weights[k][m] * fuller[k][m] for k in range(q) for m in range(q)) / n
    expected = sum(weights[k][m] * rows[k] * columns[m] for k in range(q) for m in range(q)) / (n * n)
    kappa = (observed - expected) / (1 - expected)
    return kappa, table_errors(fuller, rows, columns, (n, weights))[0]


def wald_limits(cells: Cells, weights: Matrix) -> Limits | None:
    """Return kappa ± 1.96 of its Fleiss–Cohen–Everitt error, within [−1, 1]; None where kappa is undefined."""
    kappa, errors = cohen(cells, weights), cohen_errors(cells, weights)
    if kappa is None or errors is None:
        return None
    half = NormalDist().inv_cdf(0.975) * errors[0]
    return max(-1.0, kappa - half), min(1.0, kappa + half)


def spread_over_runs(by_run: Sequence[Cells]) -> tuple[int, float, float, float]:
    """Return (runs with a common unit, Σm²/Σm − 1, ICC of the agreement indicator, design effect)."""
    sizes = [margins(cells)[0] for cells in by_run]
    agreeing = [sum(cells[k][k] for k in range(len(cells))) for cells in by_run]
    groups = [(m, a) for m, a in zip(sizes, agreeing, strict=True) if m]
    n, runs = sum(m for m, _ in groups), len(groups)
    squares = sum(m * m for m, _ in groups)
    crowding = squares / n - 1 if n else 0.0
    if runs < 2 or n == runs:
        return runs, crowding, 0.0, 1.0
    grand = sum(a for _, a in groups) / n
    between = sum(m * (a / m - grand) ** 2 for m, a in groups) / (runs - 1)
    within = sum(a * (1 - a / m) ** 2 + (m - a) * (a / m) ** 2 for m, a in groups) / (n - runs)
    typical = (n - squares / n) / (runs - 1)
    below = between + (typical - 1) * within
    icc = (between - within) / below if below > 1e-12 else 0.0
    return runs, crowding, icc, max(1.0, 1 + crowding * icc)


def t_quantile(degrees: int, share: float = 0.975) -> float:
    """Return Student's t quantile above the median, by bisection on the distribution function."""
    low, high = 0.0, 1.0
    while _t_below(high, degrees) < share:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _t_below(middle, degrees) < share else (low, middle)
    return (low + high) / 2


def _t_below(t: float, v: int) -> float:
    """Return P(T ≤ t) for t ≥ 0 and whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan2(t, math.sqrt(v))
    cosine, term, total = math.cos(angle) ** 2, 1.0, 0.0
    first = 0 if v % 2 == 0 else 1
    if v % 2:
        term = math.cos(angle)
    for k in range(first, v - 1, 2):
        total += term
        term *= cosine * (k + 1) / (k + 2)
    if v % 2 == 0:
        return 0.5 + math.sin(angle) * total / 2
    return 0.5 + (angle + (math.sin(angle) * total if v > 1 else 0.0)) / math.pi


def resampled_limits(
    runs: Sequence[Patterns], draws: Iterable[Sequence[int]], coefficients: Callable[[Patterns], Numbers]
) -> dict[str, tuple[Limits | None, int]]:
    """Return, by coefficient, the percentile limits over resamples and how many resamples leave it undefined.

    `runs` holds the patterns of each run; each draw names the runs of one resample by position, with repetition.
    """
    values: dict[str, list[float]] = {}
    n_draws = 0
    for drawn in draws:
        n_draws += 1
        patterns: Counter[Pattern] = Counter()
        for at, times in Counter(drawn).items():
            for pattern, count in runs[at].items():
                patterns[pattern] += count * times
        for name, value in coefficients(patterns).items():
            values.setdefault(name, [])
            if value is not None:
                values[name].append(value)
    return {
        name: ((percentile(given, 0.025), percentile(given, 0.975)) if given else None, n_draws - len(given))
        for name, given in values.items()
    }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the percentile by linear interpolation between order statistics (Hyndman and Fan, type 7)."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def null_numbers(
    first: Sequence[int], second: Sequence[int], q: int, orders: Iterable[Sequence[int]], weights: Matrix
) -> Mapping[str, float | None]:
    """Return `{median, p5, p95}` of Cohen's kappa when the second labels are put in each of the given orders."""
    values = []
    for order in orders:
        moved: Counter[Pattern] = Counter((a, second[at]) for a, at in zip(first, order, strict=True))
        kappa = cohen(cells_of(moved, 0, 1, q), weights)
        if kappa is not None:
            values.append(kappa)
    if not values:
        return {"median": None, "p5": None, "p95": None}
    return {"median": percentile(values, 0.5), "p5": percentile(values, 0.05), "p95": percentile(values, 0.95)}


def within_strata(order: Sequence[int], strata: Sequence[str]) -> list[int]:
    """Return the order that keeps each place in its stratum: places by stratum take the drawn units by stratum."""
    places = sorted(range(len(strata)), key=lambda i: strata[i])
    taken = sorted(order, key=lambda i: strata[i])
    moved = [0] * len(strata)
    for place, unit in zip(places, taken, strict=True):
        moved[place] = unit
    return moved
