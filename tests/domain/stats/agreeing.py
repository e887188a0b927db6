"""What the agreement tests share: a document from rows of labels, computed twice and equal, and the draws once more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from app.domain.stats.check.raw import Chance, Raw
from app.domain.stats.check.recompute import mismatches
from app.domain.stats.document import agreement_document
from app.domain.stats.ratings import Ratings, ratings_of_codes
from app.domain.stats.resampling import Bootstrap

Label = str | None
SEED = 20260725


def ratings(rows: Sequence[Sequence[Label]], categories: Sequence[str], runs: Sequence[str] | None = None) -> Ratings:
    """Return ratings of one row of labels a rater."""
    place = {label: k for k, label in enumerate(categories)}
    return ratings_of_codes([[None if x is None else place[x] for x in row] for row in rows], categories, runs)


def document(
    rows: Sequence[Sequence[Label]],
    categories: Sequence[str],
    level: str = "nominal",
    weights: Sequence[Sequence[float]] | None = None,
    runs: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the document without random parts, after the second implementation gave the same numbers."""
    own = None if weights is None else np.array(weights, dtype=np.float64)
    made = agreement_document(ratings(rows, categories, runs), level, own)
    assert mismatches(made, Raw(rows, categories, level, weights, runs)) == []
    return made


def of_table(table: Sequence[Sequence[int]], categories: Sequence[str] | None = None, **more: Any) -> dict[str, Any]:
    """Return the document of a confusion table, first rater down."""
    names = list(categories or "abcdefgh"[: len(table)])
    first, second = [], []
    for i, row in enumerate(table):
        for j, count in enumerate(row):
            first += [names[i]] * count
            second += [names[j]] * count
    return document([first, second], names, **more)


def value(made: dict[str, Any], name: str) -> float | None:
    """Return a coefficient of the first pair, or over all raters."""
    found = made["pairs"][0].get(name) if made["pairs"] else None
    return (found or made["overall"][name])["value"]


def reason(made: dict[str, Any], name: str) -> str | None:
    """Return why a coefficient of the first pair, or over all raters, has no value."""
    found = made["pairs"][0].get(name) if made["pairs"] else None
    return (found or made["overall"][name])["undefined_reason"]


def chance(bootstrap: Bootstrap, every: bool = False) -> Chance:
    """Return the draws of a bootstrap again, as the second implementation takes them."""

    def runs(n: int) -> list[list[int]]:
        drawn = np.random.default_rng(bootstrap.seed).integers(0, n, size=(bootstrap.resamples, n))
        return drawn.tolist()

    def orders(n: int) -> Iterator[list[int]]:
        rng = np.random.default_rng(bootstrap.seed)
        return (rng.permutation(n).tolist() for _ in range(bootstrap.permutations))

    return Chance(runs, orders, every)
