"""Signing in by one-time link. Opening the link shows a button; only pressing it uses the link up, so that a mail
scanner that follows links leaves it whole."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.services import people
from app.web.deps import WiringDep

router = APIRouter()


@router.get("/signin")
def explain(request: Request, wiring: WiringDep) -> Response:
    """Say how to come in."""
    return wiring.render(request, "signin/explain.html", {})


@router.get("/signin/{token}")
def confirm(request: Request, token: str, wiring: WiringDep) -> Response:
    """Show whose link this is and the button that uses it."""
    with wiring.database.reading() as session:
        name = people.find_link_name(session, token, wiring.clock())
    status = 200 if name else 403
    return wiring.render(request, "signin/confirm.html", {"name": name, "token": token}, status)


@router.post("/signin/{token}")
def sign_in(request: Request, token: str, wiring: WiringDep) -> Response:
    """Use the link up; the browser gets a fresh session id."""
    secret = wiring.secret()
    with wiring.database.writing() as session:
        people.sign_in(session, token, secret, wiring.clock(), wiring.settings.session_hours)
    request.session.clear()
    request.session["sid"] = secret
    return RedirectResponse("/", 303)


@router.post("/signout")
def sign_out(request: Request, wiring: WiringDep) -> Response:
    """Revoke the session on the server as well as in the browser."""
    secret = request.session.get("sid")
    if isinstance(secret, str):
        with wiring.database.writing() as session:
            people.sign_out(session, secret, wiring.clock())
    request.session.clear()
    return RedirectResponse("/signin", 303)
