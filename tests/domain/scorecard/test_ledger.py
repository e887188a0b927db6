"""Counts: defects, calls, corpus, settings, rules, overlaps, saved scores, manifest and copied intervals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.scorecard.records import (
    Call,
    CopiedInterval,
    Input,
    PinnedFile,
    Question,
    Review,
    SavedScore,
    Source,
)
from app.domain.scorecard.spec import Planned, Rule
from tests.domain.scorecard.small import SPEC, card, party, scored, sheet

GOLD = {"q1": "a:core b:core c:supporting", "q2": "a:core b:core c:supporting"}


def test_every_defect_of_a_sheet_is_counted() -> None:
    worst = sheet("m1 q1 j1", "a:stated a:absent a:absent b:partial b:partial x:stated x:absent", unsupported=None)
    of = scored(card(GOLD, [worst, sheet("m1 q2 j1", "a:stated b:stated c:stated")]))["defects"]["j1"]
    assert (of["n_due"], of["n_valid"], of["n_missing"], of["n_failed"]) == (2, 2, 0, 0)
    assert of["n_entries"] == 10
    assert of["n_duplicate_entries"] == 3  # a twice more, b once more
    assert of["n_conflicting_ids"] == 1  # a says two things
    assert of["n_extra_entries"] == 2  # x, twice
    assert of["n_missing_ids"] == 1  # c
    assert of["n_without_number"] == 1
    assert {of[f"n_sheets_with_{name}"] for name in ("duplicate_entries", "extra_entries", "missing_ids")} == {1}


def test_costs_are_summed_over_retained_calls_with_nulls_and_replaced_retries_counted() -> None:
    calls = (
        Call("candidate", "m1", True, 5.0, 100.0),  # replaced: in no sum
        Call("candidate", "m1", False, 0.25, 2.0),
        Call("candidate", "m1", False, None, 4.0),  # null: missing, adds zero
        Call("candidate", "m2", False, 0.5, None),
        Call("judge", "j1", True, 1.0, 1.0),
        Call("judge", "j1", False, None, None),
    )
    data = replace(card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated")]), calls=calls)
    of = scored(data)["calls"]
    m1 = of["phases"]["candidate"]["actors"]["m1"]
    assert (m1["n_retained"], m1["n_replaced"]) == (2, 1)
    assert (m1["cost"]["value"], m1["cost"]["n"], m1["cost"]["N"], m1["cost"]["n_null"]) == (0.25, 1, 2, 1)
    assert m1["latency_seconds"]["mean"]["value"] == m1["latency_seconds"]["median"]["value"] == 3.0
    assert m1["latency_seconds"]["p95"]["value"] == pytest.approx(2 + 0.95 * 2)
    judge = of["phases"]["judge"]["total"]
    assert (judge["cost"]["value"], judge["cost"]["n"], judge["n_replaced"]) == (0.0, 0, 1)
    assert judge["latency_seconds"]["mean"] == {
        "value": None,
        "undefined_reason": "no_value_kept",
        "n": 0,
        "N": 1,
    }
    assert (of["total"]["cost"]["value"], of["total"]["n_retained"], of["total"]["n_replaced"]) == (0.75, 4, 2)


def test_the_corpus_is_counted() -> None:
    data = card(GOLD, [sheet("m1 q1 j1", "a:stated"), sheet("m1 q2 j1", "a:stated")], named_by={"q1.a": 2, "q1.c": 2})
    data = replace(
        data,
        questions=(Question("q1", {"story": "x"}), Question("q2", {"story": "x"})),
        sources=(Source("q1", "Post"), Source("q2", "Post"), Source("q2", "Gull")),
    )
    of = scored(data, replace(SPEC, inventory=("story",), consensus_of=2))["corpus"]
    assert (of["n_questions"], of["n_facts"]) == (2, 6)
    assert of["facts_by_salience"] == {"core": 4, "supporting": 2, "context": 0}
    assert of["n_core_by_all_contributors"] == 1  # q1.a; q1.c is supporting
    assert of["inventory"] == {"story": {"x": 2}}
    assert of["publishers"]["by_publisher"] == {
        "Gull": {"n_sources": 1, "n_questions": 1},
        "Post": {"n_sources": 2, "n_questions": 2},
    }


def test_what_the_run_headers_say_stands_beside_the_stated_setting() -> None:
    data = card({"q1": "a:core"}, [sheet(f"m{i} q1 j1", "a:stated") for i in (1, 2, 10)])
    modes = {"m1": "strict", "m2": "object", "m10": "object"}
    models = tuple(party(name, settings={"mode": mode}) for name, mode in modes.items())
    of = scored(replace(data, models=models), replace(SPEC, stated_settings={"mode": "strict"}))["settings"]["mode"]
    assert of == {"stated": "strict", "n_as_stated": 1, "N": 3, "others": {"object": ["m2", "m10"]}}


def test_rules_are_counted_over_valid_answers() -> None:
    data = card(GOLD, [sheet("m1 q1 j1", "a:stated"), sheet("m2 q1 j1", "a:stated")], failures=["m1 q2", "m2 q2"])
    kept = {("m1", "q1"): True, ("m2", "q1"): None, ("m1", "q2"): False}
    answers = tuple(replace(a, rules={"short": kept.get((a.model_id, a.question_id))}) for a in data.answers)
    of = scored(replace(data, answers=answers), replace(SPEC, rules=(Rule("short", "short", False),)))["rules"]
    assert of["short"] == {"enforced": False, "n_kept": 1, "n_broken": 0, "n_unrecorded": 1, "N": 2}


def test_reviews_count_by_what_was_left_behind() -> None:
    data = card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated")])
    spec = replace(SPEC, planned=Planned(reviews=2))
    assert scored(data, spec)["reviews"] == {"planned": 2, "n_picked": None, "n_reviewed": None}
    picked = replace(data, reviews=(Review("m1", "q1", "j1", True), Review("m1", "q1", "j2", False)))
    assert scored(picked, spec)["reviews"] == {"planned": 2, "n_picked": 2, "n_reviewed": 1}


def test_overlaps_go_by_namespace_and_display_name_and_never_by_host() -> None:
    data = card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated"), sheet("m2 q1 j1", "a:stated")])
    data = replace(
        data,
        models=(party("m1", "ns", display_name="Same"), party("m2", "ns", display_name="Other")),
        judges=(party("j1", "ns", display_name="Same"),),
        contributors=(party("g1", "elsewhere"),),
    )
    of = scored(data)["overlaps"]
    assert of["judge_contestant"] == [
        {"first": "j1", "second": "m1", "kind": "same model"},
        {"first": "j1", "second": "m2", "kind": "same namespace"},
    ]
    assert (of["judge_contributor"], of["contributor_contestant"]) == ([], [])
    assert scored(replace(data, contributors=None))["overlaps"]["judge_contributor"] is None


def test_saved_scores_are_compared_within_their_tolerance() -> None:
    data = card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated")])  # 40 + 30 + 24 = 94
    saved = (
        SavedScore("m1", "effective_mean", 94.0004),
        SavedScore("m1", "sanitised_core_recall", 0.5),
        SavedScore("m1", "supporting_recall", 0.0),
    )
    of = scored(replace(data, saved=saved), replace(SPEC, saved_tolerance=0.001))["saved"]
    assert [(row["metric"], row["equal"]) for row in of["rows"]] == [
        ("effective_mean", True),
        ("sanitised_core_recall", False),
        ("supporting_recall", False),  # nothing is defined now, so a saved number is not equal to it
    ]
    assert (of["n"], of["n_equal"], of["max_abs_diff"]) == (3, 1, 0.5)


INPUTS = (Input("facts", "facts.csv", "f" * 64, 1), Input("saved_scores", "saved.csv", "0" * 64, 1))
COPY = (CopiedInterval("overall", "m2", "m1", -3.0, 1.0, 40, 7), CopiedInterval("effective_mean", "m1", "", 1, 2, 9, 1))


@pytest.mark.parametrize(
    ("manifest", "held"),
    [
        ((PinnedFile("facts.csv", "f" * 64, "f" * 64),), True),
        ((PinnedFile("facts.csv", "f" * 64, "e" * 64),), False),
        ((PinnedFile("facts.csv", "f" * 64, None),), False),
        ((PinnedFile("other.csv", "f" * 64, "f" * 64),), False),
        ((), False),
    ],
    ids=["holds", "differs", "absent", "not listed", "empty"],
)
def test_no_interval_is_copied_before_its_inputs_are_proved(manifest: tuple[PinnedFile, ...], held: bool) -> None:
    data = card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated"), sheet("m2 q1 j1", "a:partial")])
    figures = scored(replace(data, manifest=manifest, inputs=INPUTS, copied=COPY))
    assert figures["manifest"]["ok"] is held
    of = figures["copied"]
    assert (of["copied"], of["n_offered"], len(of["intervals"])) == (held, 2, 2 if held else 0)
    assert (of["reason"] is None) is held


def test_a_copied_interval_stands_beside_the_computed_one_turned_its_way() -> None:
    data = card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated"), sheet("m2 q1 j1", "a:partial")])
    manifest = (PinnedFile("facts.csv", "f" * 64, "f" * 64),)
    rows = scored(replace(data, manifest=manifest, inputs=INPUTS, copied=COPY))["copied"]["intervals"]
    assert (rows[0]["analysis"], rows[0]["lo"], rows[0]["computed_lo"], rows[0]["computed_hi"]) == (
        "effective_mean",
        1,
        94.0,
        94.0,
    )
    assert (rows[1]["first"], rows[1]["computed_lo"], rows[1]["computed_hi"]) == ("m2", -20.0, -20.0)
