"""Second implementation: coefficients over any number of raters, in plain loops from the textbook formulas.

Responsible for recomputing what the overall part of an agreement document claims. Standard library only; it shares no
code with what it checks. Sources: Gwet 2014; Krippendorff 2011; Fleiss 1971.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.domain.stats.check.counted import NONE, Matrix, Patterns, forms, identity
from app.domain.stats.check.two_raters import Numbers, cells_of, cohen


def overall_numbers(
    patterns: Patterns,
    categories: Sequence[str],
    level: str = "nominal",
    disagreement: Sequence[Sequence[float]] | None = None,
) -> Numbers:
    """Return every coefficient over all raters by name, None where undefined."""
    q = len(categories)
    numbers: Numbers = {"percent_agreement": observed_agreement(patterns, identity(q))}
    for ending, weights in forms(categories, level).items():
        observed = observed_agreement(patterns, weights)
        expected = {
            f"fleiss_kappa{ending}": _fleiss_chance(patterns, weights),
            f"conger_kappa{ending}": _conger_chance(patterns, weights),
            f"gwet_ac2{ending}" if ending else "gwet_ac1": _gwet_chance(patterns, weights),
            f"brennan_prediger{ending}": sum(map(sum, weights)) / (q * q) if q > 1 else None,
        }
        for name, chance in expected.items():
            numbers[name] = _beyond(observed, chance)
    numbers["light_kappa"] = _light(patterns, q)
    return numbers | alphas(patterns, categories, level, disagreement)


def observed_agreement(patterns: Patterns, weights: Matrix) -> float | None:
    """Return the mean over units with two ratings or more of the weighted share of agreeing pairs."""
    total, units = 0.0, 0
    for pattern, times in patterns.items():
        given = [k for k in pattern if k != NONE]
        r = len(given)
        if r < 2:
            continue
        pairs = sum(weights[given[g]][given[h]] for g in range(r) for h in range(r) if g != h)
        total += times * pairs / (r * (r - 1))
        units += times
    return total / units if units else None


def category_numbers(patterns: Patterns, q: int) -> list[float | None]:
    """Return Fleiss' kappa of each category against all others."""
    found: list[float | None] = []
    for k in range(q):
        merged: dict[tuple[int, ...], int] = {}
        for pattern, times in patterns.items():
            key = tuple(NONE if x == NONE else int(x == k) for x in pattern)
            merged[key] = merged.get(key, 0) + times
        weights = identity(2)
        found.append(_beyond(observed_agreement(merged, weights), _fleiss_chance(merged, weights)) if q > 1 else None)
    return found


def alphas(
    patterns: Patterns, categories: Sequence[str], level: str, disagreement: Sequence[Sequence[float]] | None = None
) -> Numbers:
    """Return Krippendorff's alpha for each distance the level asks for."""
    coincidences = _coincidences(patterns, len(categories))
    totals = [sum(row) for row in coincidences]
    distances: dict[str, Callable[[int, int], float] | None] = {"nominal": lambda c, k: float(c != k)}
    if level != "nominal":
        distances["ordinal"] = lambda c, k: _ordinal(totals, min(c, k), max(c, k))
    if level in ("interval", "ratio"):
        values = [float(c) for c in categories]
        distances["interval"] = lambda c, k: (values[c] - values[k]) ** 2
        distances["ratio"] = None if min(values) < 0 else lambda c, k: _ratio(values[c], values[k])
    if disagreement is not None and _symmetric(disagreement):
        distances["custom"] = lambda c, k: disagreement[c][k]
    return {
        f"krippendorff_alpha_{name}": None if d is None else _alpha(coincidences, totals, d)
        for name, d in distances.items()
    }


def _alpha(coincidences: Matrix, totals: list[float], distance: Callable[[int, int], float]) -> float | None:
    span = range(len(totals))
    n = sum(totals)
    far = [(c, k) for c in span for k in span if totals[c] and totals[k] and distance(c, k) > 0]
    if not far:
        return None
    observed = sum(coincidences[c][k] * distance(c, k) for c, k in far) / n
    expected = sum(totals[c] * totals[k] * distance(c, k) for c, k in far) / (n * (n - 1))
    return 1 - observed / expected


def _coincidences(patterns: Patterns, q: int) -> Matrix:
    found = [[0.0] * q for _ in range(q)]
    for pattern, times in patterns.items():
        given = [k for k in pattern if k != NONE]
        for g, c in enumerate(given):
            for h, k in enumerate(given):
                if g != h:
                    found[c][k] += times / (len(given) - 1)
    return found


def _ordinal(totals: list[float], low: int, high: int) -> float:
    return (sum(totals[low : high + 1]) - (totals[low] + totals[high]) / 2) ** 2 if low != high else 0.0


def _ratio(c: float, k: float) -> float:
    return ((c - k) / (c + k)) ** 2 if c + k else 0.0


def _symmetric(disagreement: Sequence[Sequence[float]]) -> bool:
    span = range(len(disagreement))
    return all(disagreement[c][k] == disagreement[k][c] for c in span for k in span)


def _shares(patterns: Patterns, q: int) -> list[float]:
    shares, rated = [0.0] * q, 0
    for pattern, times in patterns.items():
        given = [k for k in pattern if k != NONE]
        rated += times if given else 0
        for k in given:
            shares[k] += times / len(given)
    return [s / rated for s in shares] if rated else shares


def _fleiss_chance(patterns: Patterns, weights: Matrix) -> float | None:
    pi = _shares(patterns, len(weights))
    if not _can_differ([pi], weights):
        return None
    return sum(weights[k][m] * pi[k] * pi[m] for k in range(len(pi)) for m in range(len(pi)))


def _conger_chance(patterns: Patterns, weights: Matrix) -> float | None:
    q, n_raters = len(weights), max(map(len, patterns), default=0)
    by_rater = []
    for g in range(n_raters):
        counts = [sum(times for pattern, times in patterns.items() if pattern[g] == k) for k in range(q)]
        if sum(counts):
            by_rater.append([x / sum(counts) for x in counts])
    r = len(by_rater)
    if r < 2 or not _can_differ(by_rater, weights):
        return None
    mean = [sum(p[k] for p in by_rater) / r for k in range(q)]
    chance = 0.0
    for k in range(q):
        for m in range(q):
            covariance = sum((p[k] - mean[k]) * (p[m] - mean[m]) for p in by_rater) / (r - 1)
            chance += weights[k][m] * (mean[k] * mean[m] - covariance / r)
    return chance


def _can_differ(shares: list[list[float]], weights: Matrix) -> bool:
    used = [k for k in range(len(weights)) if any(p[k] for p in shares)]
    return any(weights[k][m] != 1.0 for k in used for m in used)


def _gwet_chance(patterns: Patterns, weights: Matrix) -> float | None:
    q = len(weights)
    if q < 2:
        return None
    pi = _shares(patterns, q)
    return sum(map(sum, weights)) / (q * (q - 1)) * sum(p * (1 - p) for p in pi)


def _beyond(observed: float | None, chance: float | None) -> float | None:
    return None if observed is None or chance is None else (observed - chance) / (1 - chance)


def _light(patterns: Patterns, q: int) -> float | None:
    n_raters = max(map(len, patterns), default=0)
    kappas = []
    for first in range(n_raters):
        for second in range(first + 1, n_raters):
            kappas.append(cohen(cells_of(patterns, first, second, q), identity(q)))
    return sum(k for k in kappas if k is not None) / len(kappas) if kappas and None not in kappas else None
