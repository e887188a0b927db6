"""Drawing a number of claims so that every stratum gets its share: for the sample, and for the overlap.

Seeded and independent of the order in which claims come in. It does not decide how many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.domain.packets.seeds import SAMPLING, generator


def draw_sample(strata: Mapping[str, Sequence[str]], n: int | None, seed: int) -> tuple[str, ...]:
    """Return the sampled blind claim ids, sorted (purpose 1).

    `strata` maps a blind claim id to its stratum, coarse to fine (say source, then run). `n` None is the whole frame;
    an `n` beyond the frame is the whole frame too. Every claim has the chance n/N, and every stratum of every level
    gets its proportional share, give or take one.
    """
    if n is None or n >= len(strata):
        return tuple(sorted(strata))
    if n < 0:
        raise ValueError("a sample cannot have fewer than no claims")
    return tuple(sorted(draw_stratified(strata, n, generator(seed, SAMPLING))))


def draw_stratified(strata: Mapping[str, Sequence[str]], n: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Return exactly `n` of the ids, each with the same chance, proportionally from every stratum of every level.

    Systematic sampling over the strata in random order (Cochran, Sampling Techniques, 3rd ed., ch. 8): one random
    start, then every N/n-th id. In the order drawn: neighbours come from the same stratum. Raises `ValueError` when
    there are fewer than `n` ids.
    """
    if not 0 <= n <= len(strata):
        raise ValueError(f"cannot draw {n} of {len(strata)}")
    line = shuffled_by_stratum(strata, rng)
    start = float(rng.random())
    places = [min(int((i + start) * len(line) / n), len(line) - 1) for i in range(n)]
    return tuple(line[place] for place in places)


def shuffled_by_stratum(strata: Mapping[str, Sequence[str]], rng: np.random.Generator) -> list[str]:
    """Return all ids, strata kept together at every level, strata and ids within them in random order."""
    ranks: dict[tuple[str, ...], float] = {}
    prefixes = {tuple(names[:depth]) for names in strata.values() for depth in range(1, len(names) + 1)}
    for prefix in sorted(prefixes):
        ranks[prefix] = float(rng.random())
    own = {one: float(rng.random()) for one in sorted(strata)}

    def place(one: str) -> tuple[tuple[float, ...], float, str]:
        names = strata[one]
        return tuple(ranks[tuple(names[:depth])] for depth in range(1, len(names) + 1)), own[one], one

    return sorted(strata, key=place)
