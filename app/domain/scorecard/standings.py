"""The models: effective and quality-only means with their intervals, the sanitation sensitivity, ranks and frequencies.

Responsible for the figures of each model under the original score. The 1,000 original draws stand beside the 5,000;
neither is adjusted for the number of models. Models are listed by name.
"""

from __future__ import annotations

import numpy as np

from app.domain.scorecard.averaging import effective_mean, effective_values, model_metrics, quality_only_mean
from app.domain.scorecard.grid import Bools, Grid
from app.domain.scorecard.ranking import competition_ranks, rank_frequencies
from app.domain.scorecard.resampling import interval, resampled_means, times_drawn
from app.domain.scorecard.scored import Scored
from app.domain.scorecard.spec import Resampling
from app.domain.stats.ratings import Floats
from app.domain.stats.statistic import Json, statistic, tidy


def model_standings(scored: Scored, clean: Scored, official: Floats, sanitised: Floats) -> dict[str, Json]:
    """Return by model its rank, means with intervals, metrics, and the same under the sanitised scorer."""
    grid, how = scored.grid, scored.spec.resampling
    primary, original = how["primary"], how["original"]
    times = {name: times_drawn(len(grid.questions), how[name]) for name in ("primary", "original")}
    effective = effective_values(official, grid.valid)
    drawn = {
        "effective": resampled_means(times["primary"], np.nan_to_num(effective)),
        "original": resampled_means(times["original"], np.nan_to_num(effective)),
        "quality": resampled_means(times["primary"], np.where(grid.valid, official, np.nan)),
        "sanitised": resampled_means(times["primary"], np.nan_to_num(effective_values(sanitised, grid.valid))),
    }
    means = [effective_mean(official[m], grid.valid[m]) for m in range(len(grid.models))]
    ranks = competition_ranks(values_of(means))
    models = {}
    for m, name in enumerate(grid.models):
        quality = quality_only_mean(official[m], grid.valid[m])
        clean_mean = effective_mean(sanitised[m], grid.valid[m])
        models[name] = {
            "rank": ranks[m],
            "effective_mean": means[m]
            | {
                "ci95": interval(drawn["effective"][:, m], primary, means[m]["undefined_reason"]),
                "ci95_original": interval(drawn["original"][:, m], original, means[m]["undefined_reason"]),
            },
            "quality_only_mean": quality
            | {"ci95": interval(drawn["quality"][:, m], primary, quality["undefined_reason"])},
            "metrics": model_metrics(grid, scored.averaged, m),
            "sanitised": {
                "effective_mean": clean_mean
                | {"ci95": interval(drawn["sanitised"][:, m], primary, clean_mean["undefined_reason"])},
                "quality_only_mean": quality_only_mean(sanitised[m], grid.valid[m]),
                "metrics": model_metrics(grid, clean.averaged, m),
                "effective_mean_less_official": _less(clean_mean, means[m]),
            },
        }
    return models


def rank_table(grid: Grid, official: Floats, how: Resampling) -> Json:
    """Return how often each model takes each rank; a model without an effective mean is left out and named."""
    scores = effective_values(official, grid.valid)
    there: Bools = np.asarray(~np.isnan(scores).any(axis=1))
    names = [name for name, whole in zip(grid.models, there, strict=True) if whole]
    shares = np.empty((0, 0))
    if names:
        shares = rank_frequencies(resampled_means(times_drawn(len(grid.questions), how), scores[there]))
    return {
        "draws": how.draws,
        "seed": how.seed,
        "n_questions": len(grid.questions),
        "excluded": [name for name in grid.models if name not in names],
        "models": {
            name: {
                "frequencies": [tidy(share) for share in shares[m]],
                "first": statistic(float(shares[m, 0]), num=tidy(float(shares[m, 0]) * how.draws), den=how.draws),
            }
            for m, name in enumerate(names)
        },
    }


def values_of(means: list[Json]) -> Floats:
    """Return the values of statistics, NaN for undefined ones."""
    return np.array([np.nan if mean["value"] is None else mean["value"] for mean in means], dtype=np.float64)


def _less(one: Json, other: Json) -> float | None:
    return None if one["value"] is None or other["value"] is None else tidy(one["value"] - other["value"])
