"""An export on disk: a study record becomes a folder that a stranger can check, and a folder is checked.

Everything is computed and written beside the folder first and moved into it afterwards, the manifest last, so that what
stands there with a manifest is whole. Who may export, and when, is asked before this is called.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.domain.canonical import canonical_file
from app.domain.errors import BadInput
from app.domain.export.analysis_files import analysis_artifacts
from app.domain.export.data_package import NAME as PACKAGE
from app.domain.export.data_package import package_bytes
from app.domain.export.manifest import Artifact, manifest_bytes
from app.domain.export.tables import artifacts, private_artifacts, study_tables
from app.domain.record import StudyRecord
from app.domain.stats.check.verify_bundle import verify
from app.domain.stats.check.verify_files import MANIFEST, listed_files, read_document
from app.domain.stats.check.verify_ledger import Ledger
from app.services.columnar_read import parquet_cells
from app.services.redraw import redrawn
from app.services.report import report_html

UNFINISHED = ".export-unfinished"


def write_bundle(
    record: StudyRecord,
    folder: Path | str,
    private: bool | Mapping[str, str] = False,
    grain: str = "wide",
    notes: bool = False,
) -> list[dict[str, Any]]:
    """Write the export of a record into `folder` and return `[{path, sha256, rows}]`, the manifest last.

    `private` adds `codings.csv`; a mapping of blind to native claim ids makes it importable elsewhere. `grain="long"`
    puts the stacked rows into `rater_pooled.csv`. `notes` lets free text out. An existing folder keeps its other files;
    an earlier export in it is replaced, files of it that are no longer exported are removed. Raises `BadInput` for a
    record that contradicts itself or a folder that cannot be written, `Refused` for sums that do not hold; then the
    folder is as it was.
    """
    return publish(bundle_files(record, private, grain, notes), folder)


def bundle_files(
    record: StudyRecord, private: bool | Mapping[str, str] = False, grain: str = "wide", notes: bool = False
) -> list[Artifact]:
    """Return every file of the export in memory, the manifest last; the same record gives the same bytes."""
    tables = study_tables(record, notes=notes)
    files = artifacts(record, tables, grain)
    files.extend(analysis_artifacts(record, tables, files, grain))
    files.append(Artifact("report.html", report_html(record, tables, files)))
    if private is not False:
        files.extend(private_artifacts(record, tables, private if isinstance(private, Mapping) else {}))
    files.append(Artifact(PACKAGE, package_bytes(record, files, grain)))
    files.append(Artifact(MANIFEST, manifest_bytes(record, files, tables.findings(grain))))
    return files


def publish(files: Sequence[Artifact], folder: Path | str) -> list[dict[str, Any]]:
    """Put computed files into `folder`, whole or not at all, and return `[{path, sha256, rows}]`.

    Raises `BadInput` for a folder that cannot be written or that holds a file of these names which no export wrote.
    """
    try:
        _publish(Path(folder).absolute(), files)
    except OSError as problem:
        raise BadInput(f"the export cannot be written to {folder}: {problem.strerror or problem}") from problem
    return [{key: artifact.entry()[key] for key in ("path", "sha256", "rows")} for artifact in files]


def verify_bundle(folder: Path | str) -> dict[str, Any]:
    """Return `{ok, checked, mismatches[]}` of an exported folder, everything recomputed by the second implementation.

    A changed or missing file is a mismatch. Raises `BadInput` for a folder that does not exist or is not an export.
    """
    place = Path(folder)
    if not place.is_dir():
        raise BadInput(f"{folder} is not a folder; name the folder an export was written to")
    if not (place / MANIFEST).is_file():
        raise BadInput(f"{folder} is not an export: it has no {MANIFEST}")
    files = {MANIFEST: _read(place / MANIFEST)}
    manifest = read_document(MANIFEST, files[MANIFEST], Ledger()) or {}
    for entry in listed_files(manifest):
        path = place / str(entry["path"])
        if path.is_file():
            files[path.name] = _read(path)
    return verify(files, redrawn, parquet_cells)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise BadInput(f"{path} cannot be read: {problem.strerror or problem}") from problem


def _publish(target: Path, files: Sequence[Artifact]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.parent / f".{target.name}.{secrets.token_hex(6)}"
    beside.mkdir()
    try:
        for artifact in files:
            _write(beside / artifact.path, artifact.data)
        _sync(beside)
        if target.exists():
            _replace(beside, target, files)
        else:
            beside.rename(target)
        _sync(target.parent)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _replace(beside: Path, target: Path, files: Sequence[Artifact]) -> None:
    """Move the files into an existing folder; while they move there is no manifest, so nobody takes it for whole."""
    earlier = _earlier(target)
    names = [artifact.path for artifact in files]
    foreign = [name for name in names if (target / name).exists() and name not in earlier]
    if foreign:
        raise BadInput(f"{target} already holds {foreign[0]}, which no export wrote; choose another folder")
    _write(target / UNFINISHED, canonical_file(sorted({*earlier, *names})))
    (target / MANIFEST).unlink(missing_ok=True)
    for name in earlier:
        if name not in names:
            (target / name).unlink(missing_ok=True)
    for name in names:
        os.replace(beside / name, target / name)
    (target / UNFINISHED).unlink()
    _sync(target)


def _earlier(target: Path) -> list[str]:
    """Return the files an export put into the folder, also one that was interrupted; [] where none did."""
    if (target / UNFINISHED).is_file():
        names: list[str] = json.loads((target / UNFINISHED).read_bytes())
        return names
    if not (target / MANIFEST).is_file():
        return []
    manifest = read_document(MANIFEST, (target / MANIFEST).read_bytes(), Ledger()) or {}
    return [MANIFEST, *(str(entry["path"]) for entry in listed_files(manifest))] if manifest.get("files") else []


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
