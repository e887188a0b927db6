"""The database's health, copies of it while it is in use, and putting a copy back."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

from app.domain.errors import BadInput
from app.storage import migrating
from app.storage.engine import Database


def examine(database: Database) -> dict[str, Any]:
    """Return `ok, revision, foreign_keys, integrity`: what SQLite itself says, and whether the schema is current."""
    with database.read_engine.connect() as connection:
        dangling = len(connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall())
        integrity = str(connection.exec_driver_sql("PRAGMA integrity_check").scalar())
    revision = migrating.current_revision(database)
    ok = dangling == 0 and integrity == "ok" and revision == migrating.head_revision()
    foreign_keys = "ok" if dangling == 0 else f"{dangling} rows refer to nothing"
    return {"ok": ok, "revision": revision, "foreign_keys": foreign_keys, "integrity": integrity}


def copy_to(database: Database, target: Path) -> dict[str, Any]:
    """Write a consistent copy to a new file by SQLite's online backup; return its path and hash."""
    if target.exists():
        raise BadInput(f"{target} exists; a backup never overwrites")
    temporary = target.with_name(target.name + ".part")
    source, copy = sqlite3.connect(database.path), sqlite3.connect(temporary)
    try:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
    finally:
        source.close()
        copy.close()
    temporary.replace(target)
    return {"ok": True, "path": str(target), "sha256": hashlib.sha256(target.read_bytes()).hexdigest()}


def restore_from(database: Database, source: Path) -> dict[str, Any]:
    """Check a copy, then put it in the database's place; the former file is kept beside it under `.before-restore`.

    Raises `BadInput` for a file that is not a sound study database. The server must not be running.
    """
    if not source.is_file():
        raise BadInput(f"{source} does not exist")
    found = _examine_copy(source)
    kept = database.path.with_name(database.path.name + ".before-restore")
    temporary = database.path.with_name(database.path.name + ".restoring")
    temporary.write_bytes(source.read_bytes())
    database.close()
    if database.path.exists():
        _fold_journal(database.path)
        database.path.replace(kept)
    temporary.replace(database.path)
    return {**found, "kept": str(kept)}


def _examine_copy(source: Path) -> dict[str, Any]:
    try:
        opened = Database(f"sqlite:///{source}")
        found = examine(opened)
        opened.close()
    except (sqlite3.DatabaseError, OSError) as error:
        raise BadInput(f"{source} is not a database: {error}") from error
    if found["integrity"] != "ok" or found["revision"] is None:
        raise BadInput(f"{source} is not a sound study database: {found['integrity']}, revision {found['revision']}")
    return found


def _fold_journal(path: Path) -> None:
    """Fold the write-ahead journal into the file, so that the kept copy is whole by itself."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
