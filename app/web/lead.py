"""The lead's pages of one study: overview and steps, agreement after the lock, downloads after the close."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from sqlmodel import Session
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, RedirectResponse, Response

from app.domain.errors import NotFound
from app.services import adjudicating, agreement, building, closing, enforcing, overview, releasing
from app.services.closing import ExportOptions
from app.services.people import Actor
from app.web.deps import ActorDep, WiringDep

router = APIRouter()

# What takes long is read first and stored afterwards, so that nobody's save waits for it.
LONG_STEPS: dict[
    str, tuple[Callable[[Session, Actor, str], Any], Callable[[Session, Actor, Any, datetime], object]]
] = {
    "build": (building.blind_study, building.store_packets),
    "scan": (releasing.look_for_leaks, releasing.store_scan),
}
STEPS: dict[str, Callable[[Session, Actor, str, datetime], object]] = {
    "publish": releasing.publish_packets,
    "open-adjudication": adjudicating.open_adjudication,
    "close": closing.close_study,
}
TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json", "html": "text/html; charset=utf-8"}


@router.get("/studies")
def studies(request: Request, actor: ActorDep, wiring: WiringDep) -> Response:
    """List the studies this person leads."""
    with wiring.database.reading() as session:
        page = overview.study_list(session, actor)
    return wiring.render(request, "lead/studies.html", {"page": page, "person": actor.person})


@router.get("/studies/{study_id}")
def study(request: Request, study_id: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show one study: the next step, its phases with gates, progress without verdicts."""
    with wiring.database.reading() as session:
        page = overview.study_page(session, actor, study_id)
    return wiring.render(request, "lead/study.html", {"page": page, "person": actor.person})


@router.get("/studies/{study_id}/agreement")
def read_agreement(request: Request, study_id: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show the agreement of the locked codings."""
    with wiring.database.reading() as session:
        page = agreement.agreement_page(session, actor, study_id)
    return wiring.render(request, "lead/agreement.html", {"page": page, "person": actor.person})


@router.get("/studies/{study_id}/disagreements")
def read_disagreements(request: Request, study_id: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show every disagreement of the locked codings."""
    with wiring.database.reading() as session:
        page = agreement.disagreement_page(session, actor, study_id)
    return wiring.render(request, "lead/disagreements.html", {"page": page, "person": actor.person})


@router.get("/studies/{study_id}/rules")
def read_rules(request: Request, study_id: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """List the rules enforced in a study, with what they did once every packet is locked."""
    with wiring.database.reading() as session:
        page = enforcing.rules_page(session, actor, study_id)
    return wiring.render(request, "lead/rules.html", {"page": page, "person": actor.person})


@router.get("/studies/{study_id}/export/{name}")
def download(study_id: str, name: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Send one exported file, whole: it is built before the first byte leaves."""
    with wiring.database.reading() as session:
        record = closing.get_closed_record(session, actor, study_id)
    folder = Path(tempfile.mkdtemp(prefix="saydo-export-"))
    cleanup = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    files = {entry["path"] for entry in closing.export_study(record, folder / "export", ExportOptions())}
    if name not in files:
        shutil.rmtree(folder, ignore_errors=True)
        raise NotFound(f"an export holds {', '.join(sorted(files))}, not {name}")
    media_type = TYPES.get(name.rsplit(".", 1)[-1], "application/octet-stream")
    filename = f"{study_id}-{name}"
    return FileResponse(folder / "export" / name, media_type=media_type, filename=filename, background=cleanup)


@router.post("/studies/{study_id}/{step}")
def take_step(study_id: str, step: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Take the next step of a study; a gate that says no is told in one sentence."""
    if step in LONG_STEPS:
        prepare, store = LONG_STEPS[step]
        with wiring.database.reading() as session:
            prepared = prepare(session, actor, study_id)
        with wiring.database.writing() as session:
            store(session, actor, prepared, wiring.clock())
    elif step in STEPS:
        with wiring.database.writing() as session:
            STEPS[step](session, actor, study_id, wiring.clock())
    else:
        raise NotFound(f"the steps of a study are {', '.join((*LONG_STEPS, *STEPS))}, not {step}")
    return RedirectResponse(f"/studies/{study_id}", 303)
