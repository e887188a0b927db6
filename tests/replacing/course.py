"""A study walked through by its people: the command line in this process, and browsers on the real application."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.cli import build_cli, run
from app.domain.attestations import ATTESTATIONS
from app.domain.codebook.model import Codebook
from app.main import create_app
from app.readers.codebook_file import load_codebook
from app.web.forms import answer_to_form
from tests.conftest import Clock
from tests.small_study import PEOPLE, write_inputs

CLAIMS = ("I edited parser.py.", "The tests pass.", "did not touch the docs")
Answer = Callable[[str], Mapping[str, Any]]
REASON = "it stands so in the cited lines of the log"


class Course:
    """One installation with a folder of codebooks of its own, set by the environment as an operator sets it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.clock = folder, Clock()
        self._patch, self._capsys = monkeypatch, capsys
        self._browsers: list[TestClient] = []
        self.seen = ""  # the last page on which a claim was decided
        self.books = folder / "books"
        self.books.mkdir()
        for name, value in {
            "DATABASE_URL": f"sqlite:///{folder / 'saydo.db'}",
            "DATA_DIR": str(folder / "data"),
            "CODEBOOK_DIR": str(self.books),
            "PUBLIC_URL": "http://127.0.0.1",
        }.items():
            monkeypatch.setenv(f"SAYDO_{name}", value)

    def put_book(self, text: str, name: str) -> Codebook:
        """Drop a codebook file into the folder and return what it says."""
        (self.books / name).write_text(text, encoding="utf-8")
        return load_codebook(self.books / name)

    def call(self, *arguments: str | Path) -> tuple[int, str, str]:
        """Call `saydo`; return exit code, stdout and stderr."""
        self._patch.setattr(sys, "argv", ["saydo", *map(str, arguments)])
        self._capsys.readouterr()
        code = run(build_cli(create_app, self.clock))
        told = self._capsys.readouterr()
        return code, told.out, told.err

    def done(self, *arguments: str | Path) -> Any:
        """Call `saydo … --json`, see it succeed, and return its document."""
        code, out, err = self.call(*arguments, "--json")
        assert (code, err) == (0, ""), (arguments, out, err)
        return json.loads(out)

    def refused(self, *arguments: str | Path, says: str) -> None:
        """Call `saydo`, see it refuse the input with exit 2 and one sentence that says so, and print nothing."""
        code, out, err = self.call(*arguments)
        assert (code, out) == (2, ""), (code, out, err)
        assert says in err
        assert err.count("\n") == 1

    def study_file(self, **study: Any) -> Path:
        """Write the small study's inputs beside the first ones; return the study file."""
        return write_inputs(self.folder / "again", id="again", **study)

    def first_claim(self, rater: TestClient) -> str:
        """Return the assignment a rater begins with."""
        return _found(r"/rate/([0-9a-f]{64})", rater.get("/rate").text)

    def register(self, **study: Any) -> dict[str, TestClient]:
        """Add everybody, register the small study from its file, publish its packets; return everybody's browser."""
        links = {name: self.done("user", "add", name, "--role", role)["link"] for name, role in PEOPLE.items()}
        self.done("study", "create", write_inputs(self.folder / "inputs", **study), "--as", "l.one")
        for step, who in (("build", "l.one"), ("scan", "c.one"), ("publish", "l.one")):
            self.done("packets", step, "small", "--as", who)
        return {name: self.browser(link) for name, link in links.items()}

    def browser(self, link: str) -> TestClient:
        """Return a browser that has used a one-time link."""
        found = TestClient(create_app(clock=self.clock), base_url="http://127.0.0.1", follow_redirects=False)
        found.__enter__()
        self._browsers.append(found)
        assert found.post(link.removeprefix("http://127.0.0.1")).status_code == 303
        return found

    def code_and_lock(self, rater: TestClient, book: Codebook, answer: Answer) -> int:
        """Code the packet by the form, claim after claim, and lock it; return how many were coded."""
        home = rater.get("/rate").text
        packet, place = _found(r"/rate/packets/[0-9a-f]{64}", home), _found(r"/rate/[0-9a-f]{64}", home)
        n_coded = 0
        while re.fullmatch(r"/rate/[0-9a-f]{64}", place):
            page = rater.get(place).text
            self.clock.advance(20)
            sent = self.post(rater, place, book, answer(claim_of(page)), page)
            assert sent.status_code == 303, refusals(sent.text)
            place, n_coded = sent.headers["location"].removesuffix("#claim"), n_coded + 1
        assert rater.get(packet).status_code == 200
        assert rater.post(packet, data={f"attest.{key}": "on" for key in ATTESTATIONS}).status_code == 303
        return n_coded

    def post(
        self, who: TestClient, place: str, book: Codebook, answer: Mapping[str, Any], page: str, **more: Any
    ) -> Any:
        """Send an answer as the page's form sends it."""
        data: dict[str, list[str]] = {}
        for name, value in answer_to_form(book, answer):
            data.setdefault(name, []).append(value)
        token = _found(r'name="client_token" value="([^"]+)"', page)
        return who.post(place, data={**data, "client_token": token, "revision": "0", "action": "save", **more})

    def adjudicate(self, judge: TestClient, book: Codebook, answer: Answer, rule: str) -> int:
        """Decide every queued claim, the provisional verdict first; return how many were decided."""
        place, n_decided = _first(r"/adjudicate/[0-9a-f]{64}", judge.get("/adjudicate").text), 0
        while place:
            page = judge.get(place).text
            given = answer(claim_of(page))
            sent = self.post(judge, place, book, given, page, action="provisional")
            assert sent.status_code == 303, refusals(sent.text)
            ruling = {"reason": REASON, "rule": rule, "cause": "rater_slip"}
            self.seen = judge.get(place).text
            sent = self.post(judge, place, book, given, self.seen, action="decide", **ruling)
            assert sent.status_code == 303, refusals(sent.text)
            place, n_decided = _first(r"/adjudicate/[0-9a-f]{64}", sent.headers["location"]), n_decided + 1
        return n_decided

    def close(self) -> None:
        """Close every browser."""
        for browser in self._browsers:
            browser.__exit__(None, None, None)


def claim_of(page: str) -> str:
    """Return which of the small study's claims a page is about."""
    shown = page[page.index('id="claim') :]
    return min((c for c in CLAIMS if c in shown), key=shown.index)


def refusals(page: str) -> list[str]:
    """Return what a page says stands against saving."""
    return [unescape(re.sub(r"<[^>]+>", "", m)).strip() for m in re.findall(r'<p class="message.*?</p>', page)]


def _first(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text)
    return found.group(found.lastindex or 0) if found else None


def _found(pattern: str, text: str) -> str:
    found = _first(pattern, text)
    assert found is not None, pattern
    return found
