"""Building packets: the sampled runs are blinded and copied into the database, the claims dealt to the raters.

Built packets may be rebuilt until they are published; after that they stand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session

from app.domain.blinding.scrub import Scrubber
from app.domain.blinding.seal import blind_id, derived_id
from app.domain.blinding.terms import StudyTerms, study_terms
from app.domain.canonical import canonical_json, sha256_hex
from app.domain.claims.claim import Claim
from app.domain.errors import Conflict, Refused
from app.domain.moments import iso
from app.domain.packets.assignment import ClaimPlace, plan_assignments
from app.domain.packets.build import blind_claim, blind_turns
from app.domain.packets.packet import BlindClaim
from app.domain.packets.sampling import sample_claims
from app.domain.roles import Action
from app.domain.study import StudySpec
from app.readers.study_file import parse_study
from app.services.access import get_study_for
from app.services.people import Actor
from app.storage import audit, packets, studies
from app.storage.tables import (
    AssignmentRow,
    BlindClaimRow,
    BlindRunRow,
    BlindTurnRow,
    IdentityRow,
    PacketRow,
    ScanRow,
    StudyRow,
)


@dataclass(frozen=True)
class Built:
    """What was built."""

    n_packets: int
    n_assignments: int
    n_replacements: int


@dataclass(frozen=True)
class Blinding:
    """The study's blinding at work: the key of its ids, what it searches, and the scrubber made from it."""

    key: bytes
    terms: StudyTerms
    scrubber: Scrubber


def spec_of(study: StudyRow) -> StudySpec:
    """Return the study file as registered."""
    return parse_study(study.registration_text, f"registration of {study.id}")


def build_packets(session: Session, actor: Actor, study_id: str, now: datetime) -> Built:
    """Blind the sampled runs and claims, deal them to the raters, and store both; return the counts.

    Raises `Conflict` when packets are published already, or when a pinned input's bytes have changed.
    """
    from app.readers.turnlog_file import open_turn_log

    study = get_study_for(session, actor, study_id, Action.BUILD_PACKETS)
    if study.published_at is not None:
        raise Conflict(f"the packets of {study_id} were published on {study.published_at} and stand as they are")
    log = open_turn_log(_checked_input(session, study_id, "log"))
    spec = spec_of(study)
    terms = study_terms(log.identities(), spec.blinding.terms)
    blinding = Blinding(studies.get_seal_key(session, study_id), terms, Scrubber(terms.terms))
    packets.clear_packets(session, study_id)
    claims = _sampled(session, study_id, spec)
    n_replacements = 0
    blinded: list[BlindClaim] = []
    for session_id in sorted({claim.session_id for claim in claims}):
        of_run = [claim for claim in claims if claim.session_id == session_id]
        made, replaced = _build_run(session, study_id, log.turns(session_id), of_run, blinding)
        blinded.extend(made)
        n_replacements += replaced
    n_assignments = _deal(session, study, spec, blinded, blinding.key, now)
    study.phase = "scan"
    session.add(study)
    built = Built(len(spec.raters) + len(spec.machine_raters), n_assignments, n_replacements)
    event = {"at": iso(now), "actor": actor.name, "action": "build_packets", "study_id": study_id, "subject": study_id}
    audit.record(session, {**event, "details": asdict(built)})
    return built
