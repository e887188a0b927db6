"""The practice sets of codebook 0.4: complete, sound, and no item gives its answer away by its form.

What the answers are is the authors' judgement, and no test here repeats it; that every gold is a coding the rules take,
and that the sets hold what phase 4 of the protocol asks, is checked on the files as they ship.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from itertools import combinations
from statistics import mean
from typing import Any

import pytest
import yaml

from app.domain.codebook.rules import judge
from app.domain.coding import label_of
from app.readers.case_file import build_case
from tests.domain.codebook.little_runs import FOLDER, saydo

Item = Mapping[str, Any]

TRAINING = "saydo-0.4-training"
QUALIFICATIONS = ("saydo-0.4-qualification-1", "saydo-0.4-qualification-2")
SETS = (TRAINING, *QUALIFICATIONS)
LABELS = ("MATCHED", "PARTIAL", "CONTRADICTED", "UNVERIFIABLE", "UNDETERMINED", "not_codable")
KINDS = {"action", "result", "state", "verification", "negative", "intent"}
PAIRS = {
    "absence in a complete log, or a gap": {"CONTRADICTED", "UNVERIFIABLE"},
    "withdrawn aloud, or dropped in silence": {"not_codable", "CONTRADICTED"},
    "a shortfall, or a false core": {"PARTIAL", "CONTRADICTED"},
    "low confidence, or UNDETERMINED": {"MATCHED", "UNDETERMINED"},
}
SINGLES = {
    "a part that stays open": "UNVERIFIABLE",
    "output the agent wrote itself": "CONTRADICTED",
    "changes after the claim": "MATCHED",
    "stale evidence; when severity is asked": "PARTIAL",
    "the reasons of not codable": "not_codable",
    "wording with two readings": "UNDETERMINED",
    "conditional intents": "UNDETERMINED",
}
# A text this long in two runs would be a shared line, not two tools that both answer "ok".
SHORTEST_SHARED = 12
# Blind guessing gets 4 of 24 on average, and 10 or more (one beyond this bound) in 3 of 1,000 tries: Bin(24, 1/6).
MOST_GUESSED = 9
FARTHEST_MEAN_TURNS = 2.5


def practice(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((FOLDER / "practice" / f"{name}.yaml").read_text(encoding="utf-8"))
    return dict(found["practice"])


def items(name: str) -> list[Item]:
    return list(practice(name)["items"])


def label(item: Item) -> str:
    return label_of(item["gold"])


def texts(item: Item) -> set[str]:
    return {
        row["text"].strip() for row in item["run"]["turns"] if len((row.get("text") or "").strip()) >= SHORTEST_SHARED
    }


@pytest.mark.parametrize("name", SETS)
def test_the_file_says_what_it_is(name: str) -> None:
    found = practice(name)
    is_training = name == TRAINING
    assert (found["id"], found["codebook_id"], found["codebook"]) == (name, "saydo", "0.4")
    assert found["purpose"] == ("training" if is_training else "qualification")
    assert found["round"] == (1 if is_training else int(name[-1]))
    assert found["origin"] == "authored-stand-in"


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_four_items_for_every_verdict_and_four_that_are_not_codable(name: str) -> None:
    assert Counter(map(label, items(name))) == dict.fromkeys(LABELS, 4)


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_the_not_codable_ones_have_four_reasons_and_one_is_withdrawn(name: str) -> None:
    reasons = {item["gold"]["not_codable_reason"] for item in items(name) if label(item) == "not_codable"}
    assert len(reasons) == 4
    assert "withdrawn_intent" in reasons


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_all_kinds_occur_and_none_names_the_label(name: str) -> None:
    labels_of_kind = defaultdict(set)
    for item in items(name):
        if label(item) != "not_codable":
            labels_of_kind[item["gold"]["claim_kind"]].add(label(item))
    assert set(labels_of_kind) == KINDS
    assert all(len(labels) >= 2 for labels in labels_of_kind.values())
    assert len(labels_of_kind["intent"]) >= 4


def test_training_has_fifteen_items_and_each_pair() -> None:
    taught = defaultdict(list)
    for item in items(TRAINING):
        taught[item["teaches"]].append(label(item))
    assert sum(map(len, taught.values())) == 15
    assert {name: set(taught.get(name, ())) for name in PAIRS} == PAIRS
    assert {name: taught.get(name) for name in SINGLES} == {name: [one] for name, one in SINGLES.items()}
    assert set(taught) == {*PAIRS, *SINGLES}


def test_training_feedback_is_two_to_four_sentences_and_names_a_rival() -> None:
    for item in items(TRAINING):
        feedback = item["feedback"]
        sentences = re.findall(r"[.?!](?:[\"”])?(?=\s|$)", feedback.replace("0.4", ""))
        assert 2 <= len(sentences) <= 4, item["id"]
        named = {code for code in (*LABELS[:-1], "not codable", "not_codable") if code in feedback}
        assert len(named) >= 2 or "tempts" in feedback, item["id"]


@pytest.mark.parametrize("name", SETS)
def test_every_gold_breaks_no_hard_rule_and_trips_no_soft_one(name: str) -> None:
    for item in items(name):
        document = {"codebook": "0.4", "run": item["run"], "claim": item["claim"], "coding": item["gold"]}
        case = build_case(document, item["id"])
        assert case.ignored_keys == ()
        judgement = judge(saydo("0.4"), case.run, case.claim, case.coding)
        assert (item["id"], judgement.violations) == (item["id"], ())


@pytest.mark.parametrize("name", SETS)
def test_the_claim_stands_once_in_an_agents_row_and_is_not_the_whole_run(name: str) -> None:
    for item in items(name):
        rows = [row for row in item["run"]["turns"] if row["turn"] == item["claim"]["turn"]]
        assert [row["role"] for row in rows] == ["assistant"], item["id"]
        assert rows[0]["text"].count(item["claim"]["text"]) == 1, item["id"]
        assert 5 <= len(item["run"]["turns"]) <= 16, item["id"]


@pytest.mark.parametrize("name", SETS)
def test_every_run_says_which_channels_it_covers_and_gaps_lie_in_gapped_ones(name: str) -> None:
    for item in items(name):
        coverage = item["run"]["coverage"]
        assert {gap["channel"] for gap in item["run"]["gaps"]} == {c for c in coverage if coverage[c] == "gapped"}


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_a_channel_that_is_not_full_does_not_name_the_label(name: str) -> None:
    unverifiable = Counter(
        label(item) == "UNVERIFIABLE" for item in items(name) if set(item["run"]["coverage"].values()) != {"full"}
    )
    assert unverifiable[False] >= unverifiable[True]


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_neither_a_condition_nor_a_recording_note_names_the_label(name: str) -> None:
    conditional = {label(item) for item in items(name) if item["claim"].get("conditional")}
    noted = {label(item) for item in items(name) if any(row["role"] == "event" for row in item["run"]["turns"])}
    assert len(conditional) >= 2
    assert len(noted) >= 2


def is_cut(item: Item) -> bool:
    return any(row.get("truncated") for row in item["run"]["turns"])


def has_long_gap(item: Item) -> bool:
    return any(gap["to_turn"] > gap["from_turn"] for gap in item["run"]["gaps"])


FORMS: dict[str, Callable[[Item], bool]] = {
    "parts": lambda item: item["claim"].get("unit_parts", 1) > 1,
    "a condition that came about": lambda item: "condition_turn" in item["claim"],
    "a long gap": has_long_gap,
    "a cut output": is_cut,
    "a note of the recorder": lambda item: any(row["role"] == "event" for row in item["run"]["turns"]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_no_form_of_a_claim_or_a_run_is_met_with_one_label_only(name: str, form: str) -> None:
    assert len({label(item) for item in items(name) if FORMS[form](item)}) >= 2


def test_a_condition_that_is_not_seen_to_come_about_names_no_label() -> None:
    both = [item for name in QUALIFICATIONS for item in items(name) if item["claim"].get("conditional")]
    assert len({label(item) for item in both if "condition_turn" not in item["claim"]}) >= 2


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_every_run_names_the_same_channels_that_no_log_holds(name: str) -> None:
    """A channel that is missing in one item alone would point at the part that nobody can settle."""
    missing = [{c for c, level in item["run"]["coverage"].items() if level == "none"} for item in items(name)]
    assert missing == [{"private_reasoning", "outside_people", "sub_agents"}] * len(missing)


def test_no_two_runs_share_a_line_and_no_two_items_a_claim() -> None:
    everything = [(name, item) for name in SETS for item in items(name)]
    claims = Counter(item["claim"]["text"].lower() for _, item in everything)
    assert [text for text, n in claims.items() if n > 1] == []
    shared = {
        (a[0], a[1]["id"], b[0], b[1]["id"]): both
        for a, b in combinations(everything, 2)
        if (both := texts(a[1]) & texts(b[1]))
    }
    assert shared == {}


@pytest.mark.parametrize("name", SETS)
def test_ids_are_running_numbers_and_titles_tell_no_label(name: str) -> None:
    found = practice(name)
    letter = "t" if name == TRAINING else "q"
    assert [item["id"] for item in found["items"]] == [f"{letter}{n:02d}" for n in range(1, len(found["items"]) + 1)]
    assert not any(code.lower() in found["title"].lower() for code in LABELS)
    if name != TRAINING:
        assert all("teaches" not in item and "title" not in item for item in found["items"])


def guessed_right(number_of: list[tuple[int, str]]) -> int:
    """How many labels the commonest label among the items nearest in number guesses, the item itself left out."""
    right = 0
    for place, (number, actual) in enumerate(number_of):
        others = [other for n, other in enumerate(number_of) if n != place]
        nearest = min(abs(other - number) for other, _ in others)
        near = Counter(name for other, name in others if abs(other - number) == nearest)
        right += sorted(near.items(), key=lambda pair: (-pair[1], pair[0]))[0][0] == actual
    return right


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_neither_length_nor_place_foretells_the_label(name: str) -> None:
    chosen = items(name)
    assert guessed_right([(len(item["run"]["turns"]), label(item)) for item in chosen]) <= MOST_GUESSED
    assert guessed_right([(item["claim"]["turn"], label(item)) for item in chosen]) <= MOST_GUESSED
    assert guessed_right([(int(item["id"][1:]), label(item)) for item in chosen]) <= MOST_GUESSED
    overall = mean(len(item["run"]["turns"]) for item in chosen)
    for code in LABELS:
        own = mean(len(item["run"]["turns"]) for item in chosen if label(item) == code)
        assert abs(own - overall) <= FARTHEST_MEAN_TURNS, code


@pytest.mark.parametrize("name", SETS)
def test_the_file_is_plain_text_with_short_lines(name: str) -> None:
    data = (FOLDER / "practice" / f"{name}.yaml").read_bytes()
    assert b"\r" not in data
    assert b"\t" not in data
    assert max(map(len, data.decode("utf-8").splitlines())) <= 160
