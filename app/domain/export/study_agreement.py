"""One field's ratings of a study, handed to the statistics: the one place where exports call them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.domain.packets.seeds import BOOTSTRAP
from app.domain.stats.document import agreement_document
from app.domain.stats.ratings import ratings_of_codes
from app.domain.stats.resampling import DEFAULT_SEED, Bootstrap


def study_bootstrap(study_seed: int) -> Bootstrap:
    """Return how every field of a study is resampled and permuted; draws and seeds stand in each document.

    Runs are drawn from the study's own stream `[study_seed, 10, 0]`; the null keeps one seed for all studies.
    """
    return Bootstrap(seed=(study_seed, BOOTSTRAP, 0), null_seed=DEFAULT_SEED)


@dataclass(frozen=True)
class FieldRatings:
    """Who gave which unit what: `values[g][i]` is slot g's value for unit i, or None; runs and strata go by unit."""

    slots: tuple[str, ...]
    units: tuple[str, ...]
    runs: tuple[str, ...]
    strata: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]


def study_document(categories: Sequence[str], level: str, given: FieldRatings, study_seed: int) -> dict[str, Any]:
    """Return the `agreement/1` document of one field over its declared categories, units in the order given.

    Runs are resampled in the order of their ids. Raises `BadInput` for a value outside the categories.
    """
    place = {name: i for i, name in enumerate(categories)}
    codes = [[None if value is None else place.get(value, len(place)) for value in row] for row in given.values]
    names = tuple(sorted(set(given.runs)))
    clusters = np.array([names.index(run) for run in given.runs], dtype=np.int64)
    ratings = replace(
        ratings_of_codes(codes, categories, given.runs),
        raters=given.slots,
        units=given.units,
        clusters=clusters,
        cluster_names=names,
    )
    # Where nobody answered there is nothing to resample.
    bootstrap = study_bootstrap(study_seed) if (ratings.codes >= 0).any() else None
    return agreement_document(ratings, level, bootstrap=bootstrap, strata=given.strata)
