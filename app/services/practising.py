"""Practising: reading the codebook, opening an attempt in its turn, answering its items.

An answer is judged by the same engine as a coding, appended, and never becomes one. Which set an attempt is made on is
kept with it, as it was. Nothing here shows gold (`practice_pages` does, of training alone) or grades (`qualifying`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlmodel import Session

from app.domain.canonical import canonical_json
from app.domain.codebook.model import Codebook
from app.domain.coding import normalise
from app.domain.errors import BadInput, Conflict, NotFound, Refused
from app.domain.moments import iso
from app.domain.practice import QUALIFICATION, TRAINING, PracticeItem, PracticeSet
from app.domain.qualification import Step, count_failures, standing
from app.domain.roles import Action, require
from app.services.coding import Submission, judge_for_study
from app.services.people import Actor
from app.services.practice_access import (
    OwnAttempt,
    case_of,
    codebook_under,
    get_own_attempt,
    next_open,
    sets_of,
    studies_under,
)
from app.services.qualifying import finish, note
from app.services.standings import attempt_of
from app.storage import audit, practice
from app.storage.tables import (
    CodebookReadingRow,
    PracticeAnswerRow,
    PracticeAttemptRow,
    PracticeDraftRow,
    PracticeSetRow,
    StudyRow,
)


@dataclass(frozen=True)
class Opening:
    """Which practice is asked for, under which codebook, and the id its attempt gets if it is a new one."""

    codebook_sha256: str
    purpose: str
    attempt_id: str


@dataclass(frozen=True)
class Answered:
    """What answering an item did: `next_open` is the place of the next item without an answer, None after the last."""

    revision: int
    saved_at: str
    next_open: int | None
    finished: bool


def is_reading_due(session: Session, actor: Actor, codebook_sha256: str) -> bool:
    """Return whether opening this codebook is to be recorded: the actor rates under it and had not opened it."""
    if "rater" not in actor.roles or codebook_sha256 not in studies_under(session, actor):
        return False
    return practice.find_reading(session, actor.user_id, codebook_sha256) is None


def record_reading(session: Session, actor: Actor, codebook: Codebook, now: datetime) -> None:
    """Record that the actor opened the codebook, unless it is recorded already."""
    if is_reading_due(session, actor, codebook.sha256):
        row = CodebookReadingRow(
            user_id=actor.user_id,
            codebook_sha256=codebook.sha256,
            codebook_version=codebook.version,
            opened_at=iso(now),
        )
        practice.add(session, row)
        event = {"at": row.opened_at, "actor": actor.name, "action": "open_codebook", "subject": codebook.version}
        audit.record(session, {**event, "details": {"codebook_sha256": codebook.sha256}})


def open_attempt(session: Session, actor: Actor, opening: Opening, folder: Path, now: datetime) -> str:
    """Return the id of the attempt to go on with: the open one, or a new one where the next step allows it.

    `folder` is the folder of codebooks. Raises `Refused` with what comes first, `NotFound` for a codebook that is not
    the actor's or has no such set.
    """
    require(actor.roles, Action.PRACTISE)
    if opening.purpose not in _ALLOWED:
        raise BadInput(f"practice is {' or '.join(_ALLOWED)}, not {opening.purpose or 'nothing'}")
    codebook = codebook_under(session, actor, opening.codebook_sha256)
    rows = practice.list_attempts(session, actor.user_id, codebook.sha256)
    failures = count_failures([attempt_of(row) for row in rows])
    same = [row for row in rows if row.purpose == opening.purpose]
    waiting = next((row for row in same if row.finished_at is None and row.after_failures == failures), None)
    read = practice.find_reading(session, actor.user_id, codebook.sha256) is not None
    _refuse_out_of_turn(rows, standing(read, [attempt_of(row) for row in rows]), opening.purpose)
    if waiting is not None:
        return waiting.id
    round_ = failures + 1 if opening.purpose == QUALIFICATION else 1
    chosen = _chosen(sets_of(folder, codebook), opening.purpose, round_)
    _refuse_unregistered(studies_under(session, actor)[codebook.sha256], chosen)
    if practice.find_set(session, chosen.sha256) is None:
        kept = PracticeSetRow(sha256=chosen.sha256, set_id=chosen.id, text=chosen.text, stored_at=iso(now))
        practice.add(session, kept)
    row = PracticeAttemptRow(
        id=opening.attempt_id,
        user_id=actor.user_id,
        codebook_id=codebook.id,
        codebook_version=codebook.version,
        codebook_sha256=codebook.sha256,
        set_id=chosen.id,
        set_sha256=chosen.sha256,
        purpose=opening.purpose,
        round=len(same) + 1,
        after_failures=failures,
        opened_at=iso(now),
    )
    practice.add(session, row)
    note(session, actor, row, f"open_{row.purpose}", row.opened_at)
    return row.id


_ALLOWED = {
    TRAINING: (Step.TRAIN, Step.QUALIFY, Step.RETRAIN, Step.RETRY, Step.EXCLUDED, Step.QUALIFIED),
    QUALIFICATION: (Step.QUALIFY, Step.RETRY),
}
_FIRST = {
    Step.READ: "open the codebook first",
    Step.TRAIN: "complete the training first",
    Step.RETRAIN: "train again before the second try",
    Step.EXCLUDED: "both tries are used up",
    Step.QUALIFIED: "you are qualified already",
}


def _refuse_out_of_turn(rows: list[PracticeAttemptRow], step: Step, purpose: str) -> None:
    if step not in _ALLOWED[purpose]:
        raise Refused(f"{purpose} cannot begin now: {_FIRST[step]}")
    examined = any(row.purpose == QUALIFICATION and row.finished_at is None for row in rows)
    if purpose == TRAINING and examined:
        raise Refused("your qualification is open: hand it in before you train again, since training shows answers")


def _refuse_unregistered(under: list[StudyRow], chosen: PracticeSet) -> None:
    """A rater qualifies by the sets that a study registered: what lies in the folder now may be another (H31)."""
    named = {sha256 for study in under for _, sha256 in json.loads(study.registration_json).get("practice", {}).items()}
    if chosen.purpose == QUALIFICATION and named and chosen.sha256 not in named:
        raise Refused(
            f"the qualification set {chosen.id} is not the one that was registered; whoever runs this installation "
            "puts the registered file back into the folder of practice sets"
        )


def _chosen(sets: tuple[PracticeSet, ...], purpose: str, round_: int) -> PracticeSet:
    for one in sets:
        if (one.purpose, one.round) == (purpose, round_):
            return one
    raise NotFound(f"this codebook has no {purpose} set")


def save_practice_draft(
    session: Session, actor: Actor, place: tuple[str, int], submission: Submission, now: datetime
) -> str:
    """Keep what was entered for an item, `place` being (attempt, number); return when. A draft is no answer."""
    own = get_own_attempt(session, actor, place[0])
    item = own.item(place[1])
    _refuse_closed(session, own, item, submission)
    draft = PracticeDraftRow(
        attempt_id=own.row.id,
        item_id=item.id,
        answer_json=canonical_json(dict(submission.answer)),
        seconds_on_item=submission.seconds_on_item,
        saved_at=iso(now),
    )
    practice.put_draft(session, draft)
    return draft.saved_at


def _refuse_closed(session: Session, own: OwnAttempt, item: PracticeItem, submission: Submission) -> int:
    """Return the stored revision that a new answer follows, or raise `Conflict` where none may."""
    if own.row.finished_at is not None:
        raise Conflict("this attempt is finished; nothing in it changes any more")
    current = practice.find_answer(session, own.row.id, item.id)
    if current is not None and own.row.purpose == TRAINING:
        raise Conflict("this item is answered and its feedback was shown: the first answer stands; go on with the next")
    revision = current.revision if current else 0
    if submission.base_revision != revision:
        raise Conflict("this item was answered in another window after you opened it; reload to see that answer")
    return revision


def save_answer(
    session: Session, actor: Actor, place: tuple[str, int], submission: Submission, now: datetime
) -> Answered:
    """Judge and append one answer, `place` being (attempt, number). The last answer of a training finishes it.

    The same client token answers what it answered first and stores nothing twice. Raises as a coding's save does:
    `RulesBroken`, `Unconfirmed`, `Conflict`.
    """
    own = get_own_attempt(session, actor, place[0])
    item = own.item(place[1])
    if not submission.client_token:
        raise Refused("an answer needs a client token, so that sending it twice stores it once")
    answer = normalise(submission.answer)
    earlier = practice.find_answer_by_token(session, own.row.id, item.id, submission.client_token)
    if earlier is not None:
        if canonical_json(answer) != earlier.answer_json:
            raise Conflict("this form was saved before with another answer; reload to see it")
        return _answered(session, own, place[1], earlier)
    revision = _refuse_closed(session, own, item, submission)
    case = case_of(own, item)
    judge_for_study(case, answer, submission.confirmed)
    row = PracticeAnswerRow(
        attempt_id=own.row.id,
        item_id=item.id,
        revision=revision + 1,
        answer_json=canonical_json(answer),
        shown_sha256=case.shown_sha256,
        client_token=submission.client_token,
        seconds_on_item=submission.seconds_on_item,
        warnings_confirmed_json=canonical_json(sorted(submission.confirmed)),
        dropped_json=canonical_json(sorted(submission.dropped)),
        created_at=iso(now),
    )
    practice.add(session, row)
    practice.remove_draft(session, own.row.id, item.id)
    answered = _answered(session, own, place[1], row)
    if answered.next_open is None and own.row.purpose == TRAINING:
        finish(session, actor, own, now)
        return Answered(row.revision, row.created_at, None, True)
    return answered


def _answered(session: Session, own: OwnAttempt, number: int, row: PracticeAnswerRow) -> Answered:
    following = next_open(own, set(practice.list_current_answers(session, own.row.id)), number)
    return Answered(row.revision, row.created_at, following, own.row.finished_at is not None)
