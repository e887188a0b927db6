"""The codebook as raters read it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.services import codebooks
from app.web.deps import ActorDep, WiringDep

router = APIRouter()


@router.get("/codebook/{version}")
def read(request: Request, version: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show one version whole."""
    page = codebooks.codebook_page(actor, wiring.settings.codebook_dir, version)
    return wiring.render(request, "codebook/read.html", {"page": page, "person": actor.person})
