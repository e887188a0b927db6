"""What is searched, what is not and why, and that one thing has one placeholder."""

from __future__ import annotations

import random
import re

import pytest

from app.domain.blinding.patterns import PATTERNS
from app.domain.blinding.term import LABELS, PLACEHOLDER, Term
from app.domain.blinding.terms import study_terms, unsearched_values

KEY = b"a study's key"
IDENTITIES = {
    "model": ["acme/zorblax-9-mini-20260115", "acme/zorblax-9-mini-20260301", "quonk.v2"],
    "arm": ["zeppelin", "no", "with-map"],
    "agent": ["burrow-agent/2.0.14"],
    "run_id": ["run-1", "20260725"],
    "session_id": ["logs#3", "12/0"],
    "task_id": ["fix-the-roof"],
    "src_file": ["in/zeppelin/r1.traj.json", "session.jsonl"],
    "author": ["user", "Anna Bee"],
}


def placeholders(terms: tuple[Term, ...]) -> dict[str, str]:
    return {term.text: term.placeholder for term in terms if term.origin == "study"}


def test_spellings_of_one_model_share_a_placeholder_and_two_models_do_not() -> None:
    known = placeholders(study_terms(IDENTITIES, key=KEY))
    first = {
        known[text] for text in ("acme/zorblax-9-mini-20260115", "zorblax-9-mini-20260115", "zorblax_9_mini_20260115")
    }
    second = {known["zorblax-9-mini-20260301"]}
    shared = {known[text] for text in ("zorblax-9-mini", "zorblax 9 mini", "zorblax_9_mini", "zorblax9mini")}
    assert len(first) == len(second) == len(shared) == 1
    assert len(first | second | shared) == 3


def test_a_model_alone_with_its_undated_name_keeps_its_placeholder() -> None:
    known = placeholders(study_terms({"model": ["acme/zorblax-9-20260115"]}, key=KEY))
    assert known["zorblax-9"] == known["acme/zorblax-9-20260115"]


@pytest.mark.parametrize(
    ("model", "spelling"),
    [
        ("openai/gpt-4o-2024-08-06", "gpt 4o"),
        ("claude-sonnet-4-5-20250929", "claude sonnet 4.5"),
        ("claude-sonnet-4-5-20250929", "sonnet"),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3.5-sonnet"),
        ("claude-3-5-sonnet@20240620", "claude_3_5_sonnet"),
        ("zorblax-large-latest", "zorblax large"),
        ("acme/zorblax-9:free", "zorblax-9"),
    ],
)
def test_the_names_a_model_id_goes_by_are_searched(model: str, spelling: str) -> None:
    assert spelling in placeholders(study_terms({"model": [model]}, key=KEY))


def test_values_that_would_destroy_evidence_are_listed_with_a_reason_instead() -> None:
    searched = placeholders(study_terms(IDENTITIES, key=KEY))
    left = {(one.column, one.value): one.reason for one in unsearched_values(IDENTITIES)}
    assert set(left) == {
        ("arm", "no"),
        ("run_id", "20260725"),
        ("session_id", "12/0"),
        ("src_file", "session.jsonl"),
        ("author", "user"),
    }
    assert all(left.values())
    assert not {"no", "20260725", "12/0", "user", "session"} & set(searched)


def test_a_word_every_log_uses_is_searched_when_the_study_file_lists_it() -> None:
    assert "baseline" not in placeholders(study_terms({"arm": ["baseline"]}, key=KEY))
    assert "baseline" in placeholders(study_terms({"arm": ["baseline"]}, ["baseline"], key=KEY))
    assert [one.value for one in unsearched_values({"arm": ["baseline"]}, ["baseline"])] == ["baseline"]


def test_every_column_and_listed_term_is_searched_under_its_kind() -> None:
    terms = study_terms(IDENTITIES, ["housename"], key=KEY)
    kinds = {term.text: term.kind for term in terms if term.origin == "study"}
    assert kinds["zeppelin"] == "arm"
    assert kinds["run-1"] == kinds["logs#3"] == "run"
    assert kinds["fix-the-roof"] == "task"
    assert kinds["burrow-agent"] == kinds["burrow-agent/2.0.14"] == "agent"
    assert kinds["in/zeppelin/r1.traj.json"] == kinds["r1.traj.json"] == kinds["r1.traj"] == "file"
    assert kinds["anna bee"] == "person"
    assert kinds["housename"] == "term"
    assert kinds["acme"] == "vendor"
    assert study_terms({"colour": ["ultramarine"]}, key=KEY)[0].kind != ""
    assert {t.text: t.kind for t in study_terms({"colour": ["ultramarine"]}, key=KEY)}["ultramarine"] == "term"


def test_one_value_in_several_columns_is_one_thing() -> None:
    terms = study_terms({"arm": ["zeppelin"], "task_id": ["zeppelin"], "author": ["Zeppelin"]}, key=KEY)
    assert [term.kind for term in terms if term.text == "zeppelin"] == ["arm"]


def test_the_order_of_input_does_not_matter_and_the_key_does() -> None:
    mixed = {name: random.Random(1).sample(values, len(values)) for name, values in reversed(IDENTITIES.items())}
    assert study_terms(mixed, key=KEY) == study_terms(IDENTITIES, key=KEY)
    arms = {"arm": [f"quarter-{i}" for i in range(10)]}
    assert placeholders(study_terms(arms, key=KEY)) != placeholders(study_terms(arms, key=b"another"))
    numbers = [placeholders(study_terms(arms, key=KEY))[f"quarter-{i}"] for i in range(10)]
    assert numbers != sorted(numbers, key=lambda one: int(re.sub(r"\D", "", one)))


def test_placeholders_have_one_form_and_patterns_compile() -> None:
    for term in study_terms(IDENTITIES, ["housename"], key=KEY):
        assert PLACEHOLDER.fullmatch(term.placeholder_for("found"))
        assert term.kind in LABELS
    for pattern in PATTERNS:
        re.compile(pattern.expression)
        assert all(gate == gate.lower() for gate in pattern.gates)


def test_nulls_and_blanks_are_skipped() -> None:
    assert study_terms({"arm": ["", "  "]}, ["", " "], key=KEY) == study_terms({}, key=KEY)


@pytest.mark.parametrize("n", [9, 300, 5000])
def test_no_placeholder_spells_a_run_however_many_are_called_run_n(n: int) -> None:
    runs = [f"run-{i}" for i in range(n)]
    known = placeholders(study_terms({"run_id": runs}, key=KEY))
    shown = [known[run].lower() for run in runs]
    assert len(set(shown)) == n
    assert all(PLACEHOLDER.fullmatch(known[run]) for run in runs)
    searched = set(runs)
    for one in shown:
        assert not any(one[start:end] in searched for start in range(len(one)) for end in range(start, len(one)))
