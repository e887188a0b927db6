"""Every declared policy on tables worked out by hand; both implementations must give the same value."""

from __future__ import annotations

import pytest

from tests.domain.reconcile.small import Both, record, run_both, target_row

# Model m on commit0: five records.
#   resolved: True, True, False, null, True  → R⁺ = 3, N_all = 5, N_obs = 4
#   cost:     0.5,  1.5,  null,  4.0,  2.0   → sum 8, N_cost = 4
# on gaia: two records, resolved False, True; cost null, 3.0 → R⁺ = 1, N_all = 2, sum 3, N_cost = 1
# The three other benchmarks are missing.
COMMIT0 = [(True, 0.5), (True, 1.5), (False, None), (None, 4.0), (True, 2.0)]
GAIA = [(False, None), (True, 3.0)]


@pytest.fixture(scope="module")
def both() -> Both:
    sources = [record("m", "commit0", r, c) for r, c in COMMIT0] + [record("m", "gaia", r, c) for r, c in GAIA]
    sources += [record("n", "commit0", False, 1.0), record("n", "gaia", None, None)]
    return run_both([target_row("m"), target_row("n", average_score=2.0)], sources)


@pytest.mark.parametrize(
    ("column", "policy", "worked"),
    [
        ("greenfield_score", "S1_pct", 60.0),  # 100 · 3/5
        ("greenfield_score", "S1_frac", 0.6),
        ("greenfield_score", "S2_pct", 75.0),  # 100 · 3/4
        ("greenfield_score", "S2_frac", 0.75),
        ("greenfield_cost", "mean/M_excl", 2.0),  # 8/4
        ("greenfield_cost", "mean/M_zero", 1.6),  # 8/5
        ("greenfield_cost", "median/M_excl", 1.75),  # 0.5 1.5 2 4 → (1.5 + 2)/2
        ("greenfield_cost", "median/M_zero", 1.5),  # 0 0.5 1.5 2 4
        ("greenfield_cost", "sum/N_all", 1.6),  # 8/5
        ("greenfield_cost", "sum/N_resolved", 8 / 3),
        ("average_score", "AS-macro-raw/present", 55.0),  # (60 + 50)/2
        ("average_score", "AS-macro-raw/5", 22.0),  # (60 + 50)/5
        ("average_score", "AS-macro-pub/present", 55.0),
        ("average_score", "AS-micro/D_all", 100 * 4 / 7),
        ("average_score", "AS-micro/D_obs", 100 * 4 / 6),
        ("average_cost", "AC-macro-raw/present", 2.5),  # (2 + 3)/2
        ("average_cost", "AC-macro-raw/5", 1.0),  # (2 + 3)/5
        ("average_cost", "AC-macro-pub/5", 1.0),
        ("average_cost", "AC-micro/M_excl", 2.2),  # 11/5
        ("average_cost", "AC-micro/M_zero", 11 / 7),
        ("categories_completed", "CC1", 2),
        ("categories_completed", "CC2", 2),
        ("language_model", "U-unique", "m"),
        ("language_model", "U-major", "m"),
    ],
)
def test_a_policy_gives_what_was_worked_out(both: Both, column: str, policy: str, worked: float | str) -> None:
    assert both.value("m", column, policy) == worked


def test_a_count_of_observed_benchmarks_leaves_out_one_without_an_answer(both: Both) -> None:
    assert both.value("n", "categories_completed", "CC1") == 2
    assert both.value("n", "categories_completed", "CC2") == 1


def test_without_a_resolved_row_a_sum_over_resolved_rows_is_undefined(both: Both) -> None:
    assert both.value("n", "greenfield_cost", "sum/N_resolved") is None
    assert both.value("n", "information_gathering_score", "S2_pct") is None
    assert both.value("n", "information_gathering_score", "S1_pct") == 0.0


def test_a_macro_mean_over_present_leaves_out_a_benchmark_without_a_value(both: Both) -> None:
    """n: commit0 costs 1.0, gaia has no cost: 1/1 over present, 1/5 over all."""
    assert both.value("n", "average_cost", "AC-macro-raw/present") == 1.0
    assert both.value("n", "average_cost", "AC-macro-raw/5") == 0.2


def test_rounding_first_is_another_policy_than_rounding_last() -> None:
    """Shares 1/3 and 2/7: 33.333… + 28.571… over 2 = 30.952…; rounded first 33.3 + 28.6 over 2 = 30.95."""
    sources = [record("m", "commit0", n < 1) for n in range(3)] + [record("m", "gaia", n < 2) for n in range(7)]
    both = run_both([target_row("m"), target_row("n")], sources)
    assert both.value("m", "average_score", "AS-macro-raw/present") == pytest.approx(30.952380952380953)
    assert both.value("m", "average_score", "AS-macro-pub/present") == 30.95


def test_several_values_of_a_text_name_no_one_value() -> None:
    """Three rows say a, one says b: not one value, but a most frequent one. Two against two: neither."""
    sources = [record("m", agent_type=kind) for kind in "aaab"] + [record("n", agent_type=kind) for kind in "aabb"]
    both = run_both([target_row("m", agent_type="a"), target_row("n", agent_type="a")], sources)
    assert both.value("m", "agent_type", "U-unique") is None
    assert both.value("m", "agent_type", "U-major") == "a"
    assert both.value("n", "agent_type", "U-major") is None
    tiers = {r["policy"]: (r["tier"], r["n_values"]) for r in both.cell("m", "agent_type")["results"]}
    assert tiers == {"U-unique": ("divergent", 2), "U-major": ("T0", 2)}
    most = {p["most_values_of_a_row"] for p in both.a["policies"] if p["column"] == "agent_type"}
    assert most == {2}
    assert both.a["policies"] == both.b["policies"]


def test_a_benchmark_that_is_not_mapped_still_counts_in_micro_averages() -> None:
    """commit0 1/1, an unmapped benchmark 0/3: macro 100, micro 100 · 1/4."""
    sources = [record("m", "commit0", True), *(record("m", "elsewhere", False) for _ in range(3))]
    both = run_both([target_row("m"), target_row("n")], sources)
    assert both.value("m", "average_score", "AS-macro-raw/present") == 100.0
    assert both.value("m", "average_score", "AS-micro/D_all") == 25.0
    assert both.value("m", "categories_completed", "CC1") == 2
    assert both.a["mapping"]["benchmarks_without_columns"] == ["elsewhere"]
