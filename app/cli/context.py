"""What the commands share: settings, the opened and migrated database, the clock, and who acts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.config import Settings
    from app.services.people import Actor
    from app.storage.engine import Database

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
AsName = Annotated[str | None, typer.Option("--as", help="Who acts (default: SAYDO_USER).", show_default=False)]


@dataclass(frozen=True)
class Runtime:
    """What `main` hands to the command line."""

    create_app: Callable[..., Any]
    clock: Callable[[], datetime]


_runtime: list[Runtime] = []


def set_runtime(runtime: Runtime) -> None:
    """Set what `main` hands over; done once, before any command runs."""
    _runtime[:] = [runtime]


def runtime() -> Runtime:
    """Return what `main` handed over."""
    return _runtime[0]


def settings() -> Settings:
    """Return the settings of the environment."""
    from app.config import Settings

    return Settings()


def open_database() -> Database:
    """Return the configured database, migrated to the current schema."""
    from app.storage import migrating
    from app.storage.engine import Database

    database = Database(settings().database_url)
    migrating.upgrade(database)
    return database


def acting(session: Session, name: str | None) -> Actor:
    """Return who acts: `--as`, else `SAYDO_USER`. Raises `BadInput` or `NotFound` with what to do."""
    from app.services.people import get_actor

    return get_actor(session, name or settings().user)
