"""Practising in tests: open, answer, hand in, as a rater would, through the services."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from app.config import codebook_dir
from app.domain.practice import PracticeItem
from app.domain.qualification import Grade
from app.services import practising, qualifying
from app.services.coding import Submission
from app.services.people import Actor
from app.services.practice_access import get_own_attempt, studies_under
from app.services.practising import Opening
from app.storage.engine import Database
from tests.conftest import START
from tests.practice_sets import coding
from tests.small_study import actor as find_actor

Answer = Callable[[PracticeItem], Mapping[str, Any]]


def own_note(item: PracticeItem) -> dict[str, Any]:
    """Answer as the reference does, with a note of one's own: what the reference's note says is never sent."""
    return {**item.gold, "note": "a note of the rater's own, long enough"}


def as_label(label: str, *, where: str) -> Answer:
    """Answer as the reference does, but with `label` where the reference has the label `where`."""
    return lambda item: coding(label) if item.label == where else own_note(item)


class Rater:
    """One rater under one codebook, on a folder of codebooks, at one moment."""

    def __init__(self, database: Database, actor: Actor, folder: Path | None = None, now: datetime = START) -> None:
        self.database, self.actor, self.now = database, actor, now
        self.folder = folder or codebook_dir()
        with database.reading() as session:
            # The one study, or the one asked for by `under`.
            self.codebooks = {s.codebook_version: sha for sha, found in self._under(session) for s in found}
        self.version = next(iter(self.codebooks))

    def _under(self, session: Any) -> Any:
        return studies_under(session, self.actor).items()

    def under(self, version: str) -> Rater:
        """Go on under another codebook version."""
        self.version = version
        return self

    @property
    def codebook_sha256(self) -> str:
        return self.codebooks[self.version]

    def read(self) -> None:
        """Open the codebook."""
        from app.services.practice_access import codebook_under

        with self.database.writing() as session:
            codebook = codebook_under(session, self.actor, self.codebook_sha256)
            practising.record_reading(session, self.actor, codebook, self.now)

    def open(self, purpose: str) -> str:
        """Open an attempt, or go on with the open one; return its id."""
        with self.database.writing() as session:
            opening = Opening(self.codebook_sha256, purpose, f"attempt-{secrets.token_hex(8)}")
            return practising.open_attempt(session, self.actor, opening, self.folder, self.now)

    def answer(self, attempt_id: str, number: int, answer: Mapping[str, Any], token: str = "", base: int = 0) -> Any:
        """Answer one item."""
        submission = Submission(answer, base, token or f"token-{number}-{base}", ("W02", "W03", "W05", "W06", "W11"))
        with self.database.writing() as session:
            return practising.save_answer(session, self.actor, (attempt_id, number), submission, self.now)

    def items(self, attempt_id: str) -> tuple[PracticeItem, ...]:
        """Return an attempt's items in this rater's order."""
        with self.database.reading() as session:
            return get_own_attempt(session, self.actor, attempt_id).items

    def answer_all(self, attempt_id: str, how: Answer = own_note) -> None:
        """Answer every item of an attempt."""
        for number, item in enumerate(self.items(attempt_id), start=1):
            self.answer(attempt_id, number, how(item))

    def answer_all_but_first(self, attempt_id: str) -> None:
        """Answer every item but the first, as the reference does."""
        for number, item in enumerate(self.items(attempt_id)[1:], start=2):
            self.answer(attempt_id, number, own_note(item))

    def train(self) -> str:
        """Open a training and answer it whole; return its id."""
        attempt_id = self.open("training")
        self.answer_all(attempt_id)
        return attempt_id

    def hand_in(self, attempt_id: str) -> Grade:
        """Hand a qualification in."""
        with self.database.writing() as session:
            return qualifying.hand_in(session, self.actor, attempt_id, self.now)

    def qualify(self, how: Answer = own_note) -> Grade:
        """Open the qualification that is due, answer it whole, hand it in."""
        attempt_id = self.open("qualification")
        self.answer_all(attempt_id, how)
        return self.hand_in(attempt_id)


def open_training(database: Database, name: str, folder: Path | None = None) -> str:
    """Return the id of a training that this rater has open."""
    rater = Rater(database, find_actor(database, name), folder)
    rater.read()
    return rater.open("training")
