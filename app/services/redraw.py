"""The random draws of an agreement document once more, from the seeds it states, for whoever recomputes it.

The second implementation knows no random generator; it is handed the draws. Nothing is computed from them here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.domain.stats.check.raw import Chance


def redrawn(document: Mapping[str, object]) -> Chance | None:
    """Return the document's draws: runs resampled and labels permuted; None where it states none.

    Runs: `default_rng(seed).integers(0, R, size=(B, R))`. Orders: `default_rng(seed).permutation(n)`, one a draw.
    """
    said = document.get("bootstrap")
    null = _first_null(document)
    if not isinstance(said, dict) or null is None:
        return None
    resamples, seed = _whole(said, "B"), _whole(said, "seed")
    draws, null_seed = _whole(null, "draws"), _whole(null, "seed")

    def runs(count: int) -> Sequence[Sequence[int]]:
        table: list[list[int]] = np.random.default_rng(seed).integers(0, count, size=(resamples, count)).tolist()
        return table

    def orders(count: int) -> Iterator[Sequence[int]]:
        generator = np.random.default_rng(null_seed)
        for _ in range(draws):
            order: list[int] = generator.permutation(count).tolist()
            yield order

    return Chance(runs=runs, orders=orders)


def _first_null(document: Mapping[str, object]) -> Mapping[str, object] | None:
    pairs = document.get("pairs")
    first = pairs[0] if isinstance(pairs, list) and pairs else None
    null = first.get("permutation_null") if isinstance(first, dict) else None
    return null if isinstance(null, dict) else None


def _whole(said: Mapping[str, object], key: str) -> int:
    value = said.get(key)
    return value if isinstance(value, int) else 0
