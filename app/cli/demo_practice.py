"""The recorded raters before their first claim: they read the codebook, train and qualify.

What they answer is the reference with a few recorded slips. Over HTTP as at a browser for the whole walk; straight
through the services where a newcomer is to find both raters qualified.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session

from app.cli.demo_journey import Browser, JourneyFailed, form_fields
from app.cli.demo_recording import DemoClock
from app.domain.codebook.model import Codebook
from app.domain.codebook.rules import judge
from app.domain.packets.facts import unit_of
from app.domain.practice import PracticeItem, PracticeSet
from app.readers.practice_file import find_practice
from app.services import practising, qualifying
from app.services.coding import Submission
from app.services.people import Actor
from app.services.practice_access import get_own_attempt
from app.services.practising import Opening
from app.storage.engine import Database

SECONDS_AN_ITEM = 30
_ITEM_PLACE = re.compile(r"/practice/([\w-]+)/([0-9]+)")
_NEXT = re.compile(r'href="(/practice/[^"#]+)[^"]*" data-next')
_READ = re.compile(r'href="(/studies/[^"]+/codebook)"')


@dataclass(frozen=True)
class PracticeRecording:
    """The codebook and, per person, set and item, what was answered otherwise than the reference (None: left out)."""

    codebook: Codebook
    slips: Mapping[tuple[str, str, str], Mapping[str, Any]]

    def answer(self, person: str, practice: PracticeSet, item: PracticeItem) -> dict[str, Any]:
        """Return what a person answered to an item."""
        changed = {**item.gold, **self.slips.get((person, practice.id, item.id), {})}
        return {name: value for name, value in changed.items() if value is not None}

    def confirmed(self, item: PracticeItem, answer: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the soft rules a person is asked about with this answer, all of which they confirm."""
        judged = judge(self.codebook, item.run, unit_of(item.claim), answer)
        return tuple(sorted({violation.rule for violation in judged.soft}))


def load_practice_recording(folder: Path, codebook: Codebook) -> PracticeRecording:
    """Return the recorded slips of the demo."""
    with (folder / "practice-slips.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    slips = {(row["person"], row["set_id"], row["item_id"]): json.loads(row["changes"]) for row in rows}
    return PracticeRecording(codebook, slips)


class PracticeJourney:
    """One rater at a browser, from the practice page to a qualification handed in."""

    def __init__(self, recording: PracticeRecording, database: Database, clock: DemoClock) -> None:
        self.recording = recording
        self.database = database
        self.clock = clock

    def practise(self, browser: Browser, actor: Actor) -> None:
        """Open the codebook, answer every item of the training and of the qualification, hand it in."""
        _, home = browser.get("/practice")
        found = _READ.search(home)
        if found is None:
            raise JourneyFailed("the practice page does not offer the codebook")
        browser.get(found.group(1))
        for purpose in ("training", "qualification"):
            opening = [("codebook", self.recording.codebook.sha256), ("purpose", purpose)]
            place, _ = browser.post("/practice", opening)
            attempt = self._answer_all(browser, actor, place)
            if purpose == "qualification":
                browser.post(f"/practice/{attempt}", [])

    def _answer_all(self, browser: Browser, actor: Actor, place: str) -> str:
        attempt = ""
        while found := _ITEM_PLACE.search(place):
            attempt, number = found.group(1), int(found.group(2))
            with self.database.reading() as session:
                own = get_own_attempt(session, actor, attempt)
            item = own.item(number)
            answer = self.recording.answer(actor.name, own.practice, item)
            self.clock.advance(SECONDS_AN_ITEM)
            fields = [*form_fields(answer), *(("confirm", rule) for rule in self.recording.confirmed(item, answer))]
            sent = [("revision", "0"), ("client_token", f"{attempt}-{number}"), ("action", "save")]
            place, text = browser.post(f"/practice/{attempt}/{number}", [*fields, *sent])
            # In training the answer leads to the item's feedback, and the feedback on to the next item.
            following = _NEXT.search(text)
            place = following.group(1) if following else place
        return attempt


def qualify_directly(
    session: Session, actor: Actor, recording: PracticeRecording, folder: Path, clock: Callable[[], datetime]
) -> None:
    """Let a recorded rater read, train and qualify through the services, on the sets in `folder`, if there are any."""
    codebook = recording.codebook
    practising.record_reading(session, actor, codebook, clock())
    for practice in find_practice(folder, codebook)[:2]:
        opening = Opening(codebook.sha256, practice.purpose, f"demo-{actor.user_id}-{practice.purpose}")
        attempt_id = practising.open_attempt(session, actor, opening, folder, clock())
        for number, submission in _submissions(session, actor, attempt_id, recording):
            practising.save_answer(session, actor, (attempt_id, number), submission, clock())
        if practice.purpose == "qualification":
            qualifying.hand_in(session, actor, attempt_id, clock())


def _submissions(
    session: Session, actor: Actor, attempt_id: str, recording: PracticeRecording
) -> Iterator[tuple[int, Submission]]:
    own = get_own_attempt(session, actor, attempt_id)
    for number, item in enumerate(own.items, start=1):
        answer = recording.answer(actor.name, own.practice, item)
        confirmed = recording.confirmed(item, answer)
        yield number, Submission(answer, 0, f"{attempt_id}-{number}", confirmed, float(SECONDS_AN_ITEM))
