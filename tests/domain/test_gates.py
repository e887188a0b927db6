"""Gates come from counted artefacts: met, not met, or not yet applicable; never a tick."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.gates import NO_RECORD, StudyFacts, gates_of

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
