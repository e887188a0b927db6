"""The permutation null, the rows that rules name, ties, ranks and executors."""

from __future__ import annotations

import numpy as np
import pytest

from app.domain.dual import compare
from app.domain.reconcile.null import ratio_to_median
from tests.domain.reconcile.small import Both, few_draws, few_draws_tree, record, run_both, target_row

SCORES = {"a": 0.0, "b": 50.0, "c": 100.0}


@pytest.fixture(scope="module")
def both() -> Both:
    """Three rows whose published greenfield score is what their two records give."""
    targets = [target_row(name, greenfield_score=score) for name, score in SCORES.items()]
    sources = [record(name, resolved=50.0 * (n + 1) <= score) for name, score in SCORES.items() for n in range(2)]
    return run_both(targets, sources, few_draws(200), few_draws_tree(200))


def test_the_null_deals_groups_to_rows_by_the_declared_generator(both: Both) -> None:
    """Row i gets group p[i] of default_rng(20260725).permutation(3); a row matches where it gets its own score."""
    values = list(SCORES.values())
    rng = np.random.default_rng(20260725)
    orders = [rng.permutation(3) for _ in range(200)]
    matches = [sum(values[j] == values[i] for i, j in enumerate(p)) for p in orders]
    sizes = [sum(abs(values[j] - values[i]) for i, j in enumerate(p)) / 3 for p in orders]
    found = both.a["null"]["columns"]["greenfield_score"]["statistics"]
    for drawn, name in ((matches, "rows_at_T0"), (sizes, "mean_absolute_deviation")):
        wanted = np.percentile(drawn, [5, 50, 95])
        assert [found[name][q] for q in ("p5", "median", "p95")] == pytest.approx(list(wanted))
    assert (found["rows_at_T0"]["observed"], found["mean_absolute_deviation"]["observed"]) == (3.0, 0.0)


def test_the_second_implementation_makes_every_draw_again(both: Both) -> None:
    assert compare(both.a["null"], both.b["null"])["agrees"]


def test_a_column_without_variance_is_a_structural_floor_without_a_ratio(both: Both) -> None:
    found = both.a["null"]["columns"]["agent_name"]
    assert found["structural"]
    assert ratio_to_median(found["statistics"]["matches"]) == {"value": None, "undefined_reason": "structural"}
    key = both.a["null"]["columns"]["id"]
    assert (key["policy"], key["structural"], key["statistics"]) == (None, True, {})


def test_a_ratio_to_the_null_is_never_infinite() -> None:
    known = {"structural": False, "observed": 3.0, "median": 1.5}
    assert ratio_to_median(known) == {"value": 2.0, "undefined_reason": None}
    assert ratio_to_median({**known, "median": 0.0}) == {"value": None, "undefined_reason": "median is 0"}
    assert ratio_to_median({**known, "observed": None}) == {"value": None, "undefined_reason": "nothing observed"}


def test_rows_without_a_group_of_their_own_get_none_now_and_then() -> None:
    """Two rows, one group: in a draw one of the rows has nothing to compare, and is no match."""
    both = run_both(
        [target_row("a"), target_row("b", agent_type="y")], [record("a")], few_draws(50), few_draws_tree(50)
    )
    found = both.a["null"]["columns"]["language_model"]["statistics"]["matches"]
    assert (found["p5"], found["p95"]) == (0.0, 1.0)
    assert compare(both.a["null"], both.b["null"])["agrees"]


def test_ties_of_the_largest_deviation_are_judged_at_nine_decimals() -> None:
    """|Δ| 0.1, 0.1 + 4e-10 and 0.2 − 0.1 (not 0.1 in binary) tie at nine decimals; 0.1 − 1e-9 does not."""
    published = {"a": 100.1, "b": 100.1000000004, "c": 99.9, "d": 100.099999999}
    both = run_both([target_row(n, greenfield_score=p) for n, p in published.items()], [record(n) for n in published])
    line = next(e for e in both.a["mentions"]["largest_deviations"] if e["column"] == "greenfield_score")
    assert (line["rows"], line["largest_absolute_deviation"]) == (["a", "b", "c"], 0.1)
    assert both.a["mentions"] == both.b["mentions"]


def test_counts_and_texts_are_no_columns_of_numbers(both: Both) -> None:
    named = {line["column"] for line in both.a["mentions"]["largest_deviations"]}
    assert len(named) == 12
    assert "categories_completed" not in named


def models(*names: str | None) -> Both:
    targets = [target_row(f"r{n}", language_model=name, average_score=float(n)) for n, name in enumerate(names)]
    both = run_both(targets, [record(f"r{n}", language_model=name) for n, name in enumerate(names)])
    assert both.a["executors"] == both.b["executors"]
    return both


def executor(both: Both, name: str) -> tuple[str, list[str]]:
    found = next(e for e in both.a["executors"] if e["executor"] == name)
    return found["rule"], [line["row"] for line in found["rows"]]


def test_an_exact_model_id_in_any_capitals_is_an_executors_row() -> None:
    assert executor(models("Claude-Fable-5", "fable", "other"), "A2") == ("exact", ["r0"])


def test_without_an_exact_id_the_family_token_decides() -> None:
    assert executor(models("my-fable-x", "other", None), "A2") == ("fallback token", ["r0"])
    assert executor(models("other", "another"), "A2") == ("none", [])


def test_an_unknown_pin_gives_a_set_of_candidates() -> None:
    assert executor(models("Gemini-3", "GEMINI", "not-gemini"), "B2") == ("begins with", ["r0", "r1"])


def test_ranks_share_places_at_ties_and_the_order_is_then_not_decidable() -> None:
    """Scores 3, 2, 2, 1: ranks 1, 2–3, 2–3, 4."""
    scores = {"claude-fable-5": 2.0, "b": 3.0, "gemini-x": 2.0, "d": 1.0}
    both = run_both([target_row(n, average_score=s) for n, s in scores.items()], [record(n) for n in scores])
    found = {line["row"]: line["rank"] for e in both.a["executors"] for line in e["rows"]}
    assert found["claude-fable-5"] == found["gemini-x"] == {"from": 2, "to": 3, "of": 4}
    ranking = both.a["ranking"]
    assert ranking == both.b["ranking"]
    assert ranking["published"]["ties"] == [{"value": 2.0, "rows": ["claude-fable-5", "gemini-x"]}]
    assert not ranking["published"]["decidable"]
    assert ranking["recomputed"]["n_tied_rows"] == 4  # every record resolved: all at 100


def test_a_named_deviation_on_an_executors_row_is_recorded() -> None:
    """claude-fable-5 has the largest deviation of its greenfield score."""
    targets = [target_row("claude-fable-5", greenfield_score=3.0), target_row("b", greenfield_score=99.0)]
    both = run_both(targets, [record("claude-fable-5"), record("b")])
    found = next(e for e in both.a["executors"] if e["executor"] == "A2")
    assert "greenfield_score" in found["among_the_largest_deviations"]
