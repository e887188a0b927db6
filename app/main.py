"""The only wiring: a web application from settings, and the command line. Nothing is built at import."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

    from app.config import Settings


def system_clock() -> datetime:
    """Return the present moment, in UTC."""
    return datetime.now(UTC)


def create_app(settings: Settings | None = None, clock: Callable[[], datetime] = system_clock) -> FastAPI:
    """Return the web application for these settings (default: the environment's) on a migrated database."""
    from app.config import Settings as FromEnvironment
    from app.web.application import assemble

    return assemble(settings or FromEnvironment(), clock)


def run_cli() -> None:
    """Run the `saydo` command."""
    from app.cli import build_cli, run

    sys.exit(run(build_cli(create_app, system_clock)))
