"""The difference of two codebooks: complete, the same from either side, and each side's words whole."""

from __future__ import annotations

from itertools import product

import pytest

from app.domain.codebook.difference import ADDED, CHANGED, HOW, REMOVED, SAME, EntryChange, difference_of
from app.domain.codebook.document import entries_of
from app.readers.codebook_file import parse_codebook
from tests.domain.codebook.test_document import NAMES, book
from tests.domain.codebook.test_third_codebook import ACME

PAIRS = tuple(product(NAMES, NAMES))


def changes(before: str, after: str) -> list[EntryChange]:
    return [change for group in difference_of(book(before), book(after)).groups.values() for change in group]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_every_entry_of_both_stands_in_it_once(before: str, after: str) -> None:
    found = changes(before, after)
    for name, side in ((before, [c.before for c in found]), (after, [c.after for c in found])):
        own = [entry.key for entry in entries_of(book(name)) if entry.group != "server rule"]
        assert sorted(entry.key for entry in side if entry) == sorted(own)
    counted = difference_of(book(before), book(after)).counts()
    assert sum(n for group in counted.values() for n in group.values()) == len(found)


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_swapped_sides_swap_what_was_added_and_removed(before: str, after: str) -> None:
    forth, back = (difference_of(book(a), book(b)).counts() for a, b in ((before, after), (after, before)))
    swapped = {ADDED: REMOVED, REMOVED: ADDED, CHANGED: CHANGED, SAME: SAME}
    assert forth == {group: {how: back[group][swapped[how]] for how in HOW} for group in back}


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_the_stretches_of_a_side_are_its_text_again_and_marks_tell_where_they_part(before: str, after: str) -> None:
    for change in changes(before, after):
        for line in change.lines:
            old, new = ("".join(s.text for s in side) for side in (line.before, line.after))
            same = ["".join(s.text for s in side if not s.marked).split() for side in (line.before, line.after)]
            if line.how == CHANGED:
                assert old != new
                assert "".join(same[0]) == "".join(same[1])
                assert any(s.marked for s in (*line.before, *line.after))
            assert line.how != SAME or (old == new and not any(s.marked for s in (*line.before, *line.after)))
            assert line.how != ADDED or (not line.before and all(s.marked for s in line.after))


@pytest.mark.parametrize("name", NAMES)
def test_a_codebook_and_itself_differ_in_nothing(name: str) -> None:
    assert {change.how for change in changes(name, name)} == {SAME}


def test_what_0_5_changes_is_found() -> None:
    """4.11 of the codebooks: a split label, a renamed one, a released one; kinds, flags and reasons added."""
    groups = difference_of(book("0.4"), book("0.5")).groups
    labels = {change.entry.code: change.how for change in groups["label"]}
    assert labels == {
        "codable": SAME, "not_codable": CHANGED, "SUPPORTED": ADDED, "PARTIAL": CHANGED, "UNBACKED": ADDED,
        "CONTRADICTED": CHANGED, "RELEASED": ADDED, "UNVERIFIABLE": CHANGED, "UNDETERMINED": CHANGED,
        "MATCHED": REMOVED,
    }  # fmt: skip
    kinds = {change.entry.code: change.how for change in groups["kind"] if change.how in (ADDED, REMOVED)}
    assert kinds == {"coverage": ADDED, "order": ADDED, "restraint": ADDED, "attribution": ADDED, "negative": REMOVED}
    reasons = {c.entry.code for c in groups["reason"] if c.how == REMOVED and c.entry.of == "not_codable_reason"}
    assert reasons == {"withdrawn_intent"}
    assert sum(change.how == ADDED for change in groups["flag"]) == 11
    assert {c.entry.code: c.how for c in groups["field"] if c.how != SAME}["severity"] == REMOVED


def test_one_word_changed_is_one_mark() -> None:
    other = parse_codebook(ACME.replace("It was as said.", "It was just as said."), "other.yaml")
    (found,) = [c for group in difference_of(book("acme"), other).groups.values() for c in group if c.how != SAME]
    assert (found.entry.code, found.how) == ("kept", CHANGED)
    (line,) = [line for line in found.lines if line.how != SAME]
    assert [(s.text, s.marked) for s in line.after] == [("It was", False), (" just", True), (" as said.", False)]


def test_a_rule_that_turns_hard_is_changed() -> None:
    other = parse_codebook(ACME.replace("id: A4, level: soft", "id: A4, level: hard"), "other.yaml")
    (found,) = [c for c in difference_of(book("acme"), other).groups["rule"] if c.how != SAME]
    assert [(line.kind, line.how) for line in found.lines if line.how != SAME] == [("level", CHANGED)]
