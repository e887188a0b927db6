"""The boundary cases are accepted as they are coded, and the label beside them is refused where a hard rule says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.domain.codebook.boundary_cases import CASES, PLAIN, Boundary
from tests.domain.codebook.little_runs import claim, hard_rules, saydo, told

# Rules that only ask for the fields a label brings with it; they say nothing against the label.
COMPANIONS = {"H13", "H18", "H22", "H33", "H09", "H10"}
BY_VERSION = [(case, version) for case in CASES for version in ("0.4", "0.5")]


def coding(case: Boundary, version: str) -> Mapping[str, Any]:
    return case.v4 if version == "0.4" else case.v5


@pytest.mark.parametrize(("case", "version"), BY_VERSION, ids=lambda v: v.id if isinstance(v, Boundary) else v)
def test_the_case_is_accepted_as_coded(case: Boundary, version: str) -> None:
    judgement = told(version, case.run, case.claim, dict(coding(case, version)))
    assert not judgement.hard
    assert judgement.accepted


@pytest.mark.parametrize(("case", "version"), BY_VERSION, ids=lambda v: v.id if isinstance(v, Boundary) else v)
def test_the_label_beside_it_is_refused_by_its_rule(case: Boundary, version: str) -> None:
    label, rule = case.near4 if version == "0.4" else case.near5
    answer = dict(coding(case, version))
    assert answer.get("verdict") != label
    assert label in saydo(version).labels
    broken = hard_rules(told(version, case.run, case.claim, {**answer, "verdict": label}))
    if rule is None:
        assert broken <= COMPANIONS
    else:
        assert rule in broken


def test_every_verdict_and_every_kind_occurs_in_the_cases() -> None:
    for version in ("0.4", "0.5"):
        codings = [coding(case, version) for case in CASES]
        book = saydo(version)
        assert {c.get("verdict") for c in codings} >= {option.code for option in book.verdicts}
        kinds = book.field("claim_kind")
        assert kinds is not None
        assert {c.get("claim_kind") for c in codings} >= set(kinds.codes)
    assert len(CASES) >= 80


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_a_rater_who_does_not_choose_has_given_no_code(version: str) -> None:
    """Case D8: tiredness is no label. Case D9: disagreement is none either."""
    the_claim = claim(3, "any")
    assert hard_rules(told(version, PLAIN, the_claim, {})) == {"H01"}
    started = {"codability": "codable", "claim_kind": "action", "confidence": "high"}
    assert "H02" in hard_rules(told(version, PLAIN, the_claim, started))
    assert "H02" in hard_rules(told(version, PLAIN, the_claim, {**started, "verdict": "DISAGREEMENT"}))
