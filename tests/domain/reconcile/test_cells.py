"""Tiers at their bounds, one class a cell, and the order in which classes are tried."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.reconcile.policies import Recomputed
from app.domain.reconcile.tiers import judge
from tests.domain.reconcile.small import Both, declared, record, run_both, target_row

FAMILIES = {family.id: family for family in declared().spec.families}


@pytest.mark.parametrize(
    ("family", "value", "published", "tier"),
    [
        ("category_score", 56.25, 56.2, "T0"),  # half to even at one decimal
        ("category_score", 56.25, 56.3, "T1"),  # |Δ| 0.05 exactly
        ("category_score", 18.75, 18.7, "T1"),  # |Δ| 0.05; in binary it is a little more
        ("category_score", 18.76, 18.7, "T2"),
        ("category_score", 60.0, 60.5, "T2"),  # |Δ| 0.5 exactly
        ("category_score", 60.0, 60.6, "divergent"),
        ("average_score", 45.675, 45.68, "T0"),  # half to even at two decimals: 45.68
        ("average_score", 45.665, 45.67, "T1"),  # 45.66 is even, so not T0
        ("category_cost", 1.23455, 1.2346, "T0"),  # 1.2346: half to even, 5 → 6
        ("category_cost", 1.23445, 1.2345, "T1"),  # rounds to 1.2344
        ("category_cost", 1.0, 1.005, "T1"),
        ("category_cost", 1.0, 1.05, "T2"),
        ("category_cost", 1.0, 1.0501, "divergent"),
        ("completed", 5, 5, "T0"),
        ("completed", 5, 4, "divergent"),
        ("identity", "a", "a", "T0"),
        ("identity", "a", "A", "divergent"),
        ("category_score", 60.0, None, "divergent"),
        ("category_score", None, 60.0, "undefined"),
    ],
)
def test_a_tier_holds_up_to_its_bound(family: str, value: Any, published: Any, tier: str) -> None:
    spec = declared().spec
    found = FAMILIES[family]
    assert judge(Recomputed(value), published, found, spec.tolerances[found.tolerance]).tier == tier


def test_the_deviation_is_of_the_unrounded_value() -> None:
    family = FAMILIES["category_score"]
    judged = judge(Recomputed(56.25), 56.2, family, declared().spec.tolerances["score"])
    assert (judged.tier, judged.delta) == ("T0", 0.05)


@pytest.fixture(scope="module")
def both() -> Both:
    """m: all as published but one score; n: a benchmark missing, nulls only in another; o: no source row at all."""
    targets = [
        target_row("m", greenfield_score=100.0, greenfield_cost=1.0, testing_score=50.0, categories_completed=2),
        target_row("n", greenfield_score=0.0, greenfield_cost=2.0, average_score=5.0, categories_completed=1),
        target_row("o", greenfield_score=7.0, greenfield_cost=3.0, average_score=6.0, agent_type="y"),
    ]
    sources = [record("m", "commit0"), record("m", "gaia"), record("n", "commit0", None, None, agent_type=None)]
    return run_both(targets, sources)


@pytest.mark.parametrize(
    ("row", "column", "named", "reason"),
    [
        ("m", "sdk_version", "no antecedent", "the publisher's code takes these from a metadata file; no source column "
                                              "carries them"),
        ("m", "id", "structural", "join key: the value is what the rows were joined by"),
        ("m", "agent_name", "structural", "zero variance: the published values are all the same"),
        ("o", "agent_name", "no antecedent", "no source rows join this row"),
        ("o", "greenfield_score", "no antecedent", "no source rows join this row"),
        ("m", "testing_score", "no antecedent", "no source rows of this row and this category"),
        ("n", "agent_type", "no antecedent", "antecedent rows present, all values null"),
        ("m", "greenfield_score", "reconciled T0", None),
        ("n", "greenfield_score", "reconciled T0", None),
        ("m", "categories_completed", "reconciled T0", None),
        ("m", "average_score", "divergent", None),
    ],
)  # fmt: skip
def test_a_cell_has_one_class_and_its_reason(both: Both, row: str, column: str, named: str, reason: str | None) -> None:
    cell = both.cell(row, column)
    assert (cell["class"], cell["reason"]) == (named, reason)


def test_all_null_values_that_a_policy_turns_into_zero_are_no_missing_antecedent(both: Both) -> None:
    """M_zero and the empty sum give 0.0, so a policy did produce a number and the cell can diverge."""
    cell = both.cell("n", "greenfield_cost")
    assert cell["class"] == "divergent"
    assert {r["policy"]: r["value"] for r in cell["results"]} == {
        "mean/M_excl": None,
        "mean/M_zero": 0.0,
        "median/M_excl": None,
        "median/M_zero": 0.0,
        "sum/N_all": 0.0,
        "sum/N_resolved": None,
    }


def test_the_best_tier_counts_and_every_policy_that_reaches_it_is_named(both: Both) -> None:
    cell = both.cell("m", "greenfield_score")
    assert (cell["tier"], cell["policy"], cell["achieved_by"]) == ("T0", "S1_pct", ["S1_pct", "S2_pct"])


def test_a_null_published_value_diverges_and_says_so() -> None:
    both = run_both([target_row("m", greenfield_score=None), target_row("n")], [record("m")])
    cell = both.cell("m", "greenfield_score")
    assert (cell["class"], cell["reason"]) == ("divergent", "the published value is null")


def test_the_classes_sum_to_the_cells_and_both_implementations_count_alike(both: Both) -> None:
    assert both.a["sum"] == both.a["shape"]["cells"] == 3 * 38 == sum(both.a["classes"].values())
    assert both.a["cells"] == both.b["cells"]


def test_declared_precedence_decides_between_two_fitting_classes() -> None:
    """Row o joins nothing and its agent_name has no variance: the order of the two classes is the spec's."""
    from dataclasses import replace

    from tests.domain.reconcile.small import few_draws, few_draws_tree

    order = ("structural", "no antecedent", "reconciled", "divergent")
    tree = few_draws_tree() | {"precedence": list(order)}
    targets = [target_row("m"), target_row("o")]
    both = run_both(targets, [record("m")], replace(few_draws(), precedence=order), tree)
    assert both.cell("o", "agent_name")["class"] == "structural"
    assert both.a["cells"] == both.b["cells"]


def test_rows_and_columns_carry_their_deviations(both: Both) -> None:
    """n under its primaries: greenfield score 0 − 0, average score 0 − 5 → mean 2.5; no cost has a value but 0 rows."""
    row = next(line for line in both.a["rows"] if line["row"] == "n")
    assert row["deviations"]["percent points"] == {"n": 2, "mean_absolute": 2.5, "largest_absolute": 5.0}
    line = next(p for p in both.a["policies"] if (p["column"], p["policy"]) == ("greenfield_score", "S1_pct"))
    assert line["tiers"] == {"T0": 2, "T1": 0, "T2": 0, "divergent": 0, "undefined": 1}
    assert (line["n_compared"], line["mean_absolute_deviation"]) == (2, 0.0)


def test_rounding_candidates_count_exact_matches() -> None:
    """1/3 of rows: 33.333…; published 33.3 is met at one decimal, not unrounded and not at four."""
    sources = [record("m", resolved=n < 1) for n in range(3)]
    both = run_both([target_row("m", greenfield_score=33.3), target_row("n")], sources)
    line = next(p for p in both.a["policies"] if (p["column"], p["policy"]) == ("greenfield_score", "S1_pct"))
    assert line["matches_by_rounding"] == {"none": 0, "1": 1, "4": 0}
    assert both.a["policies"] == both.b["policies"]
