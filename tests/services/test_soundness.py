"""Any change made to stored judgements behind the application's back is found, and named with its place."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from app.domain.errors import Refused
from app.services import adjudicating, closing, soundness
from app.storage.engine import Database
from tests.conftest import Clock
from tests.services.conftest import Published
from tests.services.test_coding import code_all
from tests.services.test_study_life import adjudicate_all, lock, lock_both

TABLES = (
    "coding",
    "packet_lock",
    "decision",
    "audit_event",
    "queue_item",
    "blind_turn",
    "blind_claim",
    "blind_run",
    "packet",
    "assignment",
    "study",
)
# Nothing is computed from these: the phase follows from locks and moments, and packets are built before any judgement.
FREE = {("study", "phase"), ("study", "created_by"), ("study", "qualification"), ("packet", "built_at")}
N = 1000 if os.environ.get("SAYDO_SOAK") else 50


@pytest.fixture
def closed(database: Database, published: Published, clock: Clock) -> Path:
    """A closed study's database file, folded so that it can be copied."""
    lock_both(database, published, clock)
    adjudicate_all(database, published, clock)
    with database.writing() as session:
        closing.close_study(session, published.lead, "small", clock())
    assert found_in(database) == []
    database.close()
    with sqlite3.connect(database.path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return database.path


def found_in(database: Database) -> list[str]:
    with database.reading() as session:
        return list(soundness.find_alterations(session))


def opened(path: Path) -> sqlite3.Connection:
    """Open a database as somebody who means harm would: without its triggers."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys=OFF")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    return connection


def altered(value: object, rng: random.Random) -> object:
    """Return the value with one character, or its number, changed."""
    if value is None:
        return "x"
    if isinstance(value, str):
        place = rng.randrange(len(value)) if value else 0
        other = chr(ord(value[place]) ^ 1) if value else "x"
        return value[:place] + other + value[place + 1 :]
    assert isinstance(value, int | float)
    return value + 1


def alter_one(path: Path, rng: random.Random) -> str:
    """Change one cell of one row of a judgement table; return which."""
    connection = opened(path)
    while True:
        table = rng.choice(TABLES)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        column = rng.choice([name for name in columns if (table, name) not in FREE])
        rowids = [row[0] for row in connection.execute(f"SELECT rowid FROM {table}")]
        rowid = rng.choice(rowids)
        value = connection.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (rowid,)).fetchone()[0]
        try:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (altered(value, rng), rowid))
        except sqlite3.IntegrityError:
            continue
        connection.close()
        return f"{table}.{column} of row {rowid}"


def test_every_altered_cell_is_found(closed: Path, tmp_path: Path) -> None:
    rng = random.Random(20260725)
    missed = []
    for n in range(N):
        copy = tmp_path / f"altered-{n}.db"
        shutil.copy(closed, copy)
        where = alter_one(copy, rng)
        database = Database(f"sqlite:///{copy}")
        if not found_in(database):
            missed.append(where)
        database.close()
        copy.unlink()
    assert sorted(set(missed)) == []


@pytest.mark.parametrize(
    ("table", "which"),
    [("coding", "first"), ("coding", "last"), ("decision", "first"), ("decision", "last"), ("audit_event", "first")],
)
def test_a_removed_judgement_is_found(closed: Path, table: str, which: str) -> None:
    extreme = "min" if which == "first" else "max"
    opened(closed).execute(f"DELETE FROM {table} WHERE id = (SELECT {extreme}(id) FROM {table})")
    assert found_in(Database(f"sqlite:///{closed}")) != []


def test_the_removed_act_of_closing_is_found(closed: Path) -> None:
    opened(closed).execute("DELETE FROM audit_event WHERE id = (SELECT max(id) FROM audit_event)")
    assert "the audit chain never" in " ".join(found_in(Database(f"sqlite:///{closed}")))


def test_a_coding_altered_with_its_own_hash_is_found_by_the_audit_chain(closed: Path) -> None:
    from app.storage.chains import CODING, expected_sha256

    connection = opened(closed)
    connection.row_factory = sqlite3.Row
    row = dict(connection.execute("SELECT * FROM coding ORDER BY id LIMIT 1").fetchone())
    content = {name: row[name] for name in CODING}
    content["answer_json"] = content["answer_json"].replace("SUPPORTED", "PARTIAL")
    changed = (content["answer_json"], expected_sha256(content), row["id"])
    connection.execute("UPDATE coding SET answer_json = ?, sha256 = ? WHERE id = ?", changed)
    found = " ".join(found_in(Database(f"sqlite:///{closed}")))
    assert "not on the audit chain" in found
    assert "does not cover the codings" in found


def test_a_study_whose_codings_were_altered_is_not_exported(closed: Path, published: Published) -> None:
    opened(closed).execute("UPDATE coding SET seconds_on_item = 1 WHERE id = 2")
    database = Database(f"sqlite:///{closed}")
    with database.reading() as session, pytest.raises(Refused, match=r"coding 2 .* was altered"):
        closing.get_closed_record(session, published.lead, "small")


def test_a_packet_whose_coding_was_altered_is_not_locked(
    database: Database, published: Published, clock: Clock
) -> None:
    code_all(database, published.one, clock)
    opened(database.path).execute("UPDATE coding SET work_session = 9 WHERE id = 1")
    with pytest.raises(Refused, match=r"coding 1 .* was altered"):
        lock(database, published.one, clock)


def test_nothing_is_adjudicated_or_closed_on_altered_locks(
    database: Database, published: Published, clock: Clock
) -> None:
    lock_both(database, published, clock)
    opened(database.path).execute("UPDATE packet_lock SET n_rows = n_rows - 1")
    with database.writing() as session, pytest.raises(Refused, match="does not cover"):
        adjudicating.open_adjudication(session, published.lead, "small", clock())
