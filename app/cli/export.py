"""`saydo export`: the tables, the report and the manifest of a closed study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import AsName, JsonFlag, acting, open_database
from app.cli.edge import emit


def export(
    study: Annotated[str, typer.Argument(help="The study.")],
    folder: Annotated[Path, typer.Option("--dir", help="Where the files go; made if absent.")],
    private: Annotated[bool, typer.Option("--private", help="Add codings.csv (custodian only).")] = False,
    notes: Annotated[bool, typer.Option("--notes", help="Put the raters' notes into rater_long.csv.")] = False,
    grain: Annotated[str, typer.Option("--grain", help="wide: one row a claim; long: one row a coder.")] = "wide",
    as_name: AsName = None,
    as_json: JsonFlag = False,
) -> None:
    """Export a closed study.

    Example: saydo export pilot-1 --dir out --as l.one
    """
    from app.services.closing import ExportOptions, export_study, get_closed_record, native_claim_ids

    with open_database().reading() as session:
        actor = acting(session, as_name)
        record = get_closed_record(session, actor, study)
        names = native_claim_ids(session, actor, study) if private else None
    files = export_study(record, folder, ExportOptions(private=names, notes=notes, grain=grain))
    emit({"files": list(files)}, as_json, [f"{f['sha256'][:12]}  {f['rows'] or '':>6}  {f['path']}" for f in files])
