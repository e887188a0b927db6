"""Second implementation: correlations, the common subset and the centring by question, point by point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from app.domain.scorecard.check.means_again import Values
from app.domain.scorecard.check.plain import Found, Panel, Row, mean_of

Lengths = Mapping[tuple[str, str], float | None]
METRICS = ("coverage", "core_recall", "supporting_recall")


def pearson(points: Sequence[tuple[float, float]], least: int = 3) -> Found:
    """Return Pearson's r of points; None below `least` of them or where one side never varies."""
    n = len(points)
    if n < least or any(_is_still([point[side] for point in points]) for side in (0, 1)):
        return {"value": None, "n": n}
    mean_x, mean_y = (math.fsum(point[side] for point in points) / n for side in (0, 1))
    over = math.fsum((x - mean_x) * (y - mean_y) for x, y in points)
    spread_x = math.fsum((x - mean_x) ** 2 for x, _ in points)
    spread_y = math.fsum((y - mean_y) ** 2 for _, y in points)
    return {"value": max(-1.0, min(1.0, over / math.sqrt(spread_x * spread_y))), "n": n}


def spearman(points: Sequence[tuple[float, float]], least: int = 3) -> Found:
    """Return Spearman's rank correlation of points."""
    ranked = zip(mean_ranks([x for x, _ in points]), mean_ranks([y for _, y in points]), strict=True)
    return pearson(list(ranked), least)


def mean_ranks(values: Sequence[float]) -> list[float]:
    """Return ranks from 1 up, neighbours within 1e-9 at the mean of the ranks they take."""
    rising = sorted(range(len(values)), key=lambda i: values[i])
    found = [0.0] * len(values)
    tied: list[int] = []
    for place, i in enumerate(rising):
        if tied and values[i] - values[rising[place - 1]] > 1e-9:
            tied = []
        tied.append(i)
        for j in tied:
            found[j] = place + 1 - (len(tied) - 1) / 2
    return found


def common_subset(panel: Panel, values: Values) -> Found:
    """Return every model's mean and centred mean over the questions all answered with a score."""
    shared = [q for q in panel.questions if all(panel.valid[m, q] for m in panel.models)]
    inside = [q for q in shared if all(values[m, q] is not None for m in panel.models)]
    away = centred(panel.models, inside, values)
    counts = {"n": len(inside), "N": len(panel.questions)}
    return {
        "n_shared_success": len(shared),
        **counts,
        "models": {
            m: {
                "mean": {"value": mean_of([values[m, q] or 0.0 for q in inside]), **counts},
                "centred_mean": {"value": mean_of([away[m, q] for q in inside]), **counts},
            }
            for m in panel.models
        },
    }


def centred(models: Sequence[str], questions: Sequence[str], values: Values) -> dict[tuple[str, str], float]:
    """Return each value less the mean of its question over the models."""
    found = {}
    for q in questions:
        middle = math.fsum(values[m, q] or 0.0 for m in models) / len(models)
        for m in models:
            found[m, q] = (values[m, q] or 0.0) - middle
    return found


def length_again(panel: Panel, averaged: Mapping[str, Values], answers: Sequence[Row]) -> Found:
    """Return the correlations with length within each model and, centred, over the panel."""
    lengths: Lengths = {(row["model_id"], row["question_id"]): row["length"] for row in answers}
    within: Found = {}
    for m in panel.models:
        within[m] = {}
        for metric in METRICS:
            pairs = [(lengths[m, q], averaged[metric][m, q]) for q in panel.answered(m)]
            points = [(x, y) for x, y in pairs if x is not None and y is not None]
            within[m][metric] = {"pearson": pearson(points), "spearman": spearman(points)}
    return {"within": within, "centred": {metric: _pooled(panel, averaged[metric], lengths) for metric in METRICS}}


def _pooled(panel: Panel, values: Values, lengths: Lengths) -> Found:
    inside = [
        q
        for q in panel.questions
        if all(panel.valid[m, q] and values[m, q] is not None and lengths[m, q] is not None for m in panel.models)
    ]
    x, y = centred(panel.models, inside, lengths), centred(panel.models, inside, values)
    points = [(x[m, q], y[m, q]) for m in panel.models for q in inside]
    return {"n_questions": len(inside), "pearson": pearson(points), "spearman": spearman(points)}


def _is_still(values: Sequence[float]) -> bool:
    middle = math.fsum(values) / len(values)
    reach = 1e-12 * max(1.0, *map(abs, values))
    return math.fsum((value - middle) ** 2 for value in values) <= reach * reach * len(values)
