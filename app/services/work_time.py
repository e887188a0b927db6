"""What human raters' saves say of the time they worked, for the timesheet of an export."""

from __future__ import annotations

from sqlmodel import Session

from app.domain.moments import seconds_between
from app.domain.work import Save
from app.storage import packets, studies, work
from app.storage.tables import PacketRow, StudyRow


def list_work(session: Session, study: StudyRow) -> tuple[Save, ...]:
    """Return every save in a locked packet of a human rater, by slot, then in the order saved."""
    human = {member.slot for member, user in studies.list_members(session, study.id, "rater") if user.kind == "human"}
    locked = {lock.packet_id for lock in packets.list_locks(session, study.id)}
    found: list[Save] = []
    for packet in packets.list_packets(session, study.id):
        if packet.id in locked and packet.slot in human:
            found.extend(_saves(session, packet))
    return tuple(found)


def _saves(session: Session, packet: PacketRow) -> list[Save]:
    assert packet.published_at is not None, "only published packets are locked"
    return [
        Save(
            slot=packet.slot,
            session=row.work_session,
            position=assignment.position,
            seconds=row.seconds_on_item,
            created_seconds=seconds_between(packet.published_at, row.created_at),
        )
        for assignment, row in work.list_saves(session, packet.id)
    ]
