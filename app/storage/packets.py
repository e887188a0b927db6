"""What is served: blinded runs, claims, packets and assignments, and the leak scan over them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert
from sqlmodel import Session, col, delete, func, select

from app.storage.tables import (
    AssignmentRow,
    BlindClaimRow,
    BlindRunRow,
    BlindTurnRow,
    FindingRow,
    IdentityRow,
    LedgerRow,
    LockRow,
    PacketRow,
    ScanRow,
)


def clear_packets(session: Session, study_id: str) -> None:
    """Remove everything built and not published; the caller has checked that nothing was."""
    for table in (
        FindingRow,
        ScanRow,
        LedgerRow,
        AssignmentRow,
        PacketRow,
        BlindClaimRow,
        BlindTurnRow,
        BlindRunRow,
        IdentityRow,
    ):
        session.exec(delete(table).where(col(table.study_id) == study_id))
    session.flush()


def list_packets(session: Session, study_id: str) -> list[PacketRow]:
    """Return a study's packets by slot number."""
    found = session.exec(select(PacketRow).where(PacketRow.study_id == study_id)).all()
    return sorted(found, key=lambda packet: int(packet.slot[1:]))


def list_published_packets_of(session: Session, user_id: int) -> list[PacketRow]:
    """Return the published packets of one rater, oldest first."""
    query = select(PacketRow).where(PacketRow.user_id == user_id, col(PacketRow.published_at).is_not(None))
    return list(session.exec(query.order_by(col(PacketRow.published_at), PacketRow.id)))


def find_packet(session: Session, packet_id: str) -> PacketRow | None:
    """Return the packet, or None."""
    return session.get(PacketRow, packet_id)


def find_packet_of(session: Session, study_id: str, user_id: int) -> PacketRow | None:
    """Return a rater's packet in a study, or None."""
    return session.exec(select(PacketRow).where(PacketRow.study_id == study_id, PacketRow.user_id == user_id)).first()


def find_assignment(session: Session, assignment_id: str) -> AssignmentRow | None:
    """Return the assignment, or None."""
    return session.get(AssignmentRow, assignment_id)


def list_assignments(session: Session, packet_id: str) -> list[AssignmentRow]:
    """Return a packet's assignments in their order."""
    query = select(AssignmentRow).where(AssignmentRow.packet_id == packet_id).order_by(col(AssignmentRow.position))
    return list(session.exec(query))


def find_assignment_at(session: Session, packet_id: str, position: int) -> AssignmentRow | None:
    """Return the assignment at a place of a packet, or None beyond its ends."""
    query = select(AssignmentRow).where(AssignmentRow.packet_id == packet_id, AssignmentRow.position == position)
    return session.exec(query).first()


def count_assignments(session: Session, packet_id: str) -> int:
    """Return how many claims a packet holds."""
    return session.exec(select(func.count()).where(AssignmentRow.packet_id == packet_id)).one()


def get_blind_claim(session: Session, study_id: str, blind_claim_id: str) -> BlindClaimRow:
    """Return a claim as served; it exists wherever an assignment points."""
    row = session.get(BlindClaimRow, (study_id, blind_claim_id))
    assert row is not None, "assignments point at claims that were built with them"
    return row


def list_blind_claims(session: Session, study_id: str) -> list[BlindClaimRow]:
    """Return the claims as served, in blind-id order."""
    query = select(BlindClaimRow).where(BlindClaimRow.study_id == study_id).order_by(BlindClaimRow.blind_claim_id)
    return list(session.exec(query))


def get_blind_run(session: Session, study_id: str, blind_run_id: str) -> BlindRunRow:
    """Return a run as served."""
    row = session.get(BlindRunRow, (study_id, blind_run_id))
    assert row is not None, "claims point at runs that were built with them"
    return row


def list_blind_runs(session: Session, study_id: str) -> list[BlindRunRow]:
    """Return the runs as served, in blind-id order."""
    query = select(BlindRunRow).where(BlindRunRow.study_id == study_id).order_by(BlindRunRow.blind_run_id)
    return list(session.exec(query))


def list_blind_turns(session: Session, study_id: str, blind_run_id: str) -> list[str]:
    """Return the JSON of a run's turns as served, in log order."""
    query = select(BlindTurnRow.body_json).where(
        BlindTurnRow.study_id == study_id, BlindTurnRow.blind_run_id == blind_run_id
    )
    return list(session.exec(query.order_by(col(BlindTurnRow.turn))))


def list_turn_numbers(session: Session, study_id: str, blind_run_id: str) -> list[int]:
    """Return the positions of a served run's turns, in order."""
    query = select(BlindTurnRow.turn).where(BlindTurnRow.study_id == study_id)
    return list(session.exec(query.where(BlindTurnRow.blind_run_id == blind_run_id).order_by(col(BlindTurnRow.turn))))


def count_blind_turns(session: Session, study_id: str) -> int:
    """Return how many turns a study serves, over all its runs."""
    return session.exec(select(func.count()).select_from(BlindTurnRow).where(BlindTurnRow.study_id == study_id)).one()


def add_blind_turns(session: Session, study_id: str, blind_run_id: str, bodies: Sequence[tuple[int, str]]) -> None:
    """Insert a run's turns as served in one statement: (turn, JSON) in log order."""
    rows = [
        {"study_id": study_id, "blind_run_id": blind_run_id, "turn": turn, "body_json": body} for turn, body in bodies
    ]
    if rows:
        session.connection().execute(insert(BlindTurnRow), rows)


def find_ledger(session: Session, study_id: str) -> LedgerRow | None:
    """Return the ledger of what blinding replaced, or None before packets are built."""
    return session.get(LedgerRow, study_id)


def find_scan(session: Session, study_id: str) -> ScanRow | None:
    """Return the last leak scan, or None."""
    return session.get(ScanRow, study_id)


def list_findings(session: Session, study_id: str) -> list[FindingRow]:
    """Return the last scan's findings in the order found."""
    return list(session.exec(select(FindingRow).where(FindingRow.study_id == study_id).order_by(col(FindingRow.id))))


def clear_scan(session: Session, study_id: str) -> None:
    """Remove the last scan and its findings."""
    session.exec(delete(FindingRow).where(col(FindingRow.study_id) == study_id))
    session.exec(delete(ScanRow).where(col(ScanRow.study_id) == study_id))
    session.flush()


def find_lock(session: Session, packet_id: str) -> LockRow | None:
    """Return the packet's lock, or None."""
    return session.exec(select(LockRow).where(LockRow.packet_id == packet_id)).first()


def list_locks(session: Session, study_id: str) -> list[LockRow]:
    """Return a study's locks by slot number."""
    found = session.exec(select(LockRow).where(LockRow.study_id == study_id)).all()
    return sorted(found, key=lambda lock: int(lock.slot[1:]))
