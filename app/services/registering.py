"""Registering a study: who takes part, what is frozen, under which codebook; all of it or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.domain.canonical import canonical_json, sha256_hex
from app.domain.errors import BadInput, Conflict, Forbidden
from app.domain.moments import iso
from app.domain.rater_standing import NOT_ASKED, REQUIRED, WAIVED
from app.domain.roles import Action, overlapping_roles, require
from app.domain.study import StudySpec, spec_as_dict
from app.readers.located_yaml import parse_yaml
from app.services.intake import Intake
from app.services.people import Actor
from app.storage import audit, people, studies
from app.storage.tables import (
    FrozenClaimRow,
    FrozenRunRow,
    MemberRow,
    SealKeyRow,
    StudyInputRow,
    StudyRow,
    UserRow,
)


def create_study(session: Session, actor: Actor, intake: Intake, key: bytes, now: datetime) -> StudyRow:
    """Register a study and return it. `key` (32 random bytes) makes its blind ids and stays under the custodian's seal.

    Raises `BadInput` for a user who does not exist or lacks the role, `Conflict` for an id that is taken, `Forbidden`
    when the actor is not the lead the study file names.
    """
    spec = intake.spec
    require(actor.roles, Action.CREATE_STUDY)
    if actor.name != spec.lead:
        raise Forbidden(f"the study file names {spec.lead} as lead; only its lead registers a study, not {actor.name}")
    if studies.find_study(session, spec.id) is not None:
        raise Conflict(f"there is a study {spec.id} already; registrations are never overwritten, choose another id")
    members = list(_members(session, spec))
    study = _study_row(actor, intake, now)
    studies.add_rows(session, [study])
    studies.add_rows(session, members)
    studies.add_rows(session, [SealKeyRow(study_id=spec.id, key_hex=key.hex())])
    studies.add_rows(session, [StudyInputRow(study_id=spec.id, **asdict(pinned)) for pinned in intake.inputs])
    studies.add_rows(session, _frozen(intake))
    event = {"at": iso(now), "actor": actor.name, "action": "create_study", "study_id": spec.id, "subject": spec.id}
    details = {"registration_sha256": study.registration_sha256, "n_claims": len(intake.claims)}
    audit.record(session, {**event, "details": details})
    return study


def _members(session: Session, spec: StudySpec) -> Iterator[MemberRow]:
    for role, names in _roles(spec):
        for place, name in enumerate(names):
            user = _get_member(session, spec, (role, place, name))
            slot = next((s for s, n in spec.slots.items() if n == name), None) if role == "rater" else None
            yield MemberRow(study_id=spec.id, user_id=people.user_id_of(user), role=role, slot=slot)


def _roles(spec: StudySpec) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        ("lead", (spec.lead,)),
        ("custodian", (spec.custodian,)),
        ("adjudicator", spec.adjudicators),
        ("rater", (*spec.raters, *spec.machine_raters)),
    )


def _get_member(session: Session, spec: StudySpec, named: tuple[str, int, str]) -> UserRow:
    role, place, name = named
    user = people.find_user(session, name)
    line = parse_yaml(spec.text.encode("utf-8"), "the study file").at(_key_path(spec, role, place)).line
    where = f"the study file line {line}: {role}"
    if user is None:
        raise BadInput(f"{where}: there is no user {name}; add one first: saydo user add {name} --role {role}")
    if role not in people.list_roles(session, people.user_id_of(user)):
        raise BadInput(f"{where}: {name} does not hold the role {role}: saydo user add {name} --role {role}")
    machine = name in spec.machine_raters
    if machine != (user.kind == "machine"):
        kind = "machine_raters" if user.kind == "machine" else "raters"
        raise BadInput(f"{where}: {name} is a {user.kind} and belongs under {kind}")
    return user


def _key_path(spec: StudySpec, role: str, place: int) -> tuple[str | int, ...]:
    if role == "adjudicator":
        return ("adjudicators", place)
    if role == "rater":
        n_human = len(spec.raters)
        return ("raters", place) if place < n_human else ("machine_raters", place - n_human)
    return (role,)


def _study_row(actor: Actor, intake: Intake, now: datetime) -> StudyRow:
    spec = intake.spec
    registration: dict[str, Any] = {
        **spec_as_dict(spec),
        "codebook_sha256": intake.codebook.sha256,
        "inputs": {pinned.name: {"sha256": pinned.sha256, "bytes": pinned.bytes} for pinned in intake.inputs},
        "claims_sha256": sha256_hex("\n".join(claim.text_sha256 for claim in intake.claims)),
        "several_roles": _several_roles(spec),
        "practice": dict(intake.practice),
        "written_at": iso(now),
    }
    # Run names are identities: the registration is printed in blinded reports, so only their number stands in it.
    registration["coverage"] = {
        "n_declared": sum(run.origin == "declared" for run in intake.runs.values()),
        "n_derived": sum(run.origin == "derived" for run in intake.runs.values()),
    }
    registration_json = canonical_json(registration)
    return StudyRow(
        id=spec.id,
        title=spec.title or spec.id,
        phase="freeze",
        codebook_version=intake.codebook.version,
        codebook_sha256=intake.codebook.sha256,
        codebook_text=intake.codebook.source,
        registration_text=spec.text,
        registration_json=registration_json,
        registration_sha256=sha256_hex(spec.text + "\n" + registration_json),
        seed=spec.seed,
        created_by=actor.user_id,
        created_at=iso(now),
        qualification=_qualification(intake),
    )


def _qualification(intake: Intake) -> str:
    """Settle once and for all what is asked of the raters: files that go or come later change no running study."""
    if intake.spec.qualification.waived:
        return WAIVED
    return REQUIRED if intake.practice else NOT_ASKED


def _several_roles(spec: StudySpec) -> list[list[str]]:
    """Return the roles of each person who holds more than one, without names: the report prints them."""
    held: dict[str, list[str]] = {}
    for role, names in _roles(spec):
        for name in names:
            held.setdefault(name, []).append(role)
    return [list(roles) for roles in sorted(overlapping_roles(held).values())]


def _frozen(intake: Intake) -> Iterator[FrozenClaimRow | FrozenRunRow]:
    study_id = intake.spec.id
    for claim in intake.claims:
        yield FrozenClaimRow(
            study_id=study_id,
            claim_id=claim.claim_id,
            session_id=claim.session_id,
            text_sha256=claim.text_sha256,
            body_json=canonical_json(asdict(claim)),
        )
    for session_id, run in sorted(intake.runs.items()):
        yield FrozenRunRow(
            study_id=study_id,
            session_id=session_id,
            coverage_json=canonical_json(dict(run.coverage.channels)),
            gaps_json=canonical_json([asdict(gap) for gap in run.coverage.gaps]),
            origin=run.origin,
        )
