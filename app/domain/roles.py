"""Who may do what: one table, asked first by every use case.

It knows roles and actions only. Whether a person holds a role in *this* study, owns *this* packet, or whether a phase
has been reached, is asked by the use case after this table said yes. It does not know people.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from types import MappingProxyType

from app.domain.errors import Forbidden


class Role(StrEnum):
    """The five roles; the values are those of `--role`."""

    LEAD = "lead"
    CUSTODIAN = "custodian"
    RATER = "rater"
    ADJUDICATOR = "adjudicator"
    ADMINISTRATOR = "administrator"


ROLES: tuple[str, ...] = tuple(role.value for role in Role)


class Action(StrEnum):
    """Everything that is asked of the table; the value completes "may not ..." in the refusal."""

    CREATE_STUDY = "create a study"
    UPLOAD_INPUT = "upload inputs of a study"
    EDIT_CLAIMS = "edit the claims of a study"
    CONFIRM_COVERAGE = "confirm a coverage map"
    ENTER_PHASE = "move a study to another phase"
    AMEND_STUDY = "append an amendment"
    READ_STUDY = "read the registration of a study"
    READ_PROGRESS = "read the progress of a study"
    BUILD_PACKETS = "build packets"
    SCAN_PACKETS = "scan packets for leaks"
    READ_FINDINGS = "read the findings of a leak scan"
    WAIVE_FINDING = "waive a finding of the leak scan"
    PUBLISH_PACKETS = "publish packets"
    REPLACE_ASSIGNMENT = "pause, withdraw or reassign a claim"
    READ_CODEBOOK = "read the codebook"
    PRACTISE = "train and qualify for a codebook"
    CODE_CLAIM = "code a claim"
    READ_OWN_PACKET = "read a packet"
    LOCK_PACKET = "lock a packet"
    ASK_QUESTION = "ask the lead a question"
    ANSWER_QUESTION = "answer a rater's question"
    IMPORT_CODINGS = "import codings"
    READ_AGREEMENT = "read the agreement of a study"
    READ_DISAGREEMENTS = "read the disagreements of a study"
    OPEN_ADJUDICATION = "open the adjudication"
    READ_QUEUE = "read the adjudication queue"
    ADJUDICATE = "adjudicate a claim"
    CLOSE_STUDY = "close a study"
    EXPORT_STUDY = "export a study"
    RECONCILE = "reconcile a table with its records"
    EXPORT_PRIVATE = "export what only the custodian may hold"
    READ_MAPPING = "read what the blind ids stand for"
    UNSEAL = "unseal a study"
    WAIVE_ROLE_SEPARATION = "waive the separation of roles"
    MANAGE_USERS = "manage users"
    READ_AUDIT = "read the audit trail"


# The lead sets up, watches and publishes but holds no identity and judges nothing; the custodian holds what blinding
# hides and signs for it; a rater has the own packet and nothing else; an adjudicator the queue and nothing else; the
# administrator looks after the installation and is not part of any study.
_LEAD = frozenset(
    {
        Action.CREATE_STUDY,
        Action.UPLOAD_INPUT,
        Action.EDIT_CLAIMS,
        Action.CONFIRM_COVERAGE,
        Action.ENTER_PHASE,
        Action.AMEND_STUDY,
        Action.READ_STUDY,
        Action.READ_PROGRESS,
        Action.BUILD_PACKETS,
        Action.SCAN_PACKETS,
        Action.PUBLISH_PACKETS,
        Action.READ_CODEBOOK,
        Action.ANSWER_QUESTION,
        Action.IMPORT_CODINGS,
        Action.READ_AGREEMENT,
        Action.READ_DISAGREEMENTS,
        Action.OPEN_ADJUDICATION,
        Action.CLOSE_STUDY,
        Action.EXPORT_STUDY,
        Action.RECONCILE,
        Action.READ_AUDIT,
    }
)
_CUSTODIAN = frozenset(
    {
        Action.UPLOAD_INPUT,
        Action.READ_STUDY,
        Action.READ_PROGRESS,
        Action.BUILD_PACKETS,
        Action.SCAN_PACKETS,
        Action.READ_FINDINGS,
        Action.WAIVE_FINDING,
        Action.PUBLISH_PACKETS,
        Action.REPLACE_ASSIGNMENT,
        Action.READ_CODEBOOK,
        Action.EXPORT_STUDY,
        Action.EXPORT_PRIVATE,
        Action.READ_MAPPING,
        Action.UNSEAL,
        Action.WAIVE_ROLE_SEPARATION,
        Action.READ_AUDIT,
    }
)
_RATER = frozenset(
    {
        Action.READ_CODEBOOK,
        Action.PRACTISE,
        Action.READ_OWN_PACKET,
        Action.CODE_CLAIM,
        Action.LOCK_PACKET,
        Action.ASK_QUESTION,
    }
)
_ADJUDICATOR = frozenset({Action.READ_CODEBOOK, Action.READ_QUEUE, Action.ADJUDICATE})
_ADMINISTRATOR = frozenset({Action.MANAGE_USERS, Action.READ_CODEBOOK, Action.READ_AUDIT})

PERMISSIONS: Mapping[str, frozenset[Action]] = MappingProxyType(
    {
        Role.LEAD.value: _LEAD,
        Role.CUSTODIAN.value: _CUSTODIAN,
        Role.RATER.value: _RATER,
        Role.ADJUDICATOR.value: _ADJUDICATOR,
        Role.ADMINISTRATOR.value: _ADMINISTRATOR,
    }
)


def may(role: str, action: Action) -> bool:
    """Return whether the role allows the action; a role that does not exist allows nothing.

    >>> may("rater", Action.CODE_CLAIM), may("lead", Action.CODE_CLAIM), may("owner", Action.CODE_CLAIM)
    (True, False, False)
    """
    return action in PERMISSIONS.get(role, frozenset())


def require(held: str | Collection[str], action: Action) -> None:
    """Return when one of the roles held allows the action.

    Raises `Forbidden` with a sentence that names the action and the roles that could: never the study, the claim or
    another person.
    """
    roles = (held,) if isinstance(held, str) else held
    if any(may(role, action) for role in roles):
        return
    able = [role for role in ROLES if may(role, action)]
    yours = ", ".join(sorted(roles)) or "no role"
    raise Forbidden(f"you may not {action.value}: that is for the role {' or '.join(able)}; you hold {yours}")


def require_one_role_on_claim(held: Collection[str]) -> None:
    """Return when a person holds at most one role on one claim.

    `held` is every part this person has had in this one claim (coded it: rater; decided it: adjudicator; holds what it
    stands for: custodian; ...). Raises `Forbidden` otherwise: a waiver of role separation is for a study, never for a
    claim.
    """
    parts = sorted(set(held))
    if len(parts) > 1:
        raise Forbidden(
            f"nobody holds two roles on one claim, and you would be {' and '.join(parts)} here; hand it to someone else"
        )


def overlapping_roles(members: Mapping[str, Collection[str]]) -> dict[str, tuple[str, ...]]:
    """Return the people who hold several roles in one study, with those roles sorted.

    `members` maps a person's name to the roles held there. What is returned needs a waiver that the report prints.
    """
    return {name: tuple(sorted(set(roles))) for name, roles in sorted(members.items()) if len(set(roles)) > 1}
