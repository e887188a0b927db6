"""What a route gets handed: the wiring of this application, who is asking, and the form that was sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.datastructures import FormData
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from app.config import Settings
from app.services import people
from app.services.people import Actor
from app.storage.engine import Database


class NotSignedIn(Exception):
    """Nobody is signed in; the edge sends the person to the sign-in page, a program gets 401."""


@dataclass(frozen=True)
class Wiring:
    """What `create_app` put together. `secret` makes the random tokens, `key` a study's key of 32 bytes."""

    settings: Settings
    database: Database
    clock: Callable[[], datetime]
    templates: Jinja2Templates
    secret: Callable[[], str]
    key: Callable[[], bytes]

    def render(self, request: Request, name: str, context: dict[str, Any], status: int = 200) -> Response:
        """Return a page; `person` is always given so that a template never has to guess."""
        return self.templates.TemplateResponse(request, name, {"person": None, **context}, status_code=status)


def wiring_of(request: Request) -> Wiring:
    """Return this application's wiring."""
    found: Wiring = request.app.state.wiring
    return found


WiringDep = Annotated[Wiring, Depends(wiring_of)]


def find_actor(request: Request) -> Actor | None:
    """Return who is signed in by the browser's session, or None."""
    secret = request.session.get("sid")
    if not isinstance(secret, str):
        return None
    wiring = wiring_of(request)
    with wiring.database.reading() as session:
        return people.find_actor_by_session(session, secret, wiring.clock())


def get_actor(request: Request) -> Actor:
    """Return who is signed in by the browser's session, or raise `NotSignedIn`."""
    actor = find_actor(request)
    if actor is None:
        raise NotSignedIn
    return actor


def get_api_actor(request: Request) -> Actor:
    """Return who a bearer token belongs to, or raise `NotSignedIn`."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        with wiring_of(request).database.reading() as session:
            actor = people.find_actor_by_token(session, token.strip())
        if actor is not None:
            return actor
    raise NotSignedIn


async def read_form(request: Request) -> AsyncIterator[FormData]:
    """Yield the form that was sent (fields may repeat; uploads are spooled to disk and closed afterwards)."""
    form = await request.form(max_fields=5000, max_files=8)
    try:
        yield form
    finally:
        await form.close()


ActorDep = Annotated[Actor, Depends(get_actor)]
ApiActorDep = Annotated[Actor, Depends(get_api_actor)]
FormDep = Annotated[FormData, Depends(read_form)]


def text_of(form: FormData, name: str) -> str:
    """Return one text field of a form, stripped; absent is empty."""
    value = form.get(name, "")
    return value.strip() if isinstance(value, str) else ""


def texts_of(form: FormData, name: str) -> list[str]:
    """Return every non-empty text of a repeated field."""
    return [value.strip() for value in form.getlist(name) if isinstance(value, str) and value.strip()]
