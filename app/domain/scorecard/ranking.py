"""Ranks of models: by the value itself, and how often each rank is taken in the bootstrap.

Responsible for ties. Scores are tied where neighbours in order differ by no more than 1e-9; tied models share a rank
in a list (1, 2, 2, 4) and share the places they take equally in a frequency. A frequency is conditional on this set of
questions; it is not the probability that a model is best.
"""

from __future__ import annotations

import numpy as np

from app.domain.stats.ratings import Floats, Numbers

TIED = 1e-9


def competition_ranks(scores: Floats) -> list[int | None]:
    """Return each model's rank, 1 the highest, ties sharing the best place; None where the score is undefined."""
    defined = np.flatnonzero(~np.isnan(scores))
    ranks: list[int | None] = [None] * len(scores)
    if not defined.size:
        return ranks
    order, group = _groups(scores[None, defined])
    firsts = np.searchsorted(group[0], group[0])
    for place, model in enumerate(order[0]):
        ranks[int(defined[model])] = int(firsts[place]) + 1
    return ranks


def rank_frequencies(drawn: Floats) -> Floats:
    """Return (M, M): the share of resamples in which a model (row) takes a rank (column, the first is rank 1).

    `drawn` is (draws, M) without NaN. Every row and every column sums to 1.
    """
    n_draws, n_models = drawn.shape
    order, group = _groups(drawn)
    whole = np.arange(n_draws)[:, None] * n_models + group
    size = np.bincount(whole.reshape(-1), minlength=n_draws * n_models)
    taken = np.zeros((n_models, n_models))
    alone = size[whole] == 1
    np.add.at(taken, (order[alone], np.nonzero(alone)[1]), 1.0)
    for draw in np.flatnonzero(~alone.all(axis=1)):
        for place in np.flatnonzero(~alone[draw]):
            tied = order[draw][group[draw] == group[draw, place]]
            taken[tied, place] += 1.0 / len(tied)
    return np.asarray(taken / n_draws)


def _groups(scores: Floats) -> tuple[Numbers, Numbers]:
    """Return, for each row, the models in falling order and the number of the tied group each place belongs to."""
    order = np.argsort(-scores, axis=1, kind="stable")
    falling = np.take_along_axis(scores, order, axis=1)
    apart = falling[:, :-1] - falling[:, 1:] > TIED
    group = np.concatenate([np.zeros((len(scores), 1), dtype=np.int64), np.cumsum(apart, axis=1)], axis=1)
    return order, group.astype(np.int64)
