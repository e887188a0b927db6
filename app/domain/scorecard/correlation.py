"""Correlation of two series: Pearson's, and Spearman's on average ranks.

Responsible for the undefined cases: fewer points than asked for, or a series that never varies. Sources: Pearson 1896;
Spearman 1904, ties at their average rank (Kendall 1945).
"""

from __future__ import annotations

import numpy as np

from app.domain.stats.ratings import Floats
from app.domain.stats.statistic import Json, statistic

_STILL = 1e-12
"""A spread below this share of the values' size is rounding dust: the series does not vary."""


def pearson(first: Floats, second: Floats, least: int = 3, too_few: str = "too_few_points") -> Json:
    """Return Pearson's r of two equally long series as `{value, undefined_reason, n}`."""
    n = len(first)
    if n < least:
        return statistic(np.nan, too_few, n=n)
    a, b = first - first.mean(), second - second.mean()
    size_a, size_b = float((a * a).sum()), float((b * b).sum())
    if _is_still(first, size_a) or _is_still(second, size_b):
        return statistic(np.nan, "no_variation", n=n)
    value = float((a * b).sum()) / np.sqrt(size_a * size_b)
    return statistic(float(np.clip(value, -1.0, 1.0)), n=n)


def spearman(first: Floats, second: Floats, least: int = 3, too_few: str = "too_few_points") -> Json:
    """Return Spearman's rank correlation, ties at their average rank, as `{value, undefined_reason, n}`."""
    return pearson(average_ranks(first), average_ranks(second), least, too_few)


def average_ranks(values: Floats) -> Floats:
    """Return ranks from 1 up; values within 1e-9 of their neighbour share the mean of the ranks they take.

    >>> average_ranks(np.array([10.0, 20.0, 20.0, 5.0])).tolist()
    [2.0, 3.5, 3.5, 1.0]
    """
    if not len(values):
        return values
    order = np.argsort(values, kind="stable")
    rising = values[order]
    group = np.concatenate([[0], np.cumsum(np.diff(rising) > 1e-9)])
    places = np.arange(1, len(values) + 1, dtype=np.float64)
    mean_place = np.bincount(group, weights=places) / np.bincount(group)
    ranks = np.empty(len(values))
    ranks[order] = mean_place[group]
    return ranks


def _is_still(values: Floats, spread: float) -> bool:
    size = float(np.abs(values).max())
    return spread <= (_STILL * max(size, 1.0)) ** 2 * len(values)
