"""Ratings as counted patterns: how often each combination of the raters' labels occurs.

Responsible for the plain form the second implementation computes from, and for the distances between categories. It
uses the standard library only and imports nothing of what it checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

Pattern = tuple[int, ...]
Patterns = Mapping[Pattern, int]
Matrix = list[list[float]]
NONE = -1


def count_patterns(rows: Sequence[Sequence[str | None]], categories: Sequence[str]) -> Counter[Pattern]:
    """Return how often each combination of labels occurs; `rows` has one row a rater, None for a rating not given.

    Raises `ValueError` for a label that is not declared.
    """
    place = {label: k for k, label in enumerate(categories)}
    patterns: Counter[Pattern] = Counter()
    for labels in zip(*rows, strict=True):
        for label in labels:
            if label is not None and label not in place:
                raise ValueError(f"label {label!r} is not declared")
        patterns[tuple(NONE if label is None else place[label] for label in labels)] += 1
    return patterns


def agreement_weights(categories: Sequence[str], level: str, power: int) -> Matrix:
    """Return 1 − (|x − y|/range)^power between categories, by position (ordinal) or value (interval, ratio)."""
    q = len(categories)
    points = [float(c) for c in categories] if level in ("interval", "ratio") else [float(k) for k in range(q)]
    reach = max(points) - min(points)
    weights = []
    for x in points:
        weights.append([1.0 - (abs(x - y) / reach) ** power if reach > 0 else 1.0 for y in points])
    return weights


def identity(q: int) -> Matrix:
    """Return the nominal agreement weights: 1 on the diagonal, else 0."""
    return [[1.0 if k == m else 0.0 for m in range(q)] for k in range(q)]


def agreement_from(disagreement: Sequence[Sequence[float]]) -> Matrix:
    """Return agreement weights 1 − d of declared disagreement weights."""
    return [[1.0 - d for d in row] for row in disagreement]


def forms(categories: Sequence[str], level: str) -> dict[str, Matrix]:
    """Return the agreement weights a level asks for, by the ending of the coefficient's name."""
    found = {"": identity(len(categories))}
    if level != "nominal":
        found["_linear"] = agreement_weights(categories, level, 1)
        found["_quadratic"] = agreement_weights(categories, level, 2)
    return found
