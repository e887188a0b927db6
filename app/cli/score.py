"""`saydo score`: the scorecard of graded facts, computed twice, with a report that says what it does not show."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.context import JsonFlag
from app.cli.edge import emit, moving_line

if TYPE_CHECKING:
    from app.services.scorecard.scoring import Scorecard
    from app.services.scorecard.table import ScoreTable

SHOWN = ("scores", "scenarios", "plan")


def score(
    spec: Annotated[Path, typer.Argument(help="The scorecard file (YAML).", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Where the files go; made if absent.", show_default=False)],
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder of the tables [default: beside the file].", show_default=False)
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Score graded facts: models, scenarios, intervals, judges, costs, and what none of it shows.

    Exits 0 when both implementations and both runs agree and what was saved earlier holds, 1 when not (the files are
    written and say so), 2 for input that cannot be used (nothing is written).

    Example: saydo score examples/scorecard/scorecard.yaml --out var/scorecard
    """
    from app.services.scorecard.scoring import score as run

    with moving_line("scoring"):
        found = run(spec, data, out)
    emit(found.document, as_json, _lines(found, out))
    if found.refusals:
        sys.stderr.write(f"{spec.name}: {'; '.join(found.refusals)}; see {out / 'report.html'}\n")
        raise typer.Exit(1)


def _lines(found: Scorecard, out: Path) -> Iterator[str]:
    gate = found.document["gate"]
    yield found.document["title"]
    yield from (f"PENDING: {sentence}" for sentence in found.document["pending"])
    for table in found.tables:
        if table.name in SHOWN:
            yield ""
            yield from _told(table)
    yield ""
    yield f"two implementations: {gate['n_compared']} values compared, largest difference {gate['max_abs_diff']:.1e}"
    yield f"second process gave the same bytes: {'yes' if found.document['reruns_identical'] else 'no'}"
    yield f"{len(found.files)} files in {out}; every table is in report.html"


def _told(table: ScoreTable) -> Iterator[str]:
    yield f"== {table.title} ({table.mark})"
    yield f"planned {table.planned}; completed {table.completed}"
    if table.note:
        yield table.note
    lines = [table.head, *table.rows]
    widths = [max(len(row[i]) for row in lines) for i in range(len(table.head))]
    for row in lines:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
    yield from (f"- {sentence}" for sentence in table.boundaries)
