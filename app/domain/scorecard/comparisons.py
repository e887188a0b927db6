"""Paired comparisons of models: overall, in each slice, and criterion by criterion for the models in focus.

Responsible for which questions each comparison rests on. Overall and in a slice the composite is compared over all
questions, a failure being zero; a criterion other than the composite is compared over the questions on which every
model in focus has a valid answer with a value. Nothing is adjusted for the number of comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from app.domain.scorecard.averaging import effective_values
from app.domain.scorecard.grid import Bools, Grid
from app.domain.scorecard.records import ScoreData
from app.domain.scorecard.resampling import interval, resampled_means, times_drawn
from app.domain.scorecard.spec import Focus, Resampling, ScorecardSpec
from app.domain.scorecard.spec_faults import OVERALL
from app.domain.stats.ratings import Floats
from app.domain.stats.statistic import Json, statistic


def compare_slices(grid: Grid, composite: Floats, data: ScoreData, spec: ScorecardSpec) -> dict[str, Json]:
    """Return by slice (`overall` first) the paired differences of every two models, 5,000 draws as declared.

    Each: `{n, N, means: {model: statistic}, pairs: {first: {second: difference with interval}}}`, the overall
    comparison with the original number of draws beside it.
    """
    scores = effective_values(composite, grid.valid)
    every = np.full(len(grid.questions), True)
    how = spec.resampling["primary"]
    found = {OVERALL: paired(grid.models, scores, every, [how, spec.resampling["original"]])}
    for name, inside in slice_members(grid, data, spec).items():
        found[name] = paired(grid.models, scores, inside, [how])
    return found


def slice_members(grid: Grid, data: ScoreData, spec: ScorecardSpec) -> dict[str, Bools]:
    """Return by slice which questions are in it."""
    of = {question.question_id: question.attributes for question in data.questions}
    return {
        entry.name: np.array([of[name].get(entry.column) == entry.value for name in grid.questions], dtype=np.bool_)
        for entry in spec.slices
    }


def compare_criteria(
    grid: Grid, averaged: Mapping[str, Floats], composite: Floats, focus: Focus, how: Resampling
) -> dict[str, Json]:
    """Return by criterion the paired differences of the models in focus, as `compare_slices` does."""
    at = [grid.models.index(name) for name in focus.models]
    valid = grid.valid[at]
    found = {}
    for name in focus.criteria or ("composite", *averaged):
        if name == "composite":
            scores = effective_values(composite[at], valid)
            inside: Bools = np.full(len(grid.questions), True)
        else:
            scores = np.where(valid, averaged[name][at], np.nan)
            inside = np.asarray(~np.isnan(scores).any(axis=0))
        found[name] = paired(focus.models, scores, inside, [how])
    return found


def paired(models: Sequence[str], scores: Floats, inside: Bools, hows: Sequence[Resampling]) -> Json:
    """Return the differences of every two models (first − second) over the questions `inside`.

    Undefined for a model with an undefined score on one of these questions, and where no question is left.
    """
    kept = scores[:, inside]
    n = int(inside.sum())
    drawn = [_drawn(np.nan_to_num(kept), how) for how in hows]
    broken: Bools = np.asarray(np.isnan(kept).any(axis=1))
    sums = kept.sum(axis=1)
    reasons = ["no_such_question" if not n else "answer_without_score" if b else None for b in broken]
    means = [float(total) / n if n else np.nan for total in sums]
    pairs: dict[str, dict[str, Json]] = {name: {} for name in models[:-1]}
    for a, b in combinations(range(len(models)), 2):
        reason = reasons[a] or reasons[b]
        difference = statistic(means[a] - means[b] if reason is None else np.nan, reason, n=n, N=len(inside))
        limits = [interval(values[:, a] - values[:, b], how, reason) for values, how in zip(drawn, hows, strict=True)]
        pairs[models[a]][models[b]] = difference | _named(limits)
    return {
        "n": n,
        "N": len(inside),
        "means": {
            name: statistic(means[m] if reasons[m] is None else np.nan, reasons[m], n=n, N=len(inside))
            for m, name in enumerate(models)
        },
        "pairs": pairs,
    }


def _drawn(scores: Floats, how: Resampling) -> Floats:
    n = scores.shape[1]
    return resampled_means(times_drawn(n, how), scores) if n else np.full((1, len(scores)), np.nan)


def _named(limits: Sequence[Json]) -> Json:
    """Return the intervals under their keys: `ci95` the declared one, `ci95_original` the original draws beside it."""
    names = ("ci95", "ci95_original")
    return {name: limits[i] if i < len(limits) else None for i, name in enumerate(names)}
