"""Gates come from counted artefacts: met, not met, or not yet applicable; never a tick."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.gates import NO_RECORD, Gate, StudyFacts, gates_of
from app.domain.qualification import Grade, Step
from app.domain.rater_standing import NO_SET, QualificationRecord, RaterStanding

FACTS = StudyFacts(
    n_inputs=3,
    n_claims=6,
    n_runs=2,
    n_runs_declared=2,
    n_packets=2,
    scan_is_current=True,
    n_findings=1,
    n_unwaived=0,
    published_at="2026-07-25T09:00:00.000000Z",
    n_coded={"R1": (6, 6), "R2": (5, 6)},
    n_locks=1,
    queue=None,
    closed_at=None,
    registration_sha256="0" * 64,
    thresholds={"kappa": 0.7, "kappa_lower": 0.6, "codability": 0.7, "intra_rater": 0.8},
)


def met(facts: StudyFacts) -> dict[str, bool | None]:
    return {gate.name: gate.met for gates in gates_of(facts).values() for gate in gates}


def test_what_is_counted_decides() -> None:
    found = met(FACTS)
    assert (found["leak scan"], found["R1 coded"], found["R2 coded"], found["packets locked"]) == (
        True,
        True,
        False,
        False,
    )
    assert (found["kappa of the verdict"], found["queue decided"], found["closed"]) == (None, None, None)


@pytest.mark.parametrize(
    ("change", "gate", "expected"),
    [
        ({"scan_is_current": False}, "leak scan", False),
        ({"n_unwaived": 1}, "leak scan", False),
        ({"n_runs_declared": 1}, "coverage maps", False),
        ({"several_roles": (("custodian", "lead"),)}, "role separation", False),
        ({"n_packets": 0}, "leak scan", None),
        ({"queue": (3, 3)}, "queue decided", True),
        ({"queue": (2, 3)}, "queue decided", False),
    ],
)
def test_a_missing_artefact_is_not_met(change: dict, gate: str, expected: bool | None) -> None:
    assert met(replace(FACTS, **change))[gate] is expected


def test_the_lower_bound_and_codability_gate_as_well_as_kappa() -> None:
    reached = {"kappa": (0.72, None), "kappa_lower": (0.57, None), "codability": (None, "single_category_used")}
    found = met(replace(FACTS, reliability=reached))
    assert found["kappa of the verdict"] is True
    assert found["lower 95 % bound of that kappa"] is False
    assert found["kappa of codability"] is False


def test_phases_without_a_record_are_never_done() -> None:
    found = gates_of(FACTS)
    assert all(gate.met is None for phase in NO_RECORD for gate in found[phase])


PASSED = Grade(0.914, 8, 0, 30, 29, 32, True, ())
FAILED = Grade(0.62, 8, 2, 28, 20, 32, False, ("x",))
TRAINED = Grade(0.8, 5, 0, 15, 13, 15, False, ())
AT = "2026-07-25T09:00:00.000000Z"


def before(*raters: RaterStanding) -> dict[str, tuple[Gate, Gate]]:
    """Slot → its gate of training and of qualification."""
    found = gates_of(replace(FACTS, qualification=QualificationRecord("required", "", raters)))
    return {
        train.name.split()[0]: (train, qualify) for train, qualify in zip(found["train"], found["qualify"], strict=True)
    }


def test_training_and_qualification_are_told_by_slot_with_their_figures() -> None:
    found = before(
        RaterStanding("R1", Step.QUALIFIED, AT, TRAINED, (PASSED,)),
        RaterStanding("R2", Step.QUALIFIED, AT, TRAINED, (FAILED, PASSED)),
        RaterStanding("R3", Step.EXCLUDED, AT, TRAINED, (FAILED, FAILED)),
        RaterStanding("R4", Step.TRAIN, AT),
        RaterStanding("R5", Step.READ, n_imported=6),
    )
    told = {slot: (train.met, qualify.met, qualify.actual) for slot, (train, qualify) in found.items()}
    passed = "macro-F1 0.91, critical 0, codability 30/32"
    failed = "macro-F1 0.62, critical 2, codability 28/32"
    assert told == {
        "R1": (True, True, f"passed at the first try: {passed}"),
        "R2": (True, True, f"passed at the second try: {passed}; failed at the first try: {failed}"),
        "R3": (True, False, f"excluded: failed at the second try: {failed}; failed at the first try: {failed}"),
        "R4": (False, False, "not yet"),
        "R5": (False, False, "not yet; made elsewhere and imported: 6 of the codings"),
    }
    trained = [train.actual for train, _ in found.values()]
    assert trained[0] == "codebook opened 2026-07-25 09:00, training complete: 13 of 15 labels as the reference"
    assert trained[3:] == [
        "codebook opened 2026-07-25 09:00, training not complete",
        "codebook not opened, training not complete",
    ]


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (QualificationRecord("waived", "a demonstration of the tool"), "waived: a demonstration of the tool"),
        (QualificationRecord("not_asked", NO_SET), "not asked: this codebook has no qualification set"),
        (QualificationRecord(), "not asked: registered before qualification was asked"),
    ],
)
def test_nobody_having_to_qualify_is_a_gate_that_is_not_met(record: QualificationRecord, told: str) -> None:
    found = gates_of(replace(FACTS, qualification=record))
    gates = [*found["train"], *found["qualify"]]
    assert [(gate.actual, gate.met) for gate in gates] == [(told, False), (told, False)]
