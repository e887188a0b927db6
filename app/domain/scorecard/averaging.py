"""From sheets to models: the mean of the available valid judges, then the means over questions.

Responsible for the effective mean (all questions, zero for a failure) and the quality-only mean (valid answers with a
value), each with its n/N. A valid answer without a score leaves the effective mean undefined; it is neither zero nor
left out, and the two limits it could lie between stand beside it.
"""

from __future__ import annotations

import numpy as np

from app.domain.scorecard.grid import Bools, Grid
from app.domain.scorecard.spec import FULL_SCORE
from app.domain.stats.ratings import Floats
from app.domain.stats.statistic import Json, statistic, tidy
from app.domain.stats.two_raters import quotient


def judge_mean(values: Floats, judges: Bools) -> Floats:
    """Return (M, Q): the mean over the official judges that have a value; NaN where none has."""
    seated = values[:, :, judges]
    there = ~np.isnan(seated)
    return quotient(np.where(there, seated, 0.0).sum(axis=-1), there.sum(axis=-1).astype(np.float64))


def effective_values(values: Floats, valid: Bools) -> Floats:
    """Return (M, Q) with zero for every failure; NaN stays where a valid answer has no score."""
    return np.where(valid, values, 0.0)


def effective_mean(values: Floats, valid: Bools) -> Json:
    """Return one model's mean over all questions, zero for a failure: `{value, undefined_reason, n, N, bounds}`.

    `values` and `valid` are the model's rows, (Q). n is the number of questions with a score, a failure being one.
    `bounds` (null unless undefined) are the means with 0 and with 100 for each valid answer without a score.
    """
    scores = effective_values(values, valid)
    missing, n_questions = np.isnan(scores), len(scores)
    if not n_questions:
        return statistic(np.nan, "no_such_question", n=0, N=0, bounds=None)
    bounds = None
    if missing.any():
        low = float(np.where(missing, 0.0, scores).sum()) / n_questions
        bounds = [tidy(low), tidy(low + FULL_SCORE * int(missing.sum()) / n_questions)]
    n = n_questions - int(missing.sum())
    return statistic(float(scores.sum()) / n_questions, "answer_without_score", n=n, N=n_questions, bounds=bounds)


def quality_only_mean(values: Floats, valid: Bools) -> Json:
    """Return one model's mean over its valid answers that have a value: n of N valid answers."""
    n_valid = int(valid.sum())
    there = valid & ~np.isnan(values)
    n = int(there.sum())
    value = float(values[there].sum()) / n if n else np.nan
    return statistic(value, "not_in_any_answer" if n_valid else "no_valid_answer", n=n, N=n_valid)


def model_metrics(grid: Grid, averaged: dict[str, Floats], m: int) -> dict[str, Json]:
    """Return the quality-only mean of every metric of one model by name."""
    return {name: quality_only_mean(values[m], grid.valid[m]) for name, values in averaged.items()}
