"""The lead's form that sets a study up from uploaded files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from app.domain.errors import BadInput, Conflict
from app.services import new_study, registering
from app.services.intake import Intake
from app.services.new_study import Upload
from app.services.people import Actor
from app.web.deps import ActorDep, FormDep, Wiring, WiringDep, text_of, texts_of

router = APIRouter()

LISTS = ("raters", "adjudicators")
TEXTS = (*new_study.TEXT_KEYS, "overlap", "order", "seed", "blinding_terms", "qualification_waived")


@router.get("/studies/new")
def show(request: Request, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show the empty form."""
    return _form(request, actor, wiring, {}, None)


@router.post("/studies/new")
def create(request: Request, form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Register the study; what is wrong comes back with everything that was entered."""
    values: dict[str, Any] = {name: text_of(form, name) for name in TEXTS}
    values.update({name: texts_of(form, name) for name in LISTS})
    folder = Path(wiring.settings.data_dir).resolve() / "inputs" / wiring.secret()
    try:
        intake = new_study.take_uploads(actor, folder, values, _uploads(form), wiring.settings.codebook_dir)
        _register(actor, wiring, intake, folder)
    except (BadInput, Conflict) as error:
        return _form(request, actor, wiring, values, str(error))
    return RedirectResponse(f"/studies/{intake.spec.id}", 303)


def _register(actor: Actor, wiring: Wiring, intake: Intake, folder: Path) -> None:
    with new_study.kept_only_if_whole(folder), wiring.database.writing() as session:
        registering.create_study(session, actor, intake, wiring.key(), wiring.clock())


def _uploads(form: FormData) -> dict[str, Upload]:
    return {
        name: Upload(sent.filename or "", sent.file)
        for name in ("log", "claims", "coverage")
        if isinstance(sent := form.get(name), UploadFile)
    }


def _form(request: Request, actor: Actor, wiring: Wiring, values: dict[str, Any], error: str | None) -> Response:
    with wiring.database.reading() as session:
        page = new_study.new_study_page(session, actor, wiring.settings.codebook_dir, values, error)
    return wiring.render(request, "lead/new_study.html", {"page": page, "person": actor.person}, 422 if error else 200)
