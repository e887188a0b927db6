"""The database itself refuses to change, remove or replace what was judged, registered or served."""

from __future__ import annotations

import sqlite3

import pytest

from app.storage.engine import Database
from tests.conftest import Clock
from tests.services.conftest import Published, published  # noqa: F401 - the fixture
from tests.services.test_study_life import adjudicate_all, lock_both

JUDGED = ("coding", "packet_lock", "decision", "audit_event", "queue_item")
SERVED = ("blind_run", "blind_turn", "blind_claim", "packet", "assignment", "study")


@pytest.fixture
def raw(database: Database, published: Published, clock: Clock) -> sqlite3.Connection:  # noqa: F811
    lock_both(database, published, clock)
    adjudicate_all(database, published, clock)
    return sqlite3.connect(database.path, isolation_level=None)


def columns(raw: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in raw.execute(f"PRAGMA table_info({table})")]


@pytest.mark.parametrize("table", JUDGED + SERVED)
def test_a_row_is_not_removed(raw: sqlite3.Connection, table: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=r"appended|stand"):
        raw.execute(f"DELETE FROM {table}")


@pytest.mark.parametrize("table", JUDGED + SERVED)
def test_a_row_is_not_replaced_by_an_insert(raw: sqlite3.Connection, table: str) -> None:
    names = ", ".join(columns(raw, table))
    with pytest.raises(sqlite3.IntegrityError, match=r"never replaced|locked"):
        raw.execute(f"INSERT OR REPLACE INTO {table} ({names}) SELECT {names} FROM {table} LIMIT 1")


@pytest.mark.parametrize("table", JUDGED)
def test_no_column_of_a_judgement_changes(raw: sqlite3.Connection, table: str) -> None:
    for name in columns(raw, table):
        with pytest.raises(sqlite3.IntegrityError, match="appended"):
            raw.execute(f"UPDATE {table} SET {name} = {name}")


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("blind_turn", "body_json"),
        ("blind_claim", "body_json"),
        ("blind_run", "coverage_json"),
        ("packet", "user_id"),
        ("assignment", "purpose"),
        ("study", "registration_json"),
        ("study", "codebook_text"),
        ("study", "seed"),
    ],
)
def test_what_was_registered_or_served_stands(raw: sqlite3.Connection, table: str, column: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="stand"):
        raw.execute(f"UPDATE {table} SET {column} = {column}")


def test_a_claim_may_still_be_paused(raw: sqlite3.Connection) -> None:
    assert raw.execute("UPDATE blind_claim SET status = 'paused'").rowcount > 0
