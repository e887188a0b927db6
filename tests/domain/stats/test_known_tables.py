"""Tables whose coefficients are printed in the literature or worked out here by hand; both implementations."""

from __future__ import annotations

import pytest

from app.domain.stats.coefficients import confusion, pair_kappa
from tests.domain.stats.agreeing import document, of_table, reason, value


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # po = 35/50; pe = (25·30 + 25·20)/2500 = .5; kappa = .2/.5.  AC1: π = (.55, .45), pe = 2·.55·.45 = .495.
        # alpha = 1 − (n−1)·Do/De: 30 coincidences off the diagonal of 100; 1 − 99·30/(2·55·45) = .4.
        (
            [[20, 5], [10, 15]],
            {"exact_agreement": 0.70, "cohen_kappa": 0.40, "gwet_ac1": 0.405941, "krippendorff_alpha_nominal": 0.40},
        ),
        # Feinstein and Cicchetti 1990, paradox 2: the same exact agreement, more bias, a higher kappa.
        ([[45, 15], [25, 15]], {"exact_agreement": 0.60, "cohen_kappa": 0.130435}),
        ([[25, 35], [5, 35]], {"exact_agreement": 0.60, "cohen_kappa": 0.259259}),
        # Gwet, trauma triage: the prevalence paradox.
        ([[118, 5], [2, 0]], {"exact_agreement": 0.944, "cohen_kappa": -0.023392, "gwet_ac1": 0.940776}),
    ],
)
def test_vectors_of_the_statistics_page(table: list[list[int]], expected: dict[str, float]) -> None:
    made = of_table(table)
    for name, number in expected.items():
        assert value(made, name) == pytest.approx(number, abs=5e-7), name


def test_one_category_only_is_undefined_and_agreement_stays_one() -> None:
    made = of_table([[50, 0], [0, 0]])
    for name in ("cohen_kappa", "scott_pi", "fleiss_kappa", "conger_kappa", "krippendorff_alpha_nominal"):
        assert (value(made, name), reason(made, name)) == (None, "single_category_used")
    assert value(made, "exact_agreement") == 1.0
    assert (value(made, "gwet_ac1"), value(made, "bennett_s"), value(made, "pabak")) == (1.0, 1.0, 1.0)


def test_every_two_by_two_coefficient_by_hand() -> None:
    # a=40 b=9 c=6 d=45, n=100. po=.85. PABAK = 2·.85−1. Prevalence (a−d)/n, bias (b−c)/n. Positive 2a/(2a+b+c) = 80/95.
    # pe = (49·46 + 51·54)/10⁴ = .5008; kappa = .3492/.4992. Highest: po_max = .46+.51 = .97.
    # pi: pe = .475² + .525² = .50125.
    made = of_table([[40, 9], [6, 45]], ["yes", "no"])
    expected = {
        "cohen_kappa": 0.3492 / 0.4992,
        "cohen_kappa_max": (0.97 - 0.5008) / 0.4992,
        "scott_pi": (0.85 - 0.50125) / 0.49875,
        "bennett_s": 0.70,
        "pabak": 0.70,
        "prevalence_index": -0.05,
        "bias_index": 0.03,
        "positive_agreement": 80 / 95,
        "negative_agreement": 90 / 105,
        # 100 units, 200 ratings: 95 and 105. Off-diagonal coincidences 30; 1 − 199·30/(2·95·105).
        "krippendorff_alpha_nominal": 1 - 199 * 30 / (2 * 95 * 105),
    }
    for name, number in expected.items():
        assert value(made, name) == pytest.approx(number, abs=1e-12), name
    assert made["pairs"][0]["chance_agreement"]["value"] == pytest.approx(0.5008)
    assert made["pairs"][0]["confusion"] == [[40, 9], [6, 45]]
    assert made["pairs"][0]["marginals"] == [[49, 51], [46, 54]]
    exact = made["pairs"][0]["exact_agreement"]
    assert (exact["value"], exact["num"], exact["den"], exact["undefined_reason"]) == (0.85, 85, 100, None)


def test_three_raters_by_hand() -> None:
    # Units (a,a,b), (b,b,b), (a,a,a), (b,a,–). Agreeing share of pairs: 1/3, 1, 1, 0; p_a = 7/12.
    rows = [["a", "b", "a", "b"], ["a", "b", "a", "a"], ["b", "b", "a", None]]
    made = document(rows, ["a", "b"])
    # π_a = (2/3 + 0 + 1 + 1/2)/4 = 13/24; Fleiss pe = π_a² + π_b².
    pi = 13 / 24
    fleiss = pi**2 + (1 - pi) ** 2
    # Conger: shares of a by rater 1/2, 3/4, 1/3; mean over ordered pairs of raters of p·p' + (1−p)(1−p').
    shares = [1 / 2, 3 / 4, 1 / 3]
    conger = sum(p * r + (1 - p) * (1 - r) for i, p in enumerate(shares) for j, r in enumerate(shares) if i != j) / 6
    expected = {
        "percent_agreement": 7 / 12,
        "fleiss_kappa": (7 / 12 - fleiss) / (1 - fleiss),
        "conger_kappa": (7 / 12 - conger) / (1 - conger),
        "gwet_ac1": (7 / 12 - 2 * pi * (1 - pi)) / (1 - 2 * pi * (1 - pi)),
        "brennan_prediger": (7 / 12 - 1 / 2) / (1 / 2),
        # Coincidences: unit 1 gives aa 1, ab 1, ba 1; unit 2 bb 3; unit 3 aa 3; unit 4 ab 1, ba 1. n_a = 6, n_b = 5.
        "krippendorff_alpha_nominal": 1 - 10 * 4 / (2 * 6 * 5),
        # Pairs: R1R2 3 of 4 (kappa .5), R1R3 2 of 3 (rows 2,1; columns 1,2: 1 − 3·1/(2·2+1·1) = .4), R2R3 the same .4.
        "light_kappa": (0.5 + 0.4 + 0.4) / 3,
    }
    for name, number in expected.items():
        assert made["overall"][name]["value"] == pytest.approx(number, abs=1e-12), name


def test_krippendorff_distances_by_hand() -> None:
    # Two units, values (1,2) and (4,4), categories 1, 2, 4. n = 4 with n_1 = n_2 = 1, n_4 = 2.
    # Only the pair 1-2 disagrees, twice: Do = 2·δ²(1,2); De pairs: 1-2 1·1, 1-4 1·2, 2-4 1·2, each twice, over n−1 = 3.
    made = document([["1", "4"], ["2", "4"]], ["1", "2", "4"], "interval")

    def alpha(d12: float, d14: float, d24: float) -> float:
        return 1 - 3 * 2 * d12 / (2 * (d12 + 2 * d14 + 2 * d24))

    assert value(made, "krippendorff_alpha_nominal") == pytest.approx(alpha(1, 1, 1))
    assert value(made, "krippendorff_alpha_interval") == pytest.approx(alpha(1, 9, 4))
    assert value(made, "krippendorff_alpha_ratio") == pytest.approx(alpha(1 / 9, 9 / 25, 1 / 9))
    # Ordinal: half of each end and all between. 1-2: 1; 1-4: 1/2 + 1 + 1 = 2.5; 2-4: 1/2 + 1 = 1.5; squared.
    assert value(made, "krippendorff_alpha_ordinal") == pytest.approx(alpha(1, 6.25, 2.25))


def test_weighted_coefficients_by_hand() -> None:
    # Positions 0, 1, 2; A: 0 1 2 2, B: 0 1 2 1. Linear d = |i−j|/2. Do = (1/2)/4 = 1/8.
    made = document([["l", "m", "h", "h"], ["l", "m", "h", "m"]], ["l", "m", "h"], "ordinal")
    # Rows 1,1,2, columns 1,2,1: Σ r c |i−j| = 1·(2+2) + 1·(1+1) + 2·(2+2) = 14, De = 14/2/16.
    assert value(made, "cohen_kappa_linear") == pytest.approx(1 - (1 / 8) / (14 / 32))
    # Quadratic d = (i−j)²/4: Σ r c (i−j)² = 1·(2+4) + 1·(1+1) + 2·(4+2) = 20, De = 20/4/16; Do = (1/4)/4.
    assert value(made, "cohen_kappa_quadratic") == pytest.approx(1 - (1 / 16) / (20 / 64))
    # Brennan–Prediger: mean d over the nine cells; linear (4·1/2 + 2·1)/9 = 4/9.
    assert value(made, "brennan_prediger_linear") == pytest.approx(1 - (1 / 8) / (4 / 9))
    # π = (2, 3, 3)/8. AC2: pe = T_w/(q(q−1))·Σπ(1−π), T_w = 9 − 4 = 5.
    spread = (2 * 6 + 3 * 5 + 3 * 5) / 64
    assert value(made, "gwet_ac2_linear") == pytest.approx((7 / 8 - 5 / 6 * spread) / (1 - 5 / 6 * spread))
    # Fleiss with weights: Σ π π' d = (2·(2·3·1/2 + 2·3·1) + 2·3·3·1/2)/64 = (18 + 9)/64.
    assert value(made, "fleiss_kappa_linear") == pytest.approx(1 - (1 / 8) / (27 / 64))


def test_category_kappas_by_hand() -> None:
    # Two raters: for each label against the rest, Fleiss = Scott's pi of the collapsed table.
    made = of_table([[10, 2, 0], [1, 8, 3], [0, 1, 5]])
    # Label a against the rest: 10 both, 3 mixed, 17 neither; p = 23/60; pi = 1 − (3/30)/(2·p·(1−p)).
    assert made["category_kappa"]["a"]["value"] == pytest.approx(1 - 0.1 / (2 * 23 / 60 * 37 / 60))


def test_one_label_against_the_rest_needs_ten_uses() -> None:
    made = of_table([[10, 2, 0], [1, 8, 3], [0, 1, 5]])
    a, b, c = made["pairs"][0]["one_versus_rest"]
    # a: rows 12, columns 11; table 10 2 / 1 17, po 27/30, pe (12·11 + 18·19)/900.
    assert a["cohen_kappa"]["value"] == pytest.approx((0.9 - 474 / 900) / (1 - 474 / 900))
    assert b["cohen_kappa"]["value"] is not None
    assert (c["cohen_kappa"]["value"], c["cohen_kappa"]["undefined_reason"]) == (None, "label_used_too_rarely")
    assert c["counts"] == {"both": 5, "first_only": 1, "second_only": 3, "neither": 21}


def test_the_small_doors_for_other_rooms() -> None:
    assert confusion(["a", "b", "b"], ["a", "a", "b"], ["a", "b", "c"]) == [[1, 0, 0], [1, 1, 0], [0, 0, 0]]
    found = pair_kappa(["a", "b", "b", "a"], ["a", "a", "b", "a"], ["a", "b"])
    # po = 3/4, pe = (2·3 + 2·1)/16 = 1/2.
    assert (found["value"], found["n"], found["exact_agreement"]["num"]) == (0.5, 4, 3)
    assert pair_kappa([], [], ["a", "b"])["undefined_reason"] == "no_overlap"
    assert pair_kappa(["a"], ["a"], ["a"])["undefined_reason"] == "one_declared_category"
