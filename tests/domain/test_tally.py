"""What one save counts: of its N at most one of refused, asked, confirmed; and what the engine says applied."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.codebook.rules import judge
from app.domain.errors import Violation
from app.domain.tally import EVERY_SAVE, Count, refusal_of, tally_of
from tests.domain.codebook.boundary_cases import SUPPORTED
from tests.domain.codebook.test_document import book

RULES = ("H01", "H16", "W03", "W11")


def violation(rule: str, level: str = "") -> Violation:
    return Violation(rule, level or {"H": "hard", "W": "soft"}[rule[0]], "evidence", "…")


def test_a_hard_rule_refuses_and_nothing_is_asked_beside_it() -> None:
    found = tally_of(["H01", "H16", "W03"], [violation("H16"), violation("W03")], ["W03"])
    assert found == {
        "H01": Count(1),
        "H16": Count(1, refused=1),
        "W03": Count(1),
        EVERY_SAVE: Count(1, refused=1),
    }


def test_a_question_that_stays_open_is_asked_and_one_that_is_answered_is_not_yet_confirmed() -> None:
    found = tally_of(["W03", "W11"], [violation("W03"), violation("W11")], ["W03"])
    assert found == {"W03": Count(1), "W11": Count(1, asked=1), EVERY_SAVE: Count(1, asked=1)}


def test_a_stored_save_counts_what_it_confirms() -> None:
    found = tally_of(["H01", "W03"], [violation("W03")], ["W03", "W99"])
    assert found == {"H01": Count(1), "W03": Count(1, confirmed=1), EVERY_SAVE: Count(1, confirmed=1)}


def test_a_hard_rule_that_was_softened_is_asked() -> None:
    assert tally_of(["H06"], [violation("H06", "soft")], [])["H06"] == Count(1, asked=1)


def test_a_refusal_without_a_judgement_counts_no_judged_save() -> None:
    assert refusal_of(["H25"]) == {"H25": Count(1, refused=1)}


@given(
    st.sets(st.sampled_from(RULES)),
    st.lists(st.builds(violation, st.sampled_from(RULES), st.sampled_from(("", "soft"))), max_size=6),
    st.sets(st.sampled_from(RULES)),
)
def test_the_counts_of_a_save_hold_together(
    applied: set[str], violations: list[Violation], confirmed: set[str]
) -> None:
    for count in tally_of(applied, violations, confirmed).values():
        assert count.applied == 1
        assert count.refused + count.asked + count.confirmed <= 1


@pytest.mark.parametrize("case", SUPPORTED, ids=lambda case: case.id)
def test_a_rule_applied_where_it_asked_anything(case) -> None:
    """Every broken rule applied, and so did every rule without a condition; one for other labels did not."""
    judged = judge(book("0.5"), case.run, case.claim, case.v5)
    assert {v.rule for v in judged.violations} <= set(judged.applied)
    assert {"H01", "H02", "H33", "H04", "H15"} <= set(judged.applied)
    verdict = case.v5["verdict"]
    assert ("H19" in judged.applied) == (verdict == "UNBACKED")
    assert ("H16b" in judged.applied) == (
        verdict == "SUPPORTED" and case.v5["claim_kind"] in ("result", "state", "verification", "coverage")
    )
    assert "H12" not in judged.applied
