"""The audit chain: every act appended, each row's hash covering the one before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import Session, col, select

from app.domain.canonical import canonical_json, sha256_hex
from app.storage.tables import AuditRow

FIRST = "0" * 64


def record(session: Session, event: Mapping[str, Any]) -> AuditRow:
    """Append one act and return its row.

    `event` has `at`, `actor`, `action`, `subject`, optionally `study_id` and `details` (ids, counts and hashes; never
    claim text, notes or secrets).
    """
    newest = session.exec(select(AuditRow.sha256).order_by(col(AuditRow.id).desc()).limit(1)).first()
    content = {
        "at": event["at"],
        "actor": event["actor"],
        "action": event["action"],
        "study_id": event.get("study_id"),
        "subject": event["subject"],
        "details_json": canonical_json(event.get("details", {})),
        "previous_sha256": newest or FIRST,
    }
    row = AuditRow(**content, sha256=sha256_hex(canonical_json(content)))
    session.add(row)
    session.flush()
    return row


def list_events(session: Session, study_id: str, action: str | None = None) -> list[AuditRow]:
    """Return a study's acts, or those of one name, oldest first."""
    query = select(AuditRow).where(AuditRow.study_id == study_id).order_by(col(AuditRow.id))
    if action is not None:
        query = query.where(AuditRow.action == action)
    return list(session.exec(query))
