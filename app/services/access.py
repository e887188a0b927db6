"""Finding things that this actor may see. What is not theirs is not found: its existence is not told."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session

from app.domain.codebook.model import Codebook
from app.domain.errors import Conflict, NotFound
from app.domain.roles import Action, require
from app.services.people import Actor
from app.services.standings import refuse_unqualified
from app.storage import packets, studies
from app.storage.tables import AssignmentRow, PacketRow, StudyRow


def codebook_of(study: StudyRow) -> Codebook:
    """Return the codebook a study was registered with, from the text kept with it (not from the folder)."""
    from app.readers.codebook_file import parse_codebook

    return parse_codebook(study.codebook_text, f"codebook {study.codebook_version} of {study.id}")


def get_study(session: Session, study_id: str) -> StudyRow:
    """Return the study or raise `NotFound`."""
    study = studies.find_study(session, study_id)
    if study is None:
        raise NotFound(f"there is no study {study_id}")
    return study


def get_study_for(session: Session, actor: Actor, study_id: str, action: Action) -> StudyRow:
    """Return the study if the actor's role in it allows the action.

    Raises `NotFound` for a study the actor has no part in, `Forbidden` when the part held does not allow this.
    """
    held = tuple(sorted({m.role for m, _ in studies.list_members(session, study_id) if m.user_id == actor.user_id}))
    if not held:
        raise NotFound(f"there is no study {study_id}")
    require(held, action)
    return get_study(session, study_id)


@dataclass(frozen=True)
class OwnAssignment:
    """One claim of the actor's own packet."""

    assignment: AssignmentRow
    packet: PacketRow
    study: StudyRow


def get_own_packet(session: Session, actor: Actor, packet_id: str, *, made_elsewhere: bool = False) -> PacketRow:
    """Return the actor's own published packet; anything else is not found.

    Raises `NotQualified` while the actor is not qualified for its codebook and the study asks for it (H25), unless
    every coding in it was `made_elsewhere` and imported by the lead.
    """
    packet, _ = _own_packet(session, actor, packet_id, qualified=not made_elsewhere)
    return packet


def _own_packet(session: Session, actor: Actor, packet_id: str, *, qualified: bool) -> tuple[PacketRow, StudyRow]:
    require(actor.roles, Action.CODE_CLAIM)
    packet = packets.find_packet(session, packet_id)
    if packet is None or packet.user_id != actor.user_id or packet.published_at is None:
        raise NotFound("there is no such packet for you")
    study = get_study(session, packet.study_id)
    if qualified:
        refuse_unqualified(session, actor, study)
    return packet, study


def _refuse_taken_out(session: Session, assignment: AssignmentRow) -> None:
    """A claim that may give an identity away is not shown to anybody while it is paused, nor after it is withdrawn."""
    status = packets.get_blind_claim(session, assignment.study_id, assignment.blind_claim_id).status
    if status == "paused":
        raise Conflict(
            "this claim is paused: the custodian looks at what may give an identity away; go on with the next"
        )
    if status == "withdrawn":
        raise Conflict("this claim was withdrawn by the custodian and is not coded any more; go on with the next")


def get_own_assignment(
    session: Session, actor: Actor, assignment_id: str, *, made_elsewhere: bool = False
) -> OwnAssignment:
    """Return one claim of the actor's own published packet; anything else is not found.

    Raises `NotQualified` as `get_own_packet` does, unless the coding was `made_elsewhere` and is imported by the lead.
    """
    require(actor.roles, Action.CODE_CLAIM)
    assignment = packets.find_assignment(session, assignment_id)
    if assignment is None or assignment.user_id != actor.user_id:
        raise NotFound("there is no such claim in your packets")
    packet, study = _own_packet(session, actor, assignment.packet_id, qualified=not made_elsewhere)
    _refuse_taken_out(session, assignment)
    return OwnAssignment(assignment, packet, study)
