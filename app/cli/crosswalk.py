"""`saydo codebook crosswalk`: codings made under one codebook, carried over to another or listed for coding again.

Thin: the rows are data in the crosswalk file, carrying is `app.services.crosswalking`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.context import settings
from app.cli.edge import emit
from app.domain.errors import BadInput

if TYPE_CHECKING:
    from app.readers.codings_file import RawCoding
    from app.services.crosswalking import Crossed


def crosswalk(
    codings: Annotated[Path, typer.Argument(metavar="CODINGS.csv", help="The codings under the old codebook.")],
    old: Annotated[str, typer.Option("--from", help="The version they were made under.")],
    new: Annotated[str, typer.Option("--to", help="The version to carry them to.")],
    log: Annotated[Path, typer.Option("--log", metavar="F.parquet", help="The turn log the claims are about.")],
    claims: Annotated[Path, typer.Option("--claims", metavar="C", help="The claims (parquet, CSV or JSONL).")],
    coverage: Annotated[Path, typer.Option("--coverage", metavar="COV", help="The runs' coverage maps (YAML).")],
    out: Annotated[Path, typer.Option("--out", metavar="F.csv", help="The codings file to write.")],
    codebooks: Annotated[
        Path | None, typer.Option("--codebooks", help="Folder of codebooks and crosswalks [default: the shipped one].")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Carry codings over to another codebook, as far as its crosswalk does, and list what is coded again and why.

    `saydo codings import` reads what it writes. What is carried over never enters reliability.

    Example: saydo codebook crosswalk --from 0.4 --to 0.5 r1.csv --log turnlog.parquet --claims claims.csv
    --coverage coverage.yaml --out r1-0.5.csv
    """
    from app.readers.crosswalk_file import get_crosswalk
    from app.services.crosswalking import Sources, cross, list_classes, list_taken, write_crossed

    found = get_crosswalk(codebooks or settings().codebook_dir, old, new)
    for given in (codings, log, claims, coverage):
        if given.resolve() == out.resolve():
            raise BadInput(f"--out {out.name} is one of the files that are read; write to another")
    crossed = cross(found, Sources(codings, log, claims, coverage), _watched)
    write_crossed(crossed, out)
    document = {
        "auto": crossed.n_auto,
        "recode": crossed.n_recode,
        "rows": len(crossed.codings),
        "from": found.old.version,
        "to": found.new.version,
        "crosswalk": {"id": found.id, "origin": found.origin, "sha256": found.sha256},
        "harmonised": list_classes(crossed),
        "taken_by": list_taken(crossed),
    }
    emit(document, as_json, _told(document, crossed, out))


def _watched(codings: Iterable[RawCoding]) -> Iterable[RawCoding]:
    """Show how far the work is, on a terminal alone."""
    if not sys.stderr.isatty():
        return codings
    from rich.console import Console
    from rich.progress import track

    return track(list(codings), description="carrying over", console=Console(stderr=True))


def _told(document: dict[str, Any], crossed: Crossed, out: Path) -> Iterator[str]:
    found = crossed.crosswalk
    yield f"{found.title}  ({found.origin})"
    yield f"{out.name}: {document['rows']} codings, {document['auto']} carried over, {document['recode']} to code again"
    for one in document["harmonised"]:
        old, new = ", ".join(one["old"]), ", ".join(one["new"])
        counts = f"{one['n']}/{one['of']}: {one['auto']} carried over, {one['recode']} to code again"
        yield f"  {one['class']} ({old} | {new})  {counts}"
    for row in document["taken_by"]:
        if row["n"]:
            yield f"  {row['row']} {row['label']} to {row['to'] or 'code again'}: {row['n']}, {row['reason']}"
