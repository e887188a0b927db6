"""The `agreement/1` document: agreement of any table of ratings, pair by pair and over all raters.

Responsible for putting the parts together under the agreed keys and for the warnings a reader needs. It reads and
writes no file, chooses no threshold and uses no adjective.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.stats.coefficients import category_estimates, overall_estimates
from app.domain.stats.intervals import PRIMARY_INTERVAL, WITHOUT_RUNS
from app.domain.stats.pair_report import cluster_interval, pair_report
from app.domain.stats.permutation import permutation_null
from app.domain.stats.ratings import Floats, Ratings
from app.domain.stats.resampling import Bootstrap, Resampled, resample
from app.domain.stats.scales import scale_of
from app.domain.stats.statistic import Json

SCHEMA = "agreement/1"


def agreement_document(
    ratings: Ratings,
    level: str = "nominal",
    weights: Floats | None = None,
    bootstrap: Bootstrap | None = None,
    strata: Sequence[str] | None = None,
) -> Json:
    """Return the `agreement/1` document of a table of ratings.

    `level` is nominal, ordinal, interval or ratio; `weights` are own disagreement weights (q × q, first rater down).
    `bootstrap` says how to resample runs and permute labels; None leaves both out. `strata[i]`, the run × kind class of
    unit i, adds the null that permutes within them. Every statistic is `{value, undefined_reason, ...}`, never NaN.
    Raises `BadInput` for a level or weights that do not fit the categories.
    """
    scale = scale_of(ratings.categories, level, weights)
    resampled = resample(ratings, scale, bootstrap) if bootstrap and bootstrap.resamples else None
    null = bootstrap if bootstrap and bootstrap.permutations else None
    pairs = [pair_report(ratings, scale, pair, resampled, null) for pair in ratings.pairs]
    if strata is not None and null is not None:
        for pair, report in zip(ratings.pairs, pairs, strict=True):
            report["permutation_null_within"] = permutation_null(ratings, pair, null, strata)
    overall = {
        name: {**value, "ci95_cluster": cluster_interval(resampled, None, name, _why(value, ratings))}
        for name, value in overall_estimates(ratings, scale).items()
    }
    return {
        "schema": SCHEMA,
        "n_units": len(ratings.units),
        "n_units_rated": int((ratings.per_unit > 0).sum()),
        "n_units_rated_twice": int((ratings.per_unit > 1).sum()),
        "n_ratings": int(ratings.per_unit.sum()),
        "n_raters": len(ratings.raters),
        "raters": list(ratings.raters),
        "n_runs": len(ratings.cluster_names) if ratings.clustered else None,
        "categories": list(ratings.categories),
        "level": level,
        "primary_interval": PRIMARY_INTERVAL if ratings.clustered else WITHOUT_RUNS,
        "bootstrap": _said(resampled),
        "pairs": pairs,
        "overall": overall,
        "category_kappa": category_estimates(ratings),
        "warnings": [*ratings.warnings, *_warnings(ratings)],
    }


def _why(value: Json, ratings: Ratings) -> str | None:
    reason = value["undefined_reason"]
    if reason is not None:
        return str(reason)
    return "one_cluster" if ratings.clustered and len(ratings.cluster_names) < 2 else None


def _said(resampled: Resampled | None) -> Json | None:
    if resampled is None:
        return None
    done = resampled.bootstrap
    return {
        "method": resampled.method,
        "B": done.resamples,
        "seed": done.stated_seed,
        "resampled_from": resampled.n_blocks,
    }


def _warnings(ratings: Ratings) -> list[str]:
    said = []
    empty = [name for g, name in enumerate(ratings.raters) if not (ratings.codes[g] >= 0).any()]
    if empty:
        said.append(f"these raters gave no rating: {', '.join(empty)}")
    without = [f"{ratings.raters[a]} and {ratings.raters[b]}" for a, b in ratings.pairs if not ratings.both(a, b).any()]
    if without:
        said.append(f"no unit in common: {'; '.join(without)}")
    return said
