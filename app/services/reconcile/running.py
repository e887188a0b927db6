"""Reconciling: everything refused that can be refused, both implementations run, gated, told, and put into a folder.

Responsible for the order of the work. Nothing is written into the folder before everything is computed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.domain.canonical import canonical_file, sha256_hex
from app.domain.dual import compare
from app.domain.export.csv_form import table_bytes
from app.domain.export.manifest import SELF, Artifact
from app.domain.reconcile.cells import COUNTED
from app.domain.reconcile.null import ratio_to_median
from app.readers.located_yaml import read_limited
from app.readers.reconcile_spec import ReadSpec, load_spec
from app.readers.reconcile_tables import check_tables, require_pandas
from app.readers.turnlog_file import Pinned, verify_pin
from app.services.bundle import publish
from app.services.dual_runs import Runs, run_twice
from app.services.reconcile.claims import CLAIM_FILES, Cell, claim_files, divergent_cells
from app.services.reconcile.report import Told, report_files

RESULTS = "results.json"
SPEC = "spec.yaml"
MANIFEST = "manifest.json"
MANIFEST_SCHEMA = "reconcile-manifest/1"
PROCESS = "app.services.reconcile.process"
CELL_COLUMNS = ("row", "column", "class", "tier", "policy", "achieved_by", "reason", "published")
DEVIATION_COLUMNS = ("row", "column", "published", "policy", "value", "delta", "tier", "n_values")
POLICY_COLUMNS = (
    "column",
    "policy",
    "primary",
    "T0",
    "T1",
    "T2",
    "divergent",
    "undefined",
    "matches_at_published_precision",
    "mean_absolute_deviation",
    "largest_absolute_deviation",
    "most_values_of_a_row",
)


@dataclass(frozen=True)
class Asked:
    """What is to be reconciled: the spec, the folder of its tables (None: the spec's own), where the results go, a
    document to print verbatim beside the spec, and which divergent cells become claims (None: none)."""

    spec: Path
    data: Path | None
    out: Path
    registration: Path | None = None
    claims: Callable[[list[Cell]], list[Cell]] | None = None


def reconcile(asked: Asked, on_done: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Write the results into `asked.out` and return the document `saydo reconcile --json` prints.

    Raises `BadInput` or `NotFound` before anything is computed for a spec or a table that cannot stand, `Conflict`
    where a table changed while it was read.
    """
    require_pandas()
    read = load_spec(asked.spec)
    folder = asked.data if asked.data is not None else asked.spec.parent
    pins = check_tables(read, folder)
    registration = None if asked.registration is None else read_limited(asked.registration).decode("utf-8", "replace")
    arguments = [str(asked.spec.absolute()), str(folder.absolute())]
    runs = run_twice(PROCESS, ("A", "B"), arguments, on_done)
    for pinned in pins.values():
        verify_pin(pinned)
    results = results_of(read, runs, pins)
    wanted = asked.claims(divergent_cells(results)) if asked.claims is not None else []
    files = files_of(results, Told(read.text, registration), runs, wanted)
    publish(files, asked.out)
    return printed(results, files)


def results_of(read: ReadSpec, runs: Mapping[str, Runs], pins: Mapping[str, Pinned]) -> dict[str, Any]:
    """Return the whole record of a run: implementation A's figures, the gate, the reruns, what was read."""
    first, second = (json.loads(runs[name].first) for name in ("A", "B"))
    content_hash = first.pop("content_hash")
    gate = compare(first, second, read.spec.gate)
    first["classes"] = {name: first["classes"][name] for name in COUNTED}
    for found in first["null"]["columns"].values():
        found["statistics"] = {
            name: {**line, "ratio_to_median": ratio_to_median(line)} for name, line in found["statistics"].items()
        }
    first["null"]["columns"] = {line["column"]: first["null"]["columns"][line["column"]] for line in first["columns"]}
    return {
        **first,
        "title": read.spec.words.title,
        "executor_column": read.spec.rows.executor_column,
        "spec_sha256": sha256_hex(read.text),
        "inputs": [
            {"table": role, "file": pinned.path.name, "sha256": pinned.sha256, "bytes": pinned.bytes}
            for role, pinned in pins.items()
        ],
        "gate": gate,
        "reruns": {name: found.as_dict() for name, found in runs.items()},
        "reruns_identical": all(found.identical for found in runs.values()),
        "null_again": {"implementation": "B", "draws": second["null"]["draws"], "share": 1.0},
        "content_hash": content_hash,
    }


def files_of(results: dict[str, Any], told: Told, runs: Mapping[str, Runs], wanted: list[Cell]) -> list[Artifact]:
    """Return every file of a run, the manifest last."""
    files = [
        Artifact(SPEC, told.spec.encode("utf-8")),
        Artifact(RESULTS, canonical_file(results)),
        _table("cells.csv", CELL_COLUMNS, results["cells"]),
        _table("deviations.csv", DEVIATION_COLUMNS, _deviations(results["cells"])),
        _table("policies.csv", POLICY_COLUMNS, [{**line, **line["tiers"]} for line in results["policies"]]),
        *(
            Artifact(f"implementation-{name.lower()}.{turn}.json", data)
            for name, found in runs.items()
            for turn, data in ((1, found.first), (2, found.second))
        ),
    ]
    if told.registration is not None:
        files.append(Artifact("registration.txt", told.registration.encode("utf-8")))
    files.extend(claim_files(results, wanted) if wanted else [])
    files.extend(report_files(results, told, files))
    return with_manifest(files, results)


def with_manifest(files: list[Artifact], results: Mapping[str, Any]) -> list[Artifact]:
    """Return the files with their manifest, whose own hash is taken last."""
    content = {
        "schema": MANIFEST_SCHEMA,
        "spec": results["spec"],
        "spec_sha256": results["spec_sha256"],
        "inputs": results["inputs"],
        "files": [artifact.entry() for artifact in sorted(files, key=lambda a: a.path)],
    }
    data = canonical_file({**content, SELF: sha256_hex(canonical_file(content))})
    return [*files, Artifact(MANIFEST, data)]


def with_claims(results: Mapping[str, Any], files: list[Artifact], wanted: list[Cell]) -> list[Artifact]:
    """Return the files of an earlier run with these cells as its claims, and a new manifest."""
    kept = [artifact for artifact in files if artifact.path not in (*CLAIM_FILES, MANIFEST)]
    return with_manifest([*kept, *claim_files(results, wanted)], results)


def printed(results: Mapping[str, Any], files: list[Artifact]) -> dict[str, Any]:
    """Return the document a program reads: the record, with cells counted instead of listed."""
    document = {name: value for name, value in results.items() if name != "cells"}
    entries = [{key: artifact.entry()[key] for key in ("path", "sha256", "rows")} for artifact in files]
    return {**document, "cells": results["shape"]["cells"], "files": entries}


def _deviations(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a cell and policy: what the policy gives there and how far it is from what was published."""
    return [
        {**{key: cell[key] for key in ("row", "column", "published")}, **result}
        for cell in cells
        for result in cell["results"]
    ]


def _table(name: str, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> Artifact:
    return Artifact(name, table_bytes(columns, rows), columns, len(rows))
