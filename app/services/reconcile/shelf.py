"""The reconciliations an installation keeps, as the lead sees them: run one, read one, make claims of its cells.

Each is a folder under `reconcile` in the data folder, as `saydo reconcile --out` writes it. Only what its manifest
lists is read or sent.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from sqlmodel import Session

from app.config import examples_dir
from app.domain.errors import BadInput, Conflict, NotFound
from app.domain.export.manifest import Artifact
from app.domain.moments import iso
from app.domain.reconcile.cells import COUNTED
from app.domain.roles import Action, require
from app.readers.reconcile_spec import load_spec
from app.services.bundle import publish
from app.services.pages.reconcile import (
    DivergentCell,
    DivergentColumn,
    PolicyLine,
    ReconcilePage,
    ReconcileShelf,
    RunLine,
)
from app.services.people import Actor
from app.services.reconcile.claims import CELLS, Cell, claimed_cells, divergent_cells
from app.services.reconcile.figures import figure
from app.services.reconcile.running import MANIFEST, MANIFEST_SCHEMA, RESULTS, Asked, reconcile, with_claims
from app.storage import audit

UPLOADS = ("spec", "target", "source")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_TIERS = ("T0", "T1", "T2", "divergent", "undefined")


def shelf_page(
    actor: Actor, data_dir: Path, values: Mapping[str, str] | None = None, error: str | None = None
) -> ReconcileShelf:
    """Return every reconciliation of this installation by name, with the form as it was filled in."""
    require(actor.roles, Action.RECONCILE)
    found = sorted(path.parent for path in _shelf(data_dir).glob(f"*/{MANIFEST}"))
    lines = [_line(folder) for folder in found if _is_run(folder)]
    return ReconcileShelf(tuple(lines), values or {}, error)


def run_from_uploads(
    actor: Actor, data_dir: Path, name: str, uploads: Mapping[str, BinaryIO], now: datetime
) -> Callable[[Session], str]:
    """Reconcile the uploaded spec and tables under a new name; return what records it and gives the name.

    Without any upload the shipped example is run. It takes seconds and holds no lock, so the recording comes after.
    """
    require(actor.roles, Action.RECONCILE)
    out = _folder(data_dir, name)
    if out.exists():
        raise Conflict(f"there is a reconciliation {name} already; choose another name")
    with tempfile.TemporaryDirectory(prefix="saydo-reconcile-") as kept:
        document = reconcile(_asked(Path(kept), uploads, out))
    details = {"spec": document["spec"], "spec_sha256": document["spec_sha256"], "cells": document["cells"]}

    def record(session: Session) -> str:
        audit.record(session, _event(actor, "reconcile", name, now, details))
        return name

    return record


def run_page(actor: Actor, data_dir: Path, name: str, error: str | None = None) -> ReconcilePage:
    """Return one reconciliation whole. Raises `NotFound` for a name that stands on no shelf."""
    require(actor.roles, Action.RECONCILE)
    folder = _found(data_dir, name)
    results, claimed = _results(folder), _claimed(folder)
    cells = [cell for cell in results["cells"] if cell["class"] == "divergent"]
    return ReconcilePage(
        name=name,
        title=results["title"],
        spec=results["spec"],
        classes=tuple((named, results["classes"][named]) for named in COUNTED),
        total=results["sum"],
        facts=tuple(_facts(results)),
        columns=tuple(_columns(results, cells, claimed)),
        n_divergent=len(cells),
        n_claims=len(claimed),
        policies=tuple(_policy(line) for line in results["policies"]),
        files=tuple((entry["path"], entry["bytes"]) for entry in _manifest(folder)["files"]),
        error=error,
    )


def claim_cells(
    session: Session, actor: Actor, folder: tuple[Path, str], chosen: Callable[[Cell], bool], now: datetime
) -> int:
    """Add divergent cells to a reconciliation's claims and return how many there are now.

    `folder` is the data folder and the name. Raises `BadInput` where nothing is chosen.
    """
    require(actor.roles, Action.RECONCILE)
    data_dir, name = folder
    place = _found(data_dir, name)
    results, before = _results(place), _claimed(place)
    divergent = divergent_cells(results)
    if not any(chosen(cell) for cell in divergent):
        raise BadInput("mark a divergent cell first; nothing was changed")
    wanted = [cell for cell in divergent if cell.claim_id in before or chosen(cell)]
    publish(with_claims(results, _files(place), wanted), place)
    audit.record(session, _event(actor, "claim_cells", name, now, {"before": len(before), "claims": len(wanted)}))
    return len(wanted)


def get_file(actor: Actor, data_dir: Path, name: str, file: str) -> Path:
    """Return the path of a file of a reconciliation; only what its manifest lists, and the manifest, is found."""
    require(actor.roles, Action.RECONCILE)
    folder = _found(data_dir, name)
    known = [MANIFEST, *(str(entry["path"]) for entry in _manifest(folder)["files"])]
    if file not in known:
        raise NotFound(f"the reconciliation {name} holds {', '.join(known)}, not {file}")
    return folder / file


def _shelf(data_dir: Path) -> Path:
    return data_dir / "reconcile"


def _folder(data_dir: Path, name: str) -> Path:
    if not _NAME.match(name):
        raise BadInput("the name takes letters, digits, dot, dash and underscore, at most 64, a letter or digit first")
    return _shelf(data_dir) / name


def _found(data_dir: Path, name: str) -> Path:
    folder = _shelf(data_dir) / name
    if not _NAME.match(name) or not _is_run(folder):
        raise NotFound(f"there is no reconciliation {name}")
    return folder


def _is_run(folder: Path) -> bool:
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("schema") == MANIFEST_SCHEMA


def _manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = _json(folder / MANIFEST)
    return found


def _results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = _json(folder / RESULTS)
    return found


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BadInput(f"{path.parent.name}/{path.name} cannot be read; run the reconciliation again") from error


def _claimed(folder: Path) -> set[str]:
    path = folder / CELLS
    return claimed_cells(path.read_bytes()) if path.is_file() else set()


def _files(folder: Path) -> list[Artifact]:
    return [
        Artifact(entry["path"], (folder / entry["path"]).read_bytes(), entry["columns"], entry["rows"])
        for entry in _manifest(folder)["files"]
    ]


def _asked(kept: Path, uploads: Mapping[str, BinaryIO], out: Path) -> Asked:
    if not uploads:
        return Asked(examples_dir() / "reconcile" / "a2-id.yaml", None, out)
    missing = [name for name in UPLOADS if name not in uploads]
    if missing:
        raise BadInput(f"choose a file for the {missing[0]}, or none at all for the example")
    _keep(kept / "spec.yaml", uploads["spec"])
    spec = load_spec(kept / "spec.yaml").spec
    for table in (spec.target, spec.source):
        _keep(kept / table.file, uploads[table.role])
    return Asked(kept / "spec.yaml", kept, out)


def _keep(path: Path, content: BinaryIO) -> None:
    with path.open("wb") as file:
        shutil.copyfileobj(content, file, 2**20)


def _event(actor: Actor, action: str, name: str, now: datetime, details: Mapping[str, Any]) -> dict[str, Any]:
    return {"at": iso(now), "actor": actor.name, "action": action, "subject": f"reconcile/{name}", "details": details}


def _line(folder: Path) -> RunLine:
    results = _results(folder)
    return RunLine(
        name=folder.name,
        title=results["title"],
        cells=results["sum"],
        divergent=results["classes"]["divergent"],
        agrees=results["gate"]["agrees"],
        identical=results["reruns_identical"],
        n_claims=len(_claimed(folder)),
    )


def _facts(results: Mapping[str, Any]) -> list[tuple[str, str, bool | None]]:
    gate, join, found = results["gate"], results["join"], results["content_hash"]
    stated = results["census"]["stated"]
    held = sum(line["holds"] for line in stated)
    return [
        (
            "Two implementations",
            f"{gate['n_compared']:,} values, largest difference {gate['max_abs_diff']:g}",
            gate["agrees"],
        ),
        ("Second processes", "outputs compared byte by byte", results["reruns_identical"]),
        ("Content hash", f"{'equal' if found['equal'] else 'not equal'} to the shipped one; by A alone", None),
        ("Stated beforehand", f"{held} of {len(stated)} counts hold", None),
        ("Row key", f"{join['winner']}, runner-up {figure(join['runner_up'])}", None),
        ("Null", f"{results['null']['draws']:,} permutations, seed {results['null']['seed']}", None),
    ]


def _columns(
    results: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], claimed: set[str]
) -> list[DivergentColumn]:
    found = []
    for line in results["columns"]:
        own = tuple(_divergent(cell, claimed) for cell in cells if cell["column"] == line["column"])
        if own:
            open_cells = sum(not cell.claimed for cell in own)
            found.append(DivergentColumn(line["column"], line["unit"], own, open_cells))
    return found


def _divergent(cell: Mapping[str, Any], claimed: set[str]) -> DivergentCell:
    known = [result for result in cell["results"] if result["delta"] is not None]
    nearest = min(known, key=lambda result: abs(result["delta"])) if known else None
    claim_id = Cell(cell["row"], cell["column"]).claim_id
    shown = nearest or {"policy": "–", "value": None, "delta": None}
    return DivergentCell(
        claim_id=claim_id,
        row=cell["row"],
        published=figure(cell["published"]),
        nearest=shown["policy"],
        value=figure(shown["value"]),
        delta=figure(shown["delta"]),
        claimed=claim_id in claimed,
    )


def _policy(line: Mapping[str, Any]) -> PolicyLine:
    return PolicyLine(
        column=line["column"],
        policy=line["policy"],
        primary=line["primary"],
        tiers=tuple(line["tiers"][tier] for tier in _TIERS),
        mean_deviation=figure(line["mean_absolute_deviation"]),
    )
