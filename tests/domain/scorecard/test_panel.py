"""The common subset, centring by question, and correlations with length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.domain.scorecard.check import panel_again
from app.domain.scorecard.correlation import average_ranks, pearson, spearman
from app.domain.scorecard.spec import Length
from tests.domain.scorecard.small import SPEC, card, scored, sheet

GOLD = {"q1": "a:core b:core", "q2": "a:core b:core", "q3": "a:core b:core"}
FULL, HALF, QUARTER = "a:stated b:stated", "a:stated b:absent", "a:partial b:absent"  # 94, 74, 64


def test_centring_takes_the_mean_of_each_shared_question_away() -> None:
    sheets = [
        sheet("m1 q1 j1", FULL),
        sheet("m2 q1 j1", HALF),
        sheet("m1 q2 j1", HALF),
        sheet("m2 q2 j1", QUARTER),
        sheet("m1 q3 j1", FULL),
    ]
    of = scored(card(GOLD, sheets, failures=["m2 q3"]))["common_subset"]
    assert (of["n_shared_success"], of["n"], of["N"]) == (2, 2, 3)  # m2 failed on q3
    assert of["models"]["m1"]["mean"]["value"] == (94 + 74) / 2
    # q1: mean 84, so +10 and −10; q2: mean 69, so +5 and −5.
    assert of["models"]["m1"]["centred_mean"]["value"] == 7.5
    assert of["models"]["m2"]["centred_mean"]["value"] == -7.5


def test_without_a_shared_question_there_is_no_panel() -> None:
    sheets = [sheet("m1 q1 j1", FULL), sheet("m2 q2 j1", FULL), sheet("m1 q3 j1", FULL)]
    of = scored(card(GOLD, sheets, failures=["m2 q1", "m1 q2", "m2 q3"]))["common_subset"]
    mean = of["models"]["m1"]["mean"]
    assert (of["n"], mean["value"], mean["undefined_reason"]) == (0, None, "no_such_question")


def test_pearson_and_spearman_of_worked_series() -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 10.0])
    # Deviations x −1.5 −0.5 0.5 1.5, y −3 −1 −2 6: Σxy = 4.5 + 0.5 − 1 + 9 = 13; Σx² = 5, Σy² = 50; 13/√250.
    assert pearson(x, y)["value"] == pytest.approx(13 / 250**0.5, abs=1e-12)
    # Ranks 1 2 3 4 and 1 3 2 4: 1 − 6 × (0 + 1 + 1 + 0)/(4 × 15) = 0.8.
    assert spearman(x, y)["value"] == pytest.approx(0.8, abs=1e-12)
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    assert panel_again.spearman(points)["value"] == pytest.approx(0.8, abs=1e-12)


def test_ties_take_their_mean_rank() -> None:
    values = [5.0, 1.0, 5.0, 5.0, 9.0]
    assert average_ranks(np.array(values)).tolist() == [3.0, 1.0, 3.0, 3.0, 5.0] == panel_again.mean_ranks(values)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [([1.0, 2.0], [1.0, 2.0], "too_few_points"), ([1.0, 2.0, 3.0], [4.0, 4.0, 4.0], "no_variation")],
)
def test_a_correlation_that_means_nothing_is_undefined(x: list[float], y: list[float], reason: str) -> None:
    found = pearson(np.array(x), np.array(y))
    assert (found["value"], found["undefined_reason"], found["n"]) == (None, reason, len(x))
    assert panel_again.pearson(list(zip(x, y, strict=True)))["value"] is None


def test_length_goes_with_coverage_within_a_model_and_centred_over_the_panel() -> None:
    grades = {("m1", "q1"): FULL, ("m1", "q2"): HALF, ("m1", "q3"): QUARTER}
    grades |= {("m2", "q1"): HALF, ("m2", "q2"): QUARTER, ("m2", "q3"): FULL}
    words = {("m1", "q1"): 30, ("m1", "q2"): 20, ("m1", "q3"): 10}
    words |= {("m2", "q1"): 10, ("m2", "q2"): 30, ("m2", "q3"): 30}
    data = card(GOLD, [sheet(f"{m} {q} j1", line) for (m, q), line in grades.items()])
    answers = tuple(replace(a, length=float(words[a.model_id, a.question_id])) for a in data.answers)
    of = scored(replace(data, answers=answers), replace(SPEC, length=Length(("words",), "words")))["length"]
    # m1: lengths 30 20 10 and coverage 1, 0.5, 0.25: ranks run alike.
    assert of["within"]["m1"]["coverage"]["spearman"]["value"] == pytest.approx(1.0)
    # Deviations 10 0 −10; mean coverage 7/12, so 5/12 −1/12 −4/12: Σ = 90/12, √(200 × 42/144).
    assert of["within"]["m1"]["coverage"]["pearson"]["value"] == pytest.approx(7.5 / (200 * 42 / 144) ** 0.5, abs=1e-12)
    # Centred by question: lengths ±10, ∓5, ∓10; coverage ±1/4, ±1/8, ∓3/8 (m1 first).
    # Half the sum of products 10/4 − 5/8 + 30/8 = 45/8; half the squares 225 and 1/16 + 1/64 + 9/64 = 14/64.
    centred = of["centred"]["coverage"]
    assert centred["n_questions"] == 3
    assert centred["pearson"]["value"] == pytest.approx((45 / 8) / (225 * 14 / 64) ** 0.5, abs=1e-12)
    assert centred["pearson"]["n"] == 6


def test_an_answer_without_a_length_is_in_no_correlation() -> None:
    data = card(GOLD, [sheet(f"m1 {q} j1", FULL) for q in GOLD])
    of = scored(data, replace(SPEC, length=Length(("words",), "words")))["length"]
    found = of["within"]["m1"]["coverage"]["pearson"]
    assert (found["value"], found["n"], found["undefined_reason"]) == (None, 0, "too_few_points")
