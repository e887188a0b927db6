"""The main job over HTTP, as browsers would do it: raters code and lock, the lead opens and closes, the adjudicator
decides. It knows the pages only from outside; the codings are those recorded.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from app.cli.demo_recording import DemoClock, Recording
from app.domain.attestations import ATTESTATIONS
from app.domain.errors import SaydoError
from app.readers.codings_file import RawCoding

_CLAIM_PAGE = re.compile(r"/rate/([0-9a-f]{64})(?:[\"#?]|$)")
_PACKET_PAGE = re.compile(r"/rate/packets/([0-9a-f]{64})")
_ITEM_PAGE = re.compile(r"/adjudicate/([0-9a-f]{64})(?:[\"#?]|$)")


class JourneyFailed(SaydoError):
    """The server answered something the journey cannot go on from."""


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve the application on a free loopback port while the block runs; yield its address."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise JourneyFailed("the demo's server did not start")
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


class Browser:
    """One person's browser: its own cookies, following redirects."""

    def __init__(self, base: str) -> None:
        self.base = base
        self._opener: OpenerDirector = build_opener(HTTPCookieProcessor(CookieJar()))

    def get(self, path: str) -> tuple[str, str]:
        """Open a page; return where it ended and its text."""
        return self._send(Request(self.base + path))  # noqa: S310 (our own loopback address)

    def post(self, path: str, fields: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Send a form; return the address the answer led to and its text."""
        request = Request(self.base + path, data=urlencode(fields).encode("ascii"), method="POST")  # noqa: S310
        request.add_header("Origin", self.base)
        return self._send(request)

    def _send(self, request: Request) -> tuple[str, str]:
        try:
            with self._opener.open(request, timeout=60) as answer:
                return answer.geturl().removeprefix(self.base), answer.read().decode("utf-8")
        except HTTPError as error:
            text = re.sub(r"<[^>]+>|\s+", " ", error.read().decode("utf-8", "replace"))
            asked = f"{request.get_method()} {request.selector}"
            raise JourneyFailed(f"{asked} answered {error.code}: {text[:300]}") from error


def form_fields(answer: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return an answer as the form's fields: `evidence.0.turn`, `search_span.from_turn`, `flags` repeated, …"""
    fields: list[tuple[str, str]] = []
    for name, value in answer.items():
        if isinstance(value, Mapping):
            fields.extend((f"{name}.{key}", str(part)) for key, part in value.items())
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            for place, row in enumerate(value):
                fields.extend((f"{name}.{place}.{key}", str(part)) for key, part in row.items())
        elif isinstance(value, list):
            fields.extend((name, str(item)) for item in value)
        else:
            fields.append((name, str(value)))
    return fields


def _sent(coding: RawCoding, token: str, action: str) -> list[tuple[str, str]]:
    fields = form_fields(coding.answer)
    fields += [("confirm", rule) for rule in coding.warnings_confirmed]
    return [*fields, ("revision", "0"), ("client_token", token), ("action", action)]


class Journey:
    """The recorded people at their browsers, on the recorded clock. `native` maps a page's id to the claim it shows."""

    def __init__(self, recording: Recording, clock: DemoClock, native: Mapping[str, str]) -> None:
        self.recording = recording
        self.clock = clock
        self.native = native

    def sign_in(self, base: str, token: str) -> Browser:
        """Open the link, press its button."""
        browser = Browser(base)
        browser.get(f"/signin/{token}")
        browser.post(f"/signin/{token}", [])
        return browser

    def code_and_lock(self, browser: Browser, person: str) -> int:
        """Code every claim of the person's packet in its order, then lock it; return how many were coded."""
        self.clock.put(self.recording.moment("starts_at", person))
        _, home = browser.get("/rate")
        packet_id = _first(_PACKET_PAGE, home, "a packet on the rater's home page")
        place: str | None = f"/rate/{_first(_CLAIM_PAGE, home, 'a claim to continue with')}"
        n_coded, seen = 0, set[str]()
        while place and (found := _CLAIM_PAGE.search(place)):
            claim_id = self.native[found.group(1)]
            browser.get(place)
            seconds = self.recording.seconds(person, claim_id)
            self.clock.advance(seconds)
            token = self.recording.token(person, claim_id)
            coding = self.recording.coding(person, claim_id, seen=claim_id in seen)
            seen.add(claim_id)
            fields = _sent(coding, token, "save")
            place, _ = browser.post(place, [*fields, ("seconds_active", str(seconds))])
            n_coded += 1
            if n_coded % self.recording.clock["items_per_session"] == 0:
                self.clock.advance(self.recording.clock["break_seconds"])
        browser.get(f"/rate/packets/{packet_id}")
        browser.post(f"/rate/packets/{packet_id}", [(f"attest.{key}", "on") for key in ATTESTATIONS])
        return n_coded

    def adjudicate(self, browser: Browser, person: str) -> int:
        """Decide every queued claim, the provisional verdict first; return how many were decided."""
        self.clock.put(self.recording.moment("starts_at", person))
        _, home = browser.get("/adjudicate")
        queued = _ITEM_PAGE.search(home)
        n_decided = 0
        place = f"/adjudicate/{queued.group(1)}" if queued else ""
        while found := _ITEM_PAGE.search(place):
            claim_id = self.native[found.group(1)]
            decision = self.recording.decisions[claim_id]
            browser.get(place)
            self.clock.advance(self.recording.seconds(person, claim_id))
            token = self.recording.token(person, claim_id)
            browser.post(place, _sent(decision.provisional, f"{token}-p", "provisional"))
            ruling = [("reason", decision.reason), ("rule", decision.rule), ("cause", decision.cause)]
            place, _ = browser.post(place, [*_sent(decision.final, f"{token}-d", "decide"), *ruling])
            n_decided += 1
        return n_decided


def _first(pattern: re.Pattern[str], text: str, what: str) -> str:
    found = pattern.search(text)
    if found is None:
        raise JourneyFailed(f"the page does not offer {what}")
    return found.group(1)
