"""`saydo verify FOLDER`: is this export what it says it is? No database, no network, no setting is read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.edge import emit

SHOWN = 20


def verify(
    folder: Annotated[Path, typer.Argument(help="the folder an export was written to")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document: ok, checked, mismatches.")] = False,
) -> None:
    """Check every hash of an exported folder and recompute every number in it from its raw rows.

    Exits 0 when all is as stated, 1 when something differs (it says what and where), 2 when FOLDER is not an export.

    Example: saydo verify var/demo
    """
    from app.services.bundle import verify_bundle

    found = verify_bundle(folder)
    emit(found, as_json, _lines(folder, found))
    if not found["ok"]:
        sys.stderr.write(_sentence(folder, found) + "\n")
        raise typer.Exit(1)


def _lines(folder: Path, found: Mapping[str, Any]) -> Iterator[str]:
    if found["ok"]:
        yield f"{folder}: as stated. {found['checked']} values checked."
        return
    for mismatch in found["mismatches"][:SHOWN]:
        yield _one(mismatch)
    more = len(found["mismatches"]) - SHOWN
    if more > 0:
        yield f"… and {more} more; --json lists all"


def _sentence(folder: Path, found: Mapping[str, Any]) -> str:
    first = found["mismatches"][0]
    number = len(found["mismatches"])
    return f"{folder} does not hold what it states: {number} of its values differ, the first in {_one(first)}"


def _one(mismatch: Mapping[str, Any]) -> str:
    row = f", row {mismatch['row']}" if mismatch["row"] else ""
    column = f", {mismatch['column']}" if mismatch["column"] else ""
    return (
        f"{mismatch['file']}{row}{column}: expected {_short(mismatch['expected'])}, found {_short(mismatch['found'])}"
    )


def _short(value: object) -> str:
    text = " ".join(str(value).split()) or "nothing"
    printable = "".join(mark if mark.isprintable() else "\ufffd" for mark in text)
    return printable if len(printable) <= 120 else printable[:117] + "…"
