"""The rater's pages: what is left, one claim to code, the packet and its lock."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.domain.codebook.model import Codebook
from app.domain.errors import Conflict, Refused, RulesBroken, Unconfirmed
from app.services import coding, locking, practice_home
from app.services.coding import Submission
from app.services.people import Actor
from app.web.answers import command_of, form_again, read_draft, read_submission, stays
from app.web.deps import ActorDep, FormDep, Wiring, WiringDep, text_of
from app.web.saving import save_coding

router = APIRouter()


@router.get("/rate")
def home(request: Request, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show what is left and the one button that continues."""
    with wiring.database.reading() as session:
        page = practice_home.rater_home(session, actor)
    return wiring.render(request, "rater/home.html", {"page": page, "person": actor.person})


@router.get("/rate/packets/{packet_id}")
def packet(request: Request, packet_id: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """List the claims of a packet and offer the lock."""
    with wiring.database.reading() as session:
        page = locking.lock_page(session, actor, packet_id)
    return wiring.render(request, "rater/packet.html", {"page": page, "person": actor.person})


@router.post("/rate/packets/{packet_id}")
def lock(request: Request, packet_id: str, form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Lock the packet with the attestations that were ticked."""
    attested = {name.removeprefix("attest.") for name in form if name.startswith("attest.")}
    try:
        with wiring.database.writing() as session:
            locking.lock_packet(session, actor, packet_id, attested, wiring.clock())
    except Refused as refusal:
        with wiring.database.reading() as session:
            page = locking.lock_page(session, actor, packet_id, (str(refusal),))
        return wiring.render(request, "rater/packet.html", {"page": page, "person": actor.person}, 422)
    return RedirectResponse(f"/rate/packets/{packet_id}", 303)


@router.get("/rate/{assignment_id}")
def claim(request: Request, assignment_id: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show one claim in its transcript, beside the form."""
    with wiring.database.reading() as session:
        page = coding.rating_page(session, actor, assignment_id, wiring.secret())
    return wiring.render(request, "rater/code.html", {"page": page, "person": actor.person})


@router.post("/rate/{assignment_id}")
def save(request: Request, assignment_id: str, form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Save the coding, or (by another button) keep it as a draft and show the form again."""
    with wiring.database.reading() as session:
        codebook = coding.codebook_for(session, actor, assignment_id)
    if stays(command_of(form)):
        return _draft(request, assignment_id, (form, codebook), actor, wiring)
    submission, unreadable = read_submission(codebook, form)
    try:
        if unreadable:
            raise RulesBroken(unreadable)
        saved = save_coding(wiring, actor, assignment_id, submission)
    except (RulesBroken, Unconfirmed, Conflict) as error:
        return _refused(request, assignment_id, (submission, error), actor, wiring)
    place = f"/rate/{saved.next_id}#claim" if saved.next_id else f"/rate/packets/{saved.packet_id}"
    return RedirectResponse(place, 303)


def _draft(
    request: Request, assignment_id: str, sent: tuple[FormData, Codebook], actor: Actor, wiring: Wiring
) -> Response:
    form, codebook = sent
    with wiring.database.reading() as session:
        tiers = coding.tiers_for(session, actor, assignment_id)
    kept, unreadable, place = read_draft(codebook, form, tiers)
    if unreadable:
        return _refused(request, assignment_id, (kept, RulesBroken(unreadable)), actor, wiring)
    with wiring.database.writing() as session:
        saved_at = coding.save_draft(session, actor, assignment_id, kept, wiring.clock())
    if text_of(form, "action") == "draft" and "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"saved_at": saved_at})
    return RedirectResponse(f"/rate/{assignment_id}{place}", 303)


def _refused(
    request: Request,
    assignment_id: str,
    refused: tuple[Submission, RulesBroken | Unconfirmed | Conflict],
    actor: Actor,
    wiring: Wiring,
) -> Response:
    """Show the form again exactly as it was entered, with what stands against it."""
    submission, error = refused
    form = form_again(submission, error, wiring.secret())
    with wiring.database.reading() as session:
        page = coding.refused_page(session, actor, assignment_id, form)
    status = 422 if isinstance(error, RulesBroken) else 409
    return wiring.render(request, "rater/code.html", {"page": page, "person": actor.person}, status)
