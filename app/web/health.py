"""`/healthz`: whether the application answers and which schema its database is at."""

from __future__ import annotations

from fastapi import APIRouter

from app.storage import migrating
from app.web.deps import WiringDep

router = APIRouter()


@router.get("/healthz")
def health(wiring: WiringDep) -> dict[str, str | None]:
    """Answer without a session."""
    return {"status": "ok", "revision": migrating.current_revision(wiring.database)}
