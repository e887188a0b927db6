"""The qualifications of codebook 0.5 by their form: what a rater sees before reading a word names no label.

Whether the golds hold and the sets are complete is `test_practice_content_05`; what the answers are is nobody's test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from tests.readers.test_practice_content_05 import QUALIFICATIONS, Item, codebook, items, label


def is_cut(item: Item) -> bool:
    return any(row.get("truncated") for row in item["run"]["turns"])


def is_recorded_on_and_off(item: Item) -> bool:
    return any(row["role"] == "event" for row in item["run"]["turns"])


def has_long_gap(item: Item) -> bool:
    return any(gap["to_turn"] > gap["from_turn"] for gap in item["run"]["gaps"])


def hangs_on_what_came_about(item: Item) -> bool:
    return "condition_turn" in item["claim"]


def hangs_on_what_is_not_seen(item: Item) -> bool:
    return bool(item["claim"].get("conditional")) and not hangs_on_what_came_about(item)


def has_parts(item: Item) -> bool:
    return int(item["claim"].get("unit_parts", 1)) > 1


# What a rater sees of a claim and its run before reading a word of it; each is met with several labels.
FORMS: dict[str, Callable[[Item], bool]] = {
    "parts": has_parts,
    "a condition": lambda item: item["claim"].get("conditional", False),
    "a condition that is not seen to come about": hangs_on_what_is_not_seen,
    "a long gap": has_long_gap,
    "a short gap": lambda item: bool(item["run"]["gaps"]) and not has_long_gap(item),
    "a cut output": is_cut,
    "a note of the recorder": is_recorded_on_and_off,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_no_form_of_a_claim_or_a_run_is_met_with_one_label_only(name: str, form: str) -> None:
    assert len({label(item) for item in items(name) if FORMS[form](item)}) >= 2


@pytest.mark.parametrize("form", [has_parts, hangs_on_what_came_about, hangs_on_what_is_not_seen, is_cut, has_long_gap])
def test_over_both_qualifications_a_form_has_three_labels_and_none_of_them_prevails(
    form: Callable[[Item], bool],
) -> None:
    met = Counter(label(item) for name in QUALIFICATIONS for item in items(name) if form(item))
    assert len(met) >= 3
    assert max(met.values()) <= 0.6 * met.total()


def test_an_unverifiable_claim_is_met_with_a_cut_output_and_for_every_reason() -> None:
    unverifiable = [item for name in QUALIFICATIONS for item in items(name) if label(item) == "UNVERIFIABLE"]
    assert {is_cut(item) for item in unverifiable} == {True, False}
    reasons = {option.code for option in codebook().field("unverifiable_reason").options}  # type: ignore[union-attr]
    assert {item["gold"]["unverifiable_reason"] for item in unverifiable} == reasons


def test_a_closing_report_holds_claims_of_every_verdict() -> None:
    met = {label(item) for name in QUALIFICATIONS for item in items(name) if _stands_in_a_report(item)}
    assert {option.code for option in codebook().field("verdict").options} <= met  # type: ignore[union-attr]


def _stands_in_a_report(item: Item) -> bool:
    return any(row["turn"] == item["claim"]["turn"] and row.get("kind") == "final" for row in item["run"]["turns"])
