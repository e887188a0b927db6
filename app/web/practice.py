"""Training and qualification on the workbench of coding: the way there, an attempt's items, one item, handing in.

Form, transcript and the reading of what is sent are the coding's own; nothing of practice is stored as a coding.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.domain.codebook.model import Codebook
from app.domain.errors import Conflict, Refused, RulesBroken, Unconfirmed
from app.services import practice_home, practice_pages, practising, qualifying
from app.services.coding import Submission
from app.services.people import Actor
from app.services.practice_access import get_own_attempt
from app.services.practising import Opening
from app.web.answers import command_of, form_again, read_draft, read_submission, stays
from app.web.deps import ActorDep, FormDep, Wiring, WiringDep, text_of

router = APIRouter()


def place_of(attempt_id: str, number: int) -> tuple[str, int]:
    """Return which item of which attempt a path names."""
    return attempt_id, number


PlaceDep = Annotated[tuple[str, int], Depends(place_of)]


@router.get("/practice")
def home(request: Request, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show, for each codebook of the rater's studies, what is done and what comes next."""
    with wiring.database.reading() as session:
        page = practice_home.practice_home(session, actor, wiring.settings.codebook_dir)
    return wiring.render(request, "practice/home.html", {"page": page, "person": actor.person})


@router.post("/practice")
def begin(form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Open the training or qualification that is due, or go on with the one that is open."""
    opening = Opening(text_of(form, "codebook"), text_of(form, "purpose"), wiring.secret())
    folder = wiring.settings.codebook_dir
    with wiring.database.writing() as session:
        attempt_id = practising.open_attempt(session, actor, opening, folder, wiring.clock())
        page = practice_pages.attempt_page(session, actor, attempt_id)
    place = f"/{page.next_number}#claim" if page.next_number else ""
    return RedirectResponse(f"/practice/{attempt_id}{place}", 303)


@router.get("/practice/{attempt_id}")
def attempt(request: Request, attempt_id: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """List an attempt's items; offer to hand a qualification in, and show what it reached."""
    with wiring.database.reading() as session:
        page = practice_pages.attempt_page(session, actor, attempt_id)
    return wiring.render(request, "practice/attempt.html", {"page": page, "person": actor.person})


@router.post("/practice/{attempt_id}")
def hand_in(request: Request, attempt_id: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Hand a qualification in, once; sent twice, it answers the same."""
    try:
        with wiring.database.writing() as session:
            qualifying.hand_in(session, actor, attempt_id, wiring.clock())
    except Refused as refusal:
        with wiring.database.reading() as session:
            page = practice_pages.attempt_page(session, actor, attempt_id, (str(refusal),))
        return wiring.render(request, "practice/attempt.html", {"page": page, "person": actor.person}, 422)
    return RedirectResponse(f"/practice/{attempt_id}", 303)


@router.get("/practice/{attempt_id}/{number}")
def item(request: Request, place: PlaceDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show one item in its transcript, beside the form; in training, once answered, with its feedback."""
    with wiring.database.reading() as session:
        page = practice_pages.item_page(session, actor, place, wiring.secret())
    return wiring.render(request, "practice/item.html", {"page": page, "person": actor.person})


@router.post("/practice/{attempt_id}/{number}")
def answer(request: Request, place: PlaceDep, form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Store the answer, or (by another button) keep it as a draft and show the form again."""
    with wiring.database.reading() as session:
        own = get_own_attempt(session, actor, place[0])
    if stays(command_of(form)):
        return _draft(request, place, (form, own.codebook), actor, wiring)
    submission, unreadable = read_submission(own.codebook, form)
    try:
        if unreadable:
            raise RulesBroken(unreadable)
        with wiring.database.writing() as session:
            answered = practising.save_answer(session, actor, place, submission, wiring.clock())
    except (RulesBroken, Unconfirmed, Conflict) as error:
        return _refused(request, place, (submission, error), actor, wiring)
    if own.teaches:
        return RedirectResponse(f"/practice/{place[0]}/{place[1]}#feedback", 303)
    following = f"/{answered.next_open}#claim" if answered.next_open else ""
    return RedirectResponse(f"/practice/{place[0]}{following}", 303)


def _draft(
    request: Request, place: tuple[str, int], sent: tuple[FormData, Codebook], actor: Actor, wiring: Wiring
) -> Response:
    form, codebook = sent
    with wiring.database.reading() as session:
        tiers = practice_pages.practice_tiers(session, actor, place)
    kept, unreadable, anchor = read_draft(codebook, form, tiers)
    if unreadable:
        return _refused(request, place, (kept, RulesBroken(unreadable)), actor, wiring)
    with wiring.database.writing() as session:
        saved_at = practising.save_practice_draft(session, actor, place, kept, wiring.clock())
    if text_of(form, "action") == "draft" and "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"saved_at": saved_at})
    return RedirectResponse(f"/practice/{place[0]}/{place[1]}{anchor}", 303)


def _refused(
    request: Request,
    place: tuple[str, int],
    refused: tuple[Submission, RulesBroken | Unconfirmed | Conflict],
    actor: Actor,
    wiring: Wiring,
) -> Response:
    """Show the form again exactly as it was entered, with what stands against it."""
    form = form_again(*refused, wiring.secret())
    with wiring.database.reading() as session:
        page = practice_pages.refused_item_page(session, actor, place, form)
    status = 422 if isinstance(refused[1], RulesBroken) else 409
    return wiring.render(request, "practice/item.html", {"page": page, "person": actor.person}, status)
