"""Alembic's environment. Foreign keys are off while a migration runs (batch mode would delete children through them)
and checked afterwards: a migration that leaves a dangling reference fails and changes nothing."""

from __future__ import annotations

from alembic import context
from sqlalchemy import create_engine, pool
from sqlmodel import SQLModel

from app.storage import tables  # noqa: F401  (fills the metadata)

config = context.config


def run() -> None:
    """Run the migrations on the connection handed in, or on the configured database."""
    connection = config.attributes.get("connection")
    if connection is not None:
        migrate(connection)
        return
    engine = create_engine(config.get_main_option("sqlalchemy.url"), poolclass=pool.NullPool)
    with engine.connect() as opened:
        migrate(opened)
    engine.dispose()


def migrate(connection) -> None:  # type: ignore[no-untyped-def]
    context.configure(connection=connection, target_metadata=SQLModel.metadata, render_as_batch=True)
    sqlite = connection.dialect.name == "sqlite"
    if sqlite:
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        connection.commit()
    with context.begin_transaction():
        context.run_migrations()
        if sqlite and (dangling := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()):
            raise RuntimeError(
                f"migration leaves {len(dangling)} rows that refer to nothing, first in {dangling[0][0]}"
            )
    if sqlite:
        connection.commit()
        connection.exec_driver_sql("PRAGMA foreign_keys=ON")


run()
