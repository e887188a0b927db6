"""The common subset: questions every model answered, scores centred by question, and how coverage goes with length.

Responsible for the shared-success panel. A correlation with length within one model mixes long questions with long
answers; centring takes each question's mean over the models away first. Neither shows a cause.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from app.domain.scorecard.correlation import pearson, spearman
from app.domain.scorecard.grid import Bools, Grid
from app.domain.scorecard.records import ScoreData
from app.domain.scorecard.spec import LENGTH_METRICS
from app.domain.stats.ratings import Floats
from app.domain.stats.statistic import Json, statistic


def common_subset(grid: Grid, composite: Floats) -> Json:
    """Return the composite over the questions on which every model has a valid, scored answer.

    `{n_shared_success, n, N, models: {name: {mean, centred_mean}}}`; a centred mean is the mean of an answer's score
    less the mean of all models on that question, so the centred means sum to zero.
    """
    panel = _complete(grid, composite)
    kept, n = composite[:, panel], int(panel.sum())
    centred = centre(kept)
    counts = {"n": n, "N": len(grid.questions)}
    models = {}
    for m, name in enumerate(grid.models):
        values = (float(kept[m].sum()), float(centred[m].sum()))
        mean, away = (value / n if n else np.nan for value in values)
        models[name] = {
            "mean": statistic(mean, "no_such_question", **counts),
            "centred_mean": statistic(away, "no_such_question", **counts),
        }
    return {"n_shared_success": int(grid.valid.all(axis=0).sum()), **counts, "models": models}


def lengths_of(grid: Grid, data: ScoreData) -> Floats:
    """Return the length of each answer, (M, Q), NaN where it is not known."""
    at = {(a.model_id, a.question_id): np.nan if a.length is None else a.length for a in data.answers}
    return np.array([[at[model, question] for question in grid.questions] for model in grid.models], dtype=np.float64)


def length_correlations(grid: Grid, averaged: Mapping[str, Floats], lengths: Floats) -> Json:
    """Return how metrics go with length: within each model, and pooled over the panel after centring by question.

    `{within: {model: {metric: {pearson, spearman}}}, centred: {metric: {n_questions, pearson, spearman}}}`.
    """
    within: dict[str, Json] = {}
    for m, name in enumerate(grid.models):
        within[name] = {metric: _within(lengths[m], averaged[metric][m], grid.valid[m]) for metric in LENGTH_METRICS}
    centred = {}
    for metric in LENGTH_METRICS:
        panel = _complete(grid, averaged[metric]) & ~np.isnan(lengths).any(axis=0)
        first, second = centre(lengths[:, panel]).reshape(-1), centre(averaged[metric][:, panel]).reshape(-1)
        centred[metric] = {
            "n_questions": int(panel.sum()),
            "pearson": pearson(first, second),
            "spearman": spearman(first, second),
        }
    return {"within": within, "centred": centred}


def centre(values: Floats) -> Floats:
    """Return the values less the mean of their column (the question's mean over the models)."""
    return np.asarray(values - values.mean(axis=0, keepdims=True))


def _within(lengths: Floats, values: Floats, valid: Bools) -> Json:
    both = valid & ~np.isnan(lengths) & ~np.isnan(values)
    return {"pearson": pearson(lengths[both], values[both]), "spearman": spearman(lengths[both], values[both])}


def _complete(grid: Grid, values: Floats) -> Bools:
    return np.asarray(grid.valid.all(axis=0) & ~np.isnan(values).any(axis=0))
