"""The paired bootstrap: draws repeated by hand, intervals that are paired, slices, focus, seeds and draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.domain.scorecard.records import Question
from app.domain.scorecard.spec import DEFAULT_RESAMPLINGS, Focus, Resampling, ScorecardSpec, Slice
from tests.domain.scorecard.small import SPEC, card, scored, sheet

GOLD = {f"q{i}": "a:core b:core" for i in range(1, 5)}
FULL, HALF, NONE = 94.0, 74.0, 0.0
GRADES = {FULL: "a:stated b:stated", HALF: "a:stated b:absent"}


def graded(scores: dict[str, list[float]]) -> object:
    """Models whose composites on q1, q2, ... are FULL, HALF or (a failure) NONE."""
    sheets = [
        sheet(f"{model} q{i} j1", GRADES[score])
        for model, line in scores.items()
        for i, score in enumerate(line, start=1)
        if score
    ]
    failures = [f"{m} q{i}" for m, line in scores.items() for i, score in enumerate(line, start=1) if not score]
    return card(GOLD, sheets, failures)


def test_the_document_seeds_and_draws_are_the_defaults() -> None:
    assert {
        "primary": Resampling(5000, 20260917),
        "original": Resampling(1000, 20260917),
        "ranks": Resampling(2000, 20260919),
        "focus": Resampling(5000, 20260918),
    } == DEFAULT_RESAMPLINGS
    assert ScorecardSpec("x", "y", {}).resampling == DEFAULT_RESAMPLINGS


def test_an_interval_is_the_percentiles_of_the_means_of_the_drawn_questions() -> None:
    scores = [FULL, HALF, NONE, FULL]
    spec = replace(SPEC, resampling={**SPEC.resampling, "primary": Resampling(200, 11)})
    interval = scored(graded({"m1": scores}), spec)["models"]["m1"]["effective_mean"]["ci95"]
    drawn = np.random.default_rng(11).integers(0, 4, size=(200, 4))
    means = sorted(sum(scores[q] for q in row) / 4 for row in drawn)
    # Type 7 of 200 values: place 0.025 × 199 = 4.975, 0.975 × 199 = 194.025.
    low = means[4] + 0.975 * (means[5] - means[4])
    high = means[194] + 0.025 * (means[195] - means[194])
    assert (interval["lo"], interval["hi"]) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))
    assert (interval["draws"], interval["seed"], interval["undefined_resamples"]) == (200, 11, 0)


def test_differences_are_paired() -> None:
    """Two models that differ by 20 on every question differ by 20 in every resample, however they vary."""
    both = {"m1": [FULL, FULL, FULL, FULL], "m2": [HALF, HALF, HALF, HALF]}
    pair = scored(graded(both))["slices"]["overall"]["pairs"]["m1"]["m2"]
    assert (pair["value"], pair["ci95"]["lo"], pair["ci95"]["hi"]) == (20.0, 20.0, 20.0)
    # Shared failures move both means alike: unpaired draws would give a spread, these give 20 times the share drawn.
    shifted = scored(graded({"m1": [FULL, FULL, NONE, NONE], "m2": [FULL, FULL, NONE, NONE]}))
    pair = shifted["slices"]["overall"]["pairs"]["m1"]["m2"]
    assert (pair["value"], pair["ci95"]["lo"], pair["ci95"]["hi"]) == (0.0, 0.0, 0.0)


def test_the_difference_is_the_first_less_the_second() -> None:
    figures = scored(graded({"m2": [HALF] * 4, "m10": [FULL] * 4}))
    assert figures["slices"]["overall"]["pairs"] == {"m2": {"m10": figures["slices"]["overall"]["pairs"]["m2"]["m10"]}}
    assert figures["slices"]["overall"]["pairs"]["m2"]["m10"]["value"] == -20.0


def test_the_original_draws_stand_beside_the_primary_ones_overall() -> None:
    spec = replace(SPEC, resampling={**SPEC.resampling, "original": Resampling(10, 7), "primary": Resampling(50, 7)})
    figures = scored(graded({"m1": [FULL, HALF, NONE, FULL], "m2": [HALF, HALF, FULL, FULL]}), spec)
    for entry in (figures["models"]["m1"]["effective_mean"], figures["slices"]["overall"]["pairs"]["m1"]["m2"]):
        assert (entry["ci95_original"]["draws"], entry["ci95"]["draws"]) == (10, 50)


def test_a_slice_is_compared_over_its_own_questions_alone() -> None:
    data = graded({"m1": [FULL, HALF, NONE, FULL], "m2": [HALF, HALF, FULL, FULL]})
    data = replace(data, questions=tuple(Question(q, {"lang": "ne" if q in ("q1", "q3") else "en"}) for q in GOLD))
    figures = scored(data, replace(SPEC, slices=(Slice("NE", "lang", "ne"), Slice("none", "lang", "xx"))))
    of = figures["slices"]["NE"]
    assert (of["n"], of["N"]) == (2, 4)
    assert of["means"]["m1"]["value"] == (FULL + NONE) / 2
    assert of["pairs"]["m1"]["m2"]["value"] == (FULL + NONE - HALF - FULL) / 2
    empty = figures["slices"]["none"]["pairs"]["m1"]["m2"]
    assert (empty["value"], empty["undefined_reason"], empty["n"]) == (None, "no_such_question", 0)
    assert empty["ci95"]["lo"] is None


def test_a_criterion_is_compared_where_every_model_in_focus_has_it() -> None:
    data = graded({"m1": [FULL, HALF, FULL, NONE], "m2": [HALF, HALF, NONE, FULL], "m3": [NONE, FULL, FULL, FULL]})
    spec = replace(SPEC, focus=Focus("two", ("m1", "m2"), ("composite", "core_recall")))
    focus = scored(data, spec)["focus"]
    assert list(focus) == ["composite", "core_recall"]
    assert focus["composite"]["n"] == 4  # a failure is zero
    assert focus["composite"]["pairs"]["m1"]["m2"]["value"] == (FULL + HALF + FULL - HALF - HALF - FULL) / 4
    recall = focus["core_recall"]
    assert recall["n"] == 2  # q1 and q2; m3 is not in focus and its failure on q1 does not matter
    assert recall["pairs"]["m1"]["m2"]["value"] == (1 + 0.5 - 0.5 - 0.5) / 2


def test_a_focus_without_criteria_takes_all_of_them() -> None:
    data = graded({"m1": [FULL] * 4, "m2": [HALF] * 4})
    focus = scored(data, replace(SPEC, focus=Focus("two", ("m2", "m1"))))["focus"]
    assert list(focus) == ["composite", *SPEC.metrics]
    assert focus["composite"]["pairs"]["m2"]["m1"]["value"] == -20.0  # in the order the focus names them


def test_a_difference_with_an_undefined_mean_has_none() -> None:
    data = card(GOLD, [sheet(f"m1 q{i} j1", GRADES[FULL]) for i in range(1, 5)], models=("m2",))
    pair = scored(data)["slices"]["overall"]["pairs"]["m1"]["m2"]
    assert (pair["value"], pair["undefined_reason"], pair["ci95"]["undefined_reason"]) == (
        None,
        "answer_without_score",
        "answer_without_score",
    )


def test_a_resample_without_a_valid_answer_is_counted_as_undefined() -> None:
    figures = scored(graded({"m1": [FULL, NONE, NONE, NONE]}))
    interval = figures["models"]["m1"]["quality_only_mean"]["ci95"]
    drawn = np.random.default_rng(7).integers(0, 4, size=(40, 4))
    assert interval["undefined_resamples"] == int((drawn != 0).all(axis=1).sum()) > 0
    assert (interval["lo"], interval["hi"]) == (FULL, FULL)
