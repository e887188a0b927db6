"""The application on a published small study, and a signed-in client for each of its people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.config import Settings, codebook_dir
from app.main import create_app
from app.services import people
from app.services.people import OPERATOR
from app.storage.engine import Database
from tests.conftest import START, Clock
from tests.small_study import publish

Client = Callable[[str], TestClient]


@pytest.fixture
def app(settings: Settings, clock: Clock) -> FastAPI:
    return create_app(settings, clock)


@pytest.fixture
def study_id(database: Database, tmp_path: Path) -> str:
    """A published study beside the application, with an administrator on the installation."""
    with database.writing() as session:
        people.add_user(session, OPERATOR, "o.one", ["administrator"], START)
    return publish(database, tmp_path / "inputs", codebook_dir())


@pytest.fixture
def client(app: FastAPI, database: Database, clock: Clock) -> Iterator[Client]:
    """Return a browser signed in as the person named; `""` is nobody."""
    opened: list[TestClient] = []

    def sign_in(name: str) -> TestClient:
        browser = TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)
        opened.append(browser)
        browser.__enter__()
        if name:
            with database.writing() as session:
                people.give_link(session, name, f"link-of-{name}-{len(opened)}", clock(), 24)
            answer = browser.post(f"/signin/link-of-{name}-{len(opened)}")
            assert answer.status_code == 303
        return browser

    yield sign_in
    for browser in opened:
        browser.__exit__(None, None, None)
