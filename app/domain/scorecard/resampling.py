"""The question bootstrap: means of models over resampled questions, percentile limits, paired differences.

Responsible for the draws, which are `default_rng(seed).integers(0, n, size=(draws, n))` over the questions in their one
order, and the same for every model, so that differences are paired. A seed repeats the computation; it says nothing
about how answers were generated.
"""

from __future__ import annotations

import numpy as np

from app.domain.scorecard.spec import Resampling
from app.domain.stats.ratings import Floats, Numbers
from app.domain.stats.resampling import percentile_limits
from app.domain.stats.statistic import Json, tidy
from app.domain.stats.two_raters import quotient

METHOD = "question_bootstrap_percentile"
MOST_CELLS = 20_000_000
"""Draws × questions that fit into memory at once; more is refused before anything is computed."""


def times_drawn(n: int, how: Resampling) -> Floats:
    """Return how often each of n questions was drawn in each resample, (draws, n)."""
    drawn = np.random.default_rng(how.seed).integers(0, n, size=(how.draws, n))
    drawn += (np.arange(how.draws) * n)[:, None]
    counts: Numbers = np.bincount(drawn.reshape(-1), minlength=how.draws * n)
    times: Floats = counts.reshape(how.draws, n).astype(np.float64)
    return times


def resampled_means(times: Floats, values: Floats) -> Floats:
    """Return (draws, M): the mean of each model's values (M, n) over the questions drawn; NaN values are left out.

    Undefined (NaN) where a resample holds no question with a value. With a value everywhere, n is the denominator.
    """
    there = ~np.isnan(values)
    if there.all():
        return np.asarray(_weighted(times, values) / values.shape[1])
    return quotient(_weighted(times, np.where(there, values, 0.0)), _weighted(times, there.astype(np.float64)))


def interval(drawn: Floats, how: Resampling, reason: str | None = None) -> Json:
    """Return the 95 % percentile interval of one quantity from its resampled values (draws).

    `{lo, hi, method, draws, seed, undefined_resamples, undefined_reason}`; a `reason` (the value itself is undefined)
    leaves the limits null.
    """
    low, high, undefined = percentile_limits(drawn)
    if reason is None and np.isnan(low):
        reason = "no_defined_resample"
    return {
        "lo": None if reason else tidy(low),
        "hi": None if reason else tidy(high),
        "method": METHOD,
        "draws": how.draws,
        "seed": how.seed,
        "undefined_resamples": None if reason else undefined,
        "undefined_reason": reason,
    }


def _weighted(times: Floats, values: Floats) -> Floats:
    """Return Σ times·values, (draws, M), in one order of summation: a matrix library's threads may not change a bit."""
    return np.asarray(np.einsum("bn,mn->bm", times, values))
