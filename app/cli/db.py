"""`saydo db`: the database's schema, its health, copies of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import JsonFlag, open_database, settings
from app.cli.edge import emit

commands = typer.Typer(help="Upgrade, check, back up and restore the database.")


@commands.command()
def upgrade(as_json: JsonFlag = False) -> None:
    """Bring the database to the current schema.

    Example: saydo db upgrade
    """
    from app.storage.upkeep import examine

    found = examine(open_database())
    emit(found, as_json, [f"at revision {found['revision']}"])


@commands.command()
def check(as_json: JsonFlag = False) -> None:
    """Check schema, foreign keys, integrity, and every hash kept of judgements; exit 1 when something is wrong.

    Example: saydo db check
    """
    from app.services.soundness import find_alterations
    from app.storage.engine import Database
    from app.storage.upkeep import examine

    database = Database(settings().database_url)
    found = examine(database)
    if found["ok"]:
        with database.reading() as session:
            found["altered"] = list(find_alterations(session))
        found["ok"] = not found["altered"]
    lines = [f"{name}: {value}" for name, value in found.items() if name != "altered"]
    emit(found, as_json, [*lines, *(f"altered: {sentence}" for sentence in found.get("altered", []))])
    if not found["ok"]:
        raise typer.Exit(1)


@commands.command()
def backup(target: Annotated[Path, typer.Argument(help="The copy's file.")], as_json: JsonFlag = False) -> None:
    """Copy the database while it is in use.

    Example: saydo db backup saydo-monday.db
    """
    from app.storage.upkeep import copy_to

    found = copy_to(open_database(), target)
    emit(found, as_json, [f"copied to {target}, sha256 {found['sha256']}"])


@commands.command()
def restore(source: Annotated[Path, typer.Argument(help="A copy made by backup.")], as_json: JsonFlag = False) -> None:
    """Put a checked copy in the database's place; the one replaced is kept beside it.

    Example: saydo db restore saydo-monday.db
    """
    from app.storage.engine import Database
    from app.storage.upkeep import restore_from

    found = restore_from(Database(settings().database_url), source)
    emit(found, as_json, [f"restored from {source}; the former database is {found['kept']}"])
