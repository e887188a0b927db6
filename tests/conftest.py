"""What the suite shares: a database migrated once and copied for each test, a clock that moves only when told."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from app.config import Settings
from app.storage import migrating
from app.storage.engine import Database

# A slow machine is no fault of the code: speed is measured in benchmarks, never by a test's deadline.
hypothesis_settings.register_profile("no_deadline", deadline=None)
hypothesis_settings.load_profile("no_deadline")

START = datetime(2026, 7, 25, 9, 0, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, start: datetime = START) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture(scope="session")
def template_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database at the current schema, migrated once a process."""
    path = tmp_path_factory.mktemp("template") / "template.db"
    database = Database(f"sqlite:///{path}")
    migrating.upgrade(database)
    database.close()
    return path


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(tmp_path: Path, template_database: Path) -> Settings:
    """Settings of one test's own installation, its database migrated already."""
    shutil.copyfile(template_database, tmp_path / "saydo.db")
    return Settings(database_url=f"sqlite:///{tmp_path / 'saydo.db'}", data_dir=tmp_path / "data")


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    opened = Database(settings.database_url)
    yield opened
    opened.close()


@pytest.fixture
def moment() -> Callable[[int], datetime]:
    """Return the moment so many seconds after the start."""
    return lambda seconds: START + timedelta(seconds=seconds)
