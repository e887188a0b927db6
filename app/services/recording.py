"""Reading a study back as one immutable record: the only way its judgements reach statistics and exports.

It reads the blind tables alone, so what is made from the record is blind.
"""

from __future__ import annotations

import json
from typing import Any

from sqlmodel import Session

from app.domain.canonical import sha256_hex
from app.domain.moments import seconds_between
from app.domain.record import ClaimRecord, CodingRecord, DecisionRecord, LockRecord, StudyRecord
from app.services.access import codebook_of
from app.services.carried import exempt_rules, find_needs, list_crosswalks
from app.services.standings import record_of
from app.services.work_time import list_work
from app.storage import adjudications, codings, packets, rule_counts, studies
from app.storage.tables import DecisionRow, LockRow, PacketRow, QueueItemRow, StudyRow


def slots_of(session: Session, study_id: str) -> dict[str, str]:
    """Return slot → `human` or `machine`, in slot order."""
    members = studies.list_members(session, study_id, "rater")
    return {member.slot: user.kind for member, user in members if member.slot is not None}


def locked_codings(session: Session, study: StudyRow) -> tuple[CodingRecord, ...]:
    """Return the current codings of every locked packet, by slot and place."""
    kinds = slots_of(session, study.id)
    locks = {lock.packet_id: lock for lock in packets.list_locks(session, study.id)}
    exempt = exempt_rules(list_crosswalks(session, study.id))
    found: list[CodingRecord] = []
    for packet in packets.list_packets(session, study.id):
        if packet.id in locks:
            whose = (locks[packet.id], kinds[packet.slot])
            found.extend(_codings_of(session, study, packet, whose, exempt))
    return tuple(found)


def _codings_of(
    session: Session, study: StudyRow, packet: PacketRow, whose: tuple[LockRow, str], exempt: tuple[str, ...]
) -> list[CodingRecord]:
    assert packet.published_at is not None, "only published packets are locked"
    lock, kind = whose
    return [
        CodingRecord(
            blind_claim_id=assignment.blind_claim_id,
            slot=packet.slot,
            kind=kind,
            answer=json.loads(row.answer_json),
            codebook_version=row.codebook_version,
            codebook_sha256=row.codebook_sha256,
            packet_sha256=packet.sha256,
            position=assignment.position,
            session=row.work_session,
            seconds_on_item=row.seconds_on_item,
            revisions=row.revision,
            warnings_shown=tuple(json.loads(row.warnings_shown_json)),
            warnings_confirmed=tuple(json.loads(row.warnings_confirmed_json)),
            created_seconds=seconds_between(packet.published_at, row.created_at),
            lock_id=lock.id,
            derived_tiers=tuple(json.loads(row.derived_tiers_json)),
            origin="human" if row.origin == "import" else row.origin,
            purpose=assignment.purpose,
            needs=find_needs(session, study, row, assignment.blind_claim_id, exempt),
        )
        for assignment, row in codings.list_current(session, packet.id)
    ]


def _claims(session: Session, study_id: str) -> tuple[ClaimRecord, ...]:
    found = []
    for row in packets.list_blind_claims(session, study_id):
        body: dict[str, Any] = json.loads(row.body_json)
        found.append(
            ClaimRecord(
                blind_claim_id=row.blind_claim_id,
                blind_run_id=row.blind_run_id,
                claim_source=body["claim_source"],
                claim_turn=body["turn"],
                unit_parts=body["unit_parts"],
                text=body["text"],
                repeat_of=body["repeat_of"],
                status=row.status,
            )
        )
    return tuple(found)


def _decisions(session: Session, study: StudyRow) -> tuple[DecisionRecord, ...]:
    """Return each claim's final decision and the provisional verdict of the one who decided, or the first one given.

    Where several adjudicators look at a claim, each commits a provisional verdict; only the decider's stands beside the
    decision.
    """
    rows = adjudications.list_decisions(session, study.id)
    deciders = {item.id: row.adjudicator_id for item, row in rows if row.stage == "final"}
    kept: dict[tuple[str, str], DecisionRecord] = {}
    for item, row in rows:
        others = row.adjudicator_id != deciders.get(item.id, row.adjudicator_id)
        key = (item.blind_claim_id, row.stage)
        if not others and key not in kept:
            kept[key] = _decision(study, item, row)
    return tuple(kept[key] for key in sorted(kept))


def _decision(study: StudyRow, item: QueueItemRow, row: DecisionRow) -> DecisionRecord:
    return DecisionRecord(
        blind_claim_id=item.blind_claim_id,
        stage=row.stage,
        answer=json.loads(row.answer_json),
        rule=row.rule,
        reason=row.reason,
        cause=row.cause,
        created_seconds=seconds_between(study.published_at or row.created_at, row.created_at),
        selected_by=tuple(json.loads(item.selected_by_json)),
        derived_tiers=tuple(json.loads(row.derived_tiers_json)),
    )


def load_record(session: Session, study: StudyRow) -> StudyRecord:
    """Return the whole study as recorded so far."""
    return StudyRecord(
        study_id=study.id,
        title=study.title,
        codebook=codebook_of(study),
        registration_text=study.registration_text,
        registration_sha256=study.registration_sha256,
        registration=json.loads(study.registration_json),
        inputs=tuple(
            {"name": row.name, "sha256": row.sha256, "bytes": row.bytes, "rows": row.rows}
            for row in studies.list_inputs(session, study.id)
        ),
        slots=slots_of(session, study.id),
        seed=study.seed,
        claims=_claims(session, study.id),
        codings=locked_codings(session, study),
        decisions=_decisions(session, study),
        locks=tuple(
            LockRecord(row.id, row.slot, row.packet_sha256, row.rows_sha256, row.n_rows, row.locked_at)
            for row in packets.list_locks(session, study.id)
        ),
        queued={
            item.blind_claim_id: tuple(json.loads(item.selected_by_json))
            for item in adjudications.list_queue(session, study.id)
        },
        written_at=study.closed_at or study.published_at or study.created_at,
        qualification=record_of(session, study),
        work=list_work(session, study),
        rule_counts=rule_counts.list_counts(session, study.id),
        crosswalks=tuple(list_crosswalks(session, study.id)),
    )


def served_sha256(session: Session, study_id: str) -> str:
    """Return the hash of everything the built packets serve: what a leak scan has looked at."""
    parts = [row.sha256 for row in packets.list_blind_runs(session, study_id)]
    parts.extend(sha256_hex(row.body_json) for row in packets.list_blind_claims(session, study_id))
    return sha256_hex("\n".join(parts))
