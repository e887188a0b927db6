"""Every save of a packet with its time, for the timesheet: who worked when, not what was coded."""

from __future__ import annotations

from sqlmodel import Session, col, select

from app.storage.tables import AssignmentRow, CodingRow


def list_saves(session: Session, packet_id: str) -> list[tuple[AssignmentRow, CodingRow]]:
    """Return each assignment's saved revisions, all of them, in the order in which they were saved."""
    query = select(AssignmentRow, CodingRow).join(CodingRow, col(CodingRow.assignment_id) == AssignmentRow.id)
    query = query.where(AssignmentRow.packet_id == packet_id, CodingRow.origin != "crosswalk")
    return list(session.exec(query.order_by(col(CodingRow.id))).all())
