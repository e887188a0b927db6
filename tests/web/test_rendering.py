"""What templates may call: keys without collisions, needs read off the rules, tones and letters, figures."""

from __future__ import annotations

import re

import pytest

from app.domain.codebook.model import Field, Option
from app.domain.codebook.prose import run_in
from app.domain.coding import shown_fields
from app.web.figures import interval_figure
from app.web.keys import COMMANDS, RESERVED, option_keys
from app.web.needs import is_foldable, list_needs, list_role_hints, needed_fields, role_for
from app.web.rendering import cited_roles, claim_words, is_window_shown, make_environment
from app.web.words import answer_lines, attribute_json, group_coverage, heat, letters, share, tone
from tests.web import sample_pages as sample


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_no_key_means_two_things(version: str) -> None:
    assert len(RESERVED) == len(COMMANDS)
    for field in sample.codebook(version).fields:
        if field.type != "enum":
            continue
        keys = [key for key in option_keys(field).values() if key]
        assert len(keys) == len(set(keys)) == len(field.options), field.name
        assert not set(keys) & RESERVED, field.name


def test_a_codebook_key_that_is_taken_gives_way_to_digits() -> None:
    free = Field("f", "enum", options=(Option("a", key="c"), Option("b", key="x")))
    assert option_keys(free) == {"a": "c", "b": "x"}
    taken = Field("f", "enum", options=(Option("a", key="e"), Option("b", key="x")))
    assert option_keys(taken) == {"a": "1", "b": "2"}
    twice = Field("f", "enum", options=(Option("a", key="x"), Option("b", key="x")))
    assert option_keys(twice) == {"a": "1", "b": "2"}
    many = Field("f", "enum", options=tuple(Option(f"o{n}") for n in range(11)))
    assert list(option_keys(many).values())[8:] == ["9", "", ""]


def test_needed_fields_follow_the_rules_of_the_codebook() -> None:
    book = sample.codebook()
    base = {"codability": "codable", "claim_kind": "result", "materiality": "low"}
    supported = needed_fields(book, {**base, "verdict": "SUPPORTED"})
    assert {"evidence", "confidence", "materiality"} <= supported
    assert not {"search_span", "log_coverage", "disclosure"} & supported
    unbacked = needed_fields(book, {**base, "verdict": "UNBACKED"})
    assert {"search_span", "log_coverage", "disclosure"} <= unbacked
    restraint = needed_fields(book, {**base, "claim_kind": "restraint", "verdict": "SUPPORTED"})
    assert {"search_span", "log_coverage"} <= restraint
    assert "not_codable_reason" in needed_fields(book, {"codability": "not_codable"})
    assert needed_fields(book, {}) <= shown_fields(book, {})


def test_only_fields_that_some_answers_need_are_folded() -> None:
    book = sample.codebook()
    needs = list_needs(book)
    folded = {field.name for field in book.fields if is_foldable(field, needs.get(field.name, []))}
    assert {"search_span", "log_coverage"} <= folded
    assert not {"verdict", "materiality", "disclosure", "evidence", "codability"} & folded


def test_the_role_of_a_citation_comes_from_the_rules_or_from_nobody() -> None:
    book = sample.codebook()
    assert role_for(book, {"claim_kind": "result", "verdict": "SUPPORTED"}) == "supports"
    assert role_for(book, {"claim_kind": "result", "verdict": "CONTRADICTED"}) == "conflicts"
    assert role_for(book, {"verdict": "UNBACKED"}) is None
    assert role_for(book, {}) is None
    assert list_role_hints(sample.codebook("0.4")) == []


def test_a_verdict_has_its_own_letter_shape_and_a_tone() -> None:
    for version in ("0.4", "0.5"):
        book = sample.codebook(version)
        assert len(set(letters(book.verdicts).values())) == len(book.verdicts)
        assert len({option.shape for option in book.verdicts}) == len(book.verdicts)
    book = sample.codebook()
    tones = {code: tone(book, code) for code in book.labels}
    assert tones["SUPPORTED"] == "yes"
    assert tones["CONTRADICTED"] == "conflict"
    assert tones["UNBACKED"] == "absent"
    assert tones["not_codable"] == tones["RELEASED"] == "open"


def test_an_answer_reads_in_words() -> None:
    lines = {field.name: words for field, words in answer_lines(sample.codebook(), sample.FULL)}
    assert lines["evidence"] == ["turn 7 supports T1 “38 passed”"]
    assert lines["verdict"] == ["supported"]
    assert "search_span" not in lines


def test_the_intent_window_is_drawn_once_the_kind_is_an_intent() -> None:
    bench = sample.bench()
    assert not is_window_shown(bench, sample.form({"claim_kind": "result"}))
    assert is_window_shown(bench, sample.form({"claim_kind": "intent"}))


def test_cited_turns_carry_their_roles() -> None:
    both = {"evidence": [{"turn": 7, "role": "supports"}, {"turn": 7, "part": "text"}, {"turn": 3}]}
    assert cited_roles(sample.bench(), sample.form(both)) == {7: "supports, cited", 3: "cited"}
    assert cited_roles(sample.bench("0.4"), sample.form({"evidence": [7]})) == {7: "cited"}


def test_a_claim_inside_arguments_reads_decoded() -> None:
    from dataclasses import replace

    bench = sample.bench()
    assert claim_words(bench) == sample.CLAIM_TEXT
    call = sample.run()[4]["calls"][0]
    start = call["args"].index("return 2")
    inside = {"turn": 4, "target": "args:t4.c0", "span_start": start, "span_end": start + len(r"return 2\n    # why")}
    assert claim_words(replace(bench, claim=sample.claim(**inside))) == "return 2\n    # why"


def test_the_codebooks_text_opens_its_paragraphs_with_headings() -> None:
    parts = run_in(sample.codebook().text)
    assert [heading for heading, _ in parts][:3] == ["", "Material part.", "Shortfall or conflict."]
    assert run_in("One.\n\nNo more here.") == [("", "One."), ("", "No more here.")]


def test_small_words() -> None:
    assert group_coverage({"shell": "none", "browser": "full"}) == [("full", ["browser"]), ("none", ["shell"])]
    assert (share(1, 3), share(0, 0)) == ("33 %", "–")
    assert (heat(0, 9), heat(9, 9), heat(1, 100)) == (0, 8, 1)
    assert attribute_json({"a": ("x",)}) == '{"a":["x"]}'


def test_an_interval_is_drawn_from_numbers_and_nothing_for_an_undefined_value() -> None:
    drawn = interval_figure(0.74, [0.6, 0.9], {"kappa": 0.7})
    assert drawn.count("<line") == 4
    assert "style" not in drawn
    assert interval_figure(None, [None, None], {}) == ""
    # The axis runs from -0.2 (x = 10) to 1 (x = 410): 0.74 stands at 10 + 400 * 0.94 / 1.2 = 323.3.
    assert re.search(r'cx="323\.3"', drawn)


def test_the_environment_escapes_and_is_strict() -> None:
    environment = make_environment(sample.ROOT / "templates")
    assert environment.from_string("{{ x }}").render(x="<b>") == "&lt;b&gt;"
    assert environment.from_string("{{ x | visible }}").render(x="\u202e<") == (
        '<span class="ctl" data-u="202e" title="character U+202E">⟨RLO⟩</span>&lt;'
    )
