"""Intervals and nulls: worked values, the stated draws, runs, and both implementations."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.domain.stats.check.intervals import percentile
from app.domain.stats.check.raw import Raw
from app.domain.stats.check.recompute import mismatches
from app.domain.stats.document import agreement_document
from app.domain.stats.intervals import (
    effective_interval,
    run_spread,
    small_sample_interval,
    standard_errors,
    student_975,
)
from app.domain.stats.ratings import LongTable, build_ratings
from app.domain.stats.resampling import Bootstrap, resample
from app.domain.stats.scales import scale_of
from app.domain.stats.sums import blocks_of
from app.domain.stats.two_raters import weighted_kappa
from tests.domain.stats.agreeing import SEED, Label, chance, ratings

NOMINAL = 1.0 - np.eye(2)
SMALL = Bootstrap(resamples=200, seed=SEED, permutations=100)


def three_runs(seed: int = 1, n: int = 40, raters: int = 2) -> tuple[list[list[Label]], list[str]]:
    """Return rows of labels and runs of a table whose raters mostly agree, with some gaps."""
    rng = random.Random(seed)
    truth = [rng.choice("aabc") for _ in range(n)]
    rows: list[list[Label]] = [[t if rng.random() < 0.7 else rng.choice("abc") for t in truth] for _ in range(raters)]
    for row in rows:
        for _ in range(n // 8):
            row[rng.randrange(n)] = None
    return rows, [f"run{rng.randrange(7)}" for _ in range(n)]


def test_errors_equal_the_slope_of_kappa() -> None:
    """The delta method by finite differences: an error that does not come from the published formula."""
    table = np.array([[30.0, 6, 2], [4, 22, 5], [1, 7, 23]])
    scale = scale_of(["a", "b", "c"], "ordinal")
    n, step = table.sum(), 1e-6
    p = table / n
    for disagreement in scale.forms.values():
        slopes = np.zeros_like(p)
        for cell in np.ndindex(3, 3):
            up, down = p.copy(), p.copy()
            up[cell] += step
            down[cell] -= step
            slopes[cell] = (weighted_kappa(up, disagreement) - weighted_kappa(down, disagreement)) / (2 * step)
        variance = ((p * slopes**2).sum() - (p * slopes).sum() ** 2) / n
        assert standard_errors(table, disagreement)[0] == pytest.approx(math.sqrt(variance), rel=1e-6)


def test_the_null_error_by_hand() -> None:
    # 20 5 / 10 15, n 50: rows .5 .5, columns .6 .4, pe .5. pe + pe² − Σ r c (r + c) = .75 − (.3·1.1 + .2·.9) = .24.
    assert standard_errors(np.array([[20.0, 5], [10, 15]]), NOMINAL)[1] == pytest.approx(math.sqrt(0.24 / 50) / 0.5)


def test_the_spread_over_runs_by_hand() -> None:
    # Runs of 4, 4 and 2 common claims with 4, 1 and 1 agreeing: grand mean .6.
    # Between: 4·.16 + 4·.1225 + 2·.01 = 1.15 over 2; within: 0 + .75 + .5 = 1.25 over 7.
    between, within, typical = 1.15 / 2, 1.25 / 7, (10 - 36 / 10) / 2
    icc = (between - within) / (between + (typical - 1) * within)
    tables = np.array([[[2, 0], [0, 2]], [[1, 2], [1, 0]], [[0, 0], [1, 1]], [[0, 0], [0, 0]]], dtype=np.float64)
    spread = run_spread(tables)
    assert (spread.runs, spread.icc) == (3, pytest.approx(icc))
    assert spread.design_effect == pytest.approx(1 + (36 / 10 - 1) * icc)


def test_runs_that_agree_alike_do_not_narrow_the_interval() -> None:
    # Every run half right: the ICC is negative and the design effect stays 1.
    spread = run_spread(np.array([[[1, 1], [0, 0]]] * 6, dtype=np.float64))
    assert spread.icc < 0
    assert spread.design_effect == 1.0


def test_the_interval_with_runs_is_the_smoothed_one_times_t_and_design_effect() -> None:
    by_run = np.array([[[4, 0], [1, 3]], [[2, 2], [2, 2]], [[5, 0], [0, 4]]], dtype=np.float64)
    table = by_run.sum(axis=0)
    plain = small_sample_interval(table, NOMINAL, None)
    spread = run_spread(by_run)
    low, high = small_sample_interval(table, NOMINAL, spread)
    middle, half = (plain[0] + plain[1]) / 2, (plain[1] - plain[0]) / 2
    # t with 2 degrees of freedom: 4.302653 (any printed table).
    wanted = half / 1.959963985 * 4.30265273 * math.sqrt(spread.design_effect)
    assert spread.design_effect > 1
    assert (low, high) == pytest.approx((max(-1, middle - wanted), min(1, middle + wanted)), abs=1e-8)


def test_the_primary_interval_is_that_of_the_effective_number_of_claims() -> None:
    # Six runs of ten, every run alike: ICC below 0, so 0.1 is assumed: 1 + 9/10 = 1.9 claims are worth one.
    by_run = np.array([[[4, 1], [1, 4]]] * 6, dtype=np.float64)
    spread = run_spread(by_run)
    assert (spread.crowding, spread.design_effect) == (9.0, 1.0)
    table = by_run.sum(axis=0)
    low, high = effective_interval(table, NOMINAL, spread)
    # 60/1.9 claims and half a claim in each cell; a symmetric table, so kappa = 2·po − 1; 5 degrees of freedom.
    n = 60 / 1.9
    agreeing = (0.8 * n + 1) / (n + 2)
    se = 2 * math.sqrt(agreeing * (1 - agreeing) / (n + 2))
    assert (low, high) == pytest.approx(
        (2 * agreeing - 1 - 2.5705818 * se, 2 * agreeing - 1 + 2.5705818 * se), abs=1e-6
    )


def test_the_primary_interval_uses_a_larger_icc_where_there_is_one() -> None:
    by_run = np.array([[[8, 0], [0, 8]], [[5, 3], [3, 5]]] * 8, dtype=np.float64)
    spread = run_spread(by_run)
    assert spread.icc > 0.1
    table = by_run.sum(axis=0)
    low, high = effective_interval(table, NOMINAL, spread)
    fewer = small_sample_interval(table / spread.design_effect, NOMINAL, None)
    middle, half = (fewer[0] + fewer[1]) / 2, (fewer[1] - fewer[0]) / 2 * student_975(15) / 1.959963985
    assert (low, high) == pytest.approx((middle - half, middle + half))


def test_the_primary_interval_is_named_and_where_it_stands() -> None:
    rows, runs = three_runs()
    made = agreement_document(ratings(rows, "abc", runs))
    kappa = made["pairs"][0]["cohen_kappa"]
    assert kappa["ci_method"] == made["primary_interval"] == "small_sample_effective"
    assert kappa["ci95"] != kappa["ci95_small_sample"] != kappa["ci95_fce"]
    words = (Path(__file__).resolve().parents[3] / "docs/agreement.md").read_text(encoding="utf-8")
    assert "`small_sample_effective`" in words
    assert "`small_sample`" in words


@pytest.mark.parametrize(("degrees", "printed"), [(1, 12.706), (2, 4.303), (5, 2.571), (30, 2.042), (120, 1.980)])
def test_t_quantiles_of_any_printed_table(degrees: int, printed: float) -> None:
    assert student_975(degrees) == pytest.approx(printed, abs=5e-4)


def test_percentiles_interpolate_between_order_statistics() -> None:
    values = [3.0, 1.0, 2.0, 10.0]
    assert percentile(values, 0.025) == pytest.approx(np.percentile(values, 2.5))
    assert percentile(values, 0.975) == pytest.approx(np.percentile(values, 97.5))


@pytest.mark.parametrize("raters", [2, 3])
@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_every_resampled_limit_and_null_in_the_second_implementation(raters: int, level: str) -> None:
    rows, runs = three_runs(raters=raters)
    strata = [f"{run} {'odd' if i % 2 else 'even'}" for i, run in enumerate(runs)]
    made = agreement_document(ratings(rows, "abc", runs), level, bootstrap=SMALL, strata=strata)
    raw = Raw(rows, "abc", level, runs=runs, strata=strata)
    assert mismatches(made, raw, chance(SMALL, every=True)) == []
    drawn = made["pairs"][0]["cohen_kappa"]["ci95_cluster"]
    assert (drawn["method"], drawn["B"], drawn["seed"]) == ("cluster_bootstrap_percentile", 200, SEED)
    assert drawn["lo"] < made["pairs"][0]["cohen_kappa"]["value"] < drawn["hi"]


def test_units_are_resampled_where_there_are_no_runs() -> None:
    rows, _ = three_runs()
    made = agreement_document(ratings(rows, "abc"), bootstrap=SMALL)
    assert mismatches(made, Raw(rows, "abc"), chance(SMALL, every=True)) == []
    assert made["pairs"][0]["cohen_kappa"]["ci95_cluster"]["method"] == "unit_bootstrap_percentile"


def test_a_run_is_drawn_with_all_its_claims() -> None:
    """Resampling twenty copies of one claim in each run moves kappa as resampling one claim a run does."""
    first, second = list("aabbab"), list("ababbb")
    many = [[x for x in row for _ in range(20)] for row in (first, second)]
    runs = [f"run{i}" for i in range(6) for _ in range(20)]
    one = resample(ratings([first, second], "ab"), scale_of("ab", "nominal"), SMALL)
    copies = resample(ratings(many, "ab", runs), scale_of("ab", "nominal"), SMALL)
    np.testing.assert_allclose(one.pairs[0, 1]["cohen_kappa"], copies.pairs[0, 1]["cohen_kappa"], atol=1e-12)


def test_the_draws_do_not_depend_on_how_many_are_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, runs = three_runs()
    at_once = agreement_document(ratings(rows, "abc", runs), bootstrap=SMALL)
    monkeypatch.setattr("app.domain.stats.resampling._CELLS_AT_ONCE", 50)
    in_parts = agreement_document(ratings(rows, "abc", runs), bootstrap=SMALL)
    assert at_once == in_parts


def test_undefined_resamples_are_counted_and_left_out() -> None:
    # One disagreement in ten units: (9/10)^10 = .35 of the resamples hold one category only.
    rows: list[list[Label]] = [["a"] * 10, ["a"] * 9 + ["b"]]
    drawn = agreement_document(ratings(rows, "ab"), bootstrap=Bootstrap(2000, SEED, 0))["pairs"][0]["cohen_kappa"]
    assert drawn["ci95_cluster"]["undefined_resamples"] == pytest.approx(2000 * 0.9**10, rel=0.1)
    assert (drawn["ci95_cluster"]["lo"], drawn["ci95_cluster"]["hi"]) == (0.0, 0.0)


def test_one_run_has_no_interval_over_runs() -> None:
    rows, _ = three_runs()
    made = agreement_document(ratings(rows, "abc", ["only"] * len(rows[0])), bootstrap=SMALL)
    kappa = made["pairs"][0]["cohen_kappa"]
    assert (kappa["ci95_cluster"]["lo"], kappa["ci95_cluster"]["undefined_reason"]) == (None, "one_cluster")
    assert kappa["ci95"] == [None, None]
    assert kappa["ci95_fce"][0] is not None
    assert made["overall"]["fleiss_kappa"]["ci95_cluster"]["undefined_reason"] == "one_cluster"
    assert made["pairs"][0]["runs"] == {"n_runs": 1, "icc": None, "design_effect": None}


def test_a_pair_that_meets_in_one_run_only_has_none_either() -> None:
    rows: list[list[Label]] = [["a", "b", "a", "b"], ["a", "b", "b", None]]
    rows[1][2] = None
    made = agreement_document(ratings(rows, "ab", ["r1", "r1", "r2", "r2"]), bootstrap=SMALL)
    assert made["pairs"][0]["cohen_kappa"]["ci95_cluster"]["undefined_reason"] == "too_few_clusters"
    raw = Raw(rows, "ab", runs=["r1", "r1", "r2", "r2"])
    assert mismatches(made, raw, chance(SMALL, every=True)) == []


def test_an_undefined_kappa_has_no_limits() -> None:
    rows: list[list[Label]] = [["a"] * 5, ["a"] * 5]
    kappa = agreement_document(ratings(rows, "ab"), bootstrap=SMALL)["pairs"][0]["cohen_kappa"]
    assert (kappa["value"], kappa["se"], kappa["ci95"]) == (None, None, [None, None])
    assert kappa["ci95_cluster"]["undefined_reason"] == "single_category_used"


def test_units_with_the_same_ratings_share_a_row_and_keep_their_place_in_the_draws() -> None:
    given = ratings([list("aabbaa"), list("abbbaa")], "ab")
    blocks = blocks_of(given)
    assert blocks.n_rows == 3
    assert len(blocks.row_of) == 6
    assert blocks.row_of[0] == blocks.row_of[4] == blocks.row_of[5]


def test_a_large_table_without_runs_is_drawn_by_kind_of_unit() -> None:
    rng = random.Random(3)
    first = [rng.choice("ab") for _ in range(20_001)]
    second = [x if rng.random() < 0.8 else "a" for x in first]
    made = agreement_document(ratings([first, second], "ab"), bootstrap=Bootstrap(400, SEED, 0))
    kappa = made["pairs"][0]["cohen_kappa"]
    assert kappa["ci95_cluster"]["method"] == "unit_bootstrap_percentile_multinomial"
    # Independent units: the resampled limits are those of the analytic error, up to 400 resamples' noise.
    width = kappa["ci95_cluster"]["hi"] - kappa["ci95_cluster"]["lo"]
    assert width == pytest.approx(2 * 1.96 * kappa["se"], rel=0.15)


def null(rows: list[list[Label]], **more: Any) -> dict[str, Any]:
    return dict(agreement_document(ratings(rows, "abc"), bootstrap=SMALL, **more)["pairs"][0])


def test_the_permutation_null_surrounds_zero() -> None:
    found = null(three_runs(n=200)[0])["permutation_null"]
    assert found["p5"] < found["median"] < found["p95"] < found["observed"]
    assert abs(found["median"]) < 0.05
    assert (found["draws"], found["seed"], found["structural"]) == (100, SEED, False)


def test_a_constant_rater_makes_the_null_structural() -> None:
    found = null([["a"] * 6, list("aabcab")])["permutation_null"]
    assert (found["structural"], found["observed"], found["median"]) == (True, 0.0, 0.0)


def test_one_category_makes_the_null_structural_without_a_value() -> None:
    found = null([["a"] * 6, ["a"] * 6])["permutation_null"]
    assert (found["structural"], found["observed"], found["median"], found["undefined_draws"]) == (
        True,
        None,
        None,
        100,
    )


def test_permuting_within_strata_keeps_what_the_strata_explain() -> None:
    # Two runs, each with its own label: within them nothing can move, so every draw is the observed kappa.
    rows: list[list[Label]] = [list("aaaabbbb"), list("aaaabbbb")]
    found = null(rows, strata=["r1"] * 4 + ["r2"] * 4)
    assert found["permutation_null"]["median"] < 0.5
    inside = found["permutation_null_within"]
    assert (inside["median"], inside["structural"]) == (1.0, True)


def test_runs_are_drawn_in_the_order_of_their_names() -> None:
    rows, runs = three_runs()
    entries = [(f"u{i:02d}", f"R{g}", label, runs[i]) for g, row in enumerate(rows) for i, label in enumerate(row)]
    limits = []
    for order in (entries, entries[::-1]):
        units, raters, labels, clusters = zip(*order, strict=True)
        built = build_ratings(LongTable(units, raters, labels, clusters), "abc")
        limits.append(agreement_document(built, bootstrap=SMALL)["overall"]["fleiss_kappa"]["ci95_cluster"])
    assert limits[0] == limits[1]
