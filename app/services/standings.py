"""Where each rater stands under a codebook, and the refusal of those who are not qualified for it (H25).

Reads the practice tables alone. It opens no attempt and grades none (`practising` does).
"""

from __future__ import annotations

import json

from sqlmodel import Session

from app.domain.errors import NotQualified
from app.domain.qualification import Attempt, Grade, Step, standing
from app.domain.rater_standing import (
    BEFORE,
    NO_SET,
    REQUIRED,
    WAIVED,
    QualificationRecord,
    RaterStanding,
)
from app.services.people import Actor
from app.storage import codings, people, practice, studies
from app.storage.tables import PracticeAttemptRow, StudyRow

_NEVER = "9999"
"""Later than every moment of an open study, as moments are compared: by their text."""


def awaits_qualification(session: Session, actor: Actor, study: StudyRow) -> bool:
    """Return whether the study's claims are refused to this rater until qualified; a machine rater never waits."""
    if study.qualification != REQUIRED or practice.is_qualified(session, actor.user_id, study.codebook_sha256):
        return False
    user = people.find_user_by_id(session, actor.user_id)
    return user is None or user.kind != "machine"


def refuse_unqualified(session: Session, actor: Actor, study: StudyRow) -> None:
    """Return when this rater may see and code the study's claims; raise `NotQualified` otherwise.

    Asked before every page and save, so a qualified rater costs one indexed look-up. Machine raters are exempt.
    """
    if not awaits_qualification(session, actor, study):
        return
    if step_of(session, actor.user_id, study.codebook_sha256) is Step.EXCLUDED:
        raise NotQualified(
            f"H25: you did not qualify for codebook {study.codebook_version} in two tries and do not code in this "
            "phase; the lead of the study sees it"
        )
    raise NotQualified(
        f"H25: its claims are coded by raters qualified for codebook {study.codebook_version}, and you are not yet; "
        "read it, train and qualify first, under Practice (/practice)"
    )


def attempt_of(row: PracticeAttemptRow) -> Attempt:
    """Return an attempt as the order of steps needs it."""
    return Attempt(row.purpose, row.round, row.finished_at is not None, row.passed, row.after_failures)


def step_of(session: Session, user_id: int, codebook_sha256: str) -> Step:
    """Return what comes next for a person under a codebook."""
    rows = practice.list_attempts(session, user_id, codebook_sha256)
    read = practice.find_reading(session, user_id, codebook_sha256) is not None
    return standing(read, [attempt_of(row) for row in rows])


def record_of(session: Session, study: StudyRow) -> QualificationRecord:
    """Return what is on record of training and qualification in a study: by slot, no answer and no label.

    Of a closed study, what was so when it closed: practice that came later must not change its exports.
    """
    members = studies.list_members(session, study.id, "rater")
    machines = tuple(member.slot for member, user in members if user.kind == "machine" and member.slot)
    if study.qualification != REQUIRED:
        return QualificationRecord(study.qualification, _reason(study), machines=machines)
    imported = codings.count_imported(session, study.id)
    raters = tuple(
        _standing(session, study, (member.slot, member.user_id), imported.get(member.user_id, 0))
        for member, user in members
        if user.kind == "human" and member.slot
    )
    return QualificationRecord(REQUIRED, "", raters, machines)


def _reason(study: StudyRow) -> str:
    """A registration written before qualification was asked has no such key; one without a reason had no set."""
    declared = json.loads(study.registration_json).get("qualification")
    if study.qualification == WAIVED:
        return str((declared or {}).get("waived"))
    return BEFORE if declared is None else NO_SET


def _standing(session: Session, study: StudyRow, rater: tuple[str, int], n_imported: int) -> RaterStanding:
    slot, user_id = rater
    until = study.closed_at or _NEVER
    rows = practice.list_attempts(session, user_id, study.codebook_sha256)
    rows = [row for row in rows if (row.finished_at or row.opened_at) <= until]
    reading = practice.find_reading(session, user_id, study.codebook_sha256)
    if reading is not None and reading.opened_at > until:
        reading = None
    graded = [(row.purpose, Grade.from_dict(json.loads(row.result_json))) for row in rows if row.result_json]
    trained = [grade for purpose, grade in graded if purpose == "training"]
    return RaterStanding(
        slot=slot,
        step=standing(reading is not None, [attempt_of(row) for row in rows]),
        read_at=reading.opened_at if reading else None,
        training=trained[0] if trained else None,
        rounds=tuple(grade for purpose, grade in graded if purpose == "qualification"),
        n_imported=n_imported,
    )
