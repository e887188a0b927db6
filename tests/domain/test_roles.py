"""Who may do what: the promises about each role, the sentence of a refusal, one role on one claim."""

from __future__ import annotations

import pytest

from app.domain.errors import Forbidden
from app.domain.roles import (
    PERMISSIONS,
    ROLES,
    Action,
    Role,
    may,
    overlapping_roles,
    require,
    require_one_role_on_claim,
)

ONLY = {
    Action.CODE_CLAIM: {"rater"},
    Action.READ_OWN_PACKET: {"rater"},
    Action.LOCK_PACKET: {"rater"},
    Action.ADJUDICATE: {"adjudicator"},
    Action.READ_QUEUE: {"adjudicator"},
    Action.UNSEAL: {"custodian"},
    Action.READ_MAPPING: {"custodian"},
    Action.WAIVE_FINDING: {"custodian"},
    Action.READ_FINDINGS: {"custodian"},
    Action.EXPORT_PRIVATE: {"custodian"},
    Action.REPLACE_ASSIGNMENT: {"custodian"},
    Action.MANAGE_USERS: {"administrator"},
    Action.CREATE_STUDY: {"lead"},
    Action.READ_AGREEMENT: {"lead"},
    Action.READ_DISAGREEMENTS: {"lead"},
    Action.OPEN_ADJUDICATION: {"lead"},
    Action.CLOSE_STUDY: {"lead"},
    Action.RECONCILE: {"lead"},
}


@pytest.mark.parametrize("action", ONLY, ids=lambda action: action.name)
def test_some_things_are_one_roles_alone(action: Action) -> None:
    assert {role for role in ROLES if may(role, action)} == ONLY[action]


def test_every_action_is_somebodys_and_every_role_can_do_something() -> None:
    assert set().union(*PERMISSIONS.values()) == set(Action)
    assert set(PERMISSIONS) == set(ROLES) == {role.value for role in Role}
    assert all(PERMISSIONS.values())


def test_everybody_reads_the_codebook() -> None:
    assert all(may(role, Action.READ_CODEBOOK) for role in ROLES)


def test_nobody_who_judges_sees_progress_agreement_findings_or_the_mapping() -> None:
    hidden = {Action.READ_PROGRESS, Action.READ_AGREEMENT, Action.READ_FINDINGS, Action.READ_MAPPING, Action.READ_AUDIT}
    for role in ("rater", "adjudicator"):
        assert not PERMISSIONS[role] & hidden


def test_a_role_that_does_not_exist_may_nothing() -> None:
    assert not any(may("owner", action) for action in Action)
    assert not any(may("", action) for action in Action)


def test_a_refusal_names_the_action_and_the_roles_that_could() -> None:
    with pytest.raises(Forbidden) as refused:
        require(("rater", "adjudicator"), Action.UNSEAL)
    assert str(refused.value) == (
        "you may not unseal a study: that is for the role custodian; you hold adjudicator, rater"
    )
    with pytest.raises(Forbidden, match="lead or custodian; you hold no role"):
        require((), Action.BUILD_PACKETS)


def test_one_of_several_roles_is_enough_and_a_word_is_a_role() -> None:
    require(("rater", "custodian"), Action.UNSEAL)
    require("custodian", Action.UNSEAL)


def test_nobody_holds_two_roles_on_one_claim() -> None:
    require_one_role_on_claim(["rater", "rater"])
    require_one_role_on_claim([])
    with pytest.raises(Forbidden, match="adjudicator and rater"):
        require_one_role_on_claim(["rater", "adjudicator"])


def test_several_roles_in_a_study_are_listed_for_a_waiver() -> None:
    members = {"b.two": ["rater", "lead"], "a.one": ["rater"], "c.x": ["custodian", "custodian"]}
    assert overlapping_roles(members) == {"b.two": ("lead", "rater")}
