"""Second implementation: means over the questions of each resample, and their percentile limits.

Responsible for going through the draws it is handed. A series of scores is resampled once under one name, however many
figures rest on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from app.domain.scorecard.check.plain import Draws, Found
from app.domain.stats.check.intervals import percentile

Scores = Sequence[float | None]
Means = list[float | None]


class Resamples:
    """The draws, and the means already taken over them."""

    def __init__(self, draws: Draws) -> None:
        self.draws = draws
        self.pickers: dict[tuple[str, int], list[Callable[[Sequence[float]], Any]]] = {}
        self.known: dict[tuple[str, tuple[float | None, ...]], Means] = {}

    def means(self, name: str, scores: Scores) -> Means:
        """Return the mean of the scores drawn in each resample, those that are None left out; None of none."""
        key = (name, tuple(scores))
        if key not in self.known:
            self.known[key] = self._means(name, scores)
        return self.known[key]

    def _means(self, name: str, scores: Scores) -> Means:
        n = len(scores)
        if n == 1:
            return [scores[0] for _ in self.draws(name, 1)]
        pickers = self._pickers(name, n)
        filled = [0.0 if score is None else score for score in scores]
        if None not in scores:
            return [sum(pick(filled)) / n for pick in pickers]
        there = [0 if score is None else 1 for score in scores]
        means: Means = []
        for pick in pickers:
            n_there = sum(pick(there))
            means.append(sum(pick(filled)) / n_there if n_there else None)
        return means

    def _pickers(self, name: str, n: int) -> list[Callable[[Sequence[float]], Any]]:
        """One function a resample that takes the scores drawn, with repetition."""
        if (name, n) not in self.pickers:
            self.pickers[name, n] = [itemgetter(*drawn) for drawn in self.draws(name, n)]
        return self.pickers[name, n]


def limits(resampled: Sequence[float | None], how: tuple[int, int], defined: bool) -> Found:
    """Return the percentile limits of resampled values, all null where the value itself is undefined."""
    known = sorted(
        [value for value in resampled if value is not None]
    )  # sorted once, so that each percentile finds it so
    shown = defined and bool(known)
    return {
        "lo": percentile(known, 0.025) if shown else None,
        "hi": percentile(known, 0.975) if shown else None,
        "draws": how[0],
        "seed": how[1],
        "undefined_resamples": len(resampled) - len(known) if shown else None,
    }
