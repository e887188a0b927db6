"""Second implementation: coefficients of two raters, in plain loops from the textbook formulas.

Responsible for recomputing what a pair's report claims. Standard library only; it shares no code with what it checks,
and takes the other road where there are two: observed and expected agreement here, disagreement there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.domain.stats.check.counted import NONE, Matrix, Patterns, agreement_from, forms

Numbers = dict[str, float | None]
Cells = list[list[int]]


def cells_of(patterns: Patterns, first: int, second: int, q: int) -> Cells:
    """Return the counts of units both rated, first rater down."""
    cells = [[0] * q for _ in range(q)]
    for pattern, times in patterns.items():
        a, b = pattern[first], pattern[second]
        if NONE not in (a, b):
            cells[a][b] += times
    return cells


def pair_numbers(
    patterns: Patterns,
    pair: tuple[int, int],
    categories: Sequence[str],
    level: str = "nominal",
    disagreement: Sequence[Sequence[float]] | None = None,
) -> Numbers:
    """Return every coefficient of a pair by name, None where undefined."""
    q = len(categories)
    cells = cells_of(patterns, *pair, q)
    numbers: Numbers = {"exact_agreement": _observed(cells, forms(categories, "nominal")[""])}
    weights = {f"cohen_kappa{ending}": w for ending, w in forms(categories, level).items()}
    if disagreement is not None:
        weights["cohen_kappa_custom"] = agreement_from(disagreement)
    for name, w in weights.items():
        numbers[name] = cohen(cells, w)
    numbers["scott_pi"] = _scott(cells)
    numbers["bennett_s"] = _bennett(cells)
    numbers["cohen_kappa_max"] = _kappa_max(cells)
    numbers["gwet_ac1"] = _ac1(patterns, pair, cells)
    return numbers | _two_by_two(cells)


def cohen(cells: Cells, weights: Matrix) -> float | None:
    """Return Cohen's kappa under agreement weights; None where no disagreement could occur by chance."""
    n, rows, columns = margins(cells)
    q = len(cells)
    possible = [(k, m) for k in range(q) for m in range(q) if rows[k] and columns[m] and weights[k][m] != 1.0]
    if not n or not possible:
        return None
    observed = _observed(cells, weights) or 0.0
    expected = sum(weights[k][m] * rows[k] * columns[m] for k in range(q) for m in range(q)) / (n * n)
    return (observed - expected) / (1 - expected)


def margins(cells: Cells) -> tuple[int, list[int], list[int]]:
    """Return (n, row sums, column sums)."""
    rows = [sum(row) for row in cells]
    columns = [sum(row[m] for row in cells) for m in range(len(cells))]
    return sum(rows), rows, columns


def cohen_errors(cells: Cells, weights: Matrix) -> tuple[float, float] | None:
    """Return (se, se0) of Fleiss, Cohen and Everitt 1969, equations 13 and 14; None where kappa is undefined."""
    if cohen(cells, weights) is None:
        return None
    n, rows, columns = margins(cells)
    return table_errors(
        [[float(c) for c in row] for row in cells], [float(r) for r in rows], columns, (float(n), weights)
    )


def table_errors(
    cells: Matrix, rows: Sequence[float], columns: Sequence[float], n_and_weights: tuple[float, Matrix]
) -> tuple[float, float]:
    """Return (se, se0) of a table of (possibly smoothed) counts whose kappa is defined."""
    n, w = n_and_weights
    span = range(len(cells))
    p = [[cells[k][m] / n for m in span] for k in span]
    r, c = [x / n for x in rows], [x / n for x in columns]
    by_row, by_column = [0.0 for _ in span], [0.0 for _ in span]
    observed = expected = first = null = 0.0
    for k in span:
        for m in span:
            observed += w[k][m] * p[k][m]
            expected += w[k][m] * r[k] * c[m]
            by_row[k] += w[k][m] * c[m]
            by_column[m] += w[k][m] * r[k]
    for k in span:
        for m in span:
            both = by_row[k] + by_column[m]
            own, other = w[k][m] * (1 - expected) - both * (1 - observed), w[k][m] - both
            first += p[k][m] * (own * own)
            null += r[k] * c[m] * (other * other)
    middle = observed * expected - 2 * expected + observed
    spread, spread0 = first - middle * middle, null - expected * expected
    below = math.sqrt(n) * (1 - expected)
    return math.sqrt(max(0.0, spread)) / (below * (1 - expected)), math.sqrt(max(0.0, spread0)) / below


def _observed(cells: Cells, weights: Matrix) -> float | None:
    n, _, _ = margins(cells)
    if not n:
        return None
    return sum(weights[k][m] * cells[k][m] for k in range(len(cells)) for m in range(len(cells))) / n


def _used(cells: Cells) -> int:
    _, rows, columns = margins(cells)
    return sum(1 for k in range(len(cells)) if rows[k] or columns[k])


def _share_agreeing(cells: Cells) -> float:
    n, _, _ = margins(cells)
    return sum(cells[k][k] for k in range(len(cells))) / n


def _scott(cells: Cells) -> float | None:
    if _used(cells) < 2:
        return None
    n, rows, columns = margins(cells)
    expected = sum(((rows[k] + columns[k]) / (2 * n)) ** 2 for k in range(len(cells)))
    return (_share_agreeing(cells) - expected) / (1 - expected)


def _bennett(cells: Cells) -> float | None:
    q = len(cells)
    if q < 2 or not margins(cells)[0]:
        return None
    return (_share_agreeing(cells) - 1 / q) / (1 - 1 / q)


def _kappa_max(cells: Cells) -> float | None:
    if _used(cells) < 2:
        return None
    n, rows, columns = margins(cells)
    expected = sum(rows[k] * columns[k] for k in range(len(cells))) / (n * n)
    most = sum(min(rows[k], columns[k]) for k in range(len(cells))) / n
    return (most - expected) / (1 - expected)


def _ac1(patterns: Patterns, pair: tuple[int, int], cells: Cells) -> float | None:
    q = len(cells)
    if q < 2 or not margins(cells)[0]:
        return None
    shares, rated = [0.0] * q, 0
    for pattern, times in patterns.items():
        given = [pattern[g] for g in pair if pattern[g] != NONE]
        rated += times if given else 0
        for k in given:
            shares[k] += times / len(given)
    expected = sum(s / rated * (1 - s / rated) for s in shares) / (q - 1)
    return (_share_agreeing(cells) - expected) / (1 - expected)


def _two_by_two(cells: Cells) -> Numbers:
    names = ("pabak", "prevalence_index", "bias_index", "positive_agreement", "negative_agreement")
    n = margins(cells)[0]
    if len(cells) != 2 or not n:
        return dict.fromkeys(names)
    (a, b), (c, d) = cells
    mixed = b + c
    return {
        "pabak": 2 * (a + d) / n - 1,
        "prevalence_index": (a - d) / n,
        "bias_index": (b - c) / n,
        "positive_agreement": 2 * a / (2 * a + mixed) if a or mixed else None,
        "negative_agreement": 2 * d / (2 * d + mixed) if d or mixed else None,
    }
