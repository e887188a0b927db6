"""Ratings as arrays: who gave which unit which of the declared categories, and which run each unit belongs to.

Responsible for building the one value every coefficient is computed from, and for refusing a table that means two
things (a rater who rates a unit twice, a unit in two runs, a label that was not declared). It reads no file, folds no
case and orders no categories: order and number of the categories are declared by whoever calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from app.domain.errors import BadInput

MISSING = -1

Codes = NDArray[np.int16]
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LongTable:
    """Ratings one a row, as text columns of equal length; a label of `None` is a rating that was not given."""

    units: Sequence[str]
    raters: Sequence[str]
    labels: Sequence[str | None]
    clusters: Sequence[str] | None = None


@dataclass(frozen=True, eq=False)
class Ratings:
    """Raters × units as category positions.

    `codes[g, i]` is the position in `categories` of rater g's label for unit i, or -1 where there is none.
    `clusters[i]` is the position in `cluster_names` of the run unit i belongs to. With `clustered` false no run was
    given and every unit stands for itself.
    """

    raters: tuple[str, ...]
    units: tuple[str, ...]
    categories: tuple[str, ...]
    codes: Codes
    clusters: Numbers
    cluster_names: tuple[str, ...]
    clustered: bool
    warnings: tuple[str, ...] = field(default=())

    @property
    def n_categories(self) -> int:
        """Return the number of declared categories, used or not."""
        return len(self.categories)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Return every pair of rater positions, first rater first."""
        return list(combinations(range(len(self.raters)), 2))

    @property
    def per_unit(self) -> Numbers:
        """Return how many ratings each unit has."""
        return np.asarray((self.codes >= 0).sum(axis=0), dtype=np.int64)

    def both(self, first: int, second: int) -> NDArray[np.bool_]:
        """Return which units both raters rated."""
        return np.asarray((self.codes[first] >= 0) & (self.codes[second] >= 0))


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key under which runs of digits compare as numbers.

    >>> sorted(["u10", "u2", "u1"], key=natural_key)
    ['u1', 'u2', 'u10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", text)
    key = tuple((0, int(p), "") if p[0] in "0123456789" else (1, 0, p) for p in parts)
    return (*key, (2, 0, text))  # the text itself last: "01" and "1" keep one order


def category_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Return observed labels in the order used when none is declared: numbers by value, anything else as text.

    >>> category_order(["10", "9", "2"]), category_order(["b", "a"])
    (('2', '9', '10'), ('a', 'b'))
    """
    seen = set(labels)
    values = {label: number_of(label) for label in seen}
    if any(value is None for value in values.values()):
        return tuple(sorted(seen))
    return tuple(sorted(seen, key=lambda label: (values[label] or 0.0, label)))


def number_of(label: str) -> float | None:
    """Return the finite number a label spells in plain digits, or None.

    >>> number_of(" 2.5"), number_of("nan"), number_of("1_0")
    (2.5, None, None)
    """
    text = label.strip()
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", text):
        return None
    value = float(text)
    return value if np.isfinite(value) else None


def build_ratings(
    table: LongTable,
    categories: Sequence[str],
    *,
    sort_key: Callable[[str], object] = str,
    where: Callable[[int], str] = lambda i: f"rating {i + 1}",
    label_column: str = "label",
) -> Ratings:
    """Return the `Ratings` of a long table over the declared, ordered `categories`.

    Units, raters and runs are put in the order of `sort_key`, so the order of the rows never matters. `where(i)` says
    where row i stands and `label_column` what its column is called, for the sentence of an error. Raises `BadInput` for
    a label outside the declared categories, a rater/unit pair given twice, a unit in two runs, categories named twice
    or no rows at all.
    """
    _refuse_bad_categories(categories)
    if not table.units:
        raise BadInput("there are no ratings: give at least one row")
    units, unit_of = _positions(table.units, sort_key)
    raters, rater_of = _positions(table.raters, sort_key)
    labels = _label_codes(table.labels, categories, lambda i: f"{where(i)}, column {label_column}")
    _refuse_twice(table, rater_of * len(units) + unit_of, where)
    codes = np.full((len(raters), len(units)), MISSING, dtype=np.int16)
    codes[rater_of, unit_of] = labels
    if table.clusters is None:
        return Ratings(raters, units, tuple(categories), codes, np.arange(len(units), dtype=np.int64), units, False)
    names, cluster_of = _positions(table.clusters, sort_key)
    clusters = _clusters(table, unit_of, cluster_of, where)
    return Ratings(raters, units, tuple(categories), codes, clusters, names, True)


def ratings_of_codes(
    codes: Sequence[Sequence[int | None]], categories: Sequence[str], clusters: Sequence[str] | None = None
) -> Ratings:
    """Return the `Ratings` of rows of category positions (one row a rater, None = missing), units in the order given.

    Raises `BadInput` where a position is not one of the declared categories.
    """
    array = np.array([[MISSING if c is None else c for c in row] for row in codes], dtype=np.int16)
    if array.size and (array.max() >= len(categories) or array.min() < MISSING):
        raise BadInput(f"a rating is not one of the {len(categories)} declared categories")
    raters = tuple(f"R{g + 1}" for g in range(len(codes)))
    units = tuple(str(i) for i in range(array.shape[1]))
    if clusters is None:
        own = np.arange(len(units), dtype=np.int64)
        return Ratings(raters, units, tuple(categories), array, own, units, False)
    names, cluster_of = _positions(clusters, natural_key)
    return Ratings(raters, units, tuple(categories), array, cluster_of, names, True)


def _refuse_bad_categories(categories: Sequence[str]) -> None:
    if not categories:
        raise BadInput("no categories are declared: name at least one")
    if len(categories) > np.iinfo(np.int16).max:
        raise BadInput(
            f"{len(categories)} categories are too many to compute agreement over: {np.iinfo(np.int16).max} at most"
        )
    twice = (
        [c for i, c in enumerate(categories) if c in categories[:i]] if len(set(categories)) < len(categories) else []
    )
    if twice:
        raise BadInput(f"category {twice[0]!r} is declared twice")


def _positions(values: Sequence[str], sort_key: Callable[[str], object]) -> tuple[tuple[str, ...], Numbers]:
    names = tuple(sorted(set(values), key=sort_key))  # type: ignore[arg-type]  # any key Python can compare will do
    index = {name: i for i, name in enumerate(names)}
    return names, np.fromiter(map(index.__getitem__, values), dtype=np.int64, count=len(values))


def _label_codes(labels: Sequence[str | None], categories: Sequence[str], where: Callable[[int], str]) -> Codes:
    index: dict[str | None, int] = {name: i for i, name in enumerate(categories)}
    index[None] = MISSING
    strangers = set(labels) - index.keys()
    if strangers:
        at = next(i for i, label in enumerate(labels) if label in strangers)
        raise BadInput(
            f"{where(at)}: {labels[at]!r} is not one of the declared categories ({', '.join(categories[:12])}"
            f"{', ...' if len(categories) > 12 else ''})"
        )
    return np.fromiter((index[label] for label in labels), dtype=np.int16, count=len(labels))


def _refuse_twice(table: LongTable, keys: Numbers, where: Callable[[int], str]) -> None:
    order = np.argsort(keys, kind="stable")
    repeated = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if not repeated.size:
        return
    second = int(order[repeated + 1].min())
    first = int(np.flatnonzero(keys == keys[second])[0])
    raise BadInput(
        f"{where(second)}: rater {table.raters[second]!r} rates unit {table.units[second]!r} a second time "
        f"(first in {where(first)}); keep one"
    )


def _clusters(table: LongTable, unit_of: Numbers, cluster_of: Numbers, where: Callable[[int], str]) -> Numbers:
    _, first = np.unique(unit_of, return_index=True)
    clusters = cluster_of[first]
    astray = np.flatnonzero(clusters[unit_of] != cluster_of)
    if astray.size:
        row, names = int(astray[0]), table.clusters or ()
        before = int(first[unit_of[row]])
        raise BadInput(
            f"{where(row)}: unit {table.units[row]!r} is in run {names[row]!r} here "
            f"and in run {names[before]!r} in {where(before)}"
        )
    return np.asarray(clusters, dtype=np.int64)
