"""`saydo log`: which formats are read, any log → a canonical turn log, is this file one.

Thin: reading, checking and writing are `app.readers`. Progress shows on a terminal only.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.edge import emit, moving_line

commands = typer.Typer(help="Turn logs: formats read, conversion, checking.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
MOST_FAULTS_SHOWN = 50


@commands.command("formats")
def list_formats(as_json: AsJson = False) -> None:
    """List the log formats that are read, in the order they are tried.

    Example: saydo log formats --json
    """
    from app.readers.logs import formats

    known = [{"name": name, "description": description} for name, description in formats()]
    width = max(len(form["name"]) for form in known)
    emit(known, as_json, (f"{form['name']:<{width}}  {form['description']}" for form in known))


@commands.command("convert")
def convert(
    sources: Annotated[list[Path], typer.Argument(metavar="SRC...", help="Log files, or folders to search.")],
    out: Annotated[Path, typer.Option("--out", help="The turn log to write (parquet).")],
    format_name: Annotated[str | None, typer.Option("--format", help="Name the format instead of sniffing it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read logs of any known format and write one canonical turn log.

    Example: saydo log convert session.jsonl --out turnlog.parquet
    """
    from app.readers.logs import read_logs
    from app.readers.turnlog_file import write_turn_log

    with moving_line("reading") as tell:
        logs = read_logs(sources, format_name, tell)
        pinned = write_turn_log(out, logs.table)
    document = {"format": logs.format, **logs.counts, "sha256": pinned.sha256, "warnings": list(logs.warnings)}
    counts = logs.counts
    lines = [
        f"{out.name}: {counts['sessions']} sessions, {counts['turns']} turns read as {logs.format}",
        f"{counts['tool_calls']} calls, {counts['tool_results']} results: {counts['matched_by_id']} matched by id, "
        f"{counts['matched_by_order']} by order ({counts['matched_inline']} of them inline), "
        f"{counts['unmatched']} unmatched; "
        f"{counts['truncated']} truncated",
        f"sha256 {pinned.sha256}",
        *(f"warning: {warning}" for warning in logs.warnings),
    ]
    emit(document, as_json, lines)


@commands.command("check")
def check(
    path: Annotated[Path, typer.Argument(metavar="F.parquet", help="The turn log to check.")], as_json: AsJson = False
) -> None:
    """Check a turn log, canonical or hand-made, against every rule; name row and column of each fault.

    Rows count from 0. Exit 1 if there are faults, 2 if the file is no turn log at all.

    Example: saydo log check turnlog.parquet
    """
    from app.readers.turnlog_check import check_any

    with moving_line("checking"):
        found = check_any(path)
    faults = [{"row": f.row, "column": f.column, "message": f.message} for f in found.faults]
    document = {"ok": not faults, "sessions": found.sessions, "turns": found.turns, "faults": faults}
    shown = [f"{path.name} {fault.sentence()}" for fault in found.faults[:MOST_FAULTS_SHOWN]]
    more = len(faults) - len(shown)
    verdict = f"{path.name}: {found.sessions} sessions, {found.turns} turns, " + (
        f"{len(faults)} faults" if faults else "ok"
    )
    emit(document, as_json, [*shown, *([f"... and {more} more faults"] if more > 0 else []), verdict])
    if faults:
        raise typer.Exit(1)
