"""A rater's packets and their lock: complete, valid, attested, hashed, read-only afterwards."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.domain.attestations import ATTESTATIONS, wording_sha256
from app.domain.blinding.seal import derived_id
from app.domain.canonical import canonical_json, sha256_hex
from app.domain.codebook.crosswalk_model import CROSSWALK
from app.domain.codebook.rules import judge_in
from app.domain.errors import AlreadyLocked, BadInput, Refused
from app.domain.moments import iso
from app.domain.receipts import locked_rows_sha256
from app.domain.roles import Action, require
from app.services.access import get_own_packet, get_study
from app.services.bench import load_unshown_case
from app.services.carried import exempt_of, exempt_rules, list_crosswalks
from app.services.pages import ClaimLine, LockPage, PacketLine, RaterHome
from app.services.people import Actor
from app.services.soundness import require_unaltered_packet
from app.storage import audit, codings, packets, people, studies
from app.storage.tables import AssignmentRow, CodingRow, LockRow, PacketRow, StudyRow

MADE_ELSEWHERE = ("import", "crosswalk")
"""The origins of codings that came in by the lead's import."""


@dataclass(frozen=True)
class Receipt:
    """What a rater keeps of the lock."""

    lock_id: str
    rows_sha256: str
    n_rows: int
    locked_at: str


def rater_home(session: Session, actor: Actor) -> RaterHome:
    """Return the actor's published packets with what is left of each."""
    require(actor.roles, Action.CODE_CLAIM)
    return RaterHome(
        tuple(_line(session, packet) for packet in packets.list_published_packets_of(session, actor.user_id))
    )


def _line(session: Session, packet: PacketRow) -> PacketLine:
    study = get_study(session, packet.study_id)
    lock = packets.find_lock(session, packet.id)
    following = codings.find_next_uncoded(session, packet.id)
    return PacketLine(
        packet_id=packet.id,
        study_title=study.title,
        codebook_version=study.codebook_version,
        n_assigned=packets.count_assignments(session, packet.id),
        n_coded=codings.count_coded(session, packet.id),
        n_drafts=codings.count_drafts(session, packet.id),
        continue_id=following.id if following else None,
        locked_at=lock.locked_at if lock else None,
        lock_id=lock.id if lock else None,
        study_id=study.id,
    )


def lock_page(session: Session, actor: Actor, packet_id: str, problems: tuple[str, ...] = ()) -> LockPage:
    """Return a packet's claims with their state, and what stands against its lock."""
    packet = get_own_packet(session, actor, packet_id)
    coded, drafted = codings.list_coded_ids(session, packet_id), codings.list_draft_ids(session, packet_id)
    current = codings.list_current(session, packet_id)
    labels = {assignment.id: _label(coding) for assignment, coding in current}
    carried = {assignment.id for assignment, coding in current if coding.origin == CROSSWALK}
    claims = []
    for assignment in packets.list_assignments(session, packet_id):
        claim = packets.get_blind_claim(session, packet.study_id, assignment.blind_claim_id)
        if claim.status != "sampled":
            continue
        body = json.loads(claim.body_json)
        stored = "carried" if assignment.id in carried else "coded" if assignment.id in coded else "open"
        state = "draft" if assignment.id in drafted else stored
        label = labels.get(assignment.id, "")
        claims.append(ClaimLine(assignment.id, assignment.position, body["text"], state, label))
    return LockPage(_line(session, packet), tuple(claims), ATTESTATIONS, problems)


def _label(coding: CodingRow) -> str:
    """Return what a rater's stored coding says in one code: its verdict, or `not_codable`; "" for a carried one."""
    if coding.origin == CROSSWALK:
        return ""  # whoever codes it afresh has not read what it was before
    answer = json.loads(coding.answer_json)
    return "not_codable" if answer.get("codability") == "not_codable" else str(answer.get("verdict", ""))


def lock_packet(session: Session, actor: Actor, packet_id: str, attested: Collection[str], now: datetime) -> Receipt:
    """Lock the actor's own packet for good; return the receipt.

    A rater who is not qualified here locks only what was made elsewhere and imported: the gate says so. Raises
    `NotQualified`, `AlreadyLocked`, or `Refused` naming what is missing: claims without a valid coding, unsaved drafts,
    claims paused by the custodian, attestations not given.
    """
    rows = codings.list_current(session, packet_id)
    elsewhere = bool(rows) and all(coding.origin in MADE_ELSEWHERE for _, coding in rows)
    packet = get_own_packet(session, actor, packet_id, made_elsewhere=elsewhere)
    require(actor.roles, Action.LOCK_PACKET)
    if packets.find_lock(session, packet_id) is not None:
        raise AlreadyLocked("this packet is locked already")
    study = get_study(session, packet.study_id)
    require_unaltered_packet(session, packet)
    unknown = sorted(set(attested) - set(ATTESTATIONS))
    if unknown:
        raise BadInput(f"{', '.join(unknown)} is no attestation; there are {', '.join(ATTESTATIONS)}")
    problems = _problems(session, study, packet, rows, attested)
    if problems:
        raise Refused("the packet cannot be locked yet: " + "; ".join(problems))
    lock = _lock_row(session, study, packet, rows, now)
    studies.add_rows(session, [lock])
    _close_coding(session, study)
    event = {
        "at": lock.locked_at,
        "actor": actor.name,
        "action": "lock_packet",
        "study_id": study.id,
        "subject": packet_id,
    }
    told = {"lock_id": lock.id, "rows_sha256": lock.rows_sha256, "n_rows": lock.n_rows}
    audit.record(session, {**event, "details": {**told, "attestations_sha256": sha256_hex(lock.attestations_json)}})
    return Receipt(lock.id, lock.rows_sha256, lock.n_rows, lock.locked_at)


def _problems(
    session: Session,
    study: StudyRow,
    packet: PacketRow,
    rows: list[tuple[AssignmentRow, CodingRow]],
    attested: Collection[str],
) -> list[str]:
    statuses = {c.blind_claim_id: c.status for c in packets.list_blind_claims(session, study.id)}
    assigned = [a for a in packets.list_assignments(session, packet.id) if statuses[a.blind_claim_id] != "withdrawn"]
    coded = {assignment.id for assignment, _ in rows}
    open_places = [str(a.position) for a in assigned if a.id not in coded]
    problems = [f"claim {', '.join(open_places)} has no coding"] if open_places else []
    drafts = codings.list_draft_ids(session, packet.id)
    unsaved = [str(a.position) for a in assigned if a.id in drafts]
    if unsaved:
        problems.append(f"claim {', '.join(unsaved)} has changes that were not saved as a coding")
    paused = [str(a.position) for a in assigned if statuses[a.blind_claim_id] == "paused"]
    if paused:
        problems.append(f"claim {', '.join(paused)} is paused until the custodian has looked at a blinding leak")
    problems.extend(_invalid(session, study, rows))
    user = people.find_user_by_id(session, packet.user_id)
    human = user is None or user.kind == "human"
    missing = [wording for key, wording in ATTESTATIONS.items() if human and key not in attested]
    if missing:
        problems.append("not attested: " + " ".join(missing))
    return problems


def _invalid(session: Session, study: StudyRow, rows: list[tuple[AssignmentRow, CodingRow]]) -> list[str]:
    """Judge every current coding once more, as it will be locked (H26)."""
    found = []
    exempt = exempt_rules(list_crosswalks(session, study.id))
    for assignment, row in rows:
        case = load_unshown_case(session, study, assignment.blind_claim_id)
        spared = exempt_of(row, exempt)
        judged = judge_in(case.codebook, case.prepared.view, case.unit, json.loads(row.answer_json), spared)
        broken = [v.rule for v in judged.violations if v.level == "hard"]
        if broken or row.codebook_sha256 != study.codebook_sha256:
            found.append(f"claim {assignment.position} breaks {', '.join(broken) or 'H03 (another codebook)'}")
    return found


def _lock_row(
    session: Session, study: StudyRow, packet: PacketRow, rows: list[tuple[AssignmentRow, CodingRow]], now: datetime
) -> LockRow:
    judged = [(a.blind_claim_id, json.loads(c.answer_json), c.revision) for a, c in rows]
    rows_sha256 = locked_rows_sha256(study.codebook_sha256, packet.sha256, judged)
    attested: dict[str, Any] = {"wording_sha256": wording_sha256(), "attested": sorted(ATTESTATIONS)}
    return LockRow(
        id=derived_id(studies.get_seal_key(session, study.id), "lock", packet.id, rows_sha256),
        packet_id=packet.id,
        study_id=study.id,
        slot=packet.slot,
        user_id=packet.user_id,
        attestations_json=canonical_json(attested),
        packet_sha256=packet.sha256,
        rows_sha256=rows_sha256,
        n_rows=len(rows),
        locked_at=iso(now),
    )


def _close_coding(session: Session, study: StudyRow) -> None:
    """Move the study on once its last packet is locked."""
    if len(packets.list_locks(session, study.id)) == len(packets.list_packets(session, study.id)):
        study.phase = "lock"
        session.add(study)
        session.flush()
