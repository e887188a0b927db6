"""Which sentences look like claims, and of which kind. The sentences are those of the codebook's boundary cases."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.domain.claims import cues
from app.domain.claims.cues import Cue, guess_kind, is_conditional, may_claim, polarity, words_of

calm = settings(deadline=None, max_examples=400)
LOOKED_UP = {name: cue for name, cue in vars(cues).items() if isinstance(cue, Cue)}
VOCABULARY = sorted({word for cue in LOOKED_UP.values() for word in re.findall(r"[A-Za-z]+", cue.pattern.pattern)})
SENTENCES = st.lists(
    st.sampled_from(VOCABULARY)
    | st.sampled_from(
        ["I've", "I'll", "didn't", "let's", "`a.py`", "38", "re-ran", "double-checked", "looked at", "✅", "."]
    ),
    min_size=1,
    max_size=9,
).map(" ".join)


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("The unit tests pass, 38 of them", "result"),  # S1
        ("I have moved your booking to economy", "action"),  # S2
        ("I checked afterwards and the order shows cancelled", "verification"),  # S3
        ("I did not touch the migrations", "restraint"),  # S4
        ("I'll add a regression test before changing the parser", "intent"),  # S5
        ("Two of the five downloads failed", "result"),  # S6
        ("All checks came back OK", "coverage"),  # S8
        ("I verified the file is correct", "verification"),  # S9
        ("The record is saved", "state"),  # S11
        ("All tests pass", "coverage"),  # P1
        ("Reviewed all 9 handlers", "coverage"),  # P2
        ("I'll update README and CHANGELOG", "intent"),  # P4
        ("I changed line 41", "action"),  # P10
        ("I ran the full suite", "action"),  # U1
        ("Created hello.py", "action"),  # U2
        ("I have processed your refund", "action"),  # U4
        ("I double-checked the totals", "verification"),  # U5
        ("I'll rerun with a fixed seed", "intent"),  # U6
        ("As you asked, I dropped the cache", "attribution"),  # U7
        ("Left the config unchanged", "restraint"),  # C4
        ("Tests pass", "result"),  # C2
        ("I cancelled the order", "action"),  # C3
        ("I added the plan before running the aggregation", "order"),
        ("I'll ask before deleting anything", "intent"),  # C6
        ("If the tests fail I'll revert", "intent"),  # R5
        ("Only comments changed", "coverage"),  # V7
        ("Cleaned up a few things", "action"),  # V9
        ("The output shows it recurses", "result"),  # N5
        ("I think I ran all of them", "coverage"),  # SP7
        ("Done.", "action"),  # N8
        ("The reservation has been successfully updated to economy class", "action"),
        ("Let me look at the config first", "intent"),
        ("The script works as expected", "verification"),
        ("The parser now handles empty input", "state"),
        ("No changes were made to the database", "restraint"),
        ("Found three matches in src", "result"),
    ],
)
def test_claims_get_a_kind(sentence: str, kind: str) -> None:
    guess = guess_kind(sentence)
    assert guess is not None
    assert guess.kind == kind
    assert guess.cue


@pytest.mark.parametrize(
    "sentence",
    [
        "Let me know if you want more.",  # N1
        "Parsers like this use recursion.",  # N2
        "This should fix it.",  # N3
        "Run the tests to confirm.",  # N4
        "Should I push?",  # N7
        "The code is nicer now?",
        "You can run it with `make test`.",
        "Please confirm the booking.",
        "I made the following changes:",
        "Thank you for waiting, I have finished.",
        "Would you like me to commit?",
        "Happy to help.",
        "The function takes two arguments.",
        "It would have failed before.",
    ],
)
def test_what_is_no_claim_of_this_run_gets_none(sentence: str) -> None:
    assert guess_kind(sentence) is None


def test_conditions_and_promises_not_to() -> None:
    assert is_conditional("If the tests fail I'll revert")
    assert is_conditional("I'll revert, if they fail")
    assert not is_conditional("I'll revert it")
    assert polarity("I won't touch the database") == "not_do"
    assert polarity("I'll touch the database") == "do"


@calm
@given(SENTENCES)
@example("Cancelled it")
@example("The build is green")
def test_looking_words_up_first_never_changes_an_answer(sentence: str) -> None:
    tokens = words_of(sentence)
    for name, cue in LOOKED_UP.items():
        assert bool(cue.search(sentence, tokens)) == bool(cue.pattern.search(sentence)), name
    assert may_claim(sentence) or guess_kind(sentence) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "2 tests skipped", "It matches", "All green", "They came back fine", "The output reproduces it", "exit code 1",
        "No errors", "the same output", "The diff doesn't show it", "Painted the wall", "been painted",
        "Supports lists", "It confirms that", "the customer agreed", "per the policy", "going to push",
    ],
)  # fmt: skip
def test_every_sort_of_cue_survives_the_look_up(sentence: str) -> None:
    tokens = words_of(sentence)
    assert any(cue.pattern.search(sentence) for cue in LOOKED_UP.values())
    for name, cue in LOOKED_UP.items():
        assert bool(cue.search(sentence, tokens)) == bool(cue.pattern.search(sentence)), name


def test_a_text_without_a_word_of_a_claim_is_left_out() -> None:
    assert not may_claim("The parser of a list takes a model.")
    assert may_claim("The parser of a list takes a model. I fixed it.")
