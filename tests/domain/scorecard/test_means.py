"""Judges averaged, failures counted as zero, means over valid answers: every number worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.domain.scorecard.small import SPEC, card, party, scored, sheet

GOLD = {"q1": "a:core b:core", "q2": "a:core b:core"}
# With no unsupported annotation the proxy is 1 as soon as anything is credited: 30 points, and 12 + 12 of language.
FULL, HALF = 40 + 54, 20 + 54


def full(place: str) -> object:
    return sheet(place, "a:stated b:stated")


def half(place: str) -> object:
    return sheet(place, "a:stated b:absent")


def test_judges_are_averaged() -> None:
    figures = scored(card(GOLD, [full("m1 q1 j1"), half("m1 q1 j2"), full("m1 q2 j1"), full("m1 q2 j2")]))
    assert figures["answers"]["m1"]["q1"]["composite"] == (FULL + HALF) / 2  # 84
    assert figures["models"]["m1"]["effective_mean"]["value"] == (84 + 94) / 2


def test_a_missing_judge_grade_leaves_the_mean_of_the_judges_that_are_there() -> None:
    figures = scored(card(GOLD, [half("m1 q1 j1"), full("m1 q2 j1"), full("m1 q2 j2")]))
    answer = figures["answers"]["m1"]["q1"]
    assert (answer["composite"], answer["n_judges"]) == (HALF, 1)  # not (74 + 0) / 2
    assert figures["models"]["m1"]["effective_mean"]["value"] == (HALF + FULL) / 2
    assert figures["defects"]["j2"]["n_missing"] == 1


def test_a_failed_sheet_is_no_grade() -> None:
    failed = replace(sheet("m1 q1 j2", ""), valid=False, unsupported=None, quality=(None, None))
    figures = scored(card(GOLD, [half("m1 q1 j1"), failed, full("m1 q2 j1"), full("m1 q2 j2")]))
    assert figures["answers"]["m1"]["q1"]["composite"] == HALF
    assert (figures["defects"]["j2"]["n_failed"], figures["defects"]["j2"]["n_missing"]) == (1, 0)


def test_a_judge_without_a_composite_gives_its_other_metrics() -> None:
    half_empty = sheet("m1 q1 j2", "a:absent b:absent")  # proxy 0/0: no composite, but a core recall of 0
    figures = scored(card(GOLD, [full("m1 q1 j1"), half_empty, full("m1 q2 j1"), full("m1 q2 j2")]))
    answer = figures["answers"]["m1"]["q1"]
    assert answer["composite"] == FULL  # j1 alone
    assert answer["core_recall"] == 0.5  # (1 + 0) / 2 judges


def test_a_failure_is_zero_in_the_effective_mean_and_absent_from_every_other() -> None:
    figures = scored(card(GOLD, [half("m1 q1 j1")], failures=["m1 q2"]))
    model = figures["models"]["m1"]
    assert model["effective_mean"]["value"] == HALF / 2  # (74 + 0) / 2 questions
    assert (model["effective_mean"]["n"], model["effective_mean"]["N"]) == (2, 2)
    assert model["quality_only_mean"]["value"] == HALF
    assert (model["quality_only_mean"]["n"], model["quality_only_mean"]["N"]) == (1, 1)
    assert model["metrics"]["core_recall"] | {"undefined_reason": None} == {
        "value": 0.5,
        "undefined_reason": None,
        "n": 1,
        "N": 1,
    }


def test_a_model_that_always_fails_has_zero_and_no_quality() -> None:
    figures = scored(card(GOLD, [full("m1 q1 j1"), full("m1 q2 j1")], failures=["m2 q1", "m2 q2"]))
    model = figures["models"]["m2"]
    assert model["effective_mean"]["value"] == 0.0
    assert (model["quality_only_mean"]["value"], model["quality_only_mean"]["undefined_reason"]) == (
        None,
        "no_valid_answer",
    )
    assert model["quality_only_mean"]["ci95"]["lo"] is None


def test_a_sheet_of_a_failure_is_used_by_nothing_and_counted() -> None:
    figures = scored(card(GOLD, [full("m1 q1 j1"), full("m1 q2 j1")], failures=["m1 q2"]))
    assert figures["models"]["m1"]["effective_mean"]["value"] == FULL / 2
    assert figures["defects"]["j1"]["n_of_failed_answers"] == 1
    assert figures["defects"]["j1"]["n_due"] == 1


def test_a_valid_answer_without_a_grade_leaves_the_effective_mean_undefined_within_bounds() -> None:
    figures = scored(card(GOLD, [half("m1 q1 j1"), full("m2 q1 j1"), full("m2 q2 j1")]))
    mean = figures["models"]["m1"]["effective_mean"]
    assert (mean["value"], mean["undefined_reason"], mean["n"], mean["N"]) == (None, "answer_without_score", 1, 2)
    assert mean["bounds"] == [HALF / 2, (HALF + 100) / 2]  # the other answer at 0 and at 100
    assert mean["ci95"]["undefined_reason"] == "answer_without_score"
    assert figures["models"]["m1"]["quality_only_mean"]["value"] == HALF  # with available grades: 1 of 2
    assert figures["models"]["m1"]["quality_only_mean"]["N"] == 2
    assert figures["models"]["m1"]["rank"] is None
    assert figures["ranks"]["excluded"] == ["m1"]


def test_a_repeat_scores_nothing() -> None:
    again = sheet("m1 q1 j1", "a:absent b:absent", 3, repeat=2)
    with_repeat = scored(card(GOLD, [full("m1 q1 j1"), again, full("m1 q2 j1")]))
    assert with_repeat["models"]["m1"]["effective_mean"]["value"] == FULL
    assert with_repeat["defects"]["j1"]["n_repeats"] == 1


def test_a_judge_for_calibration_only_scores_nothing() -> None:
    data = card(GOLD, [full("m1 q1 j1"), full("m1 q2 j1"), half("m1 q1 j2"), half("m1 q2 j2")])
    data = replace(data, judges=(party("j1"), party("j2", official=False)))
    figures = scored(data)
    assert figures["models"]["m1"]["effective_mean"]["value"] == FULL
    assert "j2" in figures["judges"]["inter"]["j1"]


def test_the_sanitised_score_stands_beside_and_changes_nothing() -> None:
    doubled = sheet("m1 q1 j1", "a:stated a:absent b:stated")
    figures = scored(card(GOLD, [doubled, full("m1 q2 j1")]))
    model = figures["models"]["m1"]
    official = 40 * 2 / 3 + 54  # q1: (1 + 0 + 1) / 3 of 40
    assert model["effective_mean"]["value"] == pytest.approx((official + FULL) / 2, abs=1e-12)
    assert model["sanitised"]["effective_mean"]["value"] == (HALF + FULL) / 2
    assert model["sanitised"]["effective_mean_less_official"] == pytest.approx((HALF - official) / 2, abs=1e-12)


def test_consensus_core_facts_are_those_that_all_contributors_named() -> None:
    spec = replace(SPEC, consensus_of=3)
    gold = {"q1": "a:core b:core", "q2": "a:core b:core", "q3": "a:core b:supporting"}
    named = {"q1.a": 3, "q1.b": 2, "q2.a": 2, "q2.b": 2, "q3.a": 3, "q3.b": 3}
    sheets = [sheet("m1 q1 j1", "a:absent b:stated"), full("m1 q2 j1"), sheet("m1 q3 j1", "a:stated b:absent")]
    figures = scored(card(gold, sheets, named_by=named), spec)
    of = figures["consensus"]
    assert (of["post_hoc"], of["n_questions"], of["N"]) == (True, 2, 3)  # q2 has no such core fact
    # q1: core recall on a alone, 0; the credit of b stays in the proxy: 0 + 30 + 24. q3: 40 + 30 + 24.
    assert of["models"]["m1"]["effective_mean"]["value"] == (54 + 94) / 2
    assert of["models"]["m1"]["core_recall"]["value"] == 0.5
    assert figures["models"]["m1"]["metrics"]["core_recall"]["value"] == pytest.approx((0.5 + 1 + 1) / 3, abs=1e-12)


def test_a_failure_is_zero_in_the_consensus_sensitivity_too() -> None:
    spec = replace(SPEC, consensus_of=1)
    named = {"q1.a": 1, "q1.b": 1, "q2.a": 1, "q2.b": 1}
    figures = scored(card(GOLD, [full("m1 q1 j1")], failures=["m1 q2"], named_by=named), spec)
    assert figures["consensus"]["models"]["m1"]["effective_mean"]["value"] == FULL / 2
