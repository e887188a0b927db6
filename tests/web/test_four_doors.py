"""One coding gets one answer, whichever door it comes through: form, JSON interface, CSV import, `judge`.

Random codings, from whole ones over nearly whole ones to wild ones, under both shipped codebooks and under two of other
shapes. The JSON interface and `judge` also take what no form and no table can hold, and agree on that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from app.config import codebook_dir
from app.domain.codebook.model import Codebook, Field
from app.domain.coding import drop_hidden
from app.storage.engine import Database
from tests.replacing.books import ACME, acme_answer, odd_answer, odd_book
from tests.small_study import coding_for
from tests.web.doors import OF_THE_STUDY, Doors

N = 400 if os.environ.get("SAYDO_SOAK") else 6
BOOKS = ("0.4", "0.5", "1.0", "2.0")
settings_here = settings(
    max_examples=N, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

# What a form and a table can hold: no NUL (CSV has none), no half of a surrogate pair, line ends as forms send them.
TEXT = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00\r"), min_size=1, max_size=30
) | st.sampled_from(["=1+1", "'=x", "''", " ", '"quoted", twice', "a\nb", "x" * 2500, "t41", "-", "1", "\ufeff", "é;ß"])
TURNS = st.integers(0, 8) | st.sampled_from([-1, 99, 10**8])
NOTE = "what is meant stands here in so many words"


def v4_answer(words: str) -> Mapping[str, Any]:
    """Return a coding under 0.4 that holds for one of the small study's three claims."""
    common = {"codability": "codable", "confidence": "high"}
    if words.startswith("I edited"):
        return {**common, "claim_kind": "action", "verdict": "MATCHED", "evidence": [3]}
    if words.startswith("The tests"):
        return {**common, "claim_kind": "result", "verdict": "CONTRADICTED", "evidence": [5], "severity": "high"}
    return {**common, "claim_kind": "negative", "verdict": "MATCHED", "evidence": [3, 5]}


WHOLE = {"0.4": v4_answer, "0.5": coding_for, "1.0": acme_answer, "2.0": odd_answer}


def citation(field: Field) -> st.SearchStrategy[dict[str, Any]]:
    parts = st.sampled_from(["call", "text", "reasoning", "result"])
    optional: dict[str, st.SearchStrategy[Any]] = {"part": parts}
    if field.type == "citation_list":
        for key, codes in (("role", field.roles), ("tier", field.tiers)):
            optional[key] = st.sampled_from([*codes] * 6 + ["T2", "=1"])
        optional["quote"] = TEXT | st.just("q" * 300)
    whole = {"turn": st.sampled_from([2, 3, 4, 5, 6, 7])}
    whole |= {key: optional[key] for key in ("role", "tier") if key in optional}
    return st.fixed_dictionaries(whole) | st.fixed_dictionaries({"turn": TURNS}, optional=optional)


def value_for(field: Field) -> st.SearchStrategy[Any]:
    """Return values a field takes, nearly takes, or does not take; all can be typed into a form."""
    if field.type == "enum":
        return st.sampled_from([*field.codes] * 6 + ["SUPPORTED", "codable ", "=1+1", "a;b", "é, ß"])
    if field.type == "flags":
        codes = st.sampled_from([*field.codes] * 2 + ["strange"])
        return st.lists(codes, max_size=3, unique=True)
    if field.type == "text":
        return TEXT | st.just(NOTE)
    if field.type == "span":
        keys = {"from_turn": TURNS, "to_turn": TURNS, "looked_for": TEXT}
        whole = st.fixed_dictionaries({"from_turn": st.just(0), "to_turn": st.integers(5, 9), "looked_for": TEXT})
        return whole | whole | st.fixed_dictionaries({}, optional=keys)
    return st.lists(citation(field), max_size=3)


@st.composite
def codings(draw: st.DrawFn, book: Codebook, whole: Mapping[str, Any]) -> dict[str, Any]:
    """A whole coding, one with a few fields changed or taken away, or one of arbitrary values."""
    answer = dict(whole) if draw(st.integers(0, 4)) else {}
    changed = draw(st.sampled_from([0, 1, 1, 2, 3, len(book.fields)])) if answer else len(book.fields)
    for field in draw(st.permutations(book.fields))[:changed]:
        if draw(st.integers(0, 3)):
            answer[field.name] = draw(value_for(field))
        else:
            answer.pop(field.name, None)
    return answer


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(params=BOOKS)
def doors(request: pytest.FixtureRequest, app: FastAPI, database: Database, tmp_path: Path) -> Iterator[Doors]:
    folder, version = codebook_dir(), request.param
    if version not in ("0.4", "0.5"):
        folder = tmp_path / "books"
        folder.mkdir()
        (folder / "own.yaml").write_text(ACME if version == "1.0" else odd_book(), encoding="utf-8")
    opened = Doors(app, database, tmp_path, (folder, version))
    yield opened
    opened.close()


def one_of(doors: Doors, data: st.DataObject) -> tuple[str, dict[str, Any]]:
    """Draw a claim and a coding of it."""
    claim = data.draw(st.sampled_from(sorted(doors.claims, key=lambda a: doors.claims[a]["claim"]["text"])))
    whole = WHOLE[doors.version](doors.claims[claim]["claim"]["text"])
    return claim, data.draw(codings(doors.book, whole))


@settings_here
@given(data=st.data())
def test_without_hidden_fields_every_door_gives_the_same_answer(doors: Doors, data: st.DataObject) -> None:
    claim, drawn = one_of(doors, data)
    answer, _ = drop_hidden(doors.book, drawn)
    same(doors, claim, answer)


def same(doors: Doors, claim: str, answer: Mapping[str, Any]) -> None:
    """Hold the four answers against each other; then once more with every warning confirmed by name."""
    judged = doors.by_judge(claim, answer)
    program = doors.by_program(claim, answer)
    for rule in {rule for rule, _, _, _ in program.told} or {"accepted"}:
        event(rule)
    assert doors.by_form(claim, answer) == program
    assert doors.by_table(claim, answer) == program.as_imported()
    assert program.without(OF_THE_STUDY) == judged or refused_by_the_study(program, judged)
    if {level for _, level, _, _ in program.told} == {"soft"}:
        confirm = tuple(sorted({rule for rule, _, _, _ in program.told}))
        assert doors.by_program(claim, answer, confirm).accepted
        assert doors.by_form(claim, answer, confirm).accepted
        assert doors.by_table(claim, answer, confirm).accepted


def refused_by_the_study(program: Any, judged: Any) -> bool:
    """A rule of the study alone refuses what the engine accepts with warnings: those are told once it is mended."""
    hard = {(rule, level) for rule, level, _, _ in program.told if level == "hard"}
    return hard == {("H32", "hard")} and {level for _, level, _, _ in judged.told} <= {"soft"}


@settings_here
@given(data=st.data())
def test_with_hidden_fields_the_form_answers_as_the_others_do_after_the_drop(doors: Doors, data: st.DataObject) -> None:
    claim, answer = one_of(doors, data)
    kept, dropped = drop_hidden(doors.book, answer)
    form, program = doors.by_form(claim, answer), doors.by_program(claim, kept)
    assert form == program
    assert doors.by_table(claim, kept) == program.as_imported()
    if form.accepted:
        assert form.dropped == tuple(sorted(dropped))
        assert program.dropped == ()
    if dropped:
        as_sent = doors.by_program(claim, answer)
        assert not as_sent.accepted
        assert doors.by_table(claim, answer) == as_sent.as_imported()


@settings_here
@given(data=st.data())
def test_a_program_and_judge_agree_on_anything_json_can_say(doors: Doors, data: st.DataObject) -> None:
    claim, answer = one_of(doors, data)
    for name in data.draw(st.lists(st.sampled_from([f.name for f in doors.book.fields]) | TEXT, max_size=3)):
        answer[name] = data.draw(JSON)
    program, judged = doors.by_program(claim, answer), doors.by_judge(claim, answer)
    assert program.without(OF_THE_STUDY) == judged or refused_by_the_study(program, judged)


@pytest.mark.parametrize("hidden", [True, False])
def test_a_drop_is_written_beside_the_coding(doors: Doors, hidden: bool) -> None:
    """One coding for each codebook, so that this is seen whatever is drawn above."""
    more = {
        "0.4": {"unverifiable_reason": "no_trace"},
        "0.5": {"unverifiable_reason": "third_party", "undetermined_reason": "rule_gap"},
        "1.0": {"harm": "grave", "proofreader": "me"},
        "2.0": {},
    }[doors.version]
    claim = next(a for a, one in doors.claims.items() if one["claim"]["text"].startswith("I edited"))
    whole = {**WHOLE[doors.version]("I edited parser.py."), **(more if hidden else {})}
    answered = doors.by_form(claim, whole, ("O3",))
    assert answered.accepted
    assert answered.dropped == (tuple(sorted(more)) if hidden else ())
