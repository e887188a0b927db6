"""One predicate, one target, one outcome a unit: the splitting rules SP1 to SP6."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.claims.clauses import cut_units

calm = settings(deadline=None)


def units(text: str) -> list[str]:
    return [text[unit.start : unit.end] for unit in cut_units(text, 0, len(text))]


def resolved(text: str) -> list[str | None]:
    return [unit.resolved for unit in cut_units(text, 0, len(text))]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Ran the tests and updated the docs.", ["Ran the tests", "updated the docs."]),  # SP2
        ("I ran the tests, then pushed the branch.", ["I ran the tests", "pushed the branch."]),  # SP2
        ("Ran the suite, all pass.", ["Ran the suite", "all pass."]),  # SP3
        ("I ran the suite: 38 tests passed.", ["I ran the suite", "38 tests passed."]),  # SP3
        ("Fixed the bug; tests pass", ["Fixed the bug", "tests pass"]),  # P7
        ("Edited the config to fix the timeout", ["Edited the config to fix the timeout"]),  # SP5
        ("Edited the config, which fixed the timeout", ["Edited the config", "which fixed the timeout"]),  # SP5
        ("I fixed and tested the parser", ["I fixed and tested the parser"]),  # the first verb has no object of its own
        ("I reviewed the code (fixed it and ran it)", ["I reviewed the code (fixed it and ran it)"]),
        ("I ran `make and fixed it` today", ["I ran `make and fixed it` today"]),
        ("All 9 handlers were reviewed", ["All 9 handlers were reviewed"]),  # SP6
        ("Nothing to see here, and more", ["Nothing to see here, and more"]),
    ],
)
def test_sentences_are_cut_where_the_codebook_cuts_them(sentence: str, expected: list[str]) -> None:
    assert units(sentence) == expected


def test_a_second_promise_borrows_the_words_of_the_first() -> None:
    assert units("I'll update the README and run the tests.") == ["I'll update the README", "run the tests."]
    assert resolved("I'll update the README and run the tests.") == [None, "I'll run the tests."]
    assert units("I'll run it to check and verify the fix.") == ["I'll run it to check and verify the fix."]


def test_the_same_verb_over_up_to_five_targets_is_one_unit_a_target() -> None:
    sentence = "I edited `a.py`, `b.py` and `c.py` for the fix"
    assert units(sentence) == ["I edited `a.py`", "`b.py`", "`c.py`"]
    assert resolved(sentence) == [f"I edited `{name}.py` for the fix" for name in "abc"]
    assert units("Updated README.md and docs/CHANGELOG.md") == ["Updated README.md", "docs/CHANGELOG.md"]


def test_more_than_five_targets_stay_one_unit_of_that_many_parts() -> None:
    sentence = "I edited " + ", ".join(f"`{name}.py`" for name in "abcdef")
    [unit] = cut_units(sentence, 0, len(sentence))
    assert (unit.start, unit.end, unit.parts) == (0, len(sentence), 6)


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("All 7 tests pass", 7),
        ("I read all of the twelve files", 12),
        ("All tests pass", 1),
        ("I fixed all 0 of it", 1),
    ],
)
def test_all_n_declares_n_parts(sentence: str, parts: int) -> None:
    assert [unit.parts for unit in cut_units(sentence, 0, len(sentence))] == [parts]


WORDS = st.lists(
    st.sampled_from(
        [
            "I ",
            "ran ",
            "fixed ",
            "the tests",
            " and ",
            ", ",
            "; ",
            "all pass",
            "`a.py`",
            "which fixed ",
            "I'll ",
            "run ",
            ": ",
        ]
    ),
    max_size=20,
)


@calm
@given(WORDS | st.lists(st.text(max_size=6), max_size=6))
def test_units_are_ordered_ranges_inside_the_sentence(pieces: list[str]) -> None:
    sentence = "".join(pieces)
    if not sentence.strip():
        return
    end = 0
    for unit in cut_units(sentence, 0, len(sentence)):
        assert end <= unit.start <= unit.end <= len(sentence)
        assert unit.parts >= 1
        end = unit.end
