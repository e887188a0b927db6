"""Moving a study to a named phase: each phase is entered by the act that makes it true, never by a tick."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlmodel import Session

from app.domain.errors import BadInput, Refused
from app.domain.roles import Action
from app.domain.study import PHASES
from app.services.access import get_study_for
from app.services.adjudicating import all_locked, open_adjudication
from app.services.building import build_packets
from app.services.closing import close_study
from app.services.people import Actor
from app.services.releasing import publish_packets

ACTS: dict[str, Callable[[Session, Actor, str, datetime], object]] = {
    "scan": build_packets,
    "code": publish_packets,
    "adjudicate": open_adjudication,
    "close": close_study,
}


def enter_phase(session: Session, actor: Actor, study_id: str, phase: str, now: datetime) -> str:
    """Move the study to `phase` and return it.

    Raises `BadInput` for a phase that does not exist, `Refused` for one whose artefacts are missing. `lock` and
    `reliability` are reached by the raters' locks alone.
    """
    study = get_study_for(session, actor, study_id, Action.ENTER_PHASE)
    if phase not in PHASES:
        raise BadInput(f"the phases are {', '.join(PHASES)}, not {phase}")
    if phase == study.phase:
        return phase
    if phase in ACTS:
        ACTS[phase](session, actor, study_id, now)
        return phase
    if phase not in {"lock", "reliability"}:
        raise Refused(f"{study_id} holds no record that the phase {phase} could rest on")
    if not all_locked(session, study_id) or study.phase not in {"lock", "reliability"}:
        raise Refused(f"{study_id} reaches {phase} when every packet is locked and before its adjudication opens")
    study.phase = phase
    session.add(study)
    session.flush()
    return phase
