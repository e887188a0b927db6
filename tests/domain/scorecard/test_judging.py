"""Judges and their repeats, judges and each other, the gates: tables counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.scorecard.spec import Thresholds
from app.domain.stats.coefficients import pair_kappa
from tests.domain.scorecard.small import SPEC, card, scored, sheet

GOLD = {"q1": "a:core b:core c:supporting", "q2": "a:core b:core c:supporting"}


def test_exact_agreement_and_kappa_with_an_own_repeat() -> None:
    sheets = [
        sheet("m1 q1 j1", "a:stated b:stated c:absent"),
        sheet("m1 q1 j1", "a:stated b:absent c:absent", repeat=2),
        sheet("m1 q2 j1", "a:stated b:partial c:absent"),
        sheet("m1 q2 j1", "a:stated b:partial c:stated", repeat=2),
    ]
    of = scored(card(GOLD, sheets))["judges"]
    pair = of["intra"]["j1"]["1"]["2"]
    assert (pair["exact_agreement"]["num"], pair["exact_agreement"]["den"]) == (4, 6)
    # stated/partial/absent/contradicted: rows (first) 3 1 2 0, columns (second) 3 1 2 0; chance (9 + 1 + 4)/36 = 14/36.
    assert pair["cohen_kappa"]["value"] == pytest.approx((4 / 6 - 14 / 36) / (1 - 14 / 36), abs=1e-12)
    assert pair["confusion"] == [[2, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]]
    gate = of["gates"]["intra_label_agreement"]
    assert (gate["threshold"], gate["met"], gate["lowest"]) == (0.80, False, pytest.approx(4 / 6))


def test_the_kappa_is_the_house_kappa() -> None:
    first, second = "a:stated b:partial c:absent", "a:stated b:absent c:contradicted"
    data = card({"q1": GOLD["q1"]}, [sheet("m1 q1 j1", first), sheet("m1 q1 j2", second)])
    labels = [[word.split(":")[1] for word in line.split()] for line in (first, second)]
    house = pair_kappa(labels[0], labels[1], ["stated", "partial", "absent", "contradicted"])
    assert scored(data)["judges"]["inter"]["j1"]["j2"]["cohen_kappa"]["value"] == pytest.approx(house["value"])


def test_a_judge_without_a_repeat_is_listed_and_not_held_against_the_gate() -> None:
    sheets = [
        sheet("m1 q1 j1", "a:stated b:stated c:absent"),
        sheet("m1 q1 j1", "a:stated b:stated c:absent", repeat=2),
        sheet("m1 q1 j2", "a:stated b:stated c:absent"),
    ]
    gate = scored(card({"q1": GOLD["q1"]}, sheets))["judges"]["gates"]["intra_label_agreement"]
    assert (gate["met"], gate["lowest"], gate["n_evaluated"], gate["not_evaluated"]) == (True, 1.0, 1, ["j2"])


def test_without_any_repeat_the_gate_is_neither_met_nor_failed() -> None:
    gate = scored(card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated")]))["judges"]["gates"]["intra_label_agreement"]
    assert (gate["met"], gate["lowest"], gate["not_evaluated"]) == (None, None, ["j1"])


def test_a_gate_is_met_at_its_threshold() -> None:
    first = "a:stated b:stated c:absent d:absent e:absent"
    again = "a:absent b:stated c:absent d:absent e:absent"  # 4 of 5 alike: exactly 0.80
    gold = {"q1": "a:core b:core c:core d:core e:core"}
    data = card(gold, [sheet("m1 q1 j1", first), sheet("m1 q1 j1", again, repeat=2)])
    assert scored(data)["judges"]["gates"]["intra_label_agreement"]["met"] is True
    stricter = replace(SPEC, thresholds=Thresholds(intra_label_agreement=0.81))
    assert scored(data, stricter)["judges"]["gates"]["intra_label_agreement"]["met"] is False


def test_conflicting_duplicates_extras_and_missing_ids_are_no_labels() -> None:
    one = sheet("m1 q1 j1", "a:stated a:absent b:stated b:stated z:stated")
    other = sheet("m1 q1 j2", "a:stated b:stated z:stated")
    of = scored(card({"q1": GOLD["q1"]}, [one, other]))["judges"]
    pair = of["inter"]["j1"]["j2"]
    assert pair["n"] == 1  # b alone: a conflicts with itself, c is missing, z is no gold fact
    assert of["n_conflicting_labels"] == 1
    assert (pair["cohen_kappa"]["value"], pair["cohen_kappa"]["undefined_reason"]) == (None, "single_category_used")


def test_rank_correlation_is_over_the_answers_both_judges_scored() -> None:
    full, half, none = "a:stated b:stated c:absent", "a:stated b:absent c:absent", "a:partial b:absent c:absent"
    lines = {"m1": (full, full), "m2": (half, none), "m3": (none, half)}
    sheets = [sheet(f"{m} q1 j{j}", line) for m, two in lines.items() for j, line in enumerate(two, start=1)]
    sheets.append(sheet("m3 q2 j1", full))  # j2 did not grade it, so it ranks nothing
    data = card(GOLD, sheets, failures=["m1 q2", "m2 q2"])
    of = scored(data)["judges"]["inter"]["j1"]["j2"]
    # Ranks of the means: j1 m1 > m2 > m3, j2 m1 > m3 > m2: 1 − 6 × (0 + 1 + 1)/(3 × 8) = 0.5.
    assert of["rank_correlation"]["value"] == pytest.approx(0.5, abs=1e-12)
    assert (of["rank_correlation"]["n"], of["n_answers"]) == (3, 3)
    gate = scored(data)["judges"]["gates"]["inter_rank_correlation"]
    assert (gate["threshold"], gate["met"]) == (0.70, False)


def test_one_model_cannot_be_ranked() -> None:
    data = card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated"), sheet("m1 q1 j2", "a:stated")])
    of = scored(data)["judges"]
    assert of["inter"]["j1"]["j2"]["rank_correlation"]["undefined_reason"] == "too_few_models"
    assert of["gates"]["inter_rank_correlation"]["not_evaluated"] == ["j1 and j2"]
