"""Percentile intervals from resampled runs: every coefficient, every pair, from one set of draws.

Responsible for the cluster bootstrap. Runs are drawn with replacement with all their claims; since every coefficient is
a function of sums over runs, a resample is one row of a matrix product. The seed is handed in, and the draws are
`default_rng(seed).integers(0, R, size=(B, R))` over the runs in the order of their names: anyone can repeat them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.domain.stats.many_raters import overall_coefficients
from app.domain.stats.ratings import Floats, Numbers, Ratings
from app.domain.stats.scales import Scale
from app.domain.stats.sums import Blocks, blocks_of, unflatten
from app.domain.stats.two_raters import pair_coefficients

DEFAULT_SEED = 20260725
_CELLS_AT_ONCE = 4_000_000
_MANY = 20_000


@dataclass(frozen=True)
class Bootstrap:
    """How to resample: B resamples and the seed, as `default_rng` takes it; and the draws of the permutation null.

    The null draws under `null_seed`, or under the same seed where none is given.
    """

    resamples: int = 5000
    seed: int | Sequence[int] = DEFAULT_SEED
    permutations: int = 1000
    null_seed: int | None = None

    @property
    def stated_seed(self) -> int | list[int]:
        """Return the seed as a document states it: a whole number or a list of them."""
        return self.seed if isinstance(self.seed, int) else list(self.seed)

    @property
    def stated_null_seed(self) -> int | list[int]:
        """Return the seed of the permutation null."""
        return self.stated_seed if self.null_seed is None else self.null_seed


@dataclass(frozen=True, eq=False)
class Resampled:
    """The values of every coefficient in every resample, NaN where undefined."""

    n_blocks: int
    method: str
    bootstrap: Bootstrap
    overall: dict[str, Floats] = field(default_factory=dict)
    pairs: dict[tuple[int, int], dict[str, Floats]] = field(default_factory=dict)


def resample(ratings: Ratings, scale: Scale, bootstrap: Bootstrap) -> Resampled:
    """Return every coefficient of every pair, and of all raters, in B resamples of the runs (else of the units)."""
    blocks = blocks_of(ratings)
    sums = blocks.sums().flat()
    overall: list[dict[str, Floats]] = []
    pairs: dict[tuple[int, int], list[dict[str, Floats]]] = {pair: [] for pair in ratings.pairs}
    for weights in _weights(blocks, bootstrap):
        drawn = unflatten(weights @ sums, len(ratings.raters), ratings.n_categories)
        light = np.zeros(len(weights))
        for pair, chunks in pairs.items():
            table = np.tensordot(weights, blocks.tables(*pair), axes=1)
            values = pair_coefficients(table, alone(drawn.rater_counts, table, pair), scale)
            light += values["cohen_kappa"]
            chunks.append(values)
        overall.append(overall_coefficients(drawn, scale) | {"light_kappa": light / max(len(pairs), 1)})
    joined = {pair: _join(chunks) for pair, chunks in pairs.items()}
    return Resampled(len(blocks.row_of), _method(blocks), bootstrap, _join(overall), joined)


def alone(rater_counts: Floats, table: Floats, pair: tuple[int, int]) -> Floats:
    """Return the ratings either of the pair gave to units the other did not rate, by category (…, q)."""
    first, second = pair
    both = table.sum(axis=-1) + table.sum(axis=-2)
    return np.asarray(rater_counts[..., first, :] + rater_counts[..., second, :] - both)


def percentile_limits(values: Floats) -> tuple[float, float, int]:
    """Return (2.5th, 97.5th percentile, undefined resamples); NaN limits where no resample is defined."""
    defined = values[~np.isnan(values)]
    undefined = int(values.size - defined.size)
    if not defined.size:
        return float("nan"), float("nan"), undefined
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high), undefined


def _method(blocks: Blocks) -> str:
    if blocks.ratings.clustered:
        return "cluster_bootstrap_percentile"
    return "unit_bootstrap_percentile" if len(blocks.row_of) <= _MANY else "unit_bootstrap_percentile_multinomial"


def _weights(blocks: Blocks, bootstrap: Bootstrap) -> Iterator[Floats]:
    """Yield, some resamples at a time, how often each row of sums was drawn, (resamples, rows)."""
    rng = np.random.default_rng(bootstrap.stated_seed)
    n, rows = len(blocks.row_of), blocks.n_rows
    step = max(1, _CELLS_AT_ONCE // max(n, 1))
    for start in range(0, bootstrap.resamples, step):
        size = min(step, bootstrap.resamples - start)
        if n > _MANY and not blocks.ratings.clustered:
            # Each unit for itself: how often each kind of unit is drawn is multinomial, and needs no draw a unit.
            yield rng.multinomial(n, np.bincount(blocks.row_of, minlength=rows) / n, size=size).astype(np.float64)
            continue
        drawn: Numbers = blocks.row_of[rng.integers(0, n, size=(size, n))]
        drawn += (np.arange(size) * rows)[:, None]
        yield np.bincount(drawn.reshape(-1), minlength=size * rows).reshape(size, rows).astype(np.float64)


def _join(chunks: list[dict[str, Floats]]) -> dict[str, Floats]:
    return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]} if chunks else {}
