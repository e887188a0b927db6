"""The custodian's pages: what the leak scan found, waivers, claims paused by a leak."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.services import releasing
from app.services.releasing import Settlement, Waiver
from app.web.deps import ActorDep, FormDep, WiringDep, text_of

router = APIRouter()


@router.get("/custody")
def home(request: Request, actor: ActorDep, wiring: WiringDep) -> Response:
    """List the studies in this custody."""
    with wiring.database.reading() as session:
        page = releasing.custody_list(session, actor)
    return wiring.render(request, "custodian/studies.html", {"page": page, "person": actor.person})


@router.get("/custody/{study_id}")
def study(request: Request, study_id: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show the last scan's findings."""
    with wiring.database.reading() as session:
        page = releasing.custody_page(session, actor, study_id)
    return wiring.render(request, "custodian/study.html", {"page": page, "person": actor.person})


@router.post("/custody/{study_id}/waive")
def waive(study_id: str, form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Waive one finding with a reason."""
    number = text_of(form, "finding_id")
    with wiring.database.writing() as session:
        waiver = Waiver(
            int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0, text_of(form, "reason")
        )
        releasing.waive_finding(session, actor, study_id, waiver, wiring.clock())
    return RedirectResponse(f"/custody/{study_id}", 303)


@router.post("/custody/{study_id}/settle")
def settle(study_id: str, form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Resume or withdraw a paused claim with a reason."""
    settlement = Settlement(text_of(form, "claim"), text_of(form, "what"), text_of(form, "reason"))
    with wiring.database.writing() as session:
        releasing.settle_paused(session, actor, study_id, settlement, wiring.clock())
    return RedirectResponse(f"/custody/{study_id}", 303)
