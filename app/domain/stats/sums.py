"""The sums every coefficient is a function of, for the whole table or one set a run.

Responsible for reducing ratings to additive counts: a resample of runs is then a weighted sum of rows, and the same
coefficient code serves the estimate and thousands of resamples. It computes no coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.domain.stats.ratings import Floats, Numbers, Ratings


@dataclass(frozen=True, eq=False)
class Sums:
    """Additive counts; every array may carry a leading axis (runs, or resamples).

    rater_counts (…, G, q): units rater g put in category k.
    shares (…, q): Σ over rated units of r_ik/r_i.  n_rated (…): units with at least one rating.
    agreement (…, q, q): Σ over units rated twice or more of (ordered pairs of ratings k, l)/(r_i (r_i − 1)).
    coincidence (…, q, q): Krippendorff's coincidences, the same pairs over (r_i − 1).
    """

    rater_counts: Floats
    shares: Floats
    n_rated: Floats
    agreement: Floats
    coincidence: Floats

    def flat(self) -> Floats:
        """Return the sums side by side, (…, F)."""
        lead = self.n_rated.shape
        parts = (self.rater_counts, self.shares, self.n_rated[..., None], self.agreement, self.coincidence)
        return np.concatenate([part.reshape(*lead, -1) for part in parts], axis=-1)

    def total(self) -> Sums:
        """Return the sums over the leading axis."""
        return Sums(*(np.asarray(part.sum(axis=0)) for part in self._parts()))

    def _parts(self) -> tuple[Floats, ...]:
        return (self.rater_counts, self.shares, self.n_rated, self.agreement, self.coincidence)


def unflatten(flat: Floats, n_raters: int, q: int) -> Sums:
    """Return the `Sums` whose `flat()` is `flat`."""
    lead = flat.shape[:-1]
    edges = np.cumsum([n_raters * q, q, 1, q * q])
    raters, shares, rated, agreement, coincidence = np.split(flat, edges, axis=-1)
    return Sums(
        raters.reshape(*lead, n_raters, q),
        shares,
        rated[..., 0],
        agreement.reshape(*lead, q, q),
        coincidence.reshape(*lead, q, q),
    )


@dataclass(frozen=True, eq=False)
class Blocks:
    """What is resampled: rows of sums, and which row each resampling unit stands for.

    With runs, one row a run. Without, units with the same ratings share one row (there are few kinds of unit), and
    `row_of` says which row each unit takes.
    """

    ratings: Ratings
    group_of_unit: Numbers
    n_rows: int
    row_of: Numbers

    def sums(self) -> Sums:
        """Return one set of sums a row."""
        return grouped_sums(self.ratings, self.group_of_unit, self.n_rows)

    def tables(self, first: int, second: int) -> Floats:
        """Return the pair's confusion table of each row, (rows, q, q), first rater down."""
        return grouped_tables(self.ratings, first, second, self.group_of_unit, self.n_rows)


def blocks_of(ratings: Ratings) -> Blocks:
    """Return the `Blocks` of the rated runs, or of the rated units where no runs are given."""
    rated = np.flatnonzero(ratings.per_unit > 0)
    kept = _only(ratings, rated)
    if ratings.clustered:
        runs, group = np.unique(kept.clusters, return_inverse=True)
        return Blocks(kept, group.astype(np.int64), len(runs), np.arange(len(runs), dtype=np.int64))
    _, example, row_of = np.unique(kept.codes, axis=1, return_index=True, return_inverse=True)
    kinds = _only(kept, example)
    return Blocks(kinds, np.arange(len(example), dtype=np.int64), len(example), row_of.reshape(-1).astype(np.int64))


def label_counts(ratings: Ratings) -> Floats:
    """Return how often each rater gave each category, (G, q)."""
    q = ratings.n_categories
    return np.array([np.bincount(row[row >= 0], minlength=q) for row in ratings.codes], dtype=np.float64)


def total_sums(ratings: Ratings) -> Sums:
    """Return the sums over all units."""
    return grouped_sums(ratings, np.zeros(len(ratings.units), dtype=np.int64), 1).total()


def grouped_sums(ratings: Ratings, group: Numbers, n_groups: int) -> Sums:
    """Return one set of sums a group; `group[i]` is the group of unit i."""
    q, n_raters = ratings.n_categories, len(ratings.raters)
    per_unit = ratings.per_unit
    counts = np.zeros((n_groups, n_raters, q))
    shares = np.zeros((n_groups, q))
    for g in range(n_raters):
        seen = ratings.codes[g] >= 0
        at = group[seen] * q + ratings.codes[g][seen]
        counts[:, g, :] = np.bincount(at, minlength=n_groups * q).reshape(n_groups, q)
        shares += np.bincount(at, weights=1.0 / per_unit[seen], minlength=n_groups * q).reshape(n_groups, q)
    n_rated = np.bincount(group[per_unit > 0], minlength=n_groups).astype(np.float64)
    agreement, coincidence = _pair_sums(ratings, group, n_groups)
    return Sums(counts, shares, n_rated, agreement, coincidence)


def grouped_tables(ratings: Ratings, first: int, second: int, group: Numbers, n_groups: int) -> Floats:
    """Return the confusion table of a pair for each group, (groups, q, q), first rater down, common units only."""
    q = ratings.n_categories
    both = ratings.both(first, second)
    at = (group[both] * q + ratings.codes[first][both]) * q + ratings.codes[second][both]
    return np.bincount(at, minlength=n_groups * q * q).reshape(n_groups, q, q).astype(np.float64)


def _pair_sums(ratings: Ratings, group: Numbers, n_groups: int) -> tuple[Floats, Floats]:
    q = ratings.n_categories
    size = n_groups * q * q
    agreement, coincidence = np.zeros(size), np.zeros(size)
    per_unit = ratings.per_unit
    for first, second in ratings.pairs:
        both = ratings.both(first, second)
        a, b, n = ratings.codes[first][both], ratings.codes[second][both], per_unit[both].astype(np.float64)
        base = group[both] * q
        for at in ((base + a) * q + b, (base + b) * q + a):
            agreement += np.bincount(at, weights=1.0 / (n * (n - 1)), minlength=size)
            coincidence += np.bincount(at, weights=1.0 / (n - 1), minlength=size)
    return agreement.reshape(n_groups, q, q), coincidence.reshape(n_groups, q, q)


def _only(ratings: Ratings, units: Numbers) -> Ratings:
    return Ratings(
        ratings.raters,
        tuple(ratings.units[i] for i in units),
        ratings.categories,
        ratings.codes[:, units],
        ratings.clusters[units],
        ratings.cluster_names,
        ratings.clustered,
        ratings.warnings,
    )
