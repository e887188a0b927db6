"""Putting the web application together: database, templates, middleware, routers, error handlers."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from fastapi import FastAPI
from starlette.middleware.sessions import SessionMiddleware
from starlette.staticfiles import StaticFiles

from app.config import Settings, static_dir, templates_dir
from app.storage import migrating
from app.storage.engine import Database
from app.web import (
    adjudicator,
    codebook,
    custodian,
    errors,
    health,
    home,
    lead,
    lead_new,
    people,
    practice,
    rater,
    reconcile,
    signin,
)
from app.web.api import rating as rating_api
from app.web.deps import Wiring
from app.web.rendering import make_templates
from app.web.security import SecurityMiddleware

FOR_PROGRAMS = (health, rating_api)
ROUTERS = (
    health,
    signin,
    home,
    rater,
    practice,
    adjudicator,
    lead_new,
    lead,
    reconcile,
    custodian,
    people,
    codebook,
    rating_api,
)


def session_key(data_dir: Path) -> str:
    """Return the installation's cookie-signing key, made at first use and readable by its owner alone."""
    path = data_dir / "session.key"
    data_dir.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii")
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32))
    return path.read_text(encoding="ascii")


def assemble(settings: Settings, clock: Callable[[], datetime]) -> FastAPI:
    """Return the application. The database is migrated to the current schema when the application starts."""
    database = Database(settings.database_url)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        migrating.upgrade(database)
        yield
        database.close()

    app = FastAPI(
        title="Say/Do",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        max_body_size=settings.max_upload_mb * 2**20,
    )
    app.state.wiring = Wiring(
        settings=settings,
        database=database,
        clock=clock,
        templates=make_templates(templates_dir()),
        secret=lambda: secrets.token_urlsafe(24),
        key=lambda: secrets.token_bytes(32),
    )
    app.add_middleware(
        SessionMiddleware,
        secret_key=session_key(settings.data_dir),
        session_cookie="saydo",
        max_age=settings.session_hours * 3600,
        same_site="lax",
        https_only=settings.public_url.startswith("https://"),
    )
    app.add_middleware(SecurityMiddleware, max_body_bytes=settings.max_upload_mb * 2**20)
    app.mount("/static", StaticFiles(directory=static_dir()), name="static")
    for module in ROUTERS:
        app.include_router(module.router, include_in_schema=module in FOR_PROGRAMS)
    errors.install(app)
    return app
