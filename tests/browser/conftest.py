"""A real Chromium before a real server on a real database file: nothing between them is replaced."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from app.config import Settings, codebook_dir
from app.main import create_app
from app.services import people
from app.services.people import OPERATOR
from app.storage.engine import Database
from tests.conftest import START, Clock
from tests.small_study import publish

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


class Server:
    """The application on a port of this machine; `stop` and `start` again keep the address."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.settings, self.clock, self.port = settings, clock, 0
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        app = create_app(self.settings, self.clock)
        config = uvicorn.Config(
            app, host="127.0.0.1", port=self.port, log_level="error", ws="none", timeout_graceful_shutdown=1
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        deadline = time.monotonic() + 20
        while not self.server.started:
            assert self.thread.is_alive()
            assert time.monotonic() < deadline
            threading.Event().wait(0.02)
        self.port = self.server.servers[0].sockets[0].getsockname()[1]

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(timeout=20)


@pytest.fixture
def server(settings: Settings, clock: Clock) -> Iterator[Server]:
    running = Server(settings, clock)
    yield running
    running.stop()


@pytest.fixture
def study_id(database: Database, tmp_path: Path) -> str:
    """The published small study, with an administrator on the installation."""
    with database.writing() as session:
        people.add_user(session, OPERATOR, "o.one", ["administrator"], START)
    return publish(database, tmp_path / "inputs", codebook_dir())


# A claim is coded here faster than a person reads one, and W08 would ask each time: the second by which the page counts
# active time is 40 ms long. Every other timer keeps its length.
SHORT_SECONDS = "(set => (window.setInterval = (f, ms, ...a) => set(f, ms === 1000 ? 40 : ms, ...a)))(setInterval)"


class Visitor:
    """One person's browser. What the browser complained of, and what it asked of other hosts, is kept."""

    def __init__(self, browser: Browser, server: Server, **options: Any) -> None:
        self.server = server
        self.context: BrowserContext = browser.new_context(viewport={"width": 1280, "height": 800}, **options)
        self.context.add_init_script(SHORT_SECONDS)
        self.complaints: list[str] = []
        self.elsewhere: list[str] = []
        self.page = self.open()

    def open(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("request", lambda request: self._asked(request.url))
        return page

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and "Failed to load resource" not in text:
            self.complaints.append(text)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.server.address, "data:")):
            self.elsewhere.append(url)

    def go(self, path: str) -> None:
        self.page.goto(self.server.address + path)

    def press(self, *keys: str) -> int:
        """Press keys one after another; return how many."""
        for key in keys:
            self.page.keyboard.press(key)
        return len(keys)


@pytest.fixture
def visit(browser: Browser, server: Server, database: Database, clock: Clock) -> Iterator[Callable[..., Visitor]]:
    """Return a browser signed in as the person named, by a one-time link and its button."""
    opened: list[Visitor] = []

    def sign_in(name: str, **options: Any) -> Visitor:
        visitor = Visitor(browser, server, **options)
        opened.append(visitor)
        token = f"link-of-{name}-{len(opened)}"
        with database.writing() as session:
            people.give_link(session, name, token, clock(), 24)
        visitor.go(f"/signin/{token}")
        visitor.page.click("button.main")
        visitor.page.wait_for_load_state()
        return visitor

    yield sign_in
    for visitor in opened:
        visitor.context.close()
