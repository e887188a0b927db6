"""The scorers of one grade sheet: the historical one that is official, and the sanitation sensitivity beside it.

Historical: recall over the returned entries of a salience group, so that a doubled entry changes the denominator and a
missing one leaves it; foreign ids count in the credited precision. Sanitised: every gold id once, the lowest credit
among doubled entries, nothing for a missing one, foreign ids ignored. Neither rewrites a sheet. NaN stands for
undefined inside these arrays only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.domain.scorecard.grid import CORE, EXTRA, SUPPORTING, Bools, Grid
from app.domain.scorecard.spec import ScorecardSpec, Weights
from app.domain.stats.ratings import Floats, Numbers
from app.domain.stats.two_raters import quotient

HISTORICAL = "historical"
SANITISED = "sanitised"
CONSENSUS = "consensus"


@dataclass(frozen=True, eq=False)
class Credits:
    """Credit of gold facts, cell by cell: which cell, which fact, how much; and the credit that precision counts."""

    cell: Numbers
    fact: Numbers
    credit: Floats
    credited: Floats


def score_sheets(grid: Grid, spec: ScorecardSpec, scorer: str) -> dict[str, Floats]:
    """Return every metric of every sheet by name, (M, Q, J), NaN where undefined or not graded.

    Scorer `consensus` is the historical one with the core recall over the core facts every gold contributor named.
    """
    sanitised = scorer == SANITISED
    given = _sanitised(grid) if sanitised else _historical(grid)
    core = grid.facts.of_kind(CORE)
    kinds: Mapping[str, Bools] = {
        "core_recall": core & grid.facts.consensus if scorer == CONSENSUS else core,
        "supporting_recall": grid.facts.of_kind(SUPPORTING),
        "coverage": grid.facts.of_kind(None),
    }
    metrics = {name: _recall(grid, given, kind, sanitised) for name, kind in kinds.items()}
    metrics["precision_proxy"] = _precision(grid, given.credited, spec)
    return metrics | dict(zip(spec.qualities, grid.quality, strict=True))


def composite(metrics: Mapping[str, Floats], weights: Weights, qualities: tuple[str, str]) -> Floats:
    """Return core·recall + precision·proxy + the points of both languages; NaN where any part is undefined."""
    first, second = qualities
    return np.asarray(
        weights.core * metrics["core_recall"]
        + weights.precision * metrics["precision_proxy"]
        + weights.languages[0] * metrics[first]
        + weights.languages[1] * metrics[second]
    )


def _historical(grid: Grid) -> Credits:
    """Every returned entry as it stands; precision credits all of them, foreign ids too."""
    entries = grid.entries
    known = entries.fact != EXTRA
    return Credits(
        entries.cell[known], entries.fact[known], entries.credit[known], _sum(grid, entries.cell, entries.credit)
    )


def _sanitised(grid: Grid) -> Credits:
    """One credit for each gold id that was returned: the lowest. Missing ids add nothing to any sum."""
    entries, n_facts = grid.entries, max(len(grid.facts.keys), 1)
    known = entries.fact != EXTRA
    keys, which = np.unique(entries.cell[known] * n_facts + entries.fact[known], return_inverse=True)
    lowest = np.full(len(keys), np.inf)
    np.minimum.at(lowest, which.reshape(-1), entries.credit[known])
    cell, fact = keys // n_facts, keys % n_facts
    return Credits(cell, fact, lowest, _sum(grid, cell, lowest))


def _recall(grid: Grid, given: Credits, kind: Bools, enumerated: bool) -> Floats:
    """Mean credit on facts of a kind: over the returned entries, or over all gold facts of the question."""
    counted = kind[given.fact]
    above = _sum(grid, given.cell[counted], given.credit[counted])
    if enumerated:
        per_question = np.bincount(grid.facts.question[kind], minlength=len(grid.questions)).astype(np.float64)
        below = np.broadcast_to(per_question[None, :, None], grid.shape)
    else:
        below = _sum(grid, given.cell[counted], np.ones(int(counted.sum())))
    return _where_graded(grid, quotient(above, below))


def _precision(grid: Grid, credited: Floats, spec: ScorecardSpec) -> Floats:
    """Credited coverage over itself plus the unsupported annotations; 0/0 as the spec declares."""
    proxy = quotient(credited, credited + grid.unsupported)
    if spec.precision_of_nothing == "zero":
        proxy = np.where((credited == 0) & (grid.unsupported == 0), 0.0, proxy)
    return _where_graded(grid, proxy)


def _sum(grid: Grid, cell: Numbers, amounts: Floats) -> Floats:
    size = int(np.prod(grid.shape))
    return np.asarray(np.bincount(cell, weights=amounts, minlength=size).reshape(grid.shape), dtype=np.float64)


def _where_graded(grid: Grid, values: Floats) -> Floats:
    return np.where(grid.graded, values, np.nan)
