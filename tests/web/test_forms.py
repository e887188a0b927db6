"""A form and an answer are two spellings of one thing; what cannot be read is named, never guessed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.codebook.model import Codebook, Field
from app.domain.coding import normalise, shown_fields
from app.domain.errors import BadInput
from app.web.forms import answer_to_form, cite, read_answer, read_command, read_form, uncite
from tests.web import sample_pages as sample

# Any text a control can hold; a form carries no lone surrogate.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
turns = st.integers(min_value=0, max_value=99_999)


def values(field: Field) -> st.SearchStrategy[Any]:
    codes = st.sampled_from(field.codes or ("x",))
    if field.type == "citation_list":
        row = st.fixed_dictionaries(
            {"turn": turns},
            optional={"role": st.sampled_from(field.roles), "tier": st.sampled_from(field.tiers), "quote": texts},
        )
        return st.lists(row, max_size=5)
    if field.type == "turn_list":
        return st.lists(turns, max_size=5)
    if field.type == "span":
        return st.fixed_dictionaries({}, optional={"from_turn": turns, "to_turn": turns, "looked_for": texts})
    if field.type == "flags":
        return st.lists(codes, max_size=4, unique=True)
    return codes if field.type == "enum" else texts


def answers(codebook: Codebook) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={field.name: values(field) for field in codebook.fields})


@given(answers(sample.codebook("0.5")))
def test_an_answer_survives_the_form(answer: dict[str, Any]) -> None:
    book = sample.codebook("0.5")
    assert read_answer(book, answer_to_form(book, answer)) == normalise(answer)


@given(answers(sample.codebook("0.4")))
def test_an_answer_of_the_older_codebook_survives_the_form(answer: dict[str, Any]) -> None:
    book = sample.codebook("0.4")
    assert read_answer(book, answer_to_form(book, answer)) == normalise(answer)


def test_line_ends_come_back_as_they_were_typed() -> None:
    book = sample.codebook()
    assert read_answer(book, [("note", "one\r\ntwo")]) == {"note": "one\ntwo"}
    for text in ("a\nb", "a\r\nb", "a\rb", "\n"):
        assert read_answer(book, answer_to_form(book, {"note": text})) == {"note": text}


def test_a_mapping_is_read_like_pairs() -> None:
    book = sample.codebook()
    assert read_answer(book, {"verdict": "SUPPORTED", "flags": ["hedged", "other"]}) == {
        "verdict": "SUPPORTED",
        "flags": ["hedged", "other"],
    }


def test_rows_without_a_word_are_no_evidence_and_gaps_in_their_numbers_do_not_matter() -> None:
    sent = [
        ("evidence.0.turn", ""), ("evidence.0.role", ""), ("evidence.3.turn", " 12 "), ("evidence.3.role", "supports"),
        ("evidence.7.turn", "t4"), ("evidence.8.quote", ""),
    ]  # fmt: skip
    assert read_answer(sample.codebook(), sent) == {"evidence": [{"turn": 4}, {"turn": 12, "role": "supports"}]}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("evidence.0.turn", "4x"),
        ("evidence.0.turn", "1.5"),
        ("evidence.0.turn", "٤"),
        ("evidence.0.turn", "99999999999"),
        ("search_span.from_turn", "first"),
        ("search_span.to_turn", "1e3"),
    ],
)
def test_a_number_that_is_none_is_named_and_shown_again(name: str, value: str) -> None:
    book = sample.codebook()
    with pytest.raises(BadInput, match=name):
        read_answer(book, [(name, value)])
    reading = read_form(book, [(name, value), ("verdict", "PARTIAL")])
    assert [problem.field for problem in reading.problems] == [name]
    assert reading.answer["verdict"] == "PARTIAL"
    assert value in str(reading.answer)


def test_evidence_without_its_turn_is_asked_for() -> None:
    with pytest.raises(BadInput, match=r"evidence\.1\.turn"):
        read_answer(sample.codebook(), [("evidence.0.turn", "3"), ("evidence.1.role", "supports")])


def test_two_different_answers_to_one_question_are_refused() -> None:
    """The stored value is never the last of several: 5-4-5 sent at once is a fault, the same twice is not."""
    book = sample.codebook()
    with pytest.raises(BadInput, match="confidence was sent 2 times"):
        read_answer(book, [("confidence", "high"), ("confidence", "low"), ("confidence", "high")])
    assert read_answer(book, [("confidence", "low"), ("confidence", "low")]) == {"confidence": "low"}


def test_fields_of_no_codebook_are_not_read() -> None:
    sent = [("revision", "3"), ("client_token", "x"), ("action", "save"), ("verdict", "PARTIAL"), ("other", "y")]
    assert read_answer(sample.codebook(), sent) == {"verdict": "PARTIAL"}


def test_values_outside_their_list_pass_for_the_rules_to_refuse() -> None:
    assert read_answer(sample.codebook(), [("verdict", "INVENTED")]) == {"verdict": "INVENTED"}


def test_citing_fills_in_the_derived_tier_and_the_role_the_verdict_needs() -> None:
    book, tiers = sample.codebook(), sample.tiers()
    for verdict, role in (("SUPPORTED", "supports"), ("CONTRADICTED", "conflicts"), ("RELEASED", "context")):
        answer = {"codability": "codable", "claim_kind": "result", "verdict": verdict}
        assert cite(book, answer, 7, tiers)["evidence"] == [{"turn": 7, "role": role, "tier": "T1"}]
    assert cite(book, {}, 2, tiers)["evidence"] == [{"turn": 2, "tier": "T3"}]
    undecided = cite(book, {"verdict": "UNDETERMINED"}, 9, tiers)
    assert undecided["evidence"] == [{"turn": 9, "tier": "T5"}]


def test_a_turn_is_cited_once_and_can_be_taken_back() -> None:
    book, tiers = sample.codebook(), sample.tiers()
    twice = cite(book, cite(book, {}, 7, tiers), 7, tiers)
    assert [row["turn"] for row in twice["evidence"]] == [7]
    both = cite(book, twice, 3, tiers)
    assert [row["turn"] for row in both["evidence"]] == [3, 7]
    assert [row["turn"] for row in uncite(book, both, 0)["evidence"]] == [7]
    assert "evidence" not in uncite(book, twice, 0)
    assert uncite(book, twice, 9) == twice


def test_the_older_codebook_cites_turns_alone() -> None:
    book = sample.codebook("0.4")
    assert cite(book, {}, 7, sample.tiers()) == {"evidence": [{"turn": 7}]}


def test_a_turn_the_run_does_not_have_cannot_be_cited() -> None:
    with pytest.raises(BadInput, match="turn 99 is not in this run"):
        cite(sample.codebook(), {}, 99, sample.tiers())


def test_what_the_sender_wants_is_read_apart_from_the_answer() -> None:
    command = read_command(
        [("action", "draft"), ("confirm", "W03"), ("confirm", "W11"), ("revision", "2"), ("client_token", "t"),
         ("seconds_active", "41")]
    )  # fmt: skip
    assert (command.action, command.confirm, command.revision) == ("draft", ("W03", "W11"), 2)
    assert (command.client_token, command.seconds_active) == ("t", 41.0)
    assert read_command([]).action == "save"
    assert read_command([("cite", "7"), ("uncite", "")]).cite == 7
    assert read_command([("seconds_active", "-3")]).seconds_active is None
    for bad in ([("action", "delete")], [("cite", "x")], [("revision", "new")]):
        with pytest.raises(BadInput):
            read_command(bad)


@given(answers(sample.codebook("0.5")))
def test_reading_keeps_what_is_hidden_for_the_one_who_drops_it(answer: dict[str, Any]) -> None:
    """A hidden answer is not lost by reading: dropping it (and saying so) is the save's business."""
    book = sample.codebook()
    read = read_answer(book, answer_to_form(book, answer))
    assert set(read) == set(normalise(answer))
    assert shown_fields(book, read) == shown_fields(book, normalise(answer))
