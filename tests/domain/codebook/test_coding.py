"""One canonical form of an answer, what the form hides, and what is derived for the screen."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.codebook.model import Field
from app.domain.codebook.rules import judge
from app.domain.coding import drop_hidden, due_point, intent_window, kind_class, label_of, normalise, shown_fields
from app.domain.errors import BadInput
from tests.domain.codebook.boundary_cases import CASES
from tests.domain.codebook.little_runs import act, agent, cite, claim, run, saydo, span, user, v4, v5

# Properties, not timings: a busy machine must not turn them red.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 30) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["turn", "role", "tier"]), inner),
    max_leaves=6,
)
NAMES = st.sampled_from([field.name for v in ("0.4", "0.5") for field in saydo(v).fields] + ["strange"])


def codings(version: str) -> st.SearchStrategy[dict[str, Any]]:
    """Codings whose fields hold listed values most of the time."""
    listed = {
        f.name: st.sampled_from(f.codes) | VALUES for f in saydo(version).fields if f.options and f.type == "enum"
    }
    evidence = st.lists(
        st.fixed_dictionaries(
            {"turn": st.integers(0, 8)},
            optional={
                "role": st.sampled_from(["supports", "conflicts", "context"]),
                "tier": st.sampled_from(["T1", "T4"]),
            },
        ),
        max_size=3,
    )
    flags = st.lists(st.sampled_from(["hedged", "other", "window_dispute", "later_reveals"]), max_size=3)
    rest = {"evidence": evidence, "flags": flags, "note": st.text(max_size=30), "strange": VALUES}
    return st.fixed_dictionaries({}, optional={**listed, **rest})


@unhurried
@given(st.dictionaries(NAMES, VALUES))
def test_normalising_twice_changes_nothing(answer: dict[str, Any]) -> None:
    once = normalise(answer)
    assert normalise(once) == once
    assert list(once) == sorted(once)
    assert all(value not in (None, "", []) for value in once.values())


def test_the_canonical_order_of_citations_and_flags() -> None:
    sent = {
        "flags": ["other", "hedged", "other"],
        "evidence": [
            cite("supports", 9),
            {"turn": 4, "role": "supports", "quote": ""},
            cite("context", 9, "T2", part=None),
        ],
    }
    assert normalise(sent) == {
        "evidence": [
            {"role": "supports", "turn": 4},
            {"role": "context", "tier": "T2", "turn": 9},
            cite("supports", 9),
        ],
        "flags": ["hedged", "other"],
    }


def test_a_span_of_nothing_is_absent() -> None:
    assert normalise({"search_span": {"from_turn": None, "to_turn": None, "looked_for": ""}}) == {}
    assert normalise({"search_span": span(0, 9)}) == {"search_span": span(0, 9)}


@unhurried
@given(codings("0.5"))
def test_what_is_dropped_is_what_h33_and_h01_refuse(answer: dict[str, Any]) -> None:
    """The form's answer equals the others' after the drop, and after it nothing is left that does not belong."""
    kept, dropped = drop_hidden(saydo("0.5"), answer)
    the_run, the_claim = run(user(0), act(1, "ls", "a"), agent(5)), claim(5, "x")
    before = judge(saydo("0.5"), the_run, the_claim, answer)
    misplaced = {v.field for v in before.violations if v.rule == "H33"}
    assert set(dropped) - {"claim_kind", "verdict"} == misplaced
    after = judge(saydo("0.5"), the_run, the_claim, kept)
    assert "H33" not in {v.rule for v in after.violations}
    assert drop_hidden(saydo("0.5"), kept) == (kept, ())


@unhurried
@given(codings("0.4"))
def test_an_answer_without_hidden_fields_is_judged_alike_before_and_after_the_drop(answer: dict[str, Any]) -> None:
    kept, dropped = drop_hidden(saydo("0.4"), answer)
    the_run, the_claim = run(user(0), act(1, "ls", "a"), agent(5)), claim(5, "x")
    if not dropped:
        assert judge(saydo("0.4"), the_run, the_claim, answer) == judge(saydo("0.4"), the_run, the_claim, kept)


@unhurried
@given(codings("0.5"))
def test_the_same_payload_gets_the_same_answer_through_json(answer: dict[str, Any]) -> None:
    the_run, the_claim = run(user(0), act(1, "ls", "a"), agent(5)), claim(5, "x")
    padded = {**{field.name: None for field in saydo("0.5").fields}, **answer}
    through_json = json.loads(json.dumps(padded))
    assert judge(saydo("0.5"), the_run, the_claim, through_json) == judge(saydo("0.5"), the_run, the_claim, answer)


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_the_form_shows_every_field_of_every_accepted_case(version: str) -> None:
    for case in CASES:
        answer = normalise(case.v4 if version == "0.4" else case.v5)
        assert set(answer) <= shown_fields(saydo(version), answer)


def test_the_drop_follows_conditions_through() -> None:
    kept, dropped = drop_hidden(saydo("0.5"), {**v5("action", "UNVERIFIABLE"), "unverifiable_reason": "third_party"})
    assert dropped == ()
    kept, dropped = drop_hidden(saydo("0.5"), {**kept, "codability": "not_codable"})
    assert set(dropped) == {"claim_kind", "materiality", "verdict", "unverifiable_reason"}
    assert kept == {"codability": "not_codable", "confidence": "high"}


def test_a_condition_that_leads_back_to_its_own_field_never_holds() -> None:
    """No file with such a cycle loads; a codebook built in code must not exhaust the stack either."""
    loop = tuple(Field(name, "text", when={other: ("x",)}) for name, other in (("a", "b"), ("b", "a")))
    assert shown_fields(replace(saydo("0.5"), fields=loop), {"a": "x", "b": "x"}) == frozenset()


def test_the_label_is_the_verdict_or_not_codable() -> None:
    assert label_of(v5("action", "PARTIAL")) == "PARTIAL"
    assert label_of({"codability": "not_codable", "verdict": "PARTIAL"}) == "not_codable"
    for nothing in ({}, {"verdict": ""}, {"verdict": 7}):
        with pytest.raises(BadInput, match="no verdict"):
            label_of(nothing)


def test_kinds_look_back_or_ahead() -> None:
    assert kind_class(saydo("0.5"), "restraint") == "backward"
    assert kind_class(saydo("0.4"), "intent") == "intent"
    assert kind_class(saydo("0.4"), "restraint") is None
    assert kind_class(saydo("0.5"), None) is None


def test_the_due_point_is_the_claim_or_the_windows_end() -> None:
    the_run, the_claim = run(agent(3), act(4, "x", "y"), user(9), agent(10)), claim(3, "x")
    assert due_point(saydo("0.5"), the_run, the_claim, "action") == 3
    assert due_point(saydo("0.5"), the_run, the_claim, "intent") == 9
    assert due_point(saydo("0.4"), the_run, the_claim, "intent") == 10
    window = intent_window(saydo("0.5"), the_run, the_claim)
    assert (window.first, window.last, window.closes_by) == (4, 9, "user_turn")


def test_a_coding_of_04_has_the_same_canonical_evidence_as_a_mapping() -> None:
    assert normalise(v4("result", "MATCHED", 9, 4))["evidence"] == [{"turn": 4}, {"turn": 9}]
