"""Codings in revisions, and drafts. The current coding of an assignment is its highest revision; nothing is updated."""

from __future__ import annotations

from sqlmodel import Session, col, func, select

from app.storage.tables import AssignmentRow, BlindClaimRow, CodingRow, DraftRow


def find_current(session: Session, assignment_id: str) -> CodingRow | None:
    """Return the highest revision, or None when the claim was not coded yet."""
    query = select(CodingRow).where(CodingRow.assignment_id == assignment_id).order_by(col(CodingRow.revision).desc())
    return session.exec(query.limit(1)).first()


def find_by_token(session: Session, assignment_id: str, client_token: str) -> CodingRow | None:
    """Return the revision that this client token already made, or None."""
    query = select(CodingRow).where(CodingRow.assignment_id == assignment_id, CodingRow.client_token == client_token)
    return session.exec(query).first()


def list_current(session: Session, packet_id: str) -> list[tuple[AssignmentRow, CodingRow]]:
    """Return each coded assignment of a packet with its current coding, in packet order."""
    newest = (
        select(CodingRow.assignment_id, func.max(CodingRow.revision).label("revision"))
        .join(AssignmentRow, col(AssignmentRow.id) == CodingRow.assignment_id)
        .where(AssignmentRow.packet_id == packet_id)
        .group_by(CodingRow.assignment_id)
        .subquery()
    )
    query = (
        select(AssignmentRow, CodingRow)
        .join(CodingRow, col(CodingRow.assignment_id) == AssignmentRow.id)
        .join(newest, (newest.c.assignment_id == CodingRow.assignment_id) & (newest.c.revision == CodingRow.revision))
        .where(AssignmentRow.packet_id == packet_id)
        .order_by(col(AssignmentRow.position))
    )
    return list(session.exec(query).all())


def count_coded(session: Session, packet_id: str) -> int:
    """Return how many assignments of a packet have a coding."""
    query = select(func.count(func.distinct(CodingRow.assignment_id)))
    query = query.join(AssignmentRow, col(AssignmentRow.id) == CodingRow.assignment_id)
    return session.exec(query.where(AssignmentRow.packet_id == packet_id)).one()


def count_imported(session: Session, study_id: str) -> dict[int, int]:
    """Return rater → how many of the study's claims they have codings of that were made elsewhere and imported."""
    query = select(CodingRow.rater_id, func.count(func.distinct(CodingRow.assignment_id)))
    query = query.join(AssignmentRow, col(AssignmentRow.id) == CodingRow.assignment_id)
    query = query.where(AssignmentRow.study_id == study_id, CodingRow.origin == "import")
    return dict(session.exec(query.group_by(col(CodingRow.rater_id))).all())


def count_drafts(session: Session, packet_id: str) -> int:
    """Return how many assignments of a packet have an unsubmitted draft."""
    query = (
        select(func.count()).select_from(DraftRow).join(AssignmentRow, col(AssignmentRow.id) == DraftRow.assignment_id)
    )
    return session.exec(query.where(AssignmentRow.packet_id == packet_id)).one()


def list_coded_ids(session: Session, packet_id: str) -> set[str]:
    """Return the assignments of a packet that have a coding."""
    query = (
        select(CodingRow.assignment_id).distinct().join(AssignmentRow, col(AssignmentRow.id) == CodingRow.assignment_id)
    )
    return set(session.exec(query.where(AssignmentRow.packet_id == packet_id)))


def list_draft_ids(session: Session, packet_id: str) -> set[str]:
    """Return the assignments of a packet that have a draft."""
    query = select(DraftRow.assignment_id).join(AssignmentRow, col(AssignmentRow.id) == DraftRow.assignment_id)
    return set(session.exec(query.where(AssignmentRow.packet_id == packet_id)))


def find_next_uncoded(session: Session, packet_id: str, after: int = 0) -> AssignmentRow | None:
    """Return the first assignment past a position that waits for a coding, from the start after the end, or None."""
    coded = select(CodingRow.assignment_id).where(CodingRow.assignment_id == AssignmentRow.id)
    query = select(AssignmentRow).join(
        BlindClaimRow,
        (col(BlindClaimRow.study_id) == AssignmentRow.study_id)
        & (col(BlindClaimRow.blind_claim_id) == AssignmentRow.blind_claim_id),
    )
    query = query.where(AssignmentRow.packet_id == packet_id, ~coded.exists(), BlindClaimRow.status == "sampled")
    ordered = query.order_by((col(AssignmentRow.position) <= after), col(AssignmentRow.position))
    return session.exec(ordered.limit(1)).first()


def find_last_of_packet(session: Session, packet_id: str) -> CodingRow | None:
    """Return the newest coding of a packet, or None."""
    query = select(CodingRow).join(AssignmentRow, col(AssignmentRow.id) == CodingRow.assignment_id)
    query = query.where(AssignmentRow.packet_id == packet_id)
    return session.exec(query.order_by(col(CodingRow.id).desc()).limit(1)).first()


def add_coding(session: Session, row: CodingRow) -> None:
    """Append one revision."""
    session.add(row)
    session.flush()


def find_draft(session: Session, assignment_id: str) -> DraftRow | None:
    """Return the draft, or None."""
    return session.get(DraftRow, assignment_id)


def put_draft(session: Session, draft: DraftRow) -> None:
    """Store the draft in place of an earlier one."""
    session.merge(draft)
    session.flush()


def remove_draft(session: Session, assignment_id: str) -> None:
    """Remove the draft once its content has become a coding."""
    found = find_draft(session, assignment_id)
    if found is not None:
        session.delete(found)
        session.flush()
