"""The demo's raters at practice: every recorded slip names a shipped item, keeps the rules, and lets them pass."""

from __future__ import annotations

import pytest

from app.cli.demo_practice import load_practice_recording
from app.config import codebook_dir, examples_dir
from app.domain.codebook.rules import judge
from app.domain.packets.facts import unit_of
from app.domain.qualification import grade
from app.readers.codebook_file import get_codebook
from app.readers.practice_file import find_practice

BOOK = get_codebook(codebook_dir(), "0.5")
SETS = find_practice(codebook_dir(), BOOK)
RECORDING = load_practice_recording(examples_dir() / "demo", BOOK)


def test_every_slip_names_an_item_and_changes_its_label() -> None:
    items = {(one.id, item.id): item for one in SETS for item in one.items}
    for (person, set_id, item_id), changes in RECORDING.slips.items():
        item = items[set_id, item_id]
        answer = {**item.gold, **changes}
        assert (answer["codability"], answer.get("verdict")) != ("codable", item.gold.get("verdict")), (person, item_id)


@pytest.mark.parametrize("person", ["r.one", "r.two"])
def test_both_raters_make_some_slips_keep_the_rules_and_pass(person: str) -> None:
    for one in SETS[:2]:
        answers = {item.id: RECORDING.answer(person, one, item) for item in one.items}
        for item in one.items:
            assert judge(BOOK, item.run, unit_of(item.claim), answers[item.id]).accepted, (person, item.id)
        found = grade(BOOK, one.items, answers)
        assert found.n_same < found.n_items
    assert found.passed
