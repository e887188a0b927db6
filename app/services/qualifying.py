"""Finishing an attempt: a training by its last answer, a qualification by being handed in. Finished once, graded whole.

A grade is three figures with n and N; no answer and no label of a set leaves through it.
"""

from __future__ import annotations

import json
from datetime import datetime

from sqlmodel import Session

from app.domain.canonical import canonical_json
from app.domain.errors import Refused
from app.domain.moments import iso
from app.domain.practice import QUALIFICATION
from app.domain.qualification import Grade, Step, grade
from app.services.people import Actor
from app.services.practice_access import OwnAttempt, get_own_attempt, studies_under
from app.services.standings import step_of
from app.storage import audit, practice
from app.storage.tables import PracticeAttemptRow


def hand_in(session: Session, actor: Actor, attempt_id: str, now: datetime) -> Grade:
    """Finish a qualification and return its grade; one handed in already returns the grade it got then.

    Raises `Refused` naming the items without an answer, or with changes that were not saved as one.
    """
    own = get_own_attempt(session, actor, attempt_id)
    if own.row.result_json is not None:
        return Grade.from_dict(json.loads(own.row.result_json))
    problems = _problems(session, own)
    if problems:
        raise Refused("it cannot be handed in yet: " + "; ".join(problems))
    return finish(session, actor, own, now)


def _problems(session: Session, own: OwnAttempt) -> list[str]:
    answered = practice.list_current_answers(session, own.row.id)
    drafts = practice.list_draft_ids(session, own.row.id)
    waiting = [str(n) for n, item in enumerate(own.items, start=1) if item.id not in answered]
    unsaved = [str(n) for n, item in enumerate(own.items, start=1) if item.id in answered and item.id in drafts]
    found = [f"item {', '.join(waiting)} has no answer"] if waiting else []
    return found + ([f"item {', '.join(unsaved)} has changes that were not saved as an answer"] if unsaved else [])


def finish(session: Session, actor: Actor, own: OwnAttempt, now: datetime) -> Grade:
    """Grade an attempt whose every item is answered, and close it for good; a second failure is told to the lead."""
    current = practice.list_current_answers(session, own.row.id)
    answers = {item_id: json.loads(row.answer_json) for item_id, row in current.items()}
    graded = grade(own.codebook, own.practice.items, answers)
    own.row.finished_at = iso(now)
    own.row.passed = graded.passed if own.row.purpose == QUALIFICATION else None
    own.row.result_json = canonical_json(graded.as_dict())
    session.add(own.row)
    session.flush()
    note(session, actor, own.row, f"finish_{own.row.purpose}", own.row.finished_at)
    failed = own.row.purpose == QUALIFICATION and not graded.passed
    if failed and step_of(session, actor.user_id, own.codebook.sha256) is Step.EXCLUDED:
        _exclude(session, actor, own)
    return graded


def _exclude(session: Session, actor: Actor, own: OwnAttempt) -> None:
    for study in studies_under(session, actor)[own.codebook.sha256]:
        event = {"at": own.row.finished_at, "actor": "server", "action": "exclude_rater", "study_id": study.id}
        audit.record(session, {**event, "subject": actor.name, "details": {"rule": "H25"}})


def note(session: Session, actor: Actor, row: PracticeAttemptRow, action: str, at: str) -> None:
    """Put one act on an attempt into the audit chain."""
    details = {"set": row.set_id, "set_sha256": row.set_sha256, "round": row.round, "passed": row.passed}
    audit.record(session, {"at": at, "actor": actor.name, "action": action, "subject": row.id, "details": details})
