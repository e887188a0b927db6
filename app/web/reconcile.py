"""The lead's reconciliations: run one, read it, make claims of its divergent cells, download its files."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, RedirectResponse, Response

from app.domain.errors import BadInput, Conflict
from app.services.people import Actor
from app.services.reconcile import shelf
from app.services.reconcile.claims import Cell
from app.web.deps import ActorDep, FormDep, Wiring, WiringDep, text_of, texts_of

router = APIRouter()

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "yaml": "text/plain; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}


def _data_dir(wiring: Wiring) -> Path:
    return Path(wiring.settings.data_dir)


@router.get("/reconcile")
def show_shelf(request: Request, actor: ActorDep, wiring: WiringDep) -> Response:
    """List the finished reconciliations, and offer the form."""
    return _shelf(request, actor, wiring, {}, None)


@router.post("/reconcile")
def run(request: Request, form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Reconcile what was uploaded; what is wrong comes back in one sentence."""
    name = text_of(form, "name")
    uploads = {
        field: sent.file for field in shelf.UPLOADS if isinstance(sent := form.get(field), UploadFile) and sent.filename
    }
    try:
        record = shelf.run_from_uploads(actor, _data_dir(wiring), name, uploads, wiring.clock())
    except (BadInput, Conflict) as error:
        return _shelf(request, actor, wiring, {"name": name}, str(error))
    with wiring.database.writing() as session:
        record(session)
    return RedirectResponse(f"/reconcile/{name}", 303)


@router.get("/reconcile/{name}")
def show_run(request: Request, name: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Show one reconciliation and its divergent cells."""
    page = shelf.run_page(actor, _data_dir(wiring), name)
    return wiring.render(request, "lead/reconcile_run.html", {"page": page, "person": actor.person})


@router.post("/reconcile/{name}/claims")
def make_claims(request: Request, name: str, form: FormDep, actor: ActorDep, wiring: WiringDep) -> Response:
    """Make claims of the marked cells, of one column's, or of all."""
    ids, column, everything = set(texts_of(form, "cell")), text_of(form, "column"), text_of(form, "all")

    def chosen(cell: Cell) -> bool:
        return bool(everything) or cell.column == column or (not column and cell.claim_id in ids)

    try:
        with wiring.database.writing() as session:
            shelf.claim_cells(session, actor, (_data_dir(wiring), name), chosen, wiring.clock())
    except BadInput as error:
        page = shelf.run_page(actor, _data_dir(wiring), name, str(error))
        return wiring.render(request, "lead/reconcile_run.html", {"page": page, "person": actor.person}, 422)
    return RedirectResponse(f"/reconcile/{name}#claims", 303)


@router.get("/reconcile/{name}/files/{file}")
def download(name: str, file: str, actor: ActorDep, wiring: WiringDep) -> Response:
    """Send one file of a reconciliation."""
    path = shelf.get_file(actor, _data_dir(wiring), name, file)
    media_type = TYPES.get(file.rsplit(".", 1)[-1], "application/octet-stream")
    return FileResponse(path, media_type=media_type, filename=f"{name}-{file}")


def _shelf(request: Request, actor: Actor, wiring: Wiring, values: dict[str, str], error: str | None) -> Response:
    page = shelf.shelf_page(actor, _data_dir(wiring), values, error)
    context = {"page": page, "person": actor.person}
    return wiring.render(request, "lead/reconcile.html", context, 422 if error else 200)
