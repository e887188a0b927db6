"""The server is killed in the middle of saving: every answered save is there after a restart, and nothing by half."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.config import codebook_dir
from app.services import people
from app.storage.engine import Database
from app.storage.upkeep import examine
from tests.conftest import START
from tests.services.conftest import assignments
from tests.small_study import actor, coding_for, publish

N_SAVES = 200
ROUNDS = 40 if os.environ.get("SAYDO_SOAK") else 2
"""How many times a server is started, saved to and killed; each round kills it at another moment."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_up(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    finally:
        connection.close()


def start(settings: Mapping[str, str], port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from app.main import run_cli; run_cli()", "serve", "--port", str(port)]
    server = subprocess.Popen(command, env={**os.environ, **settings}, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if is_up(port):
                return server
        except OSError:
            time.sleep(0.05)
    server.kill()
    raise AssertionError("the server did not start")


class Rater(threading.Thread):
    """Saves one revision after another until the server is gone; keeps what was answered and what was in the air."""

    def __init__(self, port: int, token: str, claims: Mapping[str, str], revisions: dict[str, int]) -> None:
        super().__init__(daemon=True)
        self.port, self.token, self.claims, self.revisions = port, token, claims, revisions
        self.answered: list[tuple[str, int, str]] = []
        self.refused: list[tuple[int, str]] = []

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            for n in range(N_SAVES):
                assignment_id, text = list(self.claims.items())[n % len(self.claims)]
                self.save(connection, assignment_id, text, n)
        except (OSError, http.client.HTTPException):
            return
        finally:
            connection.close()

    def save(self, connection: http.client.HTTPConnection, assignment_id: str, text: str, n: int) -> None:
        base = self.revisions.get(assignment_id, 0)
        coding = {**coding_for(text), "materiality": ("low", "medium")[n % 2]}
        token = f"{assignment_id}-{base}"
        body = json.dumps({"coding": coding, "revision": base, "client_token": token, "confirm": ["W12"]})
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        connection.request("POST", f"/api/v1/assignments/{assignment_id}/coding", body, headers)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            self.refused.append((answer.status, content.decode()))
            return
        saved = json.loads(content)
        self.answered.append((assignment_id, saved["revision"], saved["sha256"]))
        self.revisions[assignment_id] = saved["revision"]


def stored(database: Database) -> dict[tuple[str, int], str]:
    with database.reading() as session:
        rows = session.connection().exec_driver_sql("SELECT assignment_id, revision, sha256 FROM coding").fetchall()
    return {(row[0], row[1]): row[2] for row in rows}


def assert_whole(database: Database) -> None:
    """No half state: the audit chain names every stored coding, revisions run without gaps, the file is sound."""
    with database.reading() as session:
        execute = session.connection().exec_driver_sql
        codings = execute("SELECT count(*) FROM coding").scalar()
        audited = execute("SELECT count(*) FROM audit_event WHERE action = 'save_coding'").scalar()
        holes = execute(
            "SELECT count(*) FROM (SELECT assignment_id FROM coding GROUP BY assignment_id "
            "HAVING count(*) <> max(revision))"
        ).scalar()
    assert codings == audited
    assert holes == 0
    assert examine(database)["ok"]


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_every_answered_save_survives_a_kill(seed: int, settings, database: Database, tmp_path: Path) -> None:
    publish(database, tmp_path / "inputs", codebook_dir())
    names = ("r.one", "r.two")
    with database.writing() as session:
        for name in names:
            people.give_api_token(session, name, f"token-{name}", START)
    claims = {name: assignments(database, actor(database, name)) for name in names}
    environment = {"SAYDO_DATABASE_URL": settings.database_url, "SAYDO_DATA_DIR": str(settings.data_dir)}
    port = free_port()
    server = start(environment, port)
    raters = [Rater(port, f"token-{name}", claims[name], {}) for name in names]
    for rater in raters:
        rater.start()
    kill_at = random.Random(seed).randint(20, 2 * N_SAVES - 100)
    while sum(len(rater.answered) for rater in raters) < kill_at and any(rater.is_alive() for rater in raters):
        time.sleep(0.002)
    assert any(rater.is_alive() for rater in raters), "the kill must fall into the middle of the saves"
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    for rater in raters:
        rater.join(60)
    assert [rater.refused for rater in raters] == [[], []]

    again = start(environment, port)
    try:
        rows = stored(database)
        answered = [entry for rater in raters for entry in rater.answered]
        assert len(answered) >= kill_at
        for assignment_id, revision, sha256 in answered:
            assert rows[assignment_id, revision] == sha256
        # At most the save each rater had in the air can be there beyond what was answered.
        assert len(rows) - len(answered) in (0, 1, 2)
        assert_whole(database)
    finally:
        again.kill()
        again.wait()
