"""How the database is opened. Writes begin immediately and queue in this process; reads cannot write.

SQLAlchemy on SQLite out of the box loses concurrent read-modify-writes: its driver begins a transaction only at the
first write. So the driver's own transaction handling is switched off and `BEGIN IMMEDIATE` is sent on begin. One lock a
process keeps writers from waiting inside SQLite, where the wait is a poll.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import QueuePool
from sqlmodel import Session, create_engine

from app.domain.errors import BadInput

_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "foreign_keys=ON")


def _sqlite_engine(url: str, *, begin: str, query_only: bool, size: int) -> Engine:
    engine = create_engine(
        url, connect_args={"check_same_thread": False}, poolclass=QueuePool, pool_size=size, max_overflow=20
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
        if query_only:
            cursor.execute("PRAGMA query_only=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin_transaction(connection: Any) -> None:
        connection.exec_driver_sql(begin)

    return engine


class Database:
    """One study database: a write engine, a read engine, and the lock that queues this process's writers."""

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            parsed = make_url(url)
        except ArgumentError:
            raise BadInput(f"SAYDO_DATABASE_URL must be sqlite:///PATH of a file, not {url}") from None
        if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database == ":memory:":
            raise BadInput(f"SAYDO_DATABASE_URL must be sqlite:///PATH of a file, not {parsed.render_as_string()}")
        self.path = Path(parsed.database)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.write_engine = _sqlite_engine(url, begin="BEGIN IMMEDIATE", query_only=False, size=1)
        self.read_engine = _sqlite_engine(url, begin="BEGIN", query_only=True, size=10)
        self._writers = threading.Lock()

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Yield a session whose transaction is committed before this returns, or rolled back whole on any error."""
        with self._writers, Session(self.write_engine, expire_on_commit=False) as session:
            yield session
            session.commit()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session that sees one consistent state and cannot write."""
        with Session(self.read_engine, expire_on_commit=False) as session:
            yield session

    def close(self) -> None:
        """Close every connection."""
        self.write_engine.dispose()
        self.read_engine.dispose()
