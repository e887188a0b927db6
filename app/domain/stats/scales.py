"""How far apart two categories are: nominal, linear, quadratic, own weights, and Krippendorff's distances.

Responsible for disagreement weights over the declared categories, by position (ordinal) or by value (interval, ratio).
It knows nothing of ratings; where a distance depends on how often categories were used (ordinal alpha), the caller
hands the totals in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.errors import BadInput
from app.domain.stats.ratings import Floats, number_of

LEVELS = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True, eq=False)
class Scale:
    """The disagreement weights in force: `forms` maps "" (nominal), "_linear", "_quadratic" to q × q arrays in 0..1.

    `custom` holds weights declared by the study (rows: first rater), or None. `values` are the categories' numbers for
    interval and ratio, else None. `by_position` says that linear weights are those of the positions 0..q-1.
    """

    level: str
    n_categories: int
    forms: dict[str, Floats]
    custom: Floats | None
    values: Floats | None
    by_position: bool


def scale_of(categories: Sequence[str], level: str, weights: Floats | None = None) -> Scale:
    """Return the `Scale` of declared, ordered categories at a level.

    Raises `BadInput` for an unknown level, categories that are not numbers where numbers are needed, or weights that
    are not a square of finite, non-negative disagreements with a zero diagonal.
    """
    if level not in LEVELS:
        raise BadInput(f"level {level!r} is not one of {', '.join(LEVELS)}")
    q = len(categories)
    values = _values(categories, level) if level in ("interval", "ratio") else None
    points = np.arange(q, dtype=np.float64) if values is None else values
    forms = {"": 1.0 - np.eye(q)}
    if level != "nominal":
        linear = _unit_range(np.abs(points[:, None] - points[None, :]))
        forms |= {"_linear": linear, "_quadratic": linear**2}
    even = q < 3 or bool(np.all(np.diff(points, 2) == 0))
    return Scale(level, q, forms, _checked(weights, q), values, even)


def ordinal_distance(totals: Floats) -> Floats:
    """Return Krippendorff's squared ordinal distances (..., q, q) from category totals (..., q).

    δ²(c,k) = (Σ n_g over g from c to k − (n_c + n_k)/2)² (Krippendorff 2011, "Computing alpha-reliability").
    """
    # Midrank-like positions: the sum between two categories is the difference of the cumulated halves.
    positions = np.cumsum(totals, axis=-1) - totals / 2
    return np.asarray((positions[..., :, None] - positions[..., None, :]) ** 2)


def interval_distance(values: Floats) -> Floats:
    """Return (c − k)²."""
    return np.asarray((values[:, None] - values[None, :]) ** 2)


def ratio_distance(values: Floats) -> Floats | None:
    """Return ((c − k)/(c + k))², 0 between two zeros; None where a value is negative."""
    if np.any(values < 0):
        return None
    total = values[:, None] + values[None, :]
    gap = values[:, None] - values[None, :]
    return np.asarray(np.divide(gap, total, out=np.zeros_like(gap), where=total != 0) ** 2)


def _unit_range(distance: Floats) -> Floats:
    top = distance.max() if distance.size else 0.0
    return distance / top if top > 0 else distance


def _values(categories: Sequence[str], level: str) -> Floats:
    numbers = [number_of(c) for c in categories]
    for name, number in zip(categories, numbers, strict=True):
        if number is None:
            raise BadInput(f"level {level} needs categories that are numbers, and {name!r} is not one")
    return np.array(numbers, dtype=np.float64)


def _checked(weights: Floats | None, q: int) -> Floats | None:
    if weights is None:
        return None
    if weights.shape != (q, q):
        raise BadInput(f"the weights must be a square of {q} rows and {q} columns, one for each declared category")
    bad = np.argwhere(~np.isfinite(weights) | (weights < 0))
    if bad.size:
        raise BadInput(f"the weights, row {bad[0][0] + 1}, column {bad[0][1] + 1}: a disagreement must be 0 or more")
    lit = np.flatnonzero(np.diag(weights) != 0)
    if lit.size:
        at = lit[0] + 1
        raise BadInput(
            f"the weights, row {at}, column {at}: a category does not disagree with itself, so the diagonal must be 0 "
            "(agreement weights become disagreement weights as 1 - w)"
        )
    return weights
