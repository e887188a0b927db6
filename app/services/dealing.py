"""Which claims are coded, by whom, in which order: the registered design, drawn from the study's seed and stored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlmodel import Session

from app.domain.blinding.seal import blind_id, derived_id
from app.domain.canonical import canonical_json
from app.domain.claims.claim import Claim
from app.domain.moments import iso
from app.domain.packets.assignment import SPACING, Assignment, Design, plan_packets
from app.domain.packets.facts import packet_sha256
from app.domain.packets.overlap import Overlap
from app.domain.packets.packet import BlindClaim
from app.domain.packets.sampling import draw_sample
from app.domain.study import StudySpec
from app.storage import packets, people, studies
from app.storage.tables import AssignmentRow, PacketRow, StudyRow


def sampled(session: Session, study: StudyRow, spec: StudySpec) -> list[Claim]:
    """Return the claims the registered sampling draws from the frozen list, by native id."""
    key = studies.get_seal_key(session, study.id)
    frozen = [Claim(**json.loads(row.body_json)) for row in studies.list_frozen_claims(session, study.id)]
    by_blind_id = {blind_id(key, claim.claim_id): claim for claim in frozen}
    columns = spec.sampling.by or ("claim_source", "session_id")
    strata = {blind: [str(getattr(claim, column)) for column in columns] for blind, claim in by_blind_id.items()}
    chosen = draw_sample(strata, spec.sampling.n, study.seed)
    return sorted((by_blind_id[blind] for blind in chosen), key=lambda claim: claim.claim_id)


def repeats_share(spec: StudySpec, n_claims: int) -> float:
    """Return the share of hidden repeats dealt: none where a packet is too short to set them well apart."""
    return spec.repeats if n_claims >= 2 * SPACING else 0.0


def deal(session: Session, study: StudyRow, spec: StudySpec, claims: Sequence[BlindClaim], now: datetime) -> int:
    """Store one packet a rater with its assignments in order; return how many assignments there are."""
    planned = plan(session, study, spec, claims)
    for slot, items in planned.items():
        _store(session, study, (slot, spec.slots[slot]), items, (claims, now))
    return sum(len(items) for items in planned.values())


def plan(
    session: Session, study: StudyRow, spec: StudySpec, claims: Sequence[BlindClaim]
) -> dict[str, tuple[Assignment, ...]]:
    """Return slot → its packet's items in order, as the registered design and the seed decide; stores nothing."""
    n_human = len(spec.raters)
    slots = tuple(spec.slots)
    design = Design(
        seed=study.seed,
        slots=slots[:n_human],
        machine_slots=slots[n_human:],
        overlap=_overlap(spec),
        order=spec.order,
        repeats=repeats_share(spec, len(claims)),
    )
    return plan_packets(claims, design, studies.get_seal_key(session, study.id))


def _overlap(spec: StudySpec) -> Overlap:
    given = {name: value for name, value in asdict(spec.overlap).items() if value is not None}
    return Overlap(**given)


def _store(
    session: Session,
    study: StudyRow,
    rater: tuple[str, str],
    items: Sequence[Assignment],
    context: tuple[Sequence[BlindClaim], datetime],
) -> None:
    (slot, name), (claims, now) = rater, context
    user = people.find_user(session, name)
    assert user is not None, "registration checked every name"
    key = studies.get_seal_key(session, study.id)
    by_id = {claim.blind_claim_id: claim for claim in claims}
    packet = PacketRow(
        id=derived_id(key, "packet", slot),
        study_id=study.id,
        slot=slot,
        user_id=people.user_id_of(user),
        sha256=packet_hash(session, study, [by_id[item.of] for item in items]),
        built_at=iso(now),
    )
    studies.add_rows(session, [packet])
    rows = [
        AssignmentRow(
            id=item.assignment_id,
            packet_id=packet.id,
            study_id=study.id,
            user_id=packet.user_id,
            blind_claim_id=item.of,
            position=item.position,
            purpose=item.purpose,
        )
        for item in items
    ]
    studies.add_rows(session, rows)


def packet_hash(session: Session, study: StudyRow, claims: Sequence[BlindClaim]) -> str:
    runs = {row.blind_run_id: row for row in packets.list_blind_runs(session, study.id)}
    shown = {run_id: canonical_json([row.coverage_json, row.gaps_json]) for run_id, row in runs.items()}
    hashes = {run_id: row.sha256 for run_id, row in runs.items()}
    return packet_sha256(claims, hashes, codebook_sha256=study.codebook_sha256, coverage=shown)
