"""The codebook as raters read it: a version of the folder, a study's registered text, two versions compared."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.domain.codebook.model import Codebook
from app.services import codebooks, practising
from app.services.people import Actor
from app.web.deps import ActorDep, Wiring, WiringDep

router = APIRouter()


@router.get("/codebook/{version}")
def read(request: Request, version: str, actor: ActorDep, wiring: WiringDep, q: str = "") -> Response:
    """Show one version of the folder whole, or what of it holds the words of `q`."""
    with wiring.database.reading() as session:
        page = codebooks.folder_page(session, actor, wiring.settings.codebook_dir, version, q)
    _record_reading(actor, wiring, page.codebook)
    return wiring.render(request, "codebook/read.html", {"page": page, "person": actor.person})


@router.get("/studies/{study_id}/codebook")
def read_registered(request: Request, study_id: str, actor: ActorDep, wiring: WiringDep, q: str = "") -> Response:
    """Show those who have a part in a study the text that was registered with it."""
    with wiring.database.reading() as session:
        page = codebooks.study_page(session, actor, wiring.settings.codebook_dir, study_id, q)
    _record_reading(actor, wiring, page.codebook)
    return wiring.render(request, "codebook/read.html", {"page": page, "person": actor.person})


@router.get("/codebook/{version}/compare/{other}")
def compare(request: Request, version: str, other: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show what differs between two versions, side by side."""
    page = codebooks.comparison_page(actor, wiring.settings.codebook_dir, version, other)
    return wiring.render(request, "codebook/compare.html", {"page": page, "person": actor.person})


def _record_reading(actor: Actor, wiring: Wiring, codebook: Codebook) -> None:
    """Record the first time a rater opens the codebook they code under; every later one writes nothing."""
    with wiring.database.reading() as session:
        due = practising.is_reading_due(session, actor, codebook.sha256)
    if due:
        with wiring.database.writing() as session:
            practising.record_reading(session, actor, codebook, wiring.clock())
