"""The schema: one head, up from nothing, equal to the models, down and up again, and the triggers no model shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool
from sqlmodel import SQLModel

from app.config import migrations_dir
from app.storage import migrating
from app.storage.engine import Database
from app.storage.upkeep import copy_to, examine, restore_from


def config(connection) -> Config:
    found = Config()
    found.set_main_option("script_location", str(migrations_dir()))
    found.attributes["connection"] = connection
    return found


def test_there_is_one_head() -> None:
    found = Config()
    found.set_main_option("script_location", str(migrations_dir()))
    assert len(ScriptDirectory.from_config(found).get_heads()) == 1


def test_the_migrated_tables_equal_the_models(database: Database) -> None:
    with database.read_engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []


def test_down_to_nothing_and_up_again(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'x.db'}", poolclass=NullPool)
    for _ in range(2):
        with engine.connect() as connection:
            command.upgrade(config(connection), "head")
        with engine.connect() as connection:
            command.downgrade(config(connection), "base")
    with engine.connect() as connection:
        left = connection.execute(text("SELECT name FROM sqlite_master WHERE name NOT LIKE 'alembic%'")).fetchall()
    assert [row[0] for row in left if not row[0].startswith("sqlite_")] == []


def test_every_table_of_judgements_refuses_change(database: Database) -> None:
    with database.reading() as session:
        rows = session.connection().exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    found = {row[0] for row in rows}
    for table in ("coding", "packet_lock", "decision", "audit_event"):
        assert {f"{table}_refuses_update", f"{table}_refuses_delete"} <= found
    assert "coding_refuses_locked" in found


def test_a_reading_session_cannot_write(database: Database) -> None:
    from sqlalchemy.exc import OperationalError

    with pytest.raises(OperationalError, match="readonly"), database.reading() as session:
        session.connection().exec_driver_sql("DELETE FROM study")


def test_concurrent_read_modify_writes_lose_nothing(database: Database) -> None:
    """SQLAlchemy on SQLite out of the box lost most of these; `BEGIN IMMEDIATE` and the writers' lock lose none."""
    import threading

    from app.storage.tables import UserRow

    with database.writing() as session:
        session.add(UserRow(name="0", created_at="2026-07-25T09:00:00.000000Z"))
    other = Database(database.url)

    def count_up(through: Database) -> None:
        for _ in range(25):
            with through.writing() as session:
                row = session.get(UserRow, 1)
                assert row is not None
                row.name = str(int(row.name) + 1)
                session.add(row)

    threads = [threading.Thread(target=count_up, args=(db,)) for db in (database, other) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    with database.reading() as session:
        row = session.get(UserRow, 1)
        assert row is not None
        assert row.name == "200"


def test_a_copy_made_in_use_restores(database: Database, tmp_path: Path) -> None:
    from app.services import people
    from app.services.people import OPERATOR
    from tests.conftest import START

    with database.writing() as session:
        people.add_user(session, OPERATOR, "l.one", ["lead"], START)
    copy_to(database, tmp_path / "copy.db")
    with database.writing() as session:
        people.add_user(session, OPERATOR, "l.two", ["lead"], START)
    restore_from(database, tmp_path / "copy.db")
    again = Database(database.url)
    with again.reading() as session:
        assert [person.name for person in people.list_people(session, OPERATOR)] == ["l.one"]
    assert examine(again)["ok"]
    again.close()


def test_the_database_says_where_it_stands(database: Database) -> None:
    found = examine(database)
    assert found == {"ok": True, "revision": migrating.head_revision(), "foreign_keys": "ok", "integrity": "ok"}
