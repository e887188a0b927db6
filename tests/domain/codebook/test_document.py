"""The codebook as a document: nothing of the file is left out, each address stands once, every condition has words."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.domain.codebook.document import document_of, entries_of, label_anchor, rule_anchor, rules_naming
from app.domain.codebook.model import Codebook
from app.domain.codebook.registry import PREDICATES
from app.domain.codebook.search import find, pattern_of, texts_of, words_of
from app.domain.codebook.subject import COMPUTED
from app.domain.codebook.wording import condition_words, requirement_words, spoken_predicates, window_words
from app.domain.codebook.workflow import WORKFLOW_RULES
from app.readers.codebook_file import get_codebook, parse_codebook
from tests.domain.codebook.test_third_codebook import ACME

FOLDER = Path(__file__).resolve().parents[3] / "codebook"
NAMES = ("0.4", "0.5", "acme")


def book(name: str) -> Codebook:
    return parse_codebook(ACME, "acme.yaml") if name == "acme" else get_codebook(FOLDER, name)


def everything_said(codebook: Codebook) -> str:
    return "\n".join(
        text for entry in entries_of(codebook) for text in (*texts_of(entry), *(x.text for x in entry.lines))
    )


@pytest.mark.parametrize("name", NAMES)
def test_no_address_stands_twice_and_each_can_be_an_id(name: str) -> None:
    anchors = Counter(entry.anchor for entry in entries_of(book(name)))
    anchors.update(section.anchor for section in document_of(book(name)) if section.head is None)
    assert [anchor for anchor, n in anchors.items() if n > 1] == []
    assert all(re.fullmatch(r"[A-Za-z][\w.-]*", anchor) for anchor in anchors)


@pytest.mark.parametrize("name", NAMES)
def test_every_label_and_rule_has_its_address(name: str) -> None:
    codebook = book(name)
    anchors = {entry.anchor for entry in entries_of(codebook)}
    assert {label_anchor(f.name, o.code) for f in codebook.fields for o in f.options} <= anchors
    assert {rule_anchor(rule.id) for rule in (*codebook.rules, *WORKFLOW_RULES)} <= anchors
    assert "label-verdict-UNBACKED" in anchors or name != "0.5"
    assert "rule-H19" in anchors or name != "0.5"


def texts_in(value: Any) -> list[str]:
    """Every sentence a codebook file holds, wherever it stands: texts of more than three words."""
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts_in(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in texts_in(part)]
    return [value] if isinstance(value, str) and len(value.split()) > 3 else []


@pytest.mark.parametrize("name", NAMES)
def test_no_sentence_of_the_file_is_left_out(name: str) -> None:
    import yaml

    source = ACME if name == "acme" else (FOLDER / f"saydo-{name}.yaml").read_text(encoding="utf-8")
    content = yaml.safe_load(source)["codebook"]
    text = content.pop("text", "")
    title = content.pop("title")
    said = " ".join(everything_said(book(name)).split())
    for sentence in texts_in(content):
        shown = " ".join(sentence.replace("{what}", "…").split())
        # A requirement's own message is what the workbench says; the page says the requirement itself.
        assert shown in said or any(
            shown in json.dumps(rule.get("require"), ensure_ascii=False).replace("{what}", "…")
            for rule in content["rules"]
        ), sentence
    for paragraph in text.split("\n\n"):
        assert " ".join(paragraph.split()[-8:]) in said
    assert title


@pytest.mark.parametrize("name", NAMES)
def test_every_code_role_and_tier_of_the_file_is_there(name: str) -> None:
    codebook = book(name)
    said = everything_said(codebook).lower()
    for asked in codebook.fields:
        assert all(code.lower() in said for code in (asked.name, *asked.codes, *asked.roles, *asked.tiers))


def test_every_predicate_has_its_phrase_and_no_phrase_is_of_none() -> None:
    assert spoken_predicates() == frozenset(PREDICATES)


@pytest.mark.parametrize("name", NAMES)
def test_no_condition_speaks_in_codes(name: str) -> None:
    """A reader meets words: no underscore, no brace, no bracket, no Python."""
    codebook = book(name)
    told = [condition_words(codebook, f.when) for f in codebook.fields]
    for rule in codebook.rules:
        told += [condition_words(codebook, rule.when), *(requirement_words(codebook, part) for part in rule.require)]
    told += window_words(codebook.window)
    for words in told:
        assert not re.search(r"[_{}\[\]]|None|True|False", words), words


def test_every_computed_condition_has_words() -> None:
    values: dict[str, tuple[Any, ...]] = {name: known or ("conflicts",) for name, known in COMPUTED.items()}
    for name, allowed in values.items():
        for value in allowed:
            assert "_" not in condition_words(book("0.5"), {name: (value,)})


def test_conditions_and_requirements_read_as_sentences() -> None:
    codebook = book("0.5")
    rules = {rule.id: rule for rule in codebook.rules}
    assert (
        condition_words(codebook, rules["H23"].when)
        == "the verdict is supported and the claim kind is restraint or coverage"
    )
    assert requirement_words(codebook, rules["H07"].require[0]) == (
        "either there is at least 1 “supports” citation, or (either the claim kind is restraint, or the claim kind is "
        "intent and it promises not to do something) and the search span is given and the log coverage is full"
    )
    assert requirement_words(codebook, rules["H21"].require[3]) == (
        "the note has at least 20 characters, unless the claim is conditional"
    )
    assert requirement_words(codebook, rules["H06"].require[0]).endswith(
        "(only asked, not refused, where the flags include window dispute and the note has at least 20 characters)"
    )


def test_a_label_knows_the_rules_that_speak_of_it() -> None:
    codebook = book("0.5")
    assert rules_naming(codebook, "verdict", "UNBACKED") == ("H19", "H19b", "H19c", "H22")
    assert "H06" in rules_naming(codebook, "flags", "window_dispute")
    assert "H24" in rules_naming(codebook, "flags", "later_reveals")
    assert rules_naming(codebook, "flags", "hedged") == ()
    assert rules_naming(book("acme"), "harm", "grave") == ("A4",)


def test_a_rule_of_the_file_stands_in_place_of_the_servers_of_that_id() -> None:
    own = parse_codebook(ACME.replace("id: A4", "id: W09"), "own.yaml")
    rules = [entry for entry in entries_of(own) if entry.code == "W09"]
    assert [entry.group for entry in rules] == ["rule"]


# ---- searching -------------------------------------------------------------------------------------------------------


def test_every_word_must_stand_in_an_entry_and_each_place_is_counted() -> None:
    sections = document_of(book("0.5"))
    found = find(sections, "complete SEARCH")
    assert "label-verdict-SUPPORTED" in found.hits
    for section in sections:
        for entry in section.all_entries:
            whole = " ".join(texts_of(entry)).lower()
            assert (entry.anchor in found.hits) == ("complete" in whole and "search" in whole)
    pattern = pattern_of(found.words)
    assert pattern is not None
    entry = next(e for e in entries_of(book("0.5")) if e.anchor == "label-verdict-SUPPORTED")
    assert found.hits[entry.anchor] == sum(len(pattern.findall(text)) for text in texts_of(entry))


def test_a_search_finds_rules_codes_examples_tiers_and_flags() -> None:
    sections = document_of(book("0.5"))
    assert list(find(sections, "H19b").hits) == ["rule-H19b"]
    assert "label-flags-stale_evidence" in find(sections, "stale_evidence").hits
    assert "label-verdict-UNBACKED" in find(sections, "echo benchmark").hits or find(sections, "benchmark").hits
    assert "field-evidence" in find(sections, "snapshot").hits
    assert find(sections, '"search span"').words == ("search span",)


def test_without_a_word_everything_stays_and_nothing_is_found() -> None:
    sections = document_of(book("0.5"))
    for query in ("", "   ", '""'):
        found = find(sections, query)
        assert (found.words, found.n_hits) == ((), 0)
        assert all(found.shows_section(section) for section in sections)
    nothing = find(sections, "zzzz")
    assert nothing.words == ("zzzz",)
    assert not any(nothing.shows_section(section) for section in sections)


def test_a_query_is_text_and_no_pattern() -> None:
    sections = document_of(book("0.5"))
    assert find(sections, ".*").hits == {}
    assert words_of("x" * 5000) == ("x" * 200,)
    assert find(sections, "(").n_hits > 0
