"""The two scorers of one sheet, every number worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.scorecard.records import CREDIT
from app.domain.scorecard.spec import Salience, Weights
from tests.domain.scorecard.small import SPEC, card, scored, sheet

GOLD = {"q1": "a:core b:core c:supporting d:context"}


def one(entries: str, unsupported: int | None = 0, quality: tuple[float | None, float | None] = (8, 9)) -> dict:
    """The answer's official values and, under `sanitised`, its means under the other scorer."""
    figures = scored(card(GOLD, [sheet("m1 q1 j1", entries, unsupported, quality)]))
    return {**figures["answers"]["m1"]["q1"], "clean": figures["models"]["m1"]["sanitised"]}


def clean(answer: dict, name: str) -> float | None:
    return answer["clean"]["metrics"][name]["value"]


def test_credit_is_one_a_half_and_twice_nothing() -> None:
    assert CREDIT == {"stated": 1.0, "partial": 0.5, "absent": 0.0, "contradicted": 0.0}


def test_a_clean_sheet() -> None:
    answer = one("a:stated b:partial c:absent d:stated", unsupported=1)
    assert answer["core_recall"] == 0.75  # (1 + 0.5) / 2 core facts
    assert answer["supporting_recall"] == 0.0  # 0 / 1 supporting fact
    assert answer["coverage"] == 0.625  # (1 + 0.5 + 0 + 1) / 4 facts of every category
    # Credit of every category, the context fact too: 1 + 0.5 + 0 + 1 = 2.5; 2.5 / (2.5 + 1 unsupported) = 5/7.
    assert answer["precision_proxy"] == pytest.approx(5 / 7, abs=1e-12)
    # 40 × 0.75 + 30 × 5/7 + 1.5 × 8 + 1.5 × 9 = 30 + 150/7 + 12 + 13.5 = 55.5 + 150/7. Supporting recall is not in it.
    assert answer["composite"] == pytest.approx(55.5 + 150 / 7, abs=1e-12)
    assert answer["sanitised_composite"] == answer["composite"]


def test_contradicted_and_absent_both_give_nothing() -> None:
    assert one("a:contradicted b:stated")["core_recall"] == one("a:absent b:stated")["core_recall"] == 0.5


def test_a_duplicate_changes_the_official_denominator_and_counts_at_its_lowest_when_sanitised() -> None:
    answer = one("a:stated a:absent b:stated")
    assert answer["core_recall"] == pytest.approx(2 / 3, abs=1e-12)  # three returned entries: (1 + 0 + 1) / 3
    assert clean(answer, "core_recall") == 0.5  # a at its lowest, 0; b 1: (0 + 1) / 2


def test_a_duplicate_that_agrees_still_weighs_twice_officially() -> None:
    answer = one("a:stated a:stated b:absent")
    assert answer["core_recall"] == pytest.approx(2 / 3, abs=1e-12)  # (1 + 1 + 0) / 3
    assert clean(answer, "core_recall") == 0.5  # (1 + 0) / 2


def test_an_extra_id_counts_in_the_official_precision_only() -> None:
    answer = one("a:stated b:absent z:stated", unsupported=1)
    assert answer["core_recall"] == 0.5  # z belongs to no salience group: (1 + 0) / 2
    assert answer["precision_proxy"] == pytest.approx(2 / 3, abs=1e-12)  # credit 1 + 0 + 1 = 2; 2 / (2 + 1)
    assert clean(answer, "precision_proxy") == 0.5  # z ignored: 1 / (1 + 1)


def test_a_missing_id_leaves_the_official_denominator_and_is_zero_when_sanitised() -> None:
    answer = one("a:stated c:stated")
    assert answer["core_recall"] == 1.0  # b was not returned: 1 / 1
    assert clean(answer, "core_recall") == 0.5  # b is nothing: (1 + 0) / 2
    assert clean(answer, "coverage") == 0.5  # (1 + 0 + 1 + 0) / 4


def test_every_defect_at_once() -> None:
    answer = one("a:stated a:absent c:partial z:stated", unsupported=1)
    # Official: core (1 + 0)/2; credit 1 + 0 + 0.5 + 1 = 2.5, proxy 2.5/3.5 = 5/7; 20 + 150/7 + 25.5.
    assert answer["composite"] == pytest.approx(45.5 + 150 / 7, abs=1e-12)
    # Sanitised: core (0 + 0)/2 = 0; credit 0 + 0.5 = 0.5, proxy 0.5/1.5 = 1/3; 0 + 10 + 25.5.
    assert answer["sanitised_composite"] == pytest.approx(35.5, abs=1e-12)


def test_nothing_credited_and_nothing_unsupported_is_no_proxy() -> None:
    answer = one("a:absent b:contradicted")
    assert answer["precision_proxy"] is None  # 0 / (0 + 0)
    assert answer["composite"] is None


def test_a_file_may_declare_that_such_a_proxy_is_zero() -> None:
    spec = replace(SPEC, precision_of_nothing="zero")
    figures = scored(card(GOLD, [sheet("m1 q1 j1", "a:absent b:absent", 0, (8, 9))]), spec)
    assert figures["answers"]["m1"]["q1"]["precision_proxy"] == 0.0
    assert figures["answers"]["m1"]["q1"]["composite"] == 25.5  # 0 + 0 + 12 + 13.5


def test_nothing_credited_beside_something_unsupported_is_zero() -> None:
    assert one("a:absent b:absent", unsupported=2)["precision_proxy"] == 0.0  # 0 / (0 + 2)


def test_no_returned_core_entry_is_no_recall_and_no_composite() -> None:
    answer = one("c:stated")
    assert answer["core_recall"] is None  # 0/0 returned core entries
    assert answer["composite"] is None
    assert clean(answer, "core_recall") == 0.0  # both gold ids are missing


def test_a_null_count_or_language_score_leaves_what_rests_on_it_undefined() -> None:
    no_count = one("a:stated b:stated", unsupported=None)
    assert (no_count["core_recall"], no_count["precision_proxy"], no_count["composite"]) == (1.0, None, None)
    no_score = one("a:stated b:stated", quality=(None, 9))
    assert (no_score["ne_quality"], no_score["en_quality"], no_score["composite"]) == (None, 9.0, None)


def test_a_question_without_supporting_facts_has_no_supporting_recall() -> None:
    figures = scored(card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated")]))
    mean = figures["models"]["m1"]["metrics"]["supporting_recall"]
    assert (mean["value"], mean["undefined_reason"], mean["n"], mean["N"]) == (None, "not_in_any_answer", 0, 1)


def test_the_weights_of_a_scenario_are_taken_and_the_original_stays() -> None:
    spec = replace(SPEC, scenarios={**SPEC.scenarios, "recall": Weights(60, 20, (1, 1))})
    figures = scored(card(GOLD, [sheet("m1 q1 j1", "a:stated b:partial c:absent d:stated", 1, (8, 9))]), spec)
    of = {name: entry["models"]["m1"]["effective_mean"]["value"] for name, entry in figures["scenarios"].items()}
    assert of["original"] == pytest.approx(55.5 + 150 / 7, abs=1e-12)
    assert of["recall"] == pytest.approx(60 * 0.75 + 20 * 5 / 7 + 8 + 9, abs=1e-12)
    assert (figures["scenarios"]["original"]["primary"], figures["scenarios"]["recall"]["primary"]) == (True, False)


def test_salience_may_go_by_other_names() -> None:
    spec = replace(SPEC, salience=Salience("must", "may", ("rest",)))
    data = card({"q1": "a:must b:may c:rest"}, [sheet("m1 q1 j1", "a:partial b:stated c:stated")])
    answer = scored(data, spec)["answers"]["m1"]["q1"]
    assert (answer["core_recall"], answer["supporting_recall"]) == (0.5, 1.0)
