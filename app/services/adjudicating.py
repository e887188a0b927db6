"""Adjudication: the queue by rule, a provisional verdict first, then the codings in seeded order, then the decision."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.domain.adjudication import (
    CAUSES,
    audit_sample,
    coding_order,
    decision_faults,
    queue_order,
    queue_reasons,
    queue_sha256,
)
from app.domain.blinding.seal import derived_id
from app.domain.canonical import canonical_json, sha256_hex
from app.domain.coding import normalise
from app.domain.errors import Conflict, NotFound, Refused, RulesBroken
from app.domain.moments import iso
from app.domain.record import CodingRecord
from app.domain.roles import Action, require
from app.services.access import codebook_of, get_study, get_study_for
from app.services.bench import UnshownCase, load_case, load_unshown_case, workbench
from app.services.coding import Submission, judge_for_study
from app.services.counting import count_decision
from app.services.pages import AdjudicationPage, AdjudicatorHome, FormState, QueueLine, ShownCoding
from app.services.people import Actor
from app.services.recording import locked_codings
from app.services.soundness import require_unaltered
from app.storage import adjudications, audit, packets, studies
from app.storage.tables import DecisionRow, QueueItemRow, StudyRow


@dataclass(frozen=True)
class Ruling:
    """What a decision carries beside its coding: the reason, the rule it rests on and the cause of the difference."""

    reason: str
    rule: str
    cause: str


def all_locked(session: Session, study_id: str) -> bool:
    """Return whether every packet of the study is locked (False while there is none)."""
    built = packets.list_packets(session, study_id)
    return bool(built) and len(packets.list_locks(session, study_id)) == len(built)


def open_adjudication(session: Session, actor: Actor, study_id: str, now: datetime) -> int:
    """Make the queue by the declared rule and return its length; raises `Refused` before all packets are locked."""
    study = get_study_for(session, actor, study_id, Action.OPEN_ADJUDICATION)
    if not all_locked(session, study_id):
        raise Refused("adjudication opens when every packet is locked")
    if study.phase in {"adjudicate", "close"}:
        raise Conflict(f"adjudication of {study_id} is open already")
    require_unaltered(session, study)
    reasons = _reasons(session, study)
    key = studies.get_seal_key(session, study_id)
    for position, claim_id in enumerate(queue_order(sorted(reasons), study.seed), start=1):
        item = QueueItemRow(
            id=derived_id(key, "queue", claim_id),
            study_id=study_id,
            blind_claim_id=claim_id,
            position=position,
            selected_by_json=canonical_json(list(reasons[claim_id])),
        )
        session.add(item)
    study.phase = "adjudicate"
    session.add(study)
    session.flush()
    event = {"at": iso(now), "actor": actor.name, "action": "open_adjudication", "study_id": study_id}
    drawn = {claim_id: canonical_json(list(why)) for claim_id, why in reasons.items()}
    details = {"n_items": len(reasons), "queue_sha256": queue_sha256(drawn)}
    audit.record(session, {**event, "subject": study_id, "details": details})
    return len(reasons)


def _by_claim(session: Session, study: StudyRow) -> dict[str, list[CodingRecord]]:
    """Return the locked human codings of each claim, in slot order: what is compared and shown."""
    found: dict[str, list[CodingRecord]] = {}
    for record in locked_codings(session, study):
        if record.purpose == "main" and record.kind == "human":
            found.setdefault(record.blind_claim_id, []).append(record)
    return found


def _reasons(session: Session, study: StudyRow) -> dict[str, tuple[str, ...]]:
    codebook = codebook_of(study)
    status = {row.blind_claim_id: row.status for row in packets.list_blind_claims(session, study.id)}
    reasons: dict[str, tuple[str, ...]] = {}
    agreed: list[str] = []
    for claim_id, records in sorted(_by_claim(session, study).items()):
        if status[claim_id] != "sampled":
            continue
        found = queue_reasons(records, codebook)
        if found:
            reasons[claim_id] = found
        elif len(records) > 1:
            agreed.append(claim_id)
    reasons.update({claim_id: ("audit",) for claim_id in audit_sample(agreed, study.seed)})
    return reasons


def adjudicator_home(session: Session, actor: Actor) -> AdjudicatorHome:
    """Return the queues of the studies this actor adjudicates, in their seeded order."""
    require(actor.roles, Action.ADJUDICATE)
    lines: list[QueueLine] = []
    for study_id in studies.list_study_ids_of(session, actor.user_id, "adjudicator"):
        study = get_study(session, study_id)
        provisional = adjudications.list_own_provisional_ids(session, study_id, actor.user_id)
        decided = adjudications.list_decided_ids(session, study_id)
        for item in adjudications.list_queue(session, study_id):
            state = "decided" if item.id in decided else "provisional" if item.id in provisional else "open"
            text = json.loads(packets.get_blind_claim(session, study_id, item.blind_claim_id).body_json)["text"]
            lines.append(QueueLine(item.id, item.position, study.title, text, state))
    following = next((line.item_id for line in lines if line.state != "decided"), None)
    return AdjudicatorHome(tuple(lines), sum(line.state == "decided" for line in lines), following)


def _own_item(session: Session, actor: Actor, item_id: str) -> tuple[QueueItemRow, StudyRow]:
    require(actor.roles, Action.ADJUDICATE)
    item = adjudications.find_item(session, item_id)
    if item is None or studies.find_member(session, item.study_id, actor.user_id, "adjudicator") is None:
        raise NotFound("there is no such claim in your queue")
    return item, get_study(session, item.study_id)


def adjudication_page(
    session: Session,
    actor: Actor,
    item_id: str,
    client_token: str,
    refused: tuple[FormState, Ruling] | None = None,
) -> AdjudicationPage:
    """Return the page of one queued claim. The codings are on it only once this adjudicator's provisional is stored."""
    item, study = _own_item(session, actor, item_id)
    case = load_case(session, study, item.blind_claim_id)
    provisional = adjudications.find_own_provisional(session, item_id, actor.user_id)
    final = adjudications.find_current_decision(session, item_id, "final")
    stage = "decided" if final else "decide" if provisional else "provisional"
    queue = adjudications.list_queue(session, study.id)
    newest = final or provisional
    stored = FormState(json.loads(newest.answer_json) if newest else {}, newest.revision if newest else 0, client_token)
    form, ruling = refused or (stored, Ruling(final.reason, final.rule, final.cause) if final else Ruling("", "", ""))
    return AdjudicationPage(
        item_id=item_id,
        position=item.position,
        n_items=len(queue),
        n_decided=len(adjudications.list_decided_ids(session, study.id)),
        stage=stage,
        bench=workbench(study, case, item_id),
        form=form,
        codings=_shown(session, study, item.blind_claim_id) if provisional else (),
        provisional=json.loads(provisional.answer_json) if provisional else None,
        causes=CAUSES,
        rules=tuple((rule.id, rule.message.replace("{what}", "a field")) for rule in case.codebook.rules),
        reason=ruling.reason,
        rule=ruling.rule,
        cause=ruling.cause,
    )


def _shown(session: Session, study: StudyRow, claim_id: str) -> tuple[ShownCoding, ...]:
    answers = [record.answer for record in _by_claim(session, study).get(claim_id, [])]
    keys = sorted({key for answer in answers for key in answer})
    differing = tuple(key for key in keys if len({canonical_json(answer.get(key)) for answer in answers}) > 1)
    order = coding_order(study.seed, claim_id, len(answers))
    return tuple(ShownCoding(number, answers[index], differing) for number, index in enumerate(order, start=1))


def submit_provisional(session: Session, actor: Actor, item_id: str, submission: Submission, now: datetime) -> None:
    """Commit the adjudicator's own verdict before the codings are shown; it is never changed afterwards."""
    item, study = _own_item(session, actor, item_id)
    if _sent_before(session, item_id, "provisional", submission):
        return
    if adjudications.find_own_provisional(session, item_id, actor.user_id) is not None:
        raise Conflict("the provisional verdict on this claim is committed already")
    case = load_unshown_case(session, study, item.blind_claim_id)
    _append(session, actor, (item, case, "provisional"), (submission, Ruling("", "", "")), now)


def decide(session: Session, actor: Actor, item_id: str, sent: tuple[Submission, Ruling], now: datetime) -> None:
    """Append the decision. Raises `Refused` before a provisional verdict, `RulesBroken` for a reason that is too short,
    a rule that the codebook does not have or a cause that is not listed (H27)."""
    item, study = _own_item(session, actor, item_id)
    submission, ruling = sent
    if _sent_before(session, item_id, "final", submission):
        return
    if study.phase != "adjudicate":
        raise Conflict("this study is closed; its decisions stand")
    if adjudications.find_current_decision(session, item_id, "final") is not None:
        raise Conflict("this claim is decided already; a decision is appended once and stands")
    if adjudications.find_own_provisional(session, item_id, actor.user_id) is None:
        raise Refused("commit your own provisional verdict first; the codings are shown after it")
    case = load_unshown_case(session, study, item.blind_claim_id)
    _check_ruling(case, ruling)
    _append(session, actor, (item, case, "final"), (submission, ruling), now)


def _sent_before(session: Session, item_id: str, stage: str, submission: Submission) -> bool:
    """Return whether this very submission is stored. Raises for a missing token, or one that stands for another."""
    if not submission.client_token:
        raise Refused("a decision needs a client token, so that sending it twice stores it once")
    earlier = adjudications.find_decision_by_token(session, item_id, submission.client_token)
    if earlier is None:
        return False
    if earlier.stage != stage or earlier.answer_json != canonical_json(normalise(submission.answer)):
        raise Conflict("this form was sent before with another content; reload to see what is stored")
    return True


def _check_ruling(case: UnshownCase, ruling: Ruling) -> None:
    knows = [rule.id for rule in case.codebook.rules]
    faults = decision_faults(rule=ruling.rule, reason=ruling.reason, cause=ruling.cause, knows=knows)
    if faults:
        raise RulesBroken(faults)


def _append(
    session: Session,
    actor: Actor,
    place: tuple[QueueItemRow, UnshownCase, str],
    sent: tuple[Submission, Ruling],
    now: datetime,
) -> None:
    (item, case, stage), (submission, ruling) = place, sent
    answer: Mapping[str, Any] = normalise(submission.answer)
    judgement = judge_for_study(case, answer, submission.confirmed)
    earlier = adjudications.find_current_decision(session, item.id, stage)
    content: dict[str, Any] = {
        "item_id": item.id,
        "stage": stage,
        "revision": (earlier.revision if earlier else 0) + 1,
        "adjudicator_id": actor.user_id,
        "answer_json": canonical_json(dict(answer)),
        "derived_tiers_json": canonical_json(list(judgement.derived_tiers)),
        "rule": ruling.rule,
        "reason": ruling.reason.strip(),
        "cause": ruling.cause,
        "client_token": submission.client_token,
        "created_at": iso(now),
        "previous_sha256": earlier.sha256 if earlier else audit.FIRST,
    }
    row = DecisionRow(**content, sha256=sha256_hex(canonical_json(content)))
    adjudications.add_decision(session, row)
    count_decision(session, item.study_id, judgement, submission.confirmed)
    event = {"at": iso(now), "actor": actor.name, "action": f"adjudicate_{stage}", "study_id": item.study_id}
    audit.record(session, {**event, "subject": item.id, "details": {"revision": row.revision, "sha256": row.sha256}})
