"""The declarations of a study as a value: phases, slots, the form that is registered."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest

from app.domain.canonical import canonical_json
from app.domain.study import OPTIONAL, PHASES, REQUIRED, Policies, PrimaryPolicy, StudySpec, spec_as_dict, with_gaps
from app.domain.study_faults import find_fault, find_gap_fault

SPEC = StudySpec(
    id="pilot-1",
    codebook="0.5",
    log="turnlog.parquet",
    claims="claims.parquet",
    lead="l.one",
    raters=("r.one", "r.two"),
    adjudicators=("a.one",),
    custodian="c.one",
    seed=1,
    state_at_writing="nothing",
    prior_inspection="none",
    machine_raters=("m.one",),
    text="id: pilot-1",
    folder="/somewhere/private",
)


def test_the_phases_stand_in_order() -> None:
    in_order = "freeze scan train qualify calibrate code lock reliability adjudicate close unseal analyse"
    assert list(PHASES) == in_order.split()


def test_every_key_of_the_file_is_a_field_and_every_field_a_key() -> None:
    assert {entry.name for entry in fields(StudySpec)} == {*REQUIRED, *OPTIONAL, "text", "folder"}


def test_slots_are_given_to_people_first() -> None:
    assert SPEC.slots == {"R1": "r.one", "R2": "r.two", "R3": "m.one"}


def test_the_registered_form_is_plain_complete_and_tells_no_place() -> None:
    registered = spec_as_dict(SPEC)
    assert set(registered) == {*REQUIRED, *OPTIONAL}
    assert json.loads(canonical_json(registered)) == registered
    assert registered["policies"]["primary"] == {
        "pooling": "P1",
        "gap": "",
        "denominator": "decided",
        "repeats_of": "all",
    }
    assert "/somewhere" not in canonical_json(registered)


def test_gap_policies_left_out_are_those_of_the_codebook() -> None:
    spelled = with_gaps(SPEC, ("strict", "G4"), "strict")
    assert spec_as_dict(spelled)["policies"]["gaps"] == ["strict", "G4"]
    assert spelled.policies.primary == PrimaryPolicy(gap="strict")
    declared = replace(SPEC, policies=Policies(gaps=("G4",), primary=PrimaryPolicy(gap="G4")))
    assert with_gaps(declared, ("strict", "G4"), "strict") == declared


@pytest.mark.parametrize(
    ("gaps", "primary", "path"),
    [
        (("G4",), "G4", None),
        (("strict", "G4"), "strict", None),
        (("strict", "strict"), "strict", ("policies", "gaps", 1)),
        (("G4", "G2"), "G4", ("policies", "gaps", 1)),
        (("G4",), "strict", ("policies", "primary", "gap")),
        (("G4",), "G9", ("policies", "primary", "gap")),
    ],
)
def test_a_gap_policy_is_one_of_the_codebook(gaps: tuple[str, ...], primary: str, path: object) -> None:
    declared = Policies(gaps=gaps, primary=PrimaryPolicy(gap=primary))
    fault = find_gap_fault(replace(SPEC, policies=declared), ("strict", "G4"))
    assert (fault.path if fault else None) == path


def test_only_inputs_have_a_place() -> None:
    with pytest.raises(KeyError):
        SPEC.path_of("lead")


def test_a_sound_study_has_no_fault() -> None:
    assert find_fault(SPEC) is None
