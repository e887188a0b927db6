"""Planned and completed, boundaries, names: what is said beside the numbers, and what is never said."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from app.domain.scorecard.boundaries import SENTENCES, TABLES, sentences
from app.domain.scorecard.document import scorecard_document
from app.domain.scorecard.gate import compare
from app.domain.scorecard.plan import planned_versus_completed
from app.domain.scorecard.records import Call, CopiedInterval, Review, ScoreData
from app.domain.scorecard.spec import Disclosure, Planned, ScorecardSpec, Step
from app.domain.stats.statistic import REASONS
from tests.domain.scorecard.small import SPEC, card, scored, sheet

DATA = card({"q1": "a:core", "q2": "a:core"}, [sheet("m1 q1 j1", "a:stated")], failures=["m1 q2"])


def document(data: ScoreData = DATA, spec: ScorecardSpec = SPEC) -> dict[str, Any]:
    figures = scored(data, spec)
    return scorecard_document(spec, data, figures, compare(figures, figures), {"identical": True})


def lines(data: ScoreData = DATA, spec: ScorecardSpec = SPEC) -> dict[str, tuple[str, str, str]]:
    found = planned_versus_completed(spec, data, scored(data, spec))
    assert len({line["concern"] for line in found}) == len(found)
    return {line["concern"]: (line["planned"], line["completed"], line["status"]) for line in found}


def test_sizes_are_held_against_the_plan() -> None:
    said = lines(spec=replace(SPEC, planned=Planned(models=2, questions=2)))
    assert said["Models"] == ("2", "1 with 2 answers each", "differs")
    assert said["Questions"] == ("2", "2", "as planned")
    assert said["Judges"] == ("the plan is silent", "1", "not planned")
    assert said["Answers"] == ("2", "1 valid, 1 failures", "differs")


def test_a_missing_grade_and_an_absent_repeat_are_disclosed() -> None:
    data = card(
        {"q1": "a:core", "q2": "a:core"}, [sheet("m1 q1 j1", "a:stated"), sheet("m1 q1 j1", "a:stated", repeat=2)]
    )
    data = replace(
        data,
        sheets=(*data.sheets, sheet("m1 q2 j2", "a:stated")),
        judges=(*data.judges, replace(data.judges[0], party_id="j2")),
    )
    said = lines(data, replace(SPEC, planned=Planned(repeats=2)))
    assert said["First grades by j1"] == ("2", "1 valid, 0 failed, 1 missing", "differs")
    assert said["Grades of one answer by j1"][2] == "as planned"
    assert said["Grades of one answer by j2"] == ("2", "at most 1; 0 repeated sheets", "differs")
    assert "not evaluated: j2" in said["Gate: agreement of a judge with its own repeat"][1]


def test_a_review_is_done_by_what_it_left_behind_only() -> None:
    spec = replace(SPEC, planned=Planned(reviews=2))
    assert lines(spec=spec)["Human review of grade sheets"] == ("2", "0 reviewed, 0 picked", "not done")
    picked = replace(DATA, reviews=(Review("m1", "q1", "j1", True), Review("m1", "q2", "j1", False)))
    assert lines(picked, spec)["Human review of grade sheets"] == ("2", "1 reviewed, 2 picked", "differs")
    assert document(picked, spec)["pending"] == [
        "The planned human review is pending: 1 of 2 grade sheets were reviewed."
    ]
    done = replace(DATA, reviews=(Review("m1", "q1", "j1", True), Review("m1", "q2", "j1", True)))
    assert document(done, spec)["pending"] == []


def test_a_step_without_its_file_is_not_done() -> None:
    spec = replace(SPEC, planned=Planned(steps=(Step("Cross-check", "diff.csv"), Step("Freeze", "frozen.json"))))
    said = lines(replace(DATA, artefacts={"diff.csv": False, "frozen.json": True}), spec)
    assert (said["Cross-check"][2], said["Freeze"][2]) == ("not done", "as planned")
    assert "nothing shows that it was done" in said["Cross-check"][1]


def test_retries_of_contestants_and_judges_stay_apart() -> None:
    calls = (Call("candidate", "m1", True, 1.0, 1.0), Call("judge", "j1", False, 1.0, 1.0))
    said = lines(replace(DATA, calls=calls))
    assert said["Calls of phase candidate"][1] == "0 calls retained, 1 replaced by a retry"
    assert said["Calls of phase judge"][1] == "1 calls retained, 0 replaced by a retry"


def test_every_bootstrap_states_its_draws_and_seed() -> None:
    said = lines(spec=replace(SPEC, resampling=ScorecardSpec("x", "y", {}).resampling))
    assert said["Bootstrap of the original scorer"][1] == "1000 draws, seed 20260917"
    assert said["Bootstrap: means and paired differences, overall and by slice"][1:] == (
        "5000 draws, seed 20260917",
        "exploratory",
    )
    assert said["Bootstrap: rank frequencies"][1] == "2000 draws, seed 20260919"


def test_what_nobody_registered_outside_is_said_to_be_so() -> None:
    assert lines()["Public registration"][2] == "not done"
    named = replace(SPEC, public_registration="a registry, 1 May")
    assert lines(spec=named)["Public registration"] == ("yes", "a registry, 1 May", "declared")


def test_disclosures_are_printed_as_declared() -> None:
    spec = replace(SPEC, disclosures=(Disclosure("Endpoint", "a snapshot", "refreshed on resume"),))
    assert lines(spec=spec)["Endpoint"] == ("a snapshot", "refreshed on resume", "declared")


def test_the_consensus_sensitivity_and_withheld_intervals_are_said() -> None:
    data = replace(DATA, copied=(CopiedInterval("effective_mean", "m1", "", 0, 1, 1, 1),), manifest=())
    said = lines(replace(data, inputs=()), replace(SPEC, consensus_of=1))
    assert said["Sensitivity to gold contributors"] == (
        "the plan is silent",
        "no human-reviewed analysis is available; chosen later: core facts that all 1 contributors named, on 0 of 2 "
        "questions",
        "post hoc",
    )
    assert said["Copied intervals"][2] == "as planned"  # nothing was read that a manifest would have to name


def test_every_table_carries_its_plan_line_and_its_boundaries() -> None:
    tables = document()["tables"]
    assert [table["name"] for table in tables][:3] == ["plan", "scores", "intervals"]
    for table in tables:
        assert table["planned"]
        assert table["completed"].startswith("1 models × 2 questions × 1 judges: 1 of 2 answers valid")
        assert table["boundaries"]


def test_no_table_and_no_boundary_is_left_unused() -> None:
    used = {key for info in TABLES for key in info.boundaries}
    assert used == set(SENTENCES)
    assert all(sentences(info) for info in TABLES)


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ("scores", "not_a_share"),
        ("scores", "language"),
        ("scores", "both_summaries"),
        ("scores", "overlap"),
        ("pairs", "crosses_zero"),
        ("pairs", "comparisons"),
        ("pairs", "correlated"),
        ("ranks", "conditional"),
        ("consensus", "consensus"),
        ("judges_pairs", "reliability"),
        ("judges_repeat", "reliability"),
        ("judges_repeat", "kappa"),
        ("judges_pairs", "kappa"),
        ("calls", "costs"),
        ("calls", "latency"),
        ("calls", "run_period"),
        ("entities", "selection"),
        ("intervals", "sampled_once"),
        ("intervals", "seed"),
        ("sanitised", "sanitation"),
        ("scores", "earlier"),
        ("settings", "headers"),
    ],
)
def test_each_boundary_stands_with_the_table_it_bounds(table: str, key: str) -> None:
    info = next(info for info in TABLES if info.name == table)
    assert key in info.boundaries


@pytest.mark.parametrize("name", ["scenarios", "ranks", "pairs", "focus", "common_subset", "length", "calls", "corpus"])
def test_what_was_chosen_later_is_marked_exploratory(name: str) -> None:
    assert next(info for info in TABLES if info.name == name).mark == "exploratory"


def test_only_the_original_is_primary_and_the_consensus_is_post_hoc() -> None:
    assert next(info for info in TABLES if info.name == "consensus").mark == "post hoc"
    found = document()
    assert [s["name"] for s in found["scenarios"] if s["primary"]] == ["original"]


def test_names_promise_no_more_than_is_computed() -> None:
    """No key claims precision, accuracy, truth or grammar; the proxy is called a proxy everywhere."""
    keys = set(_keys(document()))
    assert "precision_proxy" in keys
    for key in keys:
        assert not re.search(r"accura|truth|true_|grammar|factual|hallucinat|honest|winner|best|significan", key), key
    precise = {key for key in keys if "precision" in key}
    assert precise <= {"precision_proxy", "precision", "pooled_precision"}  # `precision`: weights and entities
    assert "probability" not in keys


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*map(str, value), *(key for part in value.values() for key in _keys(part))]
    return [key for part in value for key in _keys(part)] if isinstance(value, list) else []


def test_every_undefined_value_has_a_known_reason_and_every_mean_its_counts() -> None:
    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if "undefined_reason" in value and "value" in value:
                assert (value["value"] is None) == (value["undefined_reason"] is not None)
                assert value["undefined_reason"] is None or value["undefined_reason"] in REASONS
                assert "n" in value or "den" in value or "ci95" in value
            for part in value.values():
                walk(part)
        if isinstance(value, list):
            for part in value:
                walk(part)

    walk(document())
