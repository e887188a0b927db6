"""The key search and the mapping of benchmarks, by both implementations."""

from __future__ import annotations

from typing import Any

from tests.domain.reconcile.small import Both, record, run_both, target_row


def keys(both: Both) -> dict[str, Any]:
    assert both.a["join"] == both.b["join"]
    return {entry["id"]: entry for entry in both.a["join"]["candidates"]}


def test_the_first_declared_of_equal_keys_wins_and_the_tie_is_told() -> None:
    both = run_both([target_row("m"), target_row("n")], [record("m"), record("n")])
    join = both.a["join"]
    assert (join["winner"], join["runner_up"], join["tied_with_winner"]) == ("K1", "K2", ["K2", "K3", "K4"])


def test_coverage_counts_rows_and_both_directions_are_told() -> None:
    """Three rows, one with source rows in the same capitals, one in others: K1 covers 1/3, K4 covers 2/3 and wins."""
    sources = [record("m"), record("N", language_model="q"), record("p", language_model="p")]
    both = run_both([target_row("m"), target_row("n"), target_row("o")], sources)
    found = keys(both)
    assert (found["K1"]["coverage"], found["K1"]["score"]) == (1 / 3, 1 / 3)
    assert found["K1"]["targets_without_groups"] == ["n", "o"]
    assert found["K1"]["groups_without_targets"] == ["N", "p"]
    assert (found["K4"]["coverage"], both.a["join"]["winner"]) == (2 / 3, "K4")
    assert both.a["mentions"]["join_failures"] == both.b["mentions"]["join_failures"] == ["o"]


def test_a_key_that_gives_two_rows_the_same_records_loses() -> None:
    """language_model q for both rows: K2 covers both, but neither has records of its own: uniqueness 0."""
    targets = [target_row("m", language_model="q"), target_row("n", language_model="q")]
    both = run_both(targets, [record("m", language_model="q"), record("n", language_model="q")])
    found = keys(both)
    assert (found["K2"]["coverage"], found["K2"]["uniqueness"], found["K2"]["unique"]) == (1.0, 0.0, False)
    assert (found["K3"]["score"], both.a["join"]["winner"], both.a["join"]["runner_up"]) == (0.0, "K1", "K4")


def test_a_null_key_joins_nothing_even_where_an_empty_text_is_a_key() -> None:
    targets = [target_row("m", language_model=None), target_row("n")]
    both = run_both(targets, [record("m", language_model=""), record("n")])
    assert keys(both)["K2"]["targets_without_groups"] == ["m"]


def test_the_key_that_wins_makes_its_columns_structural() -> None:
    """Only K2 joins: language_model is what rows were joined by, id is compared like any text."""
    targets = [target_row("m"), target_row("n")]
    both = run_both(targets, [record("m", id="1"), record("n", id="2")])
    assert both.a["join"]["winner"] == "K2"
    assert both.cell("m", "language_model")["class"] == "structural"
    assert both.cell("m", "id")["class"] == "divergent"
    assert both.a["cells"] == both.b["cells"]


def test_a_category_by_majority_and_a_tie_is_reported() -> None:
    """commit0 is paired with Greenfield twice and Testing once; gaia with two categories once each: the first wins."""
    sources = [
        *(record("m", "commit0") for _ in range(2)),
        record("m", "commit0", category="Testing"),
        record("m", "gaia"),
        record("m", "gaia", category="Frontend"),
    ]
    both = run_both([target_row("m"), target_row("n")], sources)
    mapping = both.a["mapping"]
    assert mapping == both.b["mapping"]
    assert mapping["decided"] == {"commit0": "greenfield", "gaia": "frontend"}
    assert mapping["several_categories"] == [
        {"name": "commit0", "rows": {"greenfield": 2, "testing": 1}, "taken": "greenfield", "tie": False},
        {"name": "gaia", "rows": {"frontend": 1, "information_gathering": 1}, "taken": "frontend", "tie": True},
    ]
    assert {line["benchmark"] for line in mapping["disagreements"]} >= {"gaia"}


def test_two_benchmarks_of_one_category_are_reported_and_the_larger_fills_the_columns() -> None:
    sources = [record("m", "commit0", False), *(record("m", "extra", True, category="Greenfield") for _ in range(2))]
    both = run_both([target_row("m"), target_row("n")], sources)
    assert both.a["mapping"]["several_benchmarks"][0]["taken"] == "extra"
    assert both.value("m", "greenfield_score", "S1_pct") == 100.0
    assert both.a["mapping"] == both.b["mapping"]


def test_the_claimed_mappings_agree_with_the_records_under_plain_names() -> None:
    names = ("swe-bench", "swe-bench-multimodal", "commit0", "swt-bench", "gaia")
    both = run_both([target_row("m"), target_row("n")], [record("m", name) for name in names])
    assert both.a["mapping"]["disagreements"] == []
    assert both.a["mapping"]["candidates"]["C2"]["swe-bench-multimodal"] == "frontend"


def test_the_census_counts_nulls_and_decimals_and_sets_the_stated_beside_them() -> None:
    targets = [target_row("m", average_cost=0.1234, greenfield_score=81.0), target_row("n", average_cost=None)]
    both = run_both(targets, [record("m", cost=None), record("n")])
    census = both.a["census"]
    assert census == both.b["census"]
    assert (census["decimals"]["average_cost"], census["decimals"]["greenfield_score"]) == (4, 0)
    assert (census["nulls"]["target"]["average_cost"], census["nulls"]["source"]["cost"]) == (1, 1)
    rows = next(line for line in census["stated"] if (line["table"], line["what"]) == ("target", "rows"))
    assert (rows["stated"], rows["found"], rows["holds"]) == (34, 2, False)
