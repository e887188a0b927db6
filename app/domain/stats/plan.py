"""How many claims a wanted interval of kappa costs: the primary interval, evaluated on expected tables.

Responsible for the expected table of two raters, for the half-width at a number of runs and for the smallest number of
runs that reaches a wanted one. It draws nothing at random, writes no file and calls no width good.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.domain.errors import BadInput
from app.domain.stats.intervals import RunSpread, effective_interval
from app.domain.stats.ratings import Floats

MOST_RUNS = 100_000
_DUST = 1e-9


@dataclass(frozen=True)
class Expected:
    """What is expected of two raters: label shares (the same for both), Cohen's kappa, and how claims come in runs.

    `claims_per_run` on average, `run_spread` the coefficient of variation of run sizes (0: all alike), `icc` the
    intra-run correlation of the agreement indicator.
    """

    shares: tuple[float, ...]
    kappa: float
    claims_per_run: float = 1.0
    icc: float = 0.1
    run_spread: float = 0.0


@dataclass(frozen=True)
class Width:
    """The primary interval expected at a number of runs: claims, limits and half their distance."""

    runs: int
    claims: int
    low: float
    high: float
    half_width: float


@dataclass(frozen=True)
class Answer:
    """The smallest plan that reaches the wanted half-width, or None with the reason and the last width tried."""

    found: Width | None
    last: Width | None
    reason: str | None


def kappa_of_agreement(agreement: float, shares: Sequence[float]) -> float | None:
    """Return (po − pe)/(1 − pe) with pe = Σ share², Cohen 1960; None where one label has all (0/0).

    >>> kappa_of_agreement(0.8, (0.5, 0.5))
    0.6000000000000001
    """
    chance = sum(share * share for share in shares)
    return None if 1 - chance <= _DUST else (agreement - chance) / (1 - chance)


def checked(expected: Expected) -> Expected:
    """Return what is expected with its shares summing to 1 exactly.

    Raises `BadInput` naming the part that cannot be: fewer than two shares, one below 0, another sum than 1, a kappa
    that no table with these shares has, runs without a claim, a correlation outside 0 to 1.
    """
    shares = expected.shares
    if len(shares) < 2:
        raise BadInput("shares: name the expected share of every label, two or more (0.6,0.3,0.1)")
    if any(not 0 <= share <= 1 for share in shares):
        raise BadInput(f"shares: {min(shares)!r} to {max(shares)!r} do not all lie between 0 and 1")
    if abs(sum(shares) - 1) > 1e-6:
        raise BadInput(f"shares: they sum to {sum(shares):.6g} and must sum to 1")
    for name, value, low, high in (
        ("kappa", expected.kappa, -1.0, 1.0),
        ("claims per run", expected.claims_per_run, 1.0, 1e6),
        ("ICC", expected.icc, 0.0, 1.0),
        ("run spread", expected.run_spread, 0.0, 100.0),
    ):
        if not low <= value <= high:
            raise BadInput(f"{name}: {value!r} does not lie between {low:g} and {high:g}")
    exact = replace(expected, shares=tuple(share / sum(shares) for share in shares))
    if (expected_table(exact) < -_DUST).any():
        raise BadInput(f"kappa: {expected.kappa!r} is lower than two raters with these label shares can have")
    return exact


def expected_table(expected: Expected) -> Floats:
    """Return the cell probabilities κ·diag(p) + (1 − κ)·pp′: marginals p, Cohen's kappa κ (q, q)."""
    p = np.array(expected.shares, dtype=np.float64)
    return np.asarray(expected.kappa * np.diag(p) + (1 - expected.kappa) * np.outer(p, p))


def width_at(expected: Expected, runs: int) -> Width:
    """Return the primary interval (`intervals.effective_interval`) of the expected table of `runs` runs, 2 or more.

    Run sizes enter as Σm²/Σm − 1 = m(1 + spread²) − 1, the design effect is max(1, 1 + that · ICC).
    """
    claims = max(runs, round(runs * expected.claims_per_run))
    crowding = claims / runs * (1 + expected.run_spread**2) - 1
    spread = RunSpread(runs, crowding, expected.icc, max(1.0, 1.0 + crowding * expected.icc))
    table = np.maximum(expected_table(expected), 0.0) * claims
    low, high = effective_interval(table, 1.0 - np.eye(len(expected.shares)), spread)
    return Width(runs, claims, low, high, (high - low) / 2)


def smallest(expected: Expected, half_width: float, most_runs: int = MOST_RUNS) -> Answer:
    """Return the fewest runs whose expected primary interval is no wider than ± `half_width`.

    Where one label has all the shares kappa is undefined (`single_category_used`); where `most_runs` runs are not
    enough the reason is `too_few_runs`, and `last` says what they would give. Raises `BadInput` for a half-width
    outside 0 to 1 or fewer than two runs.
    """
    if not 0 < half_width <= 1:
        raise BadInput(f"half-width: {half_width!r} does not lie between 0 and 1")
    if most_runs < 2:
        raise BadInput(f"most runs: {most_runs} runs have no interval; two or more are needed")
    if max(expected.shares) > 1 - _DUST:
        return Answer(None, None, "single_category_used")
    last = width_at(expected, most_runs)
    if last.half_width > half_width:
        return Answer(None, last, "too_few_runs")
    low, high = 1, most_runs  # `high` is narrow enough, `low` is not (one run has no interval)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if width_at(expected, middle).half_width <= half_width else (middle, high)
    found = width_at(expected, high)
    return Answer(found, found, None)


def curve(expected: Expected, up_to: int, points: int = 40) -> list[Width]:
    """Return the widths at up to `points` numbers of runs from 2 to `up_to`, evenly spaced on a logarithmic scale."""
    steps = np.geomspace(2, max(up_to, 3), points)
    return [width_at(expected, runs) for runs in sorted({round(step) for step in steps})]
