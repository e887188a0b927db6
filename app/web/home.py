"""`/`: each person is sent to the page their role works on."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from app.web.deps import ActorDep

router = APIRouter()

START = (
    ("rater", "/rate"),
    ("adjudicator", "/adjudicate"),
    ("lead", "/studies"),
    ("custodian", "/custody"),
    ("administrator", "/people"),
)


@router.get("/")
def home(actor: ActorDep) -> Response:
    """Redirect to the first page this person's roles open."""
    return RedirectResponse(next((path for role, path in START if role in actor.roles), "/signin"), 303)
