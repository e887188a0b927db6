"""`saydo codings`: codings made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.context import AsName, JsonFlag, acting, open_database, runtime, settings
from app.cli.edge import emit

commands = typer.Typer(help="Bring codings that were made elsewhere.")


@commands.callback()
def group() -> None:
    """Keep `import` a sub-command although it is the only one."""


@commands.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="The codings (CSV).")],
    study: Annotated[str, typer.Option("--study", help="The study.")],
    rater: Annotated[str, typer.Option("--rater", help="Whose codings these are.")],
    as_name: AsName = None,
    as_json: JsonFlag = False,
) -> None:
    """Import a rater's codings, judged by the same rules as the form's; all or nothing.

    Reads what `saydo codebook crosswalk` writes too: what was carried over is stored with its origin, what is to be
    coded again stays open.

    Example: saydo codings import r1.csv --study pilot-1 --rater r.one --as l.one
    """
    from app.readers.codings_file import load_codings
    from app.readers.crosswalk_file import find_crosswalks_into
    from app.services.importing import NothingImported, Target, codebook_of_study, import_codings

    database = open_database()
    with database.reading() as session:
        codebook = codebook_of_study(session, acting(session, as_name), study)
    rows = load_codings(file, codebook)
    carried = any(row.origin for row in rows)
    target = Target(study, rater, find_crosswalks_into(settings().codebook_dir, codebook) if carried else ())
    try:
        with database.writing() as session:
            account = import_codings(session, acting(session, as_name), target, rows, runtime().clock())
    except NothingImported as nothing:
        account = nothing.account
    document: dict[str, Any] = {
        "imported": account.n_imported,
        "carried": account.n_carried,
        "recode": account.n_recode,
        "rejected": [{"row": row, "rule": rule, "message": message} for row, rule, message in account.rejected],
        "unconfirmed": [{"row": row, "rule": rule, "message": message} for row, rule, message in account.unconfirmed],
    }
    lines = [f"row {r['row']}: {r['rule']} {r['message']}" for r in document["rejected"]]
    lines += [f"row {r['row']}: confirm {r['rule']}: {r['message']}" for r in document["unconfirmed"]]
    told = f"{account.n_imported} codings imported"
    if account.n_carried or account.n_recode:
        told += f", {account.n_carried} of them carried over; {account.n_recode} claims left to code again"
    emit(document, as_json, [*lines, told])
    if account.rejected or account.unconfirmed:
        raise typer.Exit(1)
