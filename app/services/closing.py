"""Closing a study, and exporting what it found. Nothing pooled leaves before every lock and decision is in (H30)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session

from app.domain.errors import Conflict, Refused
from app.domain.moments import iso
from app.domain.record import StudyRecord
from app.domain.roles import Action
from app.services.access import get_study_for
from app.services.adjudicating import all_locked
from app.services.people import Actor
from app.services.recording import load_record
from app.services.soundness import require_unaltered
from app.storage import adjudications, audit, studies
from app.storage.tables import StudyRow


@dataclass(frozen=True)
class ExportOptions:
    """What an export holds beyond the blinded tables: `notes`, the `grain` of the pooled file, and `private`: blind to
    native claim ids, which adds the complete `codings.csv` (None: without it)."""

    private: Mapping[str, str] | None = None
    notes: bool = False
    grain: str = "wide"


def count_queue(session: Session, study_id: str) -> tuple[int, int]:
    """Return how many queued claims are decided, and how many are queued."""
    queue = adjudications.list_queue(session, study_id)
    return len(adjudications.list_decided_ids(session, study_id)), len(queue)


def close_study(session: Session, actor: Actor, study_id: str, now: datetime) -> str:
    """Close the study once every queued claim is decided; return when. Raises `Refused` naming what is open."""
    study = get_study_for(session, actor, study_id, Action.CLOSE_STUDY)
    if study.closed_at is not None:
        raise Conflict(f"{study_id} was closed on {study.closed_at}")
    if study.phase != "adjudicate":
        raise Refused("a study is closed after its adjudication: lock every packet, then open the adjudication")
    decided, queued = count_queue(session, study_id)
    if decided < queued:
        raise Refused(f"{queued - decided} of {queued} queued claims have no decision yet")
    require_unaltered(session, study)
    study.phase, study.closed_at = "close", iso(now)
    session.add(study)
    session.flush()
    event = {"at": study.closed_at, "actor": actor.name, "action": "close_study", "study_id": study_id}
    audit.record(session, {**event, "subject": study_id, "details": {"decided": decided}})
    return study.closed_at


def native_claim_ids(session: Session, actor: Actor, study_id: str) -> dict[str, str]:
    """Return blind → native claim ids, for the custodian's private export alone."""
    get_study_for(session, actor, study_id, Action.EXPORT_PRIVATE)
    return {blind: native for native, blind in studies.blind_ids_of(session, study_id, "claim").items()}


def get_closed_record(session: Session, actor: Actor, study_id: str) -> StudyRecord:
    """Return the record of a closed study for export. Raises `Refused` before it is closed."""
    study = get_study_for(session, actor, study_id, Action.EXPORT_STUDY)
    if study.closed_at is None:
        raise Refused(_what_is_open(session, study))
    require_unaltered(session, study)
    return load_record(session, study)


def _what_is_open(session: Session, study: StudyRow) -> str:
    if not all_locked(session, study.id):
        return "nothing pooled is exported before every packet is locked and the adjudication is closed"
    decided, queued = count_queue(session, study.id)
    if study.phase != "adjudicate":
        return "every packet is locked; open the adjudication and close the study, then export it"
    return f"{queued - decided} of {queued} queued claims have no decision; close the study, then export it"


def export_study(record: StudyRecord, folder: Path, options: ExportOptions) -> Sequence[dict[str, Any]]:
    """Write the export into `folder` and return path, sha256 and rows of each file; all of it or nothing."""
    from app.services.bundle import write_bundle

    return write_bundle(record, folder, private=options.private or False, grain=options.grain, notes=options.notes)
