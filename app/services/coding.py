"""Coding a claim: the page, the draft, the save. A save is judged, appended and answered only after the commit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.domain.canonical import canonical_json, sha256_hex
from app.domain.codebook.crosswalk_model import CROSSWALK
from app.domain.codebook.history import History
from app.domain.codebook.model import Codebook
from app.domain.codebook.rules import Judgement, judge_in
from app.domain.codebook.work import rules_of_a_save, with_history
from app.domain.coding import normalise
from app.domain.errors import AlreadyLocked, Conflict, Refused, RulesBroken, Unconfirmed, Violation
from app.domain.moments import iso, parse
from app.domain.tally import tally_of
from app.readers.source import repair
from app.services.access import OwnAssignment, codebook_of, get_own_assignment
from app.services.bench import Case, UnshownCase, load_case, load_unshown_case, workbench
from app.services.counting import count_save, history_of
from app.services.pages import FormState, RatingPage
from app.services.people import Actor
from app.storage import audit, codings, packets
from app.storage.tables import BlindClaimRow, CodingRow, DraftRow

SESSION_BREAK_SECONDS = 30 * 60
"""A pause longer than this begins a new work session in the exports."""


@dataclass(frozen=True)
class Submission:
    """One coding as sent. `base_revision` is the stored revision the rater was looking at (0: none).

    `exempt` are the rules that a coding carried over by a crosswalk need not keep; None for every other.
    """

    answer: Mapping[str, Any]
    base_revision: int
    client_token: str
    confirmed: tuple[str, ...] = ()
    seconds_on_item: float | None = None
    dropped: tuple[str, ...] = ()
    origin: str = "human"
    exempt: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Saved:
    """What a save answers. `repeated` says the same token had been saved before; nothing was stored again."""

    revision: int
    saved_at: str
    sha256: str
    repeated: bool
    packet_id: str
    next_id: str | None


def mended(value: Any) -> Any:
    """Return a JSON value with lone surrogates replaced: JSON can name them, no UTF-8 text can hold them."""
    try:
        return repair(value)[0]
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def rating_page(session: Session, actor: Actor, assignment_id: str, client_token: str) -> RatingPage:
    """Return the page of one claim: the transcript as served, and what this rater has entered so far."""
    own = get_own_assignment(session, actor, assignment_id)
    case = load_case(session, own.study, own.assignment.blind_claim_id)
    locked = packets.find_lock(session, own.packet.id) is not None
    return _page(session, own, case, _stored_form(session, assignment_id, client_token, locked))


def refused_page(session: Session, actor: Actor, assignment_id: str, form: FormState) -> RatingPage:
    """Return the page of one claim with a form that was just refused, exactly as it was entered."""
    own = get_own_assignment(session, actor, assignment_id)
    return _page(session, own, load_case(session, own.study, own.assignment.blind_claim_id), form)


def codebook_for(session: Session, actor: Actor, assignment_id: str) -> Codebook:
    """Return the codebook this claim is coded under."""
    return codebook_of(get_own_assignment(session, actor, assignment_id).study)


def tiers_for(session: Session, actor: Actor, assignment_id: str) -> dict[int, dict[str, str]]:
    """Return turn → part → derived tier for the run of a claim, so that a citation can be filled in."""
    own = get_own_assignment(session, actor, assignment_id)
    return load_unshown_case(session, own.study, own.assignment.blind_claim_id).prepared.tiers


def _page(session: Session, own: OwnAssignment, case: Case, form: FormState) -> RatingPage:
    packet_id, position = own.packet.id, own.assignment.position
    before = packets.find_assignment_at(session, packet_id, position - 1)
    after = packets.find_assignment_at(session, packet_id, position + 1)
    return RatingPage(
        assignment_id=own.assignment.id,
        packet_id=packet_id,
        position=position,
        n_assigned=packets.count_assignments(session, packet_id),
        n_coded=codings.count_coded(session, packet_id),
        previous_id=before.id if before else None,
        next_id=after.id if after else None,
        locked=packets.find_lock(session, packet_id) is not None,
        bench=workbench(own.study, case, own.assignment.id),
        form=form,
    )


def _stored_form(session: Session, assignment_id: str, client_token: str, locked: bool) -> FormState:
    current = codings.find_current(session, assignment_id)
    draft = codings.find_draft(session, assignment_id)
    revision = current.revision if current else 0
    if draft is not None:
        return FormState(
            answer=json.loads(draft.answer_json),
            revision=draft.base_revision,
            client_token=client_token,
            status="draft",
            seconds_active=draft.seconds_on_item,
            saved_at=draft.saved_at,
        )
    if current is not None and current.origin == CROSSWALK and not locked:
        # What was carried over is coded afresh or not at all: a form filled in beforehand would be agreed with.
        return FormState({}, revision, client_token, status="carried", saved_at=current.created_at)
    if current is not None:
        answer = json.loads(current.answer_json)
        return FormState(answer, revision, client_token, status="coded", saved_at=current.created_at)
    return FormState({}, 0, client_token)


def save_draft(session: Session, actor: Actor, assignment_id: str, submission: Submission, now: datetime) -> str:
    """Keep what a rater has entered so far; return when. A draft is never a coding and enters nothing.

    Raises `AlreadyLocked`, or `Conflict` when another window has saved a newer revision.
    """
    own = get_own_assignment(session, actor, assignment_id)
    _refuse_locked(session, own)
    current = codings.find_current(session, assignment_id)
    if submission.base_revision != (current.revision if current else 0):
        raise Conflict("this claim was saved in another window after you opened it; reload to see that coding")
    answer_json = canonical_json(dict(submission.answer))
    draft = DraftRow(
        assignment_id=assignment_id,
        answer_json=answer_json,
        base_revision=submission.base_revision,
        seconds_on_item=submission.seconds_on_item,
        saved_at=iso(now),
    )
    codings.put_draft(session, draft)
    return draft.saved_at


def save_coding(session: Session, actor: Actor, assignment_id: str, submission: Submission, now: datetime) -> Saved:
    """Judge and append one coding; return its revision and the next claim without one.

    The same client token answers what it answered first and stores nothing twice. Raises `AlreadyLocked`, `Conflict`
    (another revision is stored), `RulesBroken` (hard rules), `Unconfirmed` (soft rules not confirmed by id).
    """
    own = get_own_assignment(session, actor, assignment_id, made_elsewhere=submission.origin in ("import", CROSSWALK))
    if not submission.client_token:
        raise Refused("a save needs a client token, so that sending it twice stores it once")
    earlier = codings.find_by_token(session, assignment_id, submission.client_token)
    if earlier is not None:
        if canonical_json(normalise(submission.answer)) != earlier.answer_json:
            raise Conflict("this form was saved before with another answer; reload to see it, then change it there")
        return _saved(session, own, earlier, repeated=True)
    _refuse_locked(session, own)
    current = codings.find_current(session, assignment_id)
    if submission.base_revision != (current.revision if current else 0):
        raise Conflict("this claim was saved in another window after you opened it; reload to see that coding")
    case = load_unshown_case(session, own.study, own.assignment.blind_claim_id)
    answer = normalise(submission.answer)
    history = history_of(session, own, current, submission.seconds_on_item, submission.origin)
    judgement = judge_for_study(case, answer, submission.confirmed, submission.exempt, history=history)
    row = _row(own, case, (current, answer, judgement, submission), _work_session(session, own, now), now)
    codings.add_coding(session, row)
    count_save(session, own, (answer, judgement), submission.confirmed, submission.origin)
    event = {"at": row.created_at, "actor": actor.name, "action": "save_coding", "study_id": own.study.id}
    details = {"revision": row.revision, "sha256": row.sha256}
    audit.record(session, {**event, "subject": assignment_id, "details": details})
    codings.remove_draft(session, assignment_id)
    _pause_if_leaking(session, own, answer, now)
    return _saved(session, own, row, repeated=False)


def judge_for_study(
    case: Case | UnshownCase,
    answer: Mapping[str, Any],
    confirmed: tuple[str, ...],
    exempt: tuple[str, ...] | None = None,
    history: History | None = None,
) -> Judgement:
    """Return the judgement of an answer that may be stored, or raise what stands against it.

    `exempt`: it was carried over by a crosswalk, need not keep these rules, and nobody was there to be warned.
    """
    judgement = judge_in(case.codebook, case.prepared.view, case.unit, answer, exempt or ())
    hard = [v for v in judgement.violations if v.level == "hard"]
    note = case.codebook.field("note")
    if note and _reports_leak(case.codebook, answer) and not str(answer.get(note.name, "")).strip():
        hard.append(Violation("H32", "hard", note.name, "Say in the note what gave an identity away, and where."))
    judgement = with_history(judgement, case.codebook, answer, history)
    applied = (*judgement.applied, *rules_of_a_save(case.codebook, answer))
    tally = tally_of(applied, (*hard, *judgement.soft), confirmed)
    if hard:
        raise RulesBroken(hard, tally)
    if exempt is not None:
        return replace(judgement, violations=())
    unconfirmed = [v for v in judgement.violations if v.level == "soft" and v.rule not in confirmed]
    if unconfirmed:
        raise Unconfirmed(unconfirmed, tally)
    return judgement


def _reports_leak(codebook: Codebook, answer: Mapping[str, Any]) -> bool:
    field = codebook.first_of("flags")
    flags = answer.get(field.name) if field else None
    return isinstance(flags, list) and "blinding_leak" in flags


def _refuse_locked(session: Session, own: OwnAssignment) -> None:
    if packets.find_lock(session, own.packet.id) is not None:
        raise AlreadyLocked("this packet is locked; a mistake found now is told to the lead, who records it")


def _saved(session: Session, own: OwnAssignment, row: CodingRow, *, repeated: bool) -> Saved:
    following = codings.find_next_uncoded(session, own.packet.id, own.assignment.position)
    return Saved(
        revision=row.revision,
        saved_at=row.created_at,
        sha256=row.sha256,
        repeated=repeated,
        packet_id=own.packet.id,
        next_id=following.id if following else None,
    )


def _row(
    own: OwnAssignment,
    case: UnshownCase,
    judged: tuple[CodingRow | None, dict[str, Any], Judgement, Submission],
    work_session: int,
    now: datetime,
) -> CodingRow:
    """Return the next revision, its hash covering the one before it."""
    current, answer, judgement, submission = judged
    shown = sorted({v.rule for v in judgement.violations if v.level == "soft"})
    content: dict[str, Any] = {
        "assignment_id": own.assignment.id,
        "revision": (current.revision if current else 0) + 1,
        "rater_id": own.assignment.user_id,
        "answer_json": canonical_json(answer),
        "derived_tiers_json": canonical_json(list(judgement.derived_tiers)),
        "codebook_version": case.codebook.version,
        "codebook_sha256": case.codebook.sha256,
        "shown_sha256": case.shown_sha256,
        "client_token": submission.client_token,
        "seconds_on_item": submission.seconds_on_item,
        "work_session": work_session,
        "warnings_shown_json": canonical_json(shown),
        "warnings_confirmed_json": canonical_json([rule for rule in shown if rule in submission.confirmed]),
        "dropped_json": canonical_json(sorted(submission.dropped)),
        "origin": submission.origin,
        "created_at": iso(now),
        "previous_sha256": current.sha256 if current else audit.FIRST,
    }
    return CodingRow(**content, sha256=sha256_hex(canonical_json(content)))


def _work_session(session: Session, own: OwnAssignment, now: datetime) -> int:
    """Number the stretch of work this save belongs to: a long pause since the rater's last save begins a new one."""
    last = codings.find_last_of_packet(session, own.packet.id)
    if last is None:
        return 1
    paused = (now - parse(last.created_at)).total_seconds() > SESSION_BREAK_SECONDS
    return last.work_session + 1 if paused else last.work_session


def _pause_if_leaking(session: Session, own: OwnAssignment, answer: Mapping[str, Any], now: datetime) -> None:
    """Send a claim whose coding reports a blinding leak to the custodian (H32): paused until that is resolved."""
    if not _reports_leak(codebook_of(own.study), answer):
        return
    claim: BlindClaimRow = packets.get_blind_claim(session, own.study.id, own.assignment.blind_claim_id)
    if claim.status == "sampled":
        claim.status = "paused"
        session.add(claim)
        event = {"at": iso(now), "actor": "server", "action": "pause_claim", "study_id": own.study.id}
        audit.record(session, {**event, "subject": own.assignment.blind_claim_id, "details": {"rule": "H32"}})
