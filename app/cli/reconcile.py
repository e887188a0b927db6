"""`saydo reconcile`: is a published table what its own records give, cell by cell, under every declared policy?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.context import JsonFlag
from app.cli.edge import emit

PROCESSES = 4


def reconcile(
    spec: Annotated[Path, typer.Argument(help="The registration of the reconciliation (YAML).")],
    out: Annotated[Path, typer.Option("--out", help="Where the results go; made if absent.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="Where the tables are [default: beside SPEC].", show_default=False)
    ] = None,
    registration: Annotated[
        Path | None,
        typer.Option("--registration", help="A text the report prints verbatim beside the spec.", show_default=False),
    ] = None,
    claims: Annotated[bool, typer.Option("--claims", help="Make a claim of every divergent cell.")] = False,
    claim: Annotated[
        list[str] | None,
        typer.Option("--claim", metavar="ROW:COLUMN", help="Make a claim of this divergent cell.", show_default=False),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Recompute a table from its records with two implementations, and class every cell.

    Exits 1 when the implementations do not agree or a second process gives other bytes.

    Example: saydo reconcile examples/reconcile/a2-id.yaml --data corpus --out var/reconcile/a2-id
    """
    from app.services.reconcile.claims import every_cell, named_cells
    from app.services.reconcile.running import Asked
    from app.services.reconcile.running import reconcile as run

    choice = every_cell if claims else named_cells(claim) if claim else None
    with _progress() as tell:
        document = run(Asked(spec, data, out, registration, choice), tell)
    emit(document, as_json, _lines(document, out))
    fault = _fault(document)
    if fault is not None:
        sys.stderr.write(f"{spec.name}: {fault}\n")
        raise typer.Exit(1)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Show a bar over the four processes on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reconciling", total=PROCESSES)
        yield lambda told: bar.update(task, advance=1, description=told)


def _lines(document: dict[str, Any], out: Path) -> Iterator[str]:
    gate, found = document["gate"], document["content_hash"]
    yield f"{document['cells']} cells"
    yield from (f"  {name:<14}{n:>6}" for name, n in document["classes"].items())
    yield f"  {'sum':<14}{document['sum']:>6}"
    yield f"row key {document['join']['winner']}, runner-up {document['join']['runner_up'] or 'none'}"
    yield (
        f"two implementations: {'agree' if gate['agrees'] else 'do not agree'}, {gate['n_compared']} values, largest "
        f"difference {gate['max_abs_diff']:g}"
    )
    yield f"second processes: {'byte-identical' if document['reruns_identical'] else 'other bytes'}"
    yield f"content hash: {'equal' if found['equal'] else 'not equal'} ({found['computed'][:12]}…, by implementation A)"
    yield f"written to {out}: {', '.join(entry['path'] for entry in document['files'])}"


def _fault(document: dict[str, Any]) -> str | None:
    gate = document["gate"]
    if not gate["agrees"]:
        first = gate["differing"][0]
        return (
            f"the two implementations do not agree on {gate['n_differing']} values, the first at {first['path']}: "
            f"{first['first']} and {first['second']}"
        )
    return None if document["reruns_identical"] else "a second process gave other bytes; see the implementation files"
