"""Pooling policies and gap rates: what each makes of hand-made claims, and what holds for any."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.domain.stats.check.pooling_plain import claim_state, pooled
from app.domain.stats.gaps import Labelled, gap_rows, is_gap, released_labels
from app.domain.stats.pooling import CONSOLIDATING, STATES, Ballot, pool, state
from tests.domain.export.records import codebook, other_codebook, patient

ORDINAL = ("CONTRADICTED", "UNBACKED", "PARTIAL", "SUPPORTED")
LABELS = (*ORDINAL, "RELEASED", "UNVERIFIABLE", "UNDETERMINED", "not_codable")

# (labels, final) → label, basis, reason under P1, P2, P3, P5, P6; each worked by hand from the definitions:
# P1 unanimous else adjudicated; P2 more than half; P3 lowest of the order, null with any label outside it;
# P5 agreement of two or more; P6 the adjudicator's label wherever there is one.
CASES = [
    (("PARTIAL", "PARTIAL"), None, ["PARTIAL"] * 5, ["unanimous"] * 5, [None] * 5),
    (
        ("PARTIAL", "SUPPORTED"),
        None,
        [None, None, "PARTIAL", None, None],
        ["open", "open", "lowest", "open", "open"],
        ["open", "no_majority", None, "no_agreement", "open"],
    ),
    (
        ("PARTIAL", "SUPPORTED"),
        "UNBACKED",
        ["UNBACKED", None, "PARTIAL", None, "UNBACKED"],
        ["adjudicated", "open", "lowest", "open", "adjudicated"],
        [None, "no_majority", None, "no_agreement", None],
    ),
    (
        ("SUPPORTED", "SUPPORTED"),
        "CONTRADICTED",
        ["SUPPORTED", "SUPPORTED", "SUPPORTED", "SUPPORTED", "CONTRADICTED"],
        ["unanimous", "unanimous", "unanimous", "unanimous", "adjudicated"],
        [None] * 5,
    ),
    (
        ("UNDETERMINED", "SUPPORTED", "SUPPORTED"),
        None,
        [None, "SUPPORTED", None, None, None],
        ["open", "majority", "open", "open", "open"],
        ["open", None, "undecided", "no_agreement", "open"],
    ),
    (
        ("not_codable",),
        None,
        ["not_codable", "not_codable", None, None, "not_codable"],
        ["single", "single", "open", "open", "single"],
        [None, None, "undecided", "single", None],
    ),
    ((), None, [None] * 5, ["open"] * 5, ["open"] * 5),
]


@pytest.mark.parametrize(("labels", "final", "expected", "bases", "reasons"), CASES)
def test_each_policy_on_a_worked_claim(labels, final, expected, bases, reasons) -> None:
    outcomes = [pool(policy, Ballot(labels, final), ORDINAL) for policy in CONSOLIDATING]
    assert [o.label for o in outcomes] == expected
    assert [o.basis for o in outcomes] == bases
    assert [o.null_reason for o in outcomes] == reasons


def test_two_against_two_is_no_majority() -> None:
    ballot = Ballot(("PARTIAL", "PARTIAL", "SUPPORTED", "SUPPORTED"))
    assert pool("P2", ballot, ORDINAL).null_reason == "no_majority"


@pytest.mark.parametrize("status", ["paused", "withdrawn"])
@pytest.mark.parametrize("policy", CONSOLIDATING)
def test_a_claim_out_of_the_sample_has_no_label_and_says_why(policy: str, status: str) -> None:
    outcome = pool(policy, Ballot(("PARTIAL", "PARTIAL"), "PARTIAL", status), ORDINAL)
    assert (outcome.label, outcome.null_reason) == (None, status)


@pytest.mark.parametrize("policy", ["P4", "P7", ""])
def test_a_policy_without_one_label_a_claim_is_refused(policy: str) -> None:
    with pytest.raises(BadInput, match="choose one of P1, P2, P3, P5, P6"):
        pool(policy, Ballot(("PARTIAL",)), ORDINAL)


ballots = st.builds(
    Ballot,
    st.lists(st.sampled_from(LABELS), max_size=4).map(tuple),
    st.one_of(st.none(), st.sampled_from(LABELS)),
    st.sampled_from(["sampled", "sampled", "sampled", "paused", "withdrawn"]),
)


@patient
@given(ballots, st.sampled_from(CONSOLIDATING))
def test_a_null_has_a_reason_and_a_label_has_none(ballot: Ballot, policy: str) -> None:
    outcome = pool(policy, ballot, ORDINAL)
    assert (outcome.label is None) == (outcome.null_reason is not None)
    assert (outcome.label is None) == (outcome.basis == "open")
    assert outcome.label is None or outcome.label in (*ballot.labels, ballot.final)


@patient
@given(ballots, st.sampled_from(CONSOLIDATING), st.randoms(use_true_random=False))
def test_the_order_of_the_raters_does_not_matter(ballot: Ballot, policy: str, rng) -> None:
    shuffled = list(ballot.labels)
    rng.shuffle(shuffled)
    assert pool(policy, ballot, ORDINAL) == pool(policy, Ballot(tuple(shuffled), ballot.final, ballot.status), ORDINAL)


@patient
@given(ballots, st.sampled_from(CONSOLIDATING))
def test_the_second_implementation_pools_the_same(ballot: Ballot, policy: str) -> None:
    outcome = pool(policy, ballot, ORDINAL)
    again = pooled(policy, list(ballot.labels), ballot.final, ballot.status, list(ORDINAL))
    assert again == (outcome.label, outcome.basis, outcome.null_reason)
    assert claim_state(list(ballot.labels), ballot.final, ballot.status) == state(ballot)
    assert state(ballot) in STATES


def rate(rows: list, **where: str) -> tuple:
    found = [row for row in rows if all(row[key] == value for key, value in where.items())]
    assert len(found) == 1
    return found[0]["num"], found[0]["den"], found[0]["value"]


# Six backward claims: SUPPORTED, PARTIAL, UNBACKED, CONTRADICTED, UNVERIFIABLE, not_codable (no kind); three intents:
# SUPPORTED, UNBACKED, RELEASED; one open claim; the CONTRADICTED one is a repeat.
WORKED = [
    Labelled("SUPPORTED", "action", False),
    Labelled("PARTIAL", "action", False),
    Labelled("UNBACKED", "result", False),
    Labelled("CONTRADICTED", "action", True),
    Labelled("UNVERIFIABLE", "result", False),
    Labelled("not_codable", None, False),
    Labelled("SUPPORTED", "intent", False),
    Labelled("UNBACKED", "intent", False),
    Labelled("RELEASED", "intent", False),
    Labelled(None, None, False),
]


def test_gap_rates_of_a_worked_study() -> None:
    rows = gap_rows(codebook(), "P1", WORKED)
    backward = {"claims": "backward", "repeats_of": "all"}
    assert rate(rows, gap="G1", denominator="decided", **backward) == (1, 4, 0.25)
    assert rate(rows, gap="G2", denominator="decided", **backward) == (2, 4, 0.5)
    assert rate(rows, gap="G3", denominator="decided", **backward) == (3, 4, 0.75)
    assert rate(rows, gap="G4", denominator="decided", **backward) == (1.5, 4, 0.375)
    assert rate(rows, gap="G2", denominator="codable", **backward) == (2, 5, 0.4)
    assert rate(rows, gap="G2", denominator="decided", claims="backward", repeats_of="first") == (1, 3, 1 / 3)
    intents = {"claims": "intents", "repeats_of": "all", "gap": "G2"}
    assert rate(rows, denominator="decided", **intents) == (1, 2, 0.5)
    assert rate(rows, denominator="decided_or_released", **intents) == (1, 3, 1 / 3)
    assert rate(rows, gap="G2", denominator="sampled", claims="all", repeats_of="all") == (3, 10, 0.3)
    assert rate(rows, gap="G2", denominator="codable", claims="all", repeats_of="all") == (3, 8, 0.375)
    assert rate(rows, gap="G2", denominator="sampled", claims="kind_open", repeats_of="all") == (0, 2, 0.0)


def test_an_empty_denominator_is_undefined_with_its_reason() -> None:
    for row in gap_rows(codebook(), "P1", []):
        assert (row["den"], row["value"], row["undefined_reason"]) == (0, None, "empty_denominator")


def test_what_decides_nothing_is_no_gap_and_not_no_gap() -> None:
    book = codebook()
    assert is_gap(book, "G2", "UNDETERMINED") is None
    assert is_gap(book, "G2", "not_codable") is None
    assert is_gap(book, "G2", None) is None
    assert is_gap(book, "G2", "UNBACKED") is True
    assert is_gap(book, "G1", "UNBACKED") is False


def test_nothing_depends_on_the_names_of_the_labels() -> None:
    book = other_codebook()
    claims = [Labelled("ja", "tat", False), Labelled("halb", "tat", False), Labelled("nein", "tat", False)]
    rows = gap_rows(book, "P1", claims)
    where = {"claims": "backward", "repeats_of": "all", "denominator": "decided"}
    assert [row["gap"] for row in rows[:12:4]] == ["G1", "G2", "G4"]
    assert rate(rows, gap="G2", **where)[:2] == (2, 3)
    assert math.isclose(rate(rows, gap="G4", **where)[0], 1.3)
    assert released_labels(book) == frozenset()
    assert released_labels(codebook()) == {"RELEASED"}
