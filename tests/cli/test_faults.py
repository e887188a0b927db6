"""Faults of the machine reach a person as one sentence with what to do, exit 2, and nothing is half-written."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.cli import build_cli, run
from app.cli.faults import sentence_of
from app.config import Settings
from app.domain.errors import Conflict
from app.main import create_app
from app.storage.engine import Database
from app.storage.upkeep import copy_to, restore_from
from tests.conftest import START

Saydo = Callable[..., tuple[int, str, str]]


@pytest.fixture
def saydo(settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Saydo:
    """The command on one test's own installation: (exit code, stdout, stderr)."""
    monkeypatch.setenv("SAYDO_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("SAYDO_DATA_DIR", str(settings.data_dir))

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["saydo", *words])
        code = run(build_cli(create_app, lambda: START))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def said(found: tuple[int, str, str], *words: str) -> None:
    code, _, err = found
    assert code == 2, err
    assert len(err.strip().splitlines()) == 1, err
    for word in words:
        assert word in err, err


def test_a_setting_that_is_no_number_is_named(saydo: Saydo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYDO_SESSION_HOURS", "long")
    said(saydo("db", "upgrade"), "SAYDO_SESSION_HOURS", "integer")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "SAYDO_DATABASE_URL"),
        ("mysql://somewhere/x", "SAYDO_DATABASE_URL"),
        ("sqlite:///{folder}/notes.txt/x.db", "notes.txt"),
        ("sqlite:////proc/nowhere/x.db", "/proc/nowhere"),
        ("sqlite:///{folder}", "cannot be opened"),
        ("sqlite:///{folder}/notes.txt", "not a SQLite database"),
    ],
)
def test_a_database_that_cannot_be_opened_is_named(
    saydo: Saydo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str, words: str
) -> None:
    (tmp_path / "notes.txt").write_text("This is a page of notes, and no database at all.\n" * 100)
    monkeypatch.setenv("SAYDO_DATABASE_URL", url.format(folder=tmp_path))
    said(saydo("db", "upgrade"), words)


def test_a_database_of_a_later_version_is_told(saydo: Saydo, database: Database) -> None:
    with sqlite3.connect(database.path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    said(saydo("db", "upgrade"), "another version")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes of its own; permissions prove nothing where tests run as root."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("this machine lets nobody mount a disk")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert ballast.stat().st_size > 1_000_000
    return ballast


def test_a_full_disk_is_told_and_nothing_is_half_stored(
    saydo: Saydo, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAYDO_DATABASE_URL", f"sqlite:///{small_disk}/saydo.db")
    assert saydo("user", "add", "l.one", "--role", "lead")[0] == 0
    ballast = fill(small_disk)
    said(saydo("user", "add", "l.two", "--role", "lead"), "disk is full")
    said(saydo("db", "backup", str(small_disk / "copy.db")), "disk is full")
    assert sorted(path.name for path in small_disk.glob("copy*")) == []
    ballast.unlink()
    assert saydo("db", "check")[0] == 0
    assert saydo("user", "add", "l.two", "--role", "lead")[0] == 0


def test_a_read_only_disk_is_told(saydo: Saydo, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYDO_DATABASE_URL", f"sqlite:///{small_disk}/saydo.db")
    assert saydo("user", "add", "l.one", "--role", "lead")[0] == 0
    shown = small_disk.parent / "shown"
    shown.mkdir()
    subprocess.run(["mount", "--bind", small_disk, shown], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", shown], check=True)
    try:
        monkeypatch.setenv("SAYDO_DATABASE_URL", f"sqlite:///{shown}/saydo.db")
        said(saydo("user", "add", "l.two", "--role", "lead"), "read-only")
    finally:
        subprocess.run(["umount", "-l", shown], check=True)


@pytest.mark.parametrize("command", [("agreement",), ("study", "create"), ("codebook", "check")])
def test_a_pipe_is_refused_and_not_waited_for(saydo: Saydo, tmp_path: Path, command: tuple[str, ...]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    said(saydo(*command, str(pipe)), "pipe")


def test_an_unknown_fault_is_not_hidden(monkeypatch: pytest.MonkeyPatch, saydo: Saydo) -> None:
    assert sentence_of(ValueError("of ours")) is None
    assert sentence_of(sqlite3.ProgrammingError("of ours")) is None


def test_nothing_is_restored_under_a_running_server(database: Database, tmp_path: Path) -> None:
    copy_to(database, tmp_path / "copy.db")
    server = Database(database.url)
    with server.reading() as session:
        session.connection().exec_driver_sql("SELECT count(*) FROM study").scalar()
    before = database.path.read_bytes()
    with pytest.raises(Conflict, match="stop the server"):
        restore_from(Database(database.url), tmp_path / "copy.db")
    assert database.path.read_bytes() == before
    server.close()
    restore_from(Database(database.url), tmp_path / "copy.db")


def test_restoring_touches_neither_the_copy_nor_what_was_kept_before(database: Database, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy_to(database, copy)
    before = hashlib.sha256(copy.read_bytes()).hexdigest()
    kept = [restore_from(Database(database.url), copy)["kept"] for _ in range(3)]
    assert len(set(kept)) == 3
    assert all(Path(path).exists() for path in kept)
    assert hashlib.sha256(copy.read_bytes()).hexdigest() == before
    assert [
        path.name for path in tmp_path.iterdir() if "copy.db-" in path.name or path.name.endswith(".restoring")
    ] == []
