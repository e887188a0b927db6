"""The soft rules on a rater's own history: each asks where it says, is silent without its facts, and sees no repeat."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from app.domain.codebook import history as module
from app.domain.codebook.history import DEFAULT_SHARE, N_CODINGS, SHARES, Heard, History, Past, hear, shares_of
from app.readers.codebook_file import parse_codebook
from tests.domain.codebook.test_document import book
from tests.domain.codebook.test_third_codebook import ACME

PLAIN = {"codability": "codable", "verdict": "SUPPORTED"}
OPEN = {"codability": "codable", "verdict": "UNVERIFIABLE"}
DOUBT = {"codability": "codable", "verdict": "UNDETERMINED"}


def asked(answer: dict[str, Any], name: str = "0.5", **facts: Any) -> dict[str, str]:
    """Rule → message of what is asked."""
    return {v.rule: v.message for v in told(answer, name, **facts).violations}


def told(answer: dict[str, Any], name: str = "0.5", **facts: Any) -> Heard:
    return hear(book(name), answer, History(**{"seconds_on_item": None, "revision": 1, **facts}))


def past(*answers: dict[str, Any], confirmed: frozenset[str] = frozenset()) -> tuple[Past, ...]:
    return tuple(Past(answer, confirmed) for answer in answers)


@pytest.mark.parametrize(
    ("seconds", "asks"),
    [(None, False), (0.0, True), (4.9, True), (5.0, False), (60.0, False), (1800.0, False), (1800.1, True)],
)
def test_w08_asks_under_five_seconds_and_over_thirty_minutes(seconds: float | None, asks: bool) -> None:
    found = told(PLAIN, seconds_on_item=seconds)
    assert [v.rule for v in found.violations] == (["W08"] if asks else [])
    assert ("W08" in found.applied) == (seconds is not None)


def test_w09_looks_at_the_last_three_notes_that_were_written() -> None:
    said = [{"note": note} for note in ("third", "", "second", "first", "older")]
    for note, asks in (("third", True), ("first", True), ("older", False), ("new", False), ("", False)):
        assert ("W09" in asked({**PLAIN, "note": note}, past=past(*said))) == asks
    assert "W09" in asked({**PLAIN, "note": " the  same\nwords "}, past=past({"note": "the same words"}))
    assert "W09" not in told({**PLAIN}, past=past({"note": "a"})).applied


def test_w10_shows_the_definition_once_a_label_is_over_its_share() -> None:
    """40 % of 20 are 8 and 25 % are 5: the ninth and the sixth are over."""
    for answer, n_before, asks in ((OPEN, 7, False), (OPEN, 8, True), (DOUBT, 4, False), (DOUBT, 5, True)):
        before = [answer] * n_before + [PLAIN] * (N_CODINGS - 1 - n_before)
        found = asked(answer, past=past(*before))
        assert ("W10" in found) == asks
        if asks:
            option = next(o for o in book("0.5").verdicts if o.code == answer["verdict"])
            assert option.definition in found["W10"]
            assert "shown to you alone" in found["W10"]


def test_w10_is_silent_before_twenty_codings_for_other_labels_and_after_a_reminder() -> None:
    assert "W10" not in told(OPEN, past=past(*[OPEN] * (N_CODINGS - 2))).applied
    assert asked(PLAIN, past=past(*[OPEN] * (N_CODINGS - 1))) == {}
    assert asked({"codability": "not_codable"}, past=past(*[OPEN] * (N_CODINGS - 1))) == {}
    reminded = past(OPEN, confirmed=frozenset({"W10"})) + past(*[OPEN] * (N_CODINGS - 2))
    assert asked(OPEN, past=reminded) == {}
    of_another = past(DOUBT, confirmed=frozenset({"W10"})) + past(*[OPEN] * (N_CODINGS - 2))
    assert "W10" in asked(OPEN, past=of_another)
    forgotten = past(*[OPEN] * (N_CODINGS - 1)) + past(OPEN, confirmed=frozenset({"W10"}))
    assert "W10" in asked(OPEN, past=forgotten)


def test_w10_watches_the_labels_a_codebook_leaves_open() -> None:
    assert SHARES["saydo", "0.4"] == SHARES["saydo", "0.5"] == {"UNVERIFIABLE": 0.40, "UNDETERMINED": 0.25}
    assert all(set(SHARES["saydo", v]) <= {o.code for o in book(v).verdicts} for v in ("0.4", "0.5"))
    assert shares_of(book("acme")) == {"open": DEFAULT_SHARE}
    still_open = {"verdict": "open"}
    assert "W10" in asked(still_open, "acme", past=past(*[still_open] * (N_CODINGS - 1)))


def test_w12_asks_from_the_fourth_revision_on() -> None:
    assert ["W12" in asked(PLAIN, revision=n) for n in range(1, 7)] == [False, False, False, True, True, True]
    assert "W12" not in told(PLAIN, revision=1).applied


def test_every_message_is_soft_names_its_rule_and_proposes_no_label() -> None:
    before = past(*[{**OPEN, "note": "same"}] * (N_CODINGS - 1))
    found = told({**OPEN, "note": "same"}, seconds_on_item=1, revision=5, past=before)
    assert [v.rule for v in found.violations] == ["W08", "W09", "W10", "W12"] == list(found.applied)
    assert {v.level for v in found.violations} == {"soft"}
    assert len({v.message for v in found.violations}) == 4
    others = [o.title for o in book("0.5").verdicts if o.code != "UNVERIFIABLE"]
    assert not [title for title in others for v in found.violations if f" {title} " in v.message]


def test_what_was_said_of_the_same_claim_cannot_be_seen() -> None:
    """History holds no claim, no other rater, no automatic label: a repeat coded otherwise raises nothing."""
    assert set(History.__dataclass_fields__) == {"seconds_on_item", "revision", "past"}
    assert set(Past.__dataclass_fields__) == {"answer", "confirmed"}
    assert asked(PLAIN, past=past({"verdict": "CONTRADICTED"})) == {}
    assert "claim_id" not in inspect.getsource(module)


def test_a_rule_of_the_codebooks_own_stands_in_place_of_the_servers() -> None:
    own = parse_codebook(ACME.replace("id: A4", "id: W08"), "own.yaml")
    assert hear(own, {"verdict": "kept"}, History(1.0, 1)).applied == ()


def test_a_codebook_without_a_note_has_no_w09() -> None:
    assert "W09" not in told({"verdict": "kept", "note": "x"}, "acme", past=past({"note": "x"})).applied
