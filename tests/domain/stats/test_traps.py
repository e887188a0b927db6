"""Where published implementations disagree or are wrong: each trap by name, with the right answer worked out.

`document` computes everything twice, so each trap is shut in both implementations.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from app.domain.errors import BadInput
from app.domain.stats.coefficients import confusion
from app.domain.stats.ratings import LongTable, build_ratings, category_order
from app.domain.stats.two_raters import weighted_kappa
from app.readers.rating_export import Asked
from app.readers.rating_formats import read_any
from tests.domain.stats.agreeing import document, of_table, reason, value

ROOT = Path(__file__).resolve().parents[3]


def test_alpha_of_three_raters_without_a_gap_is_not_that_of_two() -> None:
    # Units (a,a,b) and (b,b,b): coincidences aa 1, ab 1, ba 1, bb 3; n_a = 2, n_b = 4.
    rows = [["a", "b"], ["a", "b"], ["b", "b"]]
    made = document(rows, ["a", "b"])
    assert value(made, "krippendorff_alpha_nominal") == pytest.approx(1 - 5 * 2 / (2 * 2 * 4))
    with_an_empty_unit = document([[*row, None] for row in rows], ["a", "b"])
    assert value(with_an_empty_unit, "krippendorff_alpha_nominal") == value(made, "krippendorff_alpha_nominal")


def test_the_declared_order_counts_and_not_the_alphabet() -> None:
    # neg < ind < pos; A: neg ind pos pos, B: neg ind pos ind. One step of distance 1; Σ r c |i−j| = 14: 1 − 4·1/14.
    rows = [["neg", "ind", "pos", "pos"], ["neg", "ind", "pos", "ind"]]
    assert value(document(rows, ["neg", "ind", "pos"], "ordinal"), "cohen_kappa_linear") == pytest.approx(5 / 7)
    # In the order of the alphabet pos and ind are two steps apart: 1 − 4·2/16.
    assert value(document(rows, ["ind", "neg", "pos"], "ordinal"), "cohen_kappa_linear") == pytest.approx(1 / 2)


def test_ten_comes_after_nine() -> None:
    assert category_order(["10", "9", "2", "1"]) == ("1", "2", "9", "10")
    # Positions: 9 and 10 are neighbours. A: 1 9 10, B: 1 10 10. Σ r c |i−j| over rows 1,0,1,1 and columns 1,0,0,2:
    # 1·(0 + 3·2) + 1·(2 + 2·1) + 1·(3 + 0) = 13; observed 1; 1 − 3·1/13.
    made = document([["1", "9", "10"], ["1", "10", "10"]], ["1", "2", "9", "10"], "ordinal")
    assert value(made, "cohen_kappa_linear") == pytest.approx(1 - 3 / 13)


def test_a_declared_category_nobody_used_still_counts() -> None:
    rows = [["x", "y", "x", "y"], ["x", "y", "y", "x"]]
    two, three = document(rows, ["x", "y"]), document(rows, ["x", "y", "z"])
    # po = 1/2. S and Brennan–Prediger: chance 1/q. AC1: chance Σπ(1−π)/(q−1) = (1/2)/(q−1).
    assert (value(two, "bennett_s"), value(three, "bennett_s")) == (0.0, pytest.approx(0.25))
    assert value(three, "brennan_prediger") == pytest.approx(0.25)
    assert (value(two, "gwet_ac1"), value(three, "gwet_ac1")) == (0.0, pytest.approx(1 / 3))
    for name in ("cohen_kappa", "fleiss_kappa", "krippendorff_alpha_nominal"):
        assert value(two, name) == pytest.approx(value(three, name))


def test_a_gap_in_the_scale_is_a_distance_when_values_count() -> None:
    # A: 1 2 4, B: 1 4 4. By position: Σ r c |i−j| with rows 1,1,1 and columns 1,0,2: 0+4 + 1+2 + 2+0.
    rows = [["1", "2", "4"], ["1", "4", "4"]]
    by_position = document(rows, ["1", "2", "4"], "ordinal")
    assert value(by_position, "cohen_kappa_linear") == pytest.approx(1 - 3 * 1 / 9)
    # By value 2 and 4 are two apart: observed 2; rows·columns: 1-4 3·2, 2-1 1, 2-4 2·2, 4-1 3, in sum 14.
    by_value = document(rows, ["1", "2", "4"], "interval")
    assert value(by_value, "cohen_kappa_linear") == pytest.approx(1 - 3 * 2 / 14)


def test_all_ratings_in_one_category() -> None:
    made = document([["no"] * 7, ["no"] * 7], ["no", "yes"])
    for name in ("cohen_kappa", "scott_pi", "cohen_kappa_max", "fleiss_kappa", "conger_kappa", "negative_agreement"):
        assert (value(made, name), reason(made, name)) == (None, "single_category_used"), name
    assert value(made, "gwet_ac1") == value(made, "bennett_s") == value(made, "pabak") == 1.0


def test_one_declared_category_is_nothing_to_decide() -> None:
    made = document([["A"] * 3, ["A"] * 3], ["A"])
    for name in (
        "cohen_kappa",
        "gwet_ac1",
        "bennett_s",
        "brennan_prediger",
        "krippendorff_alpha_nominal",
        "fleiss_kappa",
    ):
        assert (value(made, name), reason(made, name)) == (None, "one_declared_category"), name
    assert value(made, "percent_agreement") == 1.0


def test_a_single_unit() -> None:
    agreed = document([["c"], ["c"]], ["c", "d"])
    assert (value(agreed, "cohen_kappa"), value(agreed, "krippendorff_alpha_nominal")) == (None, None)
    split = document([["c"], ["d"]], ["c", "d"])
    found = {name: value(split, name) for name in ("cohen_kappa", "scott_pi", "krippendorff_alpha_nominal", "gwet_ac1")}
    assert found == {"cohen_kappa": 0.0, "scott_pi": -1.0, "krippendorff_alpha_nominal": 0.0, "gwet_ac1": -1.0}


def test_no_unit_rated_twice() -> None:
    made = document([["a", "b", None, None], [None, None, "a", "b"]], ["a", "b"])
    everything = [
        *made["overall"].values(),
        *(v for v in made["pairs"][0].values() if isinstance(v, dict) and "value" in v),
    ]
    assert {(v["value"], v["undefined_reason"]) for v in everything} == {(None, "no_overlap")}
    assert made["pairs"][0]["n"] == 0
    assert any("no unit in common" in warning for warning in made["warnings"])


def test_one_rater() -> None:
    made = document([["a", "b"]], ["a", "b"])
    assert made["pairs"] == []
    assert {v["undefined_reason"] for v in made["overall"].values()} == {"one_rater"}


def test_missing_ratings_do_not_drop_the_other_raters() -> None:
    # Units (a,a,–), (b,b,a), (–,b,b): shares of agreeing pairs 1, 1/3, 1; π_a = (1 + 1/3 + 0)/3 = 4/9.
    made = document([["a", "b", None], ["a", "b", "b"], [None, "a", "b"]], ["a", "b"])
    chance = (4 / 9) ** 2 + (5 / 9) ** 2
    assert value(made, "fleiss_kappa") == pytest.approx((7 / 9 - chance) / (1 - chance))


def test_two_raters_with_a_gap_have_three_different_kappas() -> None:
    # A: a a b b a, B: a b b b –. Cohen over four units: po 3/4, pe (2·1 + 2·3)/16 = 1/2.
    made = document([["a", "a", "b", "b", "a"], ["a", "b", "b", "b", None]], ["a", "b"])
    assert value(made, "cohen_kappa") == pytest.approx(0.5)
    # Conger keeps A's fifth rating in A's marginals: shares of a 3/5 and 1/4, pe = .15 + .3 = .45.
    assert made["overall"]["conger_kappa"]["value"] == pytest.approx((0.75 - 0.45) / 0.55)
    # Fleiss keeps it in the shares: π_a = (1 + 1/2 + 1)/5 = 1/2. Scott's pi is over the four units: 3/8.
    assert made["overall"]["fleiss_kappa"]["value"] == pytest.approx(0.5)
    chance = (3 / 8) ** 2 + (5 / 8) ** 2
    assert value(made, "scott_pi") == pytest.approx((0.75 - chance) / (1 - chance))
    # AC1 of the pair is that of the table: shares with the singleton, chance 2·(1/2)(1/2) = 1/2.
    assert made["pairs"][0]["gwet_ac1"]["value"] == made["overall"]["gwet_ac1"]["value"] == pytest.approx(0.5)


def test_missing_is_absence_and_not_a_label() -> None:
    made = document([["1", "1", "2"], ["1", "1", None], [None, "1", "2"]], ["1", "2"])
    for name in ("krippendorff_alpha_nominal", "fleiss_kappa", "conger_kappa", "gwet_ac1", "percent_agreement"):
        assert made["overall"][name]["value"] == 1.0, name
    assert reason({"pairs": [], "overall": made["overall"]}, "light_kappa") == "pair_undefined"


def test_a_label_spelt_nan_is_a_label() -> None:
    # (nan,nan) (a,a) (b,a) (nan,b): coincidences nan·nan 2, aa 2, ab 2, nan·b 2; n_nan = 3, n_a = 3, n_b = 2, n = 8.
    made = document([["nan", "a", "b", "nan"], ["nan", "a", "a", "b"]], ["a", "b", "nan"])
    expected = 1 - 7 * 4 / (64 - 9 - 9 - 4)
    assert value(made, "krippendorff_alpha_nominal") == pytest.approx(expected)


def test_labels_that_differ_in_case_or_spaces_stay_apart() -> None:
    made = document([["a", "A", "b", "B"], ["A", "a", "a ", "B"]], ["a", "A", "b", "B", "a "])
    assert value(made, "exact_agreement") == 0.25


def test_a_unit_nobody_rated_changes_nothing() -> None:
    rows = [["a", "b", "a", "b"], ["a", "b", "b", "b"]]
    gap = [["a", "b", None, "a", "b"], ["a", "b", None, "b", "b"]]
    full, holed = document(rows, ["a", "b"]), document(gap, ["a", "b"])
    assert {k: v["value"] for k, v in full["overall"].items()} == {k: v["value"] for k, v in holed["overall"].items()}
    # π_a = 3/8: AC1 chance 2·(3/8)(5/8) = 30/64; (.75 − .46875)/(1 − .46875).
    assert value(holed, "gwet_ac1") == pytest.approx((0.75 - 30 / 64) / (1 - 30 / 64))


def test_two_raters_on_two_units_are_ratings_and_not_a_table() -> None:
    made = document([["A", "B"], ["B", "A"]], ["A", "B"])
    assert (value(made, "cohen_kappa"), value(made, "scott_pi")) == (-1.0, -1.0)
    assert value(made, "krippendorff_alpha_nominal") == pytest.approx(-0.5)


def test_asymmetric_weights_are_neither_transposed_nor_evened_out() -> None:
    # Table 3 1 / 2 4; a disagreement first-a second-b costs 1, first-b second-a costs 5.
    weights = [[0, 1], [5, 0]]
    made = of_table([[3, 1], [2, 4]], weights=weights)
    # Observed 1·1 + 5·2 = 11 over 10; expected (1·4·5 + 5·6·5)/100 = 1.7.
    assert value(made, "cohen_kappa_custom") == pytest.approx(1 - 1.1 / 1.7)
    assert "krippendorff_alpha_custom" not in made["overall"]
    symmetric = of_table([[3, 1], [2, 4]], weights=[[0, 2], [2, 0]])
    assert symmetric["overall"]["krippendorff_alpha_custom"]["value"] == pytest.approx(
        value(symmetric, "krippendorff_alpha_nominal")
    )


def test_the_null_error_is_not_the_error_of_the_interval() -> None:
    # Feinstein and Cicchetti's unbalanced table: Fleiss, Cohen and Everitt give .1335, the null error is .0974.
    kappa = of_table([[80, 10], [5, 5]])["pairs"][0]["cohen_kappa"]
    assert kappa["se"] == pytest.approx(0.1335, abs=5e-5)
    assert kappa["se0"] == pytest.approx(0.0974, abs=5e-5)
    assert kappa["ci95_fce"] == pytest.approx([0.0566, 0.5798], abs=5e-5)


def test_a_variance_of_nothing_is_not_negative() -> None:
    kappa = of_table([[60, 29], [0, 0]])["pairs"][0]["cohen_kappa"]
    assert (kappa["value"], kappa["se"]) == (0.0, pytest.approx(0.0, abs=1e-7))


def test_a_rating_given_twice_is_refused() -> None:
    table = LongTable(["u1", "u2", "u1"], ["A", "A", "A"], ["x", "y", "x"])
    with pytest.raises(BadInput, match=r"rating 3: rater 'A' rates unit 'u1' a second time \(first in rating 1\)"):
        build_ratings(table, ["x", "y"])


def test_a_label_outside_the_declared_ones_is_refused_and_not_dropped() -> None:
    with pytest.raises(BadInput, match="rating 3, column label: '2' is not one of the declared categories"):
        build_ratings(LongTable(["u1", "u2", "u3"], ["A"] * 3, ["0", "1", "2"]), ["0", "1"])
    with pytest.raises(BadInput, match="entry 2: label 'c'"):
        confusion(["a", "c"], ["a", "a"], ["a", "b"])


def test_limits_stay_within_minus_one_and_one() -> None:
    kappa = of_table([[20, 0], [1, 9]])["pairs"][0]["cohen_kappa"]
    assert kappa["ci95_fce"][1] == 1.0
    assert -1.0 <= kappa["ci95"][0] < kappa["ci95"][1] <= 1.0


def test_two_zeros_are_at_ratio_distance_zero() -> None:
    # Units (0,0) and (1,3), categories 0, 1, 3: n_0 = 2. Do = 2·(2/4)²; De: 0-1 and 0-3 are 1 each, 1-3 is 1/4.
    made = document([["0", "1"], ["0", "3"]], ["0", "1", "3"], "ratio")
    assert value(made, "krippendorff_alpha_ratio") == pytest.approx(1 - 3 * 2 * 0.25 / (2 * (2 + 2 + 0.25)))


def test_ratio_alpha_of_values_below_zero_is_undefined() -> None:
    made = document([["-1", "1", "2"], ["1", "1", "2"]], ["-1", "1", "2"], "ratio")
    assert reason(made, "krippendorff_alpha_ratio") == "negative_value"
    assert value(made, "krippendorff_alpha_interval") is not None


def test_no_coefficient_is_borrowed_from_packages_that_compute_it_otherwise() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert not [
        d for d in declared if d.lower().startswith(("krippendorff", "irrcac", "simpledorff", "statsmodels", "nltk"))
    ]


def test_the_order_is_an_argument_and_no_property_of_the_labels() -> None:
    """An ordered type that a library passes over is the alphabet again; scikit-learn heeds `labels=` alone."""
    rows = [["neg", "ind", "pos", "neg", "ind"], ["neg", "pos", "pos", "ind", "ind"]]
    made = value(document(rows, ["neg", "ind", "pos"], "ordinal"), "cohen_kappa_linear")
    declared = cohen_kappa_score(*rows, labels=["neg", "ind", "pos"], weights="linear")
    assert made == pytest.approx(declared, abs=1e-12)
    assert abs(float(made or 0) - cohen_kappa_score(*rows, weights="linear")) > 0.05


@pytest.mark.parametrize(
    "weights",
    [None, "_linear", "_quadratic", [[0, 1, 3], [1, 0, 6], [3, 6, 0]], [[0, 1, 4], [2, 0, 1], [5, 3, 0]]],
    ids=["plain", "linear", "quadratic", "own", "own, asymmetric"],
)
def test_the_error_of_a_weighted_kappa_is_its_own(weights: str | list[list[float]] | None) -> None:
    """The error by the delta method from slopes taken numerically: √((Σ p g² − (Σ p g)²)/n), g the slope of kappa.

    A formula that is right for plain kappa alone fails here with weights.
    """
    table = np.array([[53.0, 5, 2], [11, 14, 5], [1, 6, 3]])
    distance = np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2
    disagreement = {None: 1.0 - np.eye(3), "_linear": distance, "_quadratic": distance**2}
    own = weights if isinstance(weights, list) else None
    d = np.array(own, dtype=float) if own is not None else disagreement[weights]  # type: ignore[index]
    n, p = table.sum(), table / table.sum()
    slopes = np.zeros((3, 3))
    for cell in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[cell] = 1e-6
        # Kappa of proportions that need not sum to 1: the slopes along the simplex are all that counts.
        slopes[cell] = (float(weighted_kappa(p + step, d)) - float(weighted_kappa(p - step, d))) / 2e-6
    expected = np.sqrt(((p * slopes**2).sum() - (p * slopes).sum() ** 2) / n)
    made = of_table(table.astype(int).tolist(), level="ordinal", weights=own)
    name = "cohen_kappa_custom" if own is not None else f"cohen_kappa{weights or ''}"
    assert made["pairs"][0][name]["se"] == pytest.approx(expected, rel=1e-6)


def test_a_number_and_its_text_are_one_label(tmp_path: Path) -> None:
    records = [
        {
            "id": str(i),
            "fields": {},
            "responses": {"q": [{"value": v, "user_id": "A"}, {"value": str(v), "user_id": "B"}]},
        }
        for i, v in enumerate([1, 2, 3, 1])
    ]
    (tmp_path / "r.json").write_text(json.dumps(records), encoding="utf-8")
    found = read_any([tmp_path / "r.json"], Asked())
    assert found.categories == ("1", "2", "3")
    assert found.codes[0].tolist() == found.codes[1].tolist()


TRAPS = {
    1: "test_alpha_of_three_raters_without_a_gap_is_not_that_of_two",
    2: "test_the_declared_order_counts_and_not_the_alphabet",
    3: "test_the_order_is_an_argument_and_no_property_of_the_labels",
    4: "test_ten_comes_after_nine",
    5: "test_a_declared_category_nobody_used_still_counts",
    6: "test_a_gap_in_the_scale_is_a_distance_when_values_count",
    7: "test_all_ratings_in_one_category",
    8: "test_a_single_unit",
    9: "test_no_unit_rated_twice",
    10: "test_missing_ratings_do_not_drop_the_other_raters",
    11: "test_two_raters_with_a_gap_have_three_different_kappas",
    12: "test_missing_is_absence_and_not_a_label",
    13: "test_a_label_spelt_nan_is_a_label",
    14: "test_labels_that_differ_in_case_or_spaces_stay_apart",
    15: "test_a_unit_nobody_rated_changes_nothing",
    16: "test_two_raters_on_two_units_are_ratings_and_not_a_table",
    17: "test_asymmetric_weights_are_neither_transposed_nor_evened_out",
    18: "test_the_error_of_a_weighted_kappa_is_its_own",
    19: "test_the_null_error_is_not_the_error_of_the_interval",
    20: "test_a_variance_of_nothing_is_not_negative",
    21: "test_a_rating_given_twice_is_refused",
    22: "test_a_number_and_its_text_are_one_label",
    23: "test_a_label_outside_the_declared_ones_is_refused_and_not_dropped",
    24: "test_limits_stay_within_minus_one_and_one",
    25: "test_two_zeros_are_at_ratio_distance_zero",
    26: "test_no_coefficient_is_borrowed_from_packages_that_compute_it_otherwise",
}
"""The known traps by number, and the test each is shut in."""


def test_every_trap_has_its_named_test() -> None:
    assert sorted(TRAPS) == list(range(1, 27))
    assert not [name for name in TRAPS.values() if not callable(globals().get(name))]
