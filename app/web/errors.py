"""One handler for the named errors: a page for people, one JSON shape for programs; all else is 500 with a reference.

The log gets the reference, the route and the kind of error, never what was sent.
"""

from __future__ import annotations

import secrets
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.domain.errors import (
    BadInput,
    Conflict,
    Forbidden,
    NotFound,
    NotQualified,
    Refused,
    RulesBroken,
    SaydoError,
    Unconfirmed,
    Violation,
)
from app.services.pages import ErrorPage
from app.web.deps import NotSignedIn, find_actor, wiring_of

STATUS: tuple[tuple[type[SaydoError], int, str], ...] = (
    (BadInput, 422, "This cannot be read"),
    (NotFound, 404, "Not found"),
    (Forbidden, 403, "Not for you"),
    (Refused, 422, "A rule says no"),
    (Conflict, 409, "Something has moved on"),
)
TITLES = {404: "Not found", 405: "Not like this", 413: "Too large"}


def status_of(error: SaydoError) -> tuple[int, str]:
    """Return the status and the page title of a named error."""
    return next(((code, title) for kind, code, title in STATUS if isinstance(error, kind)), (400, "This did not work"))


def install(app: FastAPI) -> None:
    """Register the handlers."""
    app.add_exception_handler(SaydoError, _named)
    app.add_exception_handler(NotSignedIn, _not_signed_in)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(Exception, _fault)


def is_api(request: Request) -> bool:
    """Return whether a program is asking."""
    return request.url.path.startswith("/api/")


def _answer(request: Request, page: ErrorPage, extra: dict[str, Any] | None = None) -> Response:
    if is_api(request):
        body = {"error": page.sentence, "status": page.status, "reference": page.reference, **(extra or {})}
        return JSONResponse(body, page.status)
    try:
        actor = find_actor(request)
    except SaydoError:
        actor = None
    person = actor.person if actor else None
    return wiring_of(request).render(request, "error.html", {"page": page, "person": person}, page.status)


def listed(violations: tuple[Violation, ...]) -> list[dict[str, str]]:
    """Return violations as plain JSON values."""
    return [{"rule": v.rule, "level": v.level, "field": v.field, "message": v.message} for v in violations]


async def _named(request: Request, error: Exception) -> Response:
    assert isinstance(error, SaydoError)
    status, title = status_of(error)
    extra: dict[str, Any] = {}
    if isinstance(error, RulesBroken):
        extra = {"violations": listed(error.violations)}
    if isinstance(error, Unconfirmed):
        extra = {"violations": listed(error.warnings)}
    page = ErrorPage(status, title, str(error))
    if isinstance(error, NotQualified):
        page = ErrorPage(status, "Not qualified", str(error), link="/practice", link_words="Go to Practice")
    return _answer(request, page, extra)


async def _not_signed_in(request: Request, _error: Exception) -> Response:
    if is_api(request):
        return JSONResponse({"error": "send Authorization: Bearer TOKEN", "status": 401, "reference": None}, 401)
    return RedirectResponse("/signin", 303)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = "There is no such page." if error.status_code == 404 else str(error.detail)
    return _answer(request, ErrorPage(error.status_code, TITLES.get(error.status_code, "This did not work"), sentence))


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return _answer(request, ErrorPage(422, "This cannot be read", f"{place}: {first['msg']}"))


async def _fault(request: Request, error: Exception) -> Response:
    reference = secrets.token_hex(4)
    structlog.get_logger().error("fault", reference=reference, path=request.url.path, kind=type(error).__name__)
    sentence = (
        "Something went wrong on our side; nothing of this request was stored. Your form is still in your browser."
    )
    return _answer(request, ErrorPage(500, "Our fault", sentence, reference))
