"""The permutation null: which kappa do the same two columns of labels give when their order is chance?

Responsible for permuting one rater's labels over the units both rated, plainly and within strata (run × kind class).
The draws are `default_rng(seed).permutation(n)`, one a draw; within strata the same draws are sorted stably by stratum,
which leaves each stratum in a uniformly random order. Nothing is concluded here; the null is shown beside the value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.stats.ratings import Codes, Floats, Numbers, Ratings
from app.domain.stats.resampling import Bootstrap
from app.domain.stats.statistic import Json, tidy
from app.domain.stats.two_raters import quotient


def permutation_null(
    ratings: Ratings, pair: tuple[int, int], bootstrap: Bootstrap, strata: Sequence[str] | None = None
) -> Json:
    """Return the null of Cohen's kappa of a pair: `{observed, median, p5, p95, draws, seed, structural, ...}`.

    The second rater's labels are permuted over the jointly rated units in the order of the units. `structural` is true
    where every permutation gives the same kappa (or none): then the null says nothing. Limits stay null if kappa itself
    is undefined. `strata[i]` is the stratum of unit i.
    """
    both = ratings.both(*pair)
    first, second = ratings.codes[pair[0]][both], ratings.codes[pair[1]][both]
    groups = None if strata is None else np.array(strata, dtype=np.str_)[both]
    drawn = null_kappas(first, second, ratings.n_categories, permutations(len(first), bootstrap, groups))
    observed = null_kappas(first, second, ratings.n_categories, iter([np.arange(len(first))]))[0]
    defined = drawn[~np.isnan(drawn)]
    # Equal draws differ by no rounding: they share one denominator, and their numerators are whole.
    structural = not defined.size or bool(np.all(defined == defined[0]))
    p5, median, p95 = np.percentile(defined, [5, 50, 95]) if defined.size else (math.nan,) * 3
    return {
        "statistic": "cohen_kappa",
        "permuted": "second rater's labels over the units both rated" + ("" if strata is None else ", within strata"),
        "draws": bootstrap.permutations,
        "seed": bootstrap.stated_null_seed,
        "observed": _or_none(observed),
        "median": _or_none(median),
        "p5": _or_none(p5),
        "p95": _or_none(p95),
        "structural": structural,
        "undefined_draws": int(drawn.size - defined.size),
    }


def null_kappas(first: Codes, second: Codes, q: int, orders: Iterator[Numbers]) -> Floats:
    """Return Cohen's kappa of `first` against each reordering of `second`; NaN where undefined.

    The marginals do not change, so only the number of agreeing units is counted anew.
    """
    n = len(first)
    chance = float(np.bincount(first, minlength=q) @ np.bincount(second, minlength=q))
    agreeing = np.array([np.count_nonzero(first == second[order]) for order in orders], dtype=np.float64)
    return 1.0 - quotient((n - agreeing) * n, np.full_like(agreeing, n * n - chance))


def permutations(n: int, bootstrap: Bootstrap, strata: NDArray[np.str_] | None = None) -> Iterator[Numbers]:
    """Yield the orders of the null; with `strata` (n labels), each keeps every unit's label within its stratum."""
    rng = np.random.default_rng(bootstrap.stated_null_seed)
    home = None if strata is None else np.argsort(strata, kind="stable")
    for _ in range(bootstrap.permutations):
        drawn = rng.permutation(n)
        if strata is None or home is None:
            yield drawn
            continue
        order = np.empty(n, dtype=np.int64)
        order[home] = drawn[np.argsort(strata[drawn], kind="stable")]
        yield order


def _or_none(value: float) -> float | None:
    return tidy(value) if math.isfinite(value) else None
