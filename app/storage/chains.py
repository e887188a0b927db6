"""The hashed rows, as they are hashed: read one by one, so that every hash can be computed once more.

The columns named here are those the hash covers; a column added later is not, unless the rows are hashed anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select
from sqlmodel import Session, SQLModel, col

from app.domain.canonical import canonical_json, sha256_hex
from app.storage.tables import AssignmentRow, AuditRow, CodingRow, DecisionRow

AUDIT = ("at", "actor", "action", "study_id", "subject", "details_json", "previous_sha256")
CODING = (
    "assignment_id",
    "revision",
    "rater_id",
    "answer_json",
    "derived_tiers_json",
    "codebook_version",
    "codebook_sha256",
    "shown_sha256",
    "client_token",
    "seconds_on_item",
    "work_session",
    "warnings_shown_json",
    "warnings_confirmed_json",
    "dropped_json",
    "origin",
    "created_at",
    "previous_sha256",
)
DECISION = (
    "item_id",
    "stage",
    "revision",
    "adjudicator_id",
    "answer_json",
    "derived_tiers_json",
    "rule",
    "reason",
    "cause",
    "client_token",
    "created_at",
    "previous_sha256",
)
_BATCH = 2000


@dataclass(frozen=True)
class Kept:
    """One hashed row: what its hash covers, the chain of revisions it belongs to, and what the audit calls it."""

    id: int
    content: Mapping[str, Any]
    sha256: str
    chain: tuple[Any, ...]
    subject: str


def expected_sha256(content: Mapping[str, Any]) -> str:
    """Return the hash that a row of this content must carry."""
    return sha256_hex(canonical_json(dict(content)))


def audit_events(session: Session) -> Iterator[Kept]:
    """Yield every act of the audit chain, oldest first."""
    for row_id, sha256, content in _rows(session, AuditRow, AUDIT):
        yield Kept(row_id, content, sha256, (), str(content["subject"]))


def codings(session: Session) -> Iterator[Kept]:
    """Yield every revision of every coding in the order stored."""
    for row_id, sha256, content in _rows(session, CodingRow, CODING):
        yield Kept(row_id, content, sha256, (content["assignment_id"],), str(content["assignment_id"]))


def codings_of_packet(session: Session, packet_id: str) -> Iterator[Kept]:
    """Yield every revision of the codings of one packet."""
    own = select(col(AssignmentRow.id)).where(col(AssignmentRow.packet_id) == packet_id)
    for row_id, sha256, content in _rows(session, CodingRow, CODING, col(CodingRow.assignment_id).in_(own)):
        yield Kept(row_id, content, sha256, (content["assignment_id"],), str(content["assignment_id"]))


def decisions(session: Session) -> Iterator[Kept]:
    """Yield every decision in the order stored; each stage of an item has revisions of its own."""
    for row_id, sha256, content in _rows(session, DecisionRow, DECISION):
        yield Kept(row_id, content, sha256, (content["item_id"], content["stage"]), str(content["item_id"]))


@dataclass(frozen=True)
class Act:
    """One act as the audit chain tells it."""

    action: str
    at: str
    subject: str
    details: Mapping[str, Any]


def acts(session: Session, *actions: str) -> list[Act]:
    """Return every audited act of these names, oldest first."""
    query = select(col(AuditRow.action), col(AuditRow.at), col(AuditRow.subject), col(AuditRow.details_json))
    query = query.where(col(AuditRow.action).in_(actions)).order_by(col(AuditRow.id))
    return [Act(action, at, subject, json.loads(told)) for action, at, subject, told in session.execute(query)]


def _rows(
    session: Session, table: type[SQLModel], names: Sequence[str], where: Any = None
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    columns: Any = table.__table__.c  # type: ignore[attr-defined]
    chosen: list[Any] = [columns.id, columns.sha256, *(columns[name] for name in names)]
    query: Select[Any] = select(*chosen).order_by(columns.id)
    if where is not None:
        query = query.where(where)
    for row_id, sha256, *values in session.execute(query.execution_options(yield_per=_BATCH)):
        yield row_id, sha256, dict(zip(names, values, strict=True))
