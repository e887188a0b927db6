"""The boundary cases, carried over: what is carried lands on the label that the case has under 0.5."""

from __future__ import annotations

import pytest

from app.domain.codebook.crosswalk import reading_fault
from app.domain.codebook.crosswalk_model import harmonise
from app.domain.coding import label_of
from tests.domain.codebook.boundary_cases import CASES, Boundary
from tests.domain.codebook.crossings import carried, old, shipped

BY_ID = {case.id: case for case in CASES}
CHANGE_CLASS = ("P5", "P8", "P10", "S7", "U3", "R5")
"""The cases that change class between the versions beyond what a label's new name says."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_is_carried_is_the_cases_own_label_under_the_new_version(case: Boundary) -> None:
    assert reading_fault(old(case.run, case.claim, case.v4)) is None
    found = carried(case.run, case.claim, case.v4)
    if found.how == "auto":
        assert label_of(found.answer) == label_of(case.v5)
    else:
        assert found.answer == {}


@pytest.mark.parametrize("name", CHANGE_CLASS)
def test_a_case_that_changes_class_is_coded_again(name: str) -> None:
    case = BY_ID[name]
    before = harmonise(shipped(), "0.4", label_of(case.v4))
    after = harmonise(shipped(), "0.5", label_of(case.v5))
    assert before != after
    assert carried(case.run, case.claim, case.v4).how == "recode"


def test_every_case_that_changes_class_is_coded_again() -> None:
    for case in CASES:
        before = harmonise(shipped(), "0.4", label_of(case.v4))
        if before != harmonise(shipped(), "0.5", label_of(case.v5)):
            assert carried(case.run, case.claim, case.v4).how == "recode", case.id


def test_both_ways_occur() -> None:
    hows = [carried(case.run, case.claim, case.v4).how for case in CASES]
    assert hows.count("auto") >= 25
    assert hows.count("recode") >= 45
