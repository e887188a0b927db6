"""The adjudicator's pages: the queue, one claim, the provisional verdict and the decision."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from app.domain.errors import Conflict, Refused, RulesBroken, Unconfirmed
from app.services import adjudicating, counting
from app.services.adjudicating import Ruling
from app.services.coding import Submission
from app.services.pages import AdjudicationPage, FormState
from app.services.people import Actor
from app.web.answers import command_of, read_draft, read_submission, stays
from app.web.deps import ActorDep, FormDep, Wiring, WiringDep, text_of
from app.web.saving import count_refusal

router = APIRouter()


@router.get("/adjudicate")
def home(request: Request, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show the queue in its seeded order."""
    with wiring.database.reading() as session:
        page = adjudicating.adjudicator_home(session, actor)
    return wiring.render(request, "adjudicator/home.html", {"page": page, "person": actor.person})


@router.get("/adjudicate/{item_id}")
def claim(request: Request, item_id: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show one claim; the codings only after the provisional verdict."""
    return _show(request, _page(item_id, actor, wiring), actor, wiring)


@router.post("/adjudicate/{item_id}")
def submit(request: Request, item_id: str, form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Commit the provisional verdict or the decision; another button shows the form again with what was entered."""
    page = _page(item_id, actor, wiring)
    ruling = Ruling(text_of(form, "reason"), text_of(form, "rule"), text_of(form, "cause"))
    command = command_of(form)
    if stays(command):
        return _again(request, (page, form, ruling), actor, wiring)
    submission, unreadable = read_submission(page.bench.codebook, form)
    try:
        if unreadable:
            raise RulesBroken(unreadable)
        with wiring.database.writing() as session:
            if command.action == "provisional":
                adjudicating.submit_provisional(session, actor, item_id, submission, wiring.clock())
            else:
                adjudicating.decide(session, actor, item_id, (submission, ruling), wiring.clock())
            following = adjudicating.adjudicator_home(session, actor).continue_id
    except (RulesBroken, Unconfirmed, Conflict, Refused) as error:
        count_refusal(wiring, counting.count_refused_decision, item_id, error)
        state = _refused_form(submission, error, wiring)
        again = _page(item_id, actor, wiring, (state, ruling))
        return _show(request, again, actor, wiring, 409 if isinstance(error, Conflict) else 422)
    if command.action == "provisional":
        return RedirectResponse(f"/adjudicate/{item_id}#codings", 303)
    return RedirectResponse(f"/adjudicate/{following}" if following else "/adjudicate", 303)


def _page(
    item_id: str, actor: Actor, wiring: Wiring, refused: tuple[FormState, Ruling] | None = None
) -> AdjudicationPage:
    with wiring.database.reading() as session:
        return adjudicating.adjudication_page(session, actor, item_id, wiring.secret(), refused)


def _show(request: Request, page: AdjudicationPage, actor: Actor, wiring: Wiring, status: int = 200) -> Response:
    return wiring.render(request, "adjudicator/decide.html", {"page": page, "person": actor.person}, status)


def _again(request: Request, sent: tuple[AdjudicationPage, FormData, Ruling], actor: Actor, wiring: Wiring) -> Response:
    page, form, ruling = sent
    submission, unreadable, _ = read_draft(page.bench.codebook, form, page.bench.tiers)
    if unreadable:
        state = _refused_form(submission, RulesBroken(unreadable), wiring)
        return _show(request, _page(page.item_id, actor, wiring, (state, ruling)), actor, wiring, 422)
    state = FormState(submission.answer, submission.base_revision, submission.client_token, status="draft")
    return _show(request, _page(page.item_id, actor, wiring, (state, ruling)), actor, wiring)


def _refused_form(
    submission: Submission, error: RulesBroken | Unconfirmed | Conflict | Refused, wiring: Wiring
) -> FormState:
    return FormState(
        answer=submission.answer,
        revision=submission.base_revision,
        client_token=wiring.secret(),
        violations=error.violations if isinstance(error, RulesBroken) else (),
        warnings=error.warnings if isinstance(error, Unconfirmed) else (),
        status="refused",
        seconds_active=submission.seconds_on_item,
        message=None if isinstance(error, RulesBroken | Unconfirmed) else str(error),
    )
