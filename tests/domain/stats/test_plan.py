"""The planner's widths: the expected table, the fewest runs, what cannot be, and what samples then give."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.domain.stats.intervals import effective_interval, run_spread, student_975
from app.domain.stats.plan import (
    Expected,
    checked,
    curve,
    expected_table,
    kappa_of_agreement,
    smallest,
    width_at,
)
from app.domain.stats.two_raters import weighted_kappa


def test_the_expected_table_has_the_shares_and_the_kappa() -> None:
    expected = checked(Expected((0.6, 0.3, 0.1), 0.7))
    table = expected_table(expected)
    assert table.sum(axis=0) == pytest.approx([0.6, 0.3, 0.1])
    assert table.sum(axis=1) == pytest.approx([0.6, 0.3, 0.1])
    assert float(weighted_kappa(table * 1000, 1 - np.eye(3))) == pytest.approx(0.7)


def test_a_width_worked_by_hand() -> None:
    """Two labels alike, kappa 0, 10 runs of 5, ICC 0.1: table 12.5 each, design effect 1 + 4·0.1 = 1.4.

    Divided: 12.5/1.4 = 8.92857 a cell; plus 2/4: 9.42857, n = 37.71429. At kappa 0 and even marginals the error of
    Fleiss, Cohen and Everitt is 1/√n = 0.162834; t(9) = 2.262157: half = 0.368358.
    """
    found = width_at(checked(Expected((0.5, 0.5), 0.0, 5, 0.1)), 10)
    half = student_975(9) / math.sqrt(4 * (12.5 / 1.4 + 0.5))
    assert half == pytest.approx(0.368358, abs=1e-6)
    assert (found.runs, found.claims) == (10, 50)
    assert found.half_width == pytest.approx(half, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((-half, half), abs=1e-12)


def test_unequal_runs_cost_as_their_sizes_say() -> None:
    """Runs of 2 and 8 alternating: mean 5, coefficient of variation 0.6; Σm²/Σm − 1 = 5.8 = 5·1.36 − 1."""
    sizes = [2, 8] * 5
    by_run = np.array([np.full((2, 2), size / 4) for size in sizes])
    spread = run_spread(by_run)
    assert spread.crowding == pytest.approx(5.8)
    low, high = effective_interval(by_run.sum(axis=0), 1 - np.eye(2), spread)
    planned = width_at(checked(Expected((0.5, 0.5), 0.0, 5, 0.1, 0.6)), 10)
    assert (planned.low, planned.high) == pytest.approx((low, high))


@st.composite
def expectations(draw: st.DrawFn) -> Expected:
    parts = draw(st.lists(st.integers(1, 50), min_size=2, max_size=6))
    shares = tuple(part / sum(parts) for part in parts)
    return checked(
        Expected(
            shares,
            draw(st.floats(0.0, 1.0)),
            draw(st.sampled_from([1.0, 2.5, 8.0, 30.0])),
            draw(st.sampled_from([0.0, 0.1, 0.25, 0.6])),
            draw(st.sampled_from([0.0, 0.5])),
        )
    )


@given(expectations(), st.floats(0.03, 1.0))
@settings(deadline=None, max_examples=150)
def test_the_answer_is_narrow_enough_and_one_run_fewer_is_not(expected: Expected, wanted: float) -> None:
    found = smallest(expected, wanted, 20_000).found
    if found is None:
        assert width_at(expected, 20_000).half_width > wanted
        return
    assert found.half_width <= wanted
    assert found.runs == 2 or width_at(expected, found.runs - 1).half_width > wanted
    assert found.claims >= found.runs


@given(expectations())
@settings(deadline=None, max_examples=60)
def test_more_runs_are_never_wider(expected: Expected) -> None:
    widths = [width_at(expected, runs).half_width for runs in (2, 3, 4, 6, 9, 15, 30, 80, 400, 5000)]
    assert all(later <= earlier + 1e-12 for earlier, later in itertools.pairwise(widths))


def test_a_correlation_below_a_tenth_counts_as_a_tenth() -> None:
    plans = [smallest(checked(Expected((0.6, 0.4), 0.7, 10, icc)), 0.1).found for icc in (0.0, 0.05, 0.1, 0.2)]
    claims = [found.claims for found in plans if found]
    assert claims[0] == claims[1] == claims[2] < claims[3]


def test_too_few_runs_and_one_label_have_no_answer_and_a_reason() -> None:
    expected = checked(Expected((0.6, 0.4), 0.7, 10, 0.1))
    refused = smallest(expected, 0.05, 20)
    assert (refused.found, refused.reason) == (None, "too_few_runs")
    assert refused.last == width_at(expected, 20)
    alone = smallest(checked(Expected((1.0, 0.0), 0.0)), 0.1)
    assert (alone.found, alone.last, alone.reason) == (None, None, "single_category_used")


def test_agreement_becomes_kappa() -> None:
    assert kappa_of_agreement(0.8, (0.6, 0.4)) == pytest.approx((0.8 - 0.52) / 0.48)
    assert kappa_of_agreement(1.0, (1.0, 0.0)) is None


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        (Expected((1.0,), 0.5), "shares: name the expected share of every label, two or more"),
        (Expected((0.7, 0.4), 0.5), "shares: they sum to 1.1 and must sum to 1"),
        (Expected((1.2, -0.2), 0.5), r"shares: -0.2 to 1.2 do not all lie between 0 and 1"),
        (Expected((0.5, 0.5), 1.01), "kappa: 1.01 does not lie between -1 and 1"),
        (Expected((0.9, 0.1), -0.5), "kappa: -0.5 is lower than two raters with these label shares can have"),
        (Expected((0.5, 0.5), math.nan), "kappa: nan does not lie"),
        (Expected((0.5, 0.5), 0.5, 0.5), "claims per run: 0.5 does not lie between 1"),
        (Expected((0.5, 0.5), 0.5, 5, 1.5), "ICC: 1.5 does not lie between 0 and 1"),
        (Expected((0.5, 0.5), 0.5, 5, 0.1, -1), "run spread: -1 does not lie between 0"),
    ],
)
def test_what_cannot_be_expected_is_named(expected: Expected, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        checked(expected)


@pytest.mark.parametrize(
    ("half_width", "runs", "told"), [(0.0, 9, "half-width: 0.0"), (1.5, 9, "half-width"), (0.1, 1, "most runs: 1")]
)
def test_what_cannot_be_wanted_is_named(half_width: float, runs: int, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        smallest(Expected((0.5, 0.5), 0.5), half_width, runs)


def test_the_curve_starts_at_two_runs_and_ends_where_asked() -> None:
    widths = curve(checked(Expected((0.5, 0.5), 0.5, 4)), 200)
    assert (widths[0].runs, widths[-1].runs) == (2, 200)
    assert len(widths) <= 40
    assert [w.runs for w in curve(checked(Expected((0.5, 0.5), 0.5)), 2)] == [2, 3]


@pytest.mark.parametrize(
    ("shares", "kappa", "per_run", "icc"),
    [((0.5, 0.5), 0.6, 5, 0.3), ((0.9, 0.1), 0.6, 1, 0.0), ((0.5, 0.2, 0.15, 0.1, 0.05), 0.7, 15, 0.1)],
)
def test_samples_give_the_planned_width_on_average(
    shares: tuple[float, ...], kappa: float, per_run: int, icc: float
) -> None:
    """benchmarks/plan_width.py in small: the mean half-width of 200 samples lies within a tenth of the planned one."""
    expected = checked(Expected(shares, kappa, per_run, icc))
    planned = smallest(expected, 0.12).found
    assert planned is not None
    rng, cells, q = np.random.default_rng(5), expected_table(expected).reshape(-1), len(shares)
    sizes = np.full(planned.runs, per_run)
    found = []
    for _ in range(200):
        copies = rng.binomial(sizes, math.sqrt(icc))
        tables = rng.multinomial(sizes - copies, np.broadcast_to(cells, (planned.runs, q * q)))
        np.add.at(tables, (np.arange(planned.runs), rng.choice(q * q, size=planned.runs, p=cells)), copies)
        by_run = tables.reshape(-1, q, q).astype(float)
        low, high = effective_interval(by_run.sum(axis=0), 1 - np.eye(q), run_spread(by_run))
        found.append((high - low) / 2)
    assert np.mean(found) == pytest.approx(planned.half_width, rel=0.1)
