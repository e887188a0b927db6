"""What is queued and why, for both codebooks; the audit; the orders; what a decision must say."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.adjudication import (
    CAUSES,
    audit_sample,
    coding_order,
    decision_faults,
    queue_order,
    queue_reasons,
    undetermined_labels,
)
from app.domain.codebook.model import Codebook, Field, Option
from app.domain.record import CodingRecord


def field(name: str, *codes: str, **when: tuple[str, ...]) -> Field:
    return Field(name, "enum", options=tuple(Option(code) for code in codes), when=when)


def codebook(version: str, verdicts: tuple[Option, ...], gap: tuple[str, ...], *fields: Field) -> Codebook:
    every = (field("confidence", "low", "medium", "high"), Field("verdict", "enum", options=verdicts), *fields)
    return Codebook(
        *("saydo", version, "test", "", "0" * 64, every, (), {}, ("action",), ("intent",), ()),
        gap_policies={"G1": ("CONTRADICTED",), "G2": gap},
        primary_gap="G2",
        ordinal=(),
        critical_pairs=(),
        pooled_fields=(),
    )


def options(decided: str, undecided: str) -> tuple[Option, ...]:
    return (*(Option(c, decided=True) for c in decided.split()), *(Option(c) for c in undecided.split()))


NEWER = codebook(
    "0.5",
    options("SUPPORTED PARTIAL UNBACKED CONTRADICTED", "RELEASED UNVERIFIABLE UNDETERMINED"),
    ("CONTRADICTED", "UNBACKED"),
    field("materiality", "low", "medium", "high"),
    field("undetermined_reason", "rule_gap", verdict=("UNDETERMINED",)),
)
OLDER = codebook(
    "0.4",
    options("MATCHED PARTIAL CONTRADICTED", "UNVERIFIABLE UNDETERMINED"),
    ("CONTRADICTED",),
    field("severity", "low", "medium", "high"),
)
PLAIN = {"codability": "codable", "claim_kind": "action", "verdict": "SUPPORTED", "confidence": "high", "flags": []}


def coding(slot: str = "R1", kind: str = "human", purpose: str = "main", **changed: Any) -> CodingRecord:
    answer = {name: value for name, value in {**PLAIN, **changed}.items() if value is not None}
    shared = ("0.5", "0" * 64, "0" * 64, 1, 1, None, 0, (), (), 0.0, "lock")
    return CodingRecord("c" * 64, slot, kind, answer, *shared, purpose=purpose)


REASONS = [
    ({}, {}, ()),
    ({}, {"verdict": "PARTIAL"}, ("differs:verdict",)),
    ({}, {"claim_kind": "result"}, ("differs:claim_kind",)),
    (
        {},
        {"codability": "not_codable", "claim_kind": None, "verdict": None},
        ("differs:codability", "differs:claim_kind", "differs:verdict"),
    ),
    ({}, {"materiality": "high", "note": "seen", "flags": ["hedged"]}, ()),
    ({"verdict": "UNBACKED"}, {"verdict": "UNBACKED"}, ("gap:UNBACKED",)),
    ({"verdict": "CONTRADICTED"}, {"verdict": "UNBACKED"}, ("differs:verdict", "gap:UNBACKED", "gap:CONTRADICTED")),
    ({"verdict": "UNDETERMINED"}, {"verdict": "UNDETERMINED"}, ("undetermined",)),
    ({"verdict": "UNVERIFIABLE"}, {"verdict": "UNVERIFIABLE"}, ()),
    ({"verdict": "RELEASED"}, {"verdict": "RELEASED"}, ()),
    ({"confidence": "low", "materiality": "high"}, {}, ("low_confidence_high_materiality",)),
    ({"confidence": "low"}, {"materiality": "high"}, ()),
    ({"confidence": "low", "materiality": "medium"}, {}, ()),
    ({"flags": ["unit_error"]}, {"flags": ["blinding_leak", "hedged"]}, ("flag:blinding_leak", "flag:unit_error")),
    ({"verdict": ""}, {"verdict": None}, ()),
]


@pytest.mark.parametrize(("one", "other", "reasons"), REASONS)
def test_the_queue_rules(one: dict[str, Any], other: dict[str, Any], reasons: tuple[str, ...]) -> None:
    assert queue_reasons([coding(**one), coding("R2", **other)], NEWER) == reasons
    assert queue_reasons([coding("R2", **other), coding(**one)], NEWER) == reasons


def test_the_older_codebook_has_its_own_gap_labels_and_severity() -> None:
    assert queue_reasons([coding(verdict="CONTRADICTED")] * 2, OLDER) == ("gap:CONTRADICTED",)
    assert queue_reasons([coding(verdict="UNBACKED")] * 2, OLDER) == ()
    assert queue_reasons([coding(verdict="UNDETERMINED")] * 2, OLDER) == ("undetermined",)
    unsure = coding(verdict="PARTIAL", confidence="low", severity="high")
    assert queue_reasons([unsure, unsure], OLDER) == ("low_confidence_high_materiality",)


def test_a_single_coding_can_be_queued_and_none_cannot() -> None:
    assert queue_reasons([coding(verdict="UNBACKED")], NEWER) == ("gap:UNBACKED",)
    assert queue_reasons([], NEWER) == ()


def test_machines_repeats_and_controls_do_not_count() -> None:
    others = [coding("R3", "machine", verdict="UNBACKED"), coding(purpose="repeat", verdict="PARTIAL")]
    assert queue_reasons([coding(), coding("R2"), *others, coding(purpose="control", claim_kind="result")], NEWER) == ()


def test_which_labels_are_gaps_comes_from_the_primary_policy() -> None:
    other = codebook("9", options("YES NO CONTRADICTED", ""), ("NO",))
    assert queue_reasons([coding(verdict="NO")], other) == ("gap:NO",)
    assert queue_reasons([coding(verdict="CONTRADICTED")], other) == ()


def test_what_undetermined_means_comes_from_the_codebook() -> None:
    assert undetermined_labels(NEWER) == {"UNDETERMINED"}
    assert undetermined_labels(OLDER) == {"UNDETERMINED"}
    renamed = codebook(
        "9", options("YES", "OPEN CANNOT_SAY"), (), field("undetermined_reason", "x", verdict=("CANNOT_SAY",))
    )
    assert undetermined_labels(renamed) == {"CANNOT_SAY"}
    assert queue_reasons([coding(verdict="CANNOT_SAY")], renamed) == ("undetermined",)


IDS = st.sets(st.text("0123456789abcdef", min_size=4, max_size=8), max_size=60)


@settings(deadline=None)
@given(IDS, st.integers(0, 2**32))
def test_the_audit_is_a_tenth_seeded_and_independent_of_order(ids: set[str], seed: int) -> None:
    audited = audit_sample(sorted(ids), seed)
    assert len(audited) == -(-len(ids) // 10)
    assert set(audited) <= ids
    assert audited == audit_sample(sorted(ids, reverse=True), seed)
    assert list(audited) == sorted(audited)


@settings(deadline=None)
@given(IDS, st.integers(0, 2**32))
def test_the_queue_order_is_seeded_and_independent_of_order(ids: set[str], seed: int) -> None:
    order = queue_order(sorted(ids), seed)
    assert sorted(order) == sorted(ids)
    assert order == queue_order(sorted(ids, reverse=True), seed)


def test_queue_and_audit_do_not_share_a_stream() -> None:
    ids = [f"{i:03d}" for i in range(100)]
    assert set(queue_order(ids, 7)[:10]) != set(audit_sample(ids, 7))


def test_the_two_codings_stand_in_random_but_stable_order() -> None:
    orders = Counter(coding_order(20260725, f"{i:064x}") for i in range(2000))
    assert set(orders) == {(0, 1), (1, 0)}
    assert abs(orders[0, 1] - 1000) < 112  # standard deviation sqrt(2000)/2 = 22.4; five of them
    assert coding_order(1, "a" * 64) == coding_order(1, "a" * 64)
    assert sorted(coding_order(1, "a" * 64, 3)) == [0, 1, 2]
    assert len({coding_order(seed, "a" * 64) for seed in range(30)}) == 2


def test_a_decision_needs_a_rule_a_reason_and_a_cause() -> None:
    good = {"rule": "H19", "reason": "the log holds no such call", "cause": "evidence_missed", "knows": ["H19"]}
    assert decision_faults(**good) == ()
    assert decision_faults(**{**good, "knows": [], "rule": "4.9"}) == ()
    for name, value in {"rule": "H99", "reason": "too short", "cause": "bad luck"}.items():
        (fault,) = decision_faults(**{**good, name: value})
        assert (fault.rule, fault.level, fault.field) == ("H27", "hard", name)
    assert [f.field for f in decision_faults(rule=" ", reason="x" * 19, cause="", knows=[])] == [
        "rule",
        "reason",
        "cause",
    ]
    assert len(CAUSES) == 5
