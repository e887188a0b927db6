"""Bringing a database to the current schema, and saying where it stands."""

from __future__ import annotations

import io

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from app.config import migrations_dir
from app.storage.engine import Database


def _config(stdout: io.StringIO | None = None) -> Config:
    config = Config(stdout=stdout or io.StringIO())
    config.set_main_option("script_location", str(migrations_dir()).replace("%", "%%"))
    return config


def upgrade(database: Database, revision: str = "head") -> None:
    """Migrate the database to `revision`, all or nothing."""
    config = _config()
    engine = create_engine(database.url, poolclass=NullPool)
    try:
        with engine.connect() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
    finally:
        engine.dispose()


def current_revision(database: Database) -> str | None:
    """Return the revision the database is at, None for one without a schema."""
    with database.read_engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def head_revision() -> str:
    """Return the newest revision this code knows."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head
