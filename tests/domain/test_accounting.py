"""Accounting: every claim in one state, sums that are checked, records that contradict themselves refused."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from app.domain.accounting import account, checked_sum, human_slots, list_cases
from app.domain.errors import BadInput, Refused
from app.domain.record import StudyRecord
from app.domain.stats.pooling import CONSOLIDATING, STATES
from tests.domain.export.records import answer, claim, coding, decision, patient, record, records

S, P, U = answer("SUPPORTED"), answer("PARTIAL"), answer("UNBACKED")


def worked() -> StudyRecord:
    """One claim in each state, a second agreed one that was audited, and one repeat."""
    claims = [claim(key) for key in ("a1", "a2", "b1", "c1", "d1", "d2")]
    claims += [claim("e1", status="paused"), claim("f1", status="withdrawn", repeat_of="a1")]
    codings = [
        *(coding(key, slot, S) for key in ("a1", "a2", "e1") for slot in ("R1", "R2")),
        coding("b1", "R1", S),
        coding("b1", "R2", P),
        coding("c1", "R2", U),
        coding("d1", "R1", S),
        coding("d1", "R2", U),
    ]
    decisions = [decision("a2", U, selected_by=("audit",)), decision("b1", U), decision("b1", P, "provisional")]
    return record(claims, codings, decisions)


def test_a_worked_study_sums() -> None:
    made = worked()
    found = account(list_cases(made), made.codebook.ordinal, "P1")
    states = {name: found[name] for name in STATES}
    assert states == {"agreed": 2, "adjudicated": 1, "single_coded": 1, "open": 2, "paused": 1, "withdrawn": 1}
    assert (found["sampled"], found["audited"], found["repeats"]) == (8, 1, 1)
    assert found["pooled_labels"] == {"SUPPORTED": 2, "UNBACKED": 2}
    assert found["null_by_reason"] == {"open": 2, "paused": 1, "withdrawn": 1}
    assert found["by_policy"]["P6"]["labels"] == {"SUPPORTED": 1, "UNBACKED": 3}
    assert found["by_policy"]["P5"]["null"] == {"no_agreement": 2, "open": 1, "paused": 1, "single": 1, "withdrawn": 1}
    assert found["sums"][0]["text"] == (
        "8 sampled = 2 agreed + 1 adjudicated + 1 single_coded + 2 open + 1 paused + 1 withdrawn"
    )


@patient
@given(records())
def test_every_sum_holds_for_any_study(made: StudyRecord) -> None:
    cases = list_cases(made)
    for policy in CONSOLIDATING:
        found = account(cases, made.codebook.ordinal, policy)
        assert sum(found[name] for name in STATES) == found["sampled"] == len(made.claims)
        assert sum(found["pooled_labels"].values()) + sum(found["null_by_reason"].values()) == found["sampled"]
        assert all(line["holds"] for line in found["sums"])


@patient
@given(records())
def test_the_order_of_the_record_does_not_matter(made: StudyRecord) -> None:
    rng = random.Random(7)
    shuffled = {name: rng.sample(getattr(made, name), len(getattr(made, name))) for name in ("claims", "codings")}
    again = StudyRecord(**{**vars(made), **{name: tuple(rows) for name, rows in shuffled.items()}})
    assert list_cases(again) == list_cases(made)


def test_a_sum_that_does_not_hold_is_refused_with_the_sum_written_out() -> None:
    with pytest.raises(Refused, match=r"3 sampled = 1 agreed \+ 1 open"):
        checked_sum("sampled", 3, {"agreed": 1, "open": 1})


def test_hidden_repeats_controls_and_calibration_are_no_part_of_it() -> None:
    claims = [claim("a1"), claim("b1"), claim("c1")]
    codings = [
        coding("a1", "R1", S),
        coding("a1", "R1", U, purpose="repeat"),
        coding("b1", "R1", U, purpose="control"),
        coding("b1", "R2", U, purpose="calibration"),
    ]
    cases = list_cases(record(claims, codings))
    assert [(case.claim.blind_claim_id, len(case.codings)) for case in cases] == [("a1", 1), ("c1", 0)]


def test_a_machine_rater_is_set_apart() -> None:
    made = record([claim("a1")], [coding("a1", "R1", S), coding("a1", "R9", U, kind="machine")])
    (case,) = list_cases(made)
    assert ([c.slot for c in case.codings], [c.slot for c in case.machine]) == (["R1"], ["R9"])
    assert human_slots(made) == ("R1", "R2")


def test_the_newest_decision_counts() -> None:
    early, late = decision("a1", S, created_seconds=10.0), decision("a1", U, created_seconds=20.0)
    for decisions in ([early, late], [late, early]):
        (case,) = list_cases(record([claim("a1")], [coding("a1", "R1", S), coding("a1", "R2", P)], decisions))
        assert case.final is late


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (record([claim("a1"), claim("a1")], []), "claim a1 stands twice"),
        (record([claim("a1")], [coding("b1", "R1", S)]), "claim b1 by R1 is of no claim"),
        (record([claim("a1")], [coding("a1", "R1", S), coding("a1", "R1", P)]), "two current codings by R1"),
        (record([claim("a1")], [coding("a1", "R1", S, codebook_version="0.4")]), "under codebook 0.4"),
        (record([claim("a1")], [coding("a1", "R1", answer("MATCHED"))]), "label 'MATCHED'"),
        (record([claim("a1")], [coding("a1", "R1", {"codability": "codable"})]), "neither verdict nor not_codable"),
        (
            record([claim("a1")], [coding("a1", "R1", S)], slots={"R2": "human"}),
            "a slot that study pilot-1 does not have",
        ),
        (record([claim("a1")], [], [decision("b1", S)]), "final decision on claim b1 is of no claim"),
        (record([claim("a1")], [], [decision("a1", answer("MATCHED"))]), "no label of codebook 0.5"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused_in_a_sentence(made: StudyRecord, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        list_cases(made)
