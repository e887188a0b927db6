"""`saydo codings`: codings made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.context import AsName, JsonFlag, acting, open_database, runtime
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

    Example: saydo codings import r1.csv --study pilot-1 --rater r.one --as l.one
    """
    from app.readers.codings_file import load_codings
    from app.services.importing import NothingImported, codebook_of_study, import_codings

    database = open_database()
    with database.reading() as session:
        codebook = codebook_of_study(session, acting(session, as_name), study)
    rows = load_codings(file, codebook)
    try:
        with database.writing() as session:
            account = import_codings(session, acting(session, as_name), (study, rater), rows, runtime().clock())
    except NothingImported as nothing:
        account = nothing.account
    document: dict[str, Any] = {
        "imported": account.n_imported,
        "rejected": [{"row": row, "rule": rule, "message": message} for row, rule, message in account.rejected],
        "unconfirmed": [{"row": row, "rule": rule, "message": message} for row, rule, message in account.unconfirmed],
    }
    lines = [f"row {r['row']}: {r['rule']} {r['message']}" for r in document["rejected"]]
    lines += [f"row {r['row']}: confirm {r['rule']}: {r['message']}" for r in document["unconfirmed"]]
    emit(document, as_json, [*lines, f"{account.n_imported} codings imported"])
    if account.rejected or account.unconfirmed:
        raise typer.Exit(1)
