"""The random draws of an agreement document once more, from the seeds it states, for whoever recomputes it.

The second implementation knows no random generator; it is handed the draws. Nothing is computed from them here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.domain.stats.check.raw import Chance

MOST = 1_000_000
MOST_PARTS = 8
LARGEST_SEED = 2**63


def redrawn(document: Mapping[str, object]) -> Chance | None:
    """Return the document's draws: runs resampled and labels permuted; None where it states none.

    A seed is a whole number or a list of them.
    Runs: `default_rng(seed).integers(0, R, size=(B, R))`. Orders: `default_rng(seed).permutation(n)`, one a draw.
    Raises `ValueError` for a statement that no draws can be made from.
    """
    said = document.get("bootstrap")
    if said is None:
        return None
    resamples, seed = _whole(said, "B"), _seed(said)
    null = _first_null(document)
    draws, null_seed = (0, 0) if null is None else (_whole(null, "draws"), _seed(null))

    def runs(count: int) -> Sequence[Sequence[int]]:
        table: list[list[int]] = np.random.default_rng(seed).integers(0, count, size=(resamples, count)).tolist()
        return table

    def orders(count: int) -> Iterator[Sequence[int]]:
        generator = np.random.default_rng(null_seed)
        for _ in range(draws):
            order: list[int] = generator.permutation(count).tolist()
            yield order

    return Chance(runs=runs, orders=orders)


def _first_null(document: Mapping[str, object]) -> object:
    """Return what the first pair says of its null; None for a document without a pair."""
    pairs = document.get("pairs")
    first = pairs[0] if isinstance(pairs, list) and pairs else None
    return first.get("permutation_null", "none") if isinstance(first, dict) else None


def _whole(said: object, key: str) -> int:
    value = said.get(key) if isinstance(said, dict) else None
    return _within(key, value, MOST)


def _seed(said: object) -> int | list[int]:
    """Return a stated seed: a whole number, or the few of them that name a stream of a study."""
    value = said.get("seed") if isinstance(said, dict) else None
    if isinstance(value, list) and 0 < len(value) <= MOST_PARTS:
        return [_within("seed", part, LARGEST_SEED) for part in value]
    return _within("seed", value, LARGEST_SEED)


def _within(key: str, value: object, largest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= largest:
        raise ValueError(f"{key} is {value!r}, not a whole number from 0 to {largest}")
    return value
