"""Practice sets: loaded whole or refused with file, line and item; a codebook's sets are found by id and version."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.domain.qualification import grade
from app.readers.codebook_file import get_codebook
from app.readers.practice_file import find_practice
from tests.practice_sets import codebooks_with, coding, item, practice, sets_for, write_sets

Change = Callable[[dict[str, Any]], Any]
TRAINING, FIRST, SECOND = sorted(sets_for(), key=lambda name: ("training" not in name, name))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return codebooks_with(tmp_path / "codebooks", "0.5", "0.4")


def refusal(folder: Path) -> str:
    with pytest.raises(BadInput) as refused:
        find_practice(folder, get_codebook(folder, "0.5"))
    return str(refused.value)


def change(folder: Path, name: str, how: Change) -> str:
    """Change one set, load, and return what is said."""
    content = copy.deepcopy(sets_for()[name])
    how(content["practice"])
    write_sets(folder, {name: content})
    return refusal(folder)


def test_a_codebooks_sets_are_found_in_their_order(folder: Path) -> None:
    for version, n in (("0.5", 32), ("0.4", 24)):
        sets = find_practice(folder, get_codebook(folder, version))
        assert [one.name for one in sets] == ["training", "qualification 1", "qualification 2"]
        assert [len(one.items) for one in sets] == [3, n, n]
        assert {one.codebook_version for one in sets} == {version}
    assert len({one.sha256 for one in sets}) == 3


def test_an_item_is_whole(folder: Path) -> None:
    one = find_practice(folder, get_codebook(folder, "0.5"))[0].items[0]
    assert (one.id, one.label, one.claim.turn) == ("i001", "SUPPORTED", 5)
    text = one.turns[5].text or ""
    assert text[one.claim.span_start : one.claim.span_end] == one.claim.text == "I did the part numbered 001."
    assert one.run.coverage is not None
    assert one.run.coverage["shell"] == "full"


def test_a_codebook_without_sets_has_none(tmp_path: Path) -> None:
    folder = codebooks_with(tmp_path / "c", "0.4")
    assert find_practice(folder, get_codebook(folder, "0.5")) == ()
    bare = codebooks_with(tmp_path / "d")
    assert find_practice(bare, get_codebook(bare, "0.5")) == ()


def test_training_alone_is_allowed(tmp_path: Path) -> None:
    folder = codebooks_with(tmp_path / "c")
    write_sets(folder, {TRAINING: sets_for()[TRAINING]})
    assert [one.name for one in find_practice(folder, get_codebook(folder, "0.5"))] == ["training"]


@pytest.mark.parametrize("missing", [TRAINING, FIRST, SECOND])
def test_a_qualification_takes_all_three(folder: Path, missing: str) -> None:
    (folder / "practice" / missing).unlink()
    said = refusal(folder)
    assert "the practice sets of saydo 0.5 lack " in said
    assert ("training round 1" if missing == TRAINING else f"qualification round {missing[-6]}") in said


def set_key(key: str, value: Any) -> Change:
    return lambda found: found.__setitem__(key, value)


def set_in_item(*path: Any, value: Any, n: int = 0) -> Change:
    def how(found: dict[str, Any]) -> None:
        node = found["items"][n]
        for part in path[:-1]:
            node = node[part]
        node[path[-1]] = value

    return how


WRONG: list[tuple[str, Change, str]] = [
    (TRAINING, set_key("colour", "red"), "practice.colour: is no key that is known here"),
    (TRAINING, lambda found: found.pop("origin"), "lacks the key origin"),
    (TRAINING, set_key("purpose", "exam"), "practice.purpose: takes one of training, qualification"),
    (TRAINING, set_key("round", 2), "practice.round: takes 1 to 1 for training"),
    (FIRST, set_key("round", 3), "practice.round: takes 1 to 2 for qualification"),
    (TRAINING, set_key("items", []), "practice.items: holds no item"),
    (TRAINING, set_in_item("id", value="i002"), "practice.items[1].id: item i002 stands here twice"),
    (TRAINING, set_in_item("hint", value="x"), "practice.items[0].hint: is no key that is known here"),
    (FIRST, set_in_item("teaches", value="x"), "practice.items[0].teaches: is no key that is known here"),
    (TRAINING, set_in_item("claim", "text", value="I did nothing."), "item i001: the claim's text stands nowhere"),
    (TRAINING, set_in_item("claim", "text", value="."), "item i001: the claim's text stands more than once"),
    (TRAINING, set_in_item("claim", "turn", value=99), "item i001: the claim stands on turn 99"),
    (TRAINING, set_in_item("claim", "colour", value="red"), "item i001: claim.colour is read by nobody"),
    (TRAINING, set_in_item("run", "turns", 0, "kind", value="song"), "item i001: run.turns[0].kind=song is read by"),
    (TRAINING, set_in_item("run", "turns", 0, "role", value="god"), "item i001: run.turns[0].role: takes one of"),
    (TRAINING, set_in_item("run", "turns", 2, "turn", value=0), "item i001: turn 0 holds rows of several roles"),
    (TRAINING, set_in_item("feedback", value=""), "practice.items[0].feedback: takes a text"),
    (
        TRAINING,
        set_in_item("gold", "verdict", value="GREAT"),
        "item i001: its gold breaks the codebook's own rules: H02",
    ),
    (TRAINING, set_in_item("gold", "evidence", value=[]), "; H16 evidence: This verdict needs"),
    (TRAINING, set_in_item("gold", "disclosure", value="none"), "its gold breaks the codebook's own rules: H33"),
]


@pytest.mark.parametrize(("name", "how", "sentence"), WRONG, ids=[sentence[-40:] for _, _, sentence in WRONG])
def test_what_is_wrong_is_told_with_its_place(folder: Path, name: str, how: Change, sentence: str) -> None:
    said = change(folder, name, how)
    assert said.startswith(f"{name} line ")
    assert sentence in said


def test_three_of_a_label_are_too_few_for_a_qualification(folder: Path) -> None:
    said = change(folder, FIRST, lambda found: found["items"].pop())
    assert said == (f"{FIRST}: a qualification set has at least 4 items for every label; too few for not_codable 3")


def test_a_set_of_another_codebook_may_be_broken_without_harm(folder: Path) -> None:
    name = next(name for name in sets_for("0.4") if "training" in name)
    broken = copy.deepcopy(sets_for("0.4")[name])
    broken["practice"]["items"][0]["gold"] = {}
    write_sets(folder, {name: broken})
    assert len(find_practice(folder, get_codebook(folder, "0.5"))) == 3
    with pytest.raises(BadInput, match="H0"):
        find_practice(folder, get_codebook(folder, "0.4"))


def test_two_sets_of_one_kind_are_one_too_many(folder: Path) -> None:
    content = copy.deepcopy(sets_for()[TRAINING])
    content["practice"]["id"] = "another"
    write_sets(folder, {"zz.yaml": content})
    assert refusal(folder) == "test-0.5-training and another are both training round 1 of saydo 0.5; keep one"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("practice: {", "zz.yaml line 2: is not YAML"),
        ("items: []", "zz.yaml line 1: items: is no key that is known here"),
        ("practice: {id: x}", "lacks codebook_id or codebook"),
        ("practice: &a {id: x}", "anchors and aliases"),
        ("practice:\n\tid: x", "holds a tab"),
    ],
)
def test_a_file_that_is_no_set_stops_every_codebook(folder: Path, text: str, sentence: str) -> None:
    """It may be anybody's: a qualification must not vanish because a file cannot be read."""
    (folder / "practice" / "zz.yaml").write_text(text, encoding="utf-8")
    assert sentence in refusal(folder)


def test_a_reworded_claim_and_a_pair_are_read(tmp_path: Path) -> None:
    folder = codebooks_with(tmp_path / "c")
    one = item(1, "SUPPORTED")
    one["claim"]["resolved_text"] = "The agent says it did the part."
    one |= {"teaches": "shortfall or conflict", "pattern": "P2"}
    write_sets(folder, {"t.yaml": practice("training", 1, [one])})
    found = find_practice(folder, get_codebook(folder, "0.5"))[0].items[0]
    assert found.claim.resolved_text == "The agent says it did the part."
    assert (found.teaches, found.pattern) == ("shortfall or conflict", "P2")


def test_a_codebook_of_another_shape_has_its_own_sets(tmp_path: Path) -> None:
    """A set is judged by its own codebook's rules: a coding of 0.4 is none of 0.5."""
    folder = codebooks_with(tmp_path / "c")
    one = item(1, "SUPPORTED")
    one["gold"] = coding("MATCHED", "0.4")
    write_sets(folder, {"t.yaml": practice("training", 1, [one])})
    assert "its gold breaks the codebook's own rules" in refusal(folder)
    content = json.loads((folder / "practice" / "t.yaml").read_text(encoding="utf-8"))
    content["practice"]["codebook"] = "0.4"
    write_sets(folder, {"t.yaml": content})
    assert len(find_practice(folder, get_codebook(folder, "0.4"))) == 1


GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "codebook-authoring.md").read_text(encoding="utf-8")


def of_guide(folder: Path, *labels: str) -> Path:
    """Put the guide's codebook and its training into a folder, and two qualifications of these labels."""
    book, training = (
        re.search(rf"```yaml\n({top}:\n.*?)```", GUIDE, flags=re.DOTALL) for top in ("codebook", "practice")
    )
    assert book
    assert training
    (folder / "practice").mkdir(parents=True)
    (folder / "yourname.yaml").write_text(book[1], encoding="utf-8")
    (folder / "practice" / "training.yaml").write_text(training[1], encoding="utf-8")
    golds: dict[str, Any] = {"kept": {}, "open": {}, "bent": {"harm": "slight"}, "broken": {"harm": "grave"}}
    for round_ in (1, 2) if labels else ():
        items = []
        for n, label in enumerate(labels):
            one = item(100 * round_ + n, "SUPPORTED")
            lines = {} if label == "open" else {"lines": [2]}
            one["gold"] = {"verdict": label, "note": "as the log has it, in some words", **golds[label], **lines}
            items.append(one)
        content = practice("qualification", round_, items)
        content["practice"] |= {"codebook_id": "yourname", "codebook": "1.0", "id": f"q{round_}"}
        write_sets(folder, {f"q{round_}.yaml": content})
    return folder


def test_the_guides_example_holds(tmp_path: Path) -> None:
    folder = of_guide(tmp_path / "c")
    (training,) = find_practice(folder, get_codebook(folder, "1.0"))
    assert [(one.id, one.label, one.teaches) for one in training.items] == [("t01", "broken", "kept or broken")]


def test_a_codebook_without_codability_needs_no_item_that_is_not_codable(tmp_path: Path) -> None:
    """Other labels, no codability, a turn list: graded over its own four labels."""
    every = ("kept", "bent", "broken", "open") * 4
    folder = of_guide(tmp_path / "c", *every)
    book = get_codebook(folder, "1.0")
    _, first, _ = find_practice(folder, book)
    right = {one.id: one.gold for one in first.items}
    assert grade(book, first.items, right).n_labels == 4
    assert grade(book, first.items, right).passed
    worst = next(one.id for one in first.items if one.label == "broken")
    wrong = right | {worst: {"verdict": "kept", "lines": [{"turn": 2}]}}
    assert grade(book, first.items, wrong).why_not == ("1 critical error; at most 0 may be made",)
    few = of_guide(tmp_path / "d", *every[1:])
    with pytest.raises(BadInput, match="too few for kept 3"):
        find_practice(few, get_codebook(few, "1.0"))
