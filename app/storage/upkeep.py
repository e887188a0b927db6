"""The database's health, copies of it while it is in use, and putting a copy back."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from app.domain.errors import BadInput, Conflict
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
        copy.close()
        temporary.replace(target)
    finally:
        source.close()
        copy.close()
        temporary.unlink(missing_ok=True)
    return {"ok": True, "path": str(target), "sha256": hashlib.sha256(target.read_bytes()).hexdigest()}


def restore_from(database: Database, source: Path) -> dict[str, Any]:
    """Check a copy, then put it in the database's place; the former file is kept beside it under `.before-restore`.

    Raises `BadInput` for a file that is not a sound study database, and `Conflict` while another process (a server) has
    the database open: the file under it would be exchanged and its journal folded into the wrong one. A former copy
    that was kept is never overwritten.
    """
    if not source.is_file():
        raise BadInput(f"{source} does not exist")
    found = _examine_copy(source)
    kept = _free_name(database.path.with_name(database.path.name + ".before-restore"))
    database.close()
    _require_alone(database.path)
    temporary = database.path.with_name(database.path.name + ".restoring")
    try:
        shutil.copyfile(source, temporary)
        _sync(temporary)
        if database.path.exists():
            database.path.replace(kept)
        temporary.replace(database.path)
    finally:
        temporary.unlink(missing_ok=True)
    return {**found, "kept": str(kept)}


def _free_name(path: Path) -> Path:
    number = 2
    free = path
    while free.exists():
        free = path.with_name(f"{path.name}-{number}")
        number += 1
    return free


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_alone(path: Path) -> None:
    """Fold the write-ahead journal into the file, which SQLite does only while no other connection is open."""
    if not path.exists():
        return
    connection = sqlite3.connect(path, timeout=1.0)
    try:
        alone = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0] == "delete"
    except sqlite3.OperationalError:
        alone = False
    except sqlite3.DatabaseError:
        return  # What stands there is no database any more; it is what is to be replaced.
    finally:
        connection.close()
    if not alone:
        raise Conflict(f"{path} is in use; stop the server (and any other saydo command), then restore")


def _examine_copy(source: Path) -> dict[str, Any]:
    """Look at a copy without touching it: opened immutable, so neither its bytes change nor a journal appears."""
    connection = sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        integrity = str(connection.execute("PRAGMA integrity_check").fetchone()[0])
        dangling = len(connection.execute("PRAGMA foreign_key_check").fetchall())
        revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise BadInput(f"{source} is not a study database: {error}") from error
    finally:
        connection.close()
    if integrity != "ok" or dangling or revision is None:
        raise BadInput(f"{source} is not a sound study database: {integrity}, {dangling} rows refer to nothing")
    return {"ok": True, "revision": revision[0], "foreign_keys": "ok", "integrity": integrity}
