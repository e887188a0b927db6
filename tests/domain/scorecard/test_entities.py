"""Entity scores on normal surfaces: aliases, types, doubles, other scripts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.domain.scorecard.check import entities_again
from app.domain.scorecard.entities import normal_surface
from app.domain.scorecard.records import Entity, Mention
from tests.domain.scorecard.small import card, scored, sheet

SURFACES = [
    ("  Firth   Lines ", "firth lines"),
    ("U.S.", "us"),
    ("North-Channel", "north channel"),
    ("Pilots’ House", "pilots house"),
    ("Straße", "strasse"),
    ("ﬁsh", "fish"),
    ("काठमाडौँ।", "काठमाडौँ"),
    ("क\u200dष", "कष"),
    ("É", "é"),
]


@pytest.mark.parametrize(("text", "normal"), SURFACES)
def test_the_normal_form_of_a_surface(text: str, normal: str) -> None:
    assert normal_surface(text) == normal == entities_again.normal(text)


def test_combining_marks_tell_names_apart() -> None:
    assert normal_surface("कि") != normal_surface("की") != normal_surface("क")


def answers(gold: list[tuple[str, ...]], named: list[tuple[str, str]], question: str = "q1") -> dict[str, Any]:
    """The entity scores of a model that answered q1 and failed on q2, naming entities in `question`."""
    data = card({"q1": "a:core", "q2": "a:core"}, [sheet("m1 q1 j1", "a:stated")], failures=["m1 q2"])
    entities = tuple(Entity("q1", f"e{i}", row[0], row[1:]) for i, row in enumerate(gold))
    mentions = tuple(Mention("m1", question, kind, surface) for kind, surface in named)
    return scored(replace(data, entities=entities, mentions=mentions))["entities"]["models"]["m1"]


GOLD = [("place", "Ennis Point", "Ennis Pt"), ("organisation", "Firth Lines"), ("vessel", "Steady Lantern")]


def test_recall_precision_and_f1_of_one_answer() -> None:
    of = answers(GOLD, [("place", "ENNIS POINT"), ("organisation", "Coast Watch")])
    assert of["recall"]["value"] == pytest.approx(1 / 3)  # one of three gold entities
    assert of["precision"]["value"] == 0.5  # one of two named
    assert of["f1"]["value"] == 0.4  # 2 × 1 / (3 + 2)
    assert (of["pooled_recall"]["num"], of["pooled_recall"]["den"]) == (1, 3)
    assert (of["recall"]["n"], of["recall"]["N"]) == (1, 1)  # the failure on q2 is no answer


def test_two_aliases_of_one_entity_are_one_entity() -> None:
    of = answers(GOLD, [("place", "Ennis Point"), ("place", "Ennis Pt."), ("place", "ennis  pt")])
    assert (of["pooled_precision"]["num"], of["pooled_precision"]["den"]) == (1, 1)


def test_equal_strangers_count_once() -> None:
    of = answers(GOLD, [("place", "Nowhere"), ("place", "nowhere"), ("place", "Elsewhere")])
    assert of["pooled_precision"]["den"] == 2


def test_the_right_surface_under_a_wrong_type_is_no_match_and_is_counted() -> None:
    of = answers(GOLD, [("organisation", "Ennis Point")])
    assert (of["recall"]["value"], of["precision"]["value"], of["n_wrong_type"]) == (0.0, 0.0, 1)


def test_types_are_compared_without_case() -> None:
    assert answers(GOLD, [(" Place", "Ennis Point")])["precision"]["value"] == 1.0


def test_nothing_named_has_no_precision_and_no_gold_no_recall() -> None:
    of = answers(GOLD, [])
    assert (of["recall"]["value"], of["precision"]["value"], of["f1"]["value"]) == (0.0, None, 0.0)
    assert of["precision"]["undefined_reason"] == "nothing_named"
    of = answers([], [("place", "Ennis Point")])
    assert (of["recall"]["value"], of["precision"]["value"]) == (None, 0.0)
    assert answers([], [])["f1"]["value"] is None


def test_entities_of_a_failure_are_not_scored() -> None:
    of = answers(GOLD, [("place", "Ennis Point")], question="q2")
    assert (of["pooled_precision"]["den"], of["pooled_recall"]["den"]) == (0, 3)
