"""What holds for any table: the two implementations agree, and the nominal coefficients do what coefficients must.

The number of random tables is 500 in the normal run; `SAYDO_SOAK_TABLES` raises it.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.stats.check.intervals import t_quantile
from app.domain.stats.check.raw import Raw
from app.domain.stats.check.recompute import mismatches
from app.domain.stats.coefficients import kappa_estimate
from app.domain.stats.document import agreement_document
from app.domain.stats.intervals import student_975
from app.domain.stats.ratings import LongTable, build_ratings
from app.domain.stats.scales import scale_of
from app.domain.stats.two_raters import weighted_kappa
from tests.domain.stats.agreeing import Label, document, of_table, ratings

N_TABLES = int(os.environ.get("SAYDO_SOAK_TABLES", "500"))
LOADED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""The machine may be shared: slowness of drawing examples is no fault of the code."""
NOMINAL_PAIR = ("cohen_kappa", "scott_pi", "bennett_s", "gwet_ac1", "cohen_kappa_max", "exact_agreement")
SYMMETRIC_OVERALL = (
    "percent_agreement",
    "fleiss_kappa",
    "conger_kappa",
    "gwet_ac1",
    "brennan_prediger",
    "krippendorff_alpha_nominal",
    "light_kappa",
)


def random_case(rng: random.Random) -> Raw:
    """Return a random table: 1–6 raters, 1–30 units, 1–5 categories some of which nobody uses, gaps, perhaps runs."""
    n_raters, n_units, q = rng.randint(1, 6), rng.randint(1, 30), rng.randint(1, 5)
    level = rng.choice(["nominal", "ordinal", "interval", "ratio"])
    names = [str(v) for v in sorted(rng.sample(range(-1 if level == "interval" else 0, 12), q))]
    used = rng.sample(names, rng.randint(1, q))
    gap, truth = rng.choice([0.0, 0.2, 0.6]), [rng.choice(used) for _ in range(n_units)]
    copying = rng.random()

    def rate(unit: int) -> Label:
        if rng.random() < gap:
            return None
        return truth[unit] if rng.random() < copying else rng.choice(used)

    rows = [[rate(i) for i in range(n_units)] for _ in range(n_raters)]
    runs = [f"r{rng.randint(0, 4)}" for _ in range(n_units)] if rng.random() < 0.5 else None
    weights = None
    if rng.random() < 0.3:
        weights = [[0 if i == j else rng.choice([0.5, 1, 3]) for j in range(q)] for i in range(q)]
    return Raw(rows, names, level, weights, runs)


@pytest.mark.parametrize("part", range(10))
def test_both_implementations_give_the_same_numbers_on_random_tables(part: int) -> None:
    rng = random.Random(f"tables {part}")
    for _ in range(math.ceil(N_TABLES / 10)):
        raw = random_case(rng)
        own = None if raw.disagreement is None else np.array(raw.disagreement, dtype=np.float64)
        made = agreement_document(ratings(raw.rows, raw.categories, raw.runs), raw.level, own)
        assert mismatches(made, raw) == [], raw


tables = st.integers(2, 5).flatmap(
    lambda q: st.lists(st.lists(st.integers(0, 12), min_size=q, max_size=q), min_size=q, max_size=q)
)


@given(tables)
@settings(LOADED, max_examples=300)
def test_own_kappa_equals_scikit_learn(table: list[list[int]]) -> None:
    counts = np.array(table, dtype=np.float64)
    scale = scale_of([str(i) for i in range(len(table))], "ordinal")
    for form, disagreement in scale.forms.items():
        own, theirs = float(weighted_kappa(counts, disagreement)), kappa_estimate(counts, form)
        assert math.isnan(own) == math.isnan(theirs)
        assert math.isnan(own) or abs(own - theirs) <= 1e-12


@given(tables)
@settings(LOADED, max_examples=150)
def test_swapping_the_raters_changes_no_nominal_coefficient(table: list[list[int]]) -> None:
    one, other = of_table(table), of_table([list(column) for column in zip(*table, strict=True)])
    for name in NOMINAL_PAIR:
        assert same(pair(one, name), pair(other, name)), name
    for name in SYMMETRIC_OVERALL:
        assert same(one["overall"][name]["value"], other["overall"][name]["value"]), name


@given(tables, st.randoms(use_true_random=False))
@settings(LOADED, max_examples=150)
def test_renaming_and_reordering_the_labels_changes_no_nominal_coefficient(
    table: list[list[int]], rng: random.Random
) -> None:
    order = list(range(len(table)))
    rng.shuffle(order)
    one, other = of_table(table), of_table([[table[i][j] for j in order] for i in order])
    for name in NOMINAL_PAIR:
        assert same(pair(one, name), pair(other, name)), name
    for name in SYMMETRIC_OVERALL:
        assert same(one["overall"][name]["value"], other["overall"][name]["value"]), name


labels = st.sampled_from(["a", "b", "c", None])
many = st.integers(2, 5).flatmap(
    lambda g: st.integers(1, 12).flatmap(
        lambda n: st.lists(st.lists(labels, min_size=n, max_size=n), min_size=g, max_size=g)
    )
)


@given(many)
@settings(LOADED, max_examples=200)
def test_no_nominal_coefficient_exceeds_one_and_one_means_identity(rows: list[list[Label]]) -> None:
    made = document(rows, ["a", "b", "c"])
    identical = all(len({label for label in unit if label is not None}) < 2 for unit in zip(*rows, strict=True))
    for name in SYMMETRIC_OVERALL:
        found = made["overall"][name]["value"]
        if found is None:
            continue
        assert found <= 1.0, name
        assert (found == 1.0) == identical, name


@given(many, st.randoms(use_true_random=False))
@settings(LOADED, max_examples=100)
def test_the_order_of_rows_in_a_file_changes_nothing(rows: Sequence[Sequence[Label]], rng: random.Random) -> None:
    entries = [(f"u{i}", f"R{g}", label) for g, row in enumerate(rows) for i, label in enumerate(row)]
    shuffled = entries[:]
    rng.shuffle(shuffled)
    made = []
    for given_rows in (entries, shuffled):
        units, raters, given_labels = zip(*given_rows, strict=True)
        built = build_ratings(LongTable(units, raters, given_labels), ["a", "b", "c"])
        made.append(agreement_document(built))
    assert made[0] == made[1]


@given(st.integers(1, 2000))
@settings(LOADED, max_examples=60)
def test_both_t_quantiles_agree(degrees: int) -> None:
    assert student_975(degrees) == pytest.approx(t_quantile(degrees), abs=1e-9)


def pair(made: dict[str, object], name: str) -> float | None:
    return made["pairs"][0][name]["value"]  # type: ignore[index, no-any-return]


def same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= 1e-12
