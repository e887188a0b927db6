"""The way from a codebook to its first claim, for one rater: what is done, what comes next, what was reached.

Says nothing of any item. `/practice` shows it whole, the rater's home page its next step alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlmodel import Session

from app.domain.codebook.model import Codebook
from app.domain.errors import Refused
from app.domain.moments import to_the_minute
from app.domain.practice import QUALIFICATION, TRAINING, PracticeSet
from app.domain.qualification import THRESHOLDS, Grade, Step, count_failures, cut, standing
from app.domain.rater_standing import REQUIRED
from app.services import locking
from app.services.access import codebook_of, get_study
from app.services.pages import PracticeHome, PracticeLine, PracticeStep, QualificationNotice, RaterHome
from app.services.people import Actor
from app.services.practice_access import sets_of, studies_under
from app.services.practice_pages import figures_of
from app.services.standings import attempt_of, awaits_qualification, step_of
from app.storage import packets, practice
from app.storage.tables import PracticeAttemptRow, StudyRow

_OFFERS = {
    Step.TRAIN: (TRAINING, "Begin the training"),
    Step.RETRAIN: (TRAINING, "Train again"),
    Step.QUALIFY: (QUALIFICATION, "Begin the qualification"),
    Step.RETRY: (QUALIFICATION, "Begin the second try"),
}
_PASSED_WITH = (
    f"Passed with macro-F1 of at least {cut(THRESHOLDS.macro_f1)}, no critical error, and codability right in at least "
    f"{cut(THRESHOLDS.codability)}."
)


@dataclass(frozen=True)
class _Way:
    """One rater under one codebook: the sets there are, the attempts made, when the codebook was opened."""

    sets: Sequence[PracticeSet]
    rows: Sequence[PracticeAttemptRow]
    read_at: str | None
    n_answered: int

    @property
    def step(self) -> Step:
        return standing(self.read_at is not None, [attempt_of(row) for row in self.rows])

    @property
    def failures(self) -> int:
        return count_failures([attempt_of(row) for row in self.rows])

    @property
    def waiting(self) -> PracticeAttemptRow | None:
        """The attempt that is open now: one opened before a failure does not count as the retraining."""
        return next((r for r in self.rows if r.finished_at is None and r.after_failures == self.failures), None)

    def size(self, purpose: str, round_: int = 1) -> int:
        """Return how many items a set has, 0 where there is none."""
        return next((len(one.items) for one in self.sets if (one.purpose, one.round) == (purpose, round_)), 0)


def practice_home(session: Session, actor: Actor, folder: Path) -> PracticeHome:
    """Return every codebook of the actor's studies that has practice sets in `folder`, with what comes next.

    Raises `Refused` where a study asks for qualification and its sets cannot be used.
    """
    lines = (_line(session, actor, under, folder) for under in studies_under(session, actor).values())
    return PracticeHome(tuple(line for line in lines if line is not None))


def _line(session: Session, actor: Actor, under: list[StudyRow], folder: Path) -> PracticeLine | None:
    codebook = codebook_of(under[0])
    sets = sets_of(folder, codebook)
    asked = any(study.qualification == REQUIRED for study in under)
    if not sets and not asked:
        return None
    if not sets:
        raise Refused(f"the practice sets of codebook {codebook.version} are gone; tell whoever runs this installation")
    way = _way(session, actor, codebook, sets)
    offer, button = _OFFERS.get(way.step, ("", ""))
    if way.waiting is not None and way.waiting.purpose == offer:
        button = f"Go on with the {offer}"
    examined = way.waiting is not None and way.waiting.purpose == QUALIFICATION
    return PracticeLine(
        codebook_sha256=codebook.sha256,
        codebook_version=codebook.version,
        codebook_title=codebook.title,
        study_id=under[0].id,
        studies=tuple(study.title for study in under),
        asked=asked,
        next=way.step.value,
        steps=tuple(_steps(way)),
        rounds=tuple(
            figures_of(Grade.from_dict(json.loads(row.result_json)), row.round)
            for row in way.rows
            if row.purpose == QUALIFICATION and row.result_json
        ),
        offer=offer if way.size(offer, way.failures + 1 if offer == QUALIFICATION else 1) else "",
        button=button,
        may_train=way.read_at is not None and offer != TRAINING and not examined,
    )


def _way(session: Session, actor: Actor, codebook: Codebook, sets: Sequence[PracticeSet]) -> _Way:
    rows = practice.list_attempts(session, actor.user_id, codebook.sha256)
    reading = practice.find_reading(session, actor.user_id, codebook.sha256)
    way = _Way(sets, rows, reading.opened_at if reading else None, 0)
    if way.waiting is None:
        return way
    return _Way(sets, rows, way.read_at, len(practice.list_current_answers(session, way.waiting.id)))


def _steps(way: _Way) -> Iterator[PracticeStep]:
    """Yield the steps in their order; those before the next one are done, those behind it come later."""
    named = [
        (Step.READ, "Read the codebook", _read(way)),
        (Step.TRAIN, "Train", _train(way)),
        (Step.QUALIFY, "Qualify", _examine(way, 1)),
    ]
    if way.failures:
        named += [(Step.RETRAIN, "Train again", _train(way)), (Step.RETRY, "Second try", _examine(way, 2))]
    if not way.size(QUALIFICATION):
        named = named[:2]
    order = [step for step, _, _ in named]
    at = order.index(way.step) if way.step in order else len(order)
    failed = (Step.QUALIFY, Step.RETRY)[: way.failures]
    for place, (step, name, sentence) in enumerate(named):
        past = "failed" if step in failed else "done"
        yield PracticeStep(name, past if place < at else "now" if place == at else "later", sentence)


def _read(way: _Way) -> str:
    if way.read_at:
        return f"Opened {to_the_minute(way.read_at)}."
    return "Read it whole before you train; that and when you opened it is recorded."


def _train(way: _Way) -> str:
    told = f"{way.size(TRAINING)} items; after each answer of yours you see the reference and why."
    return told + _open(way, TRAINING)


def _examine(way: _Way, round_: int) -> str:
    fresh = "fresh items" if round_ > 1 else "items"
    return f"{way.size(QUALIFICATION, round_)} {fresh}, no feedback. {_PASSED_WITH}" + _open(way, QUALIFICATION)


def _open(way: _Way, purpose: str) -> str:
    if way.waiting is None or way.waiting.purpose != purpose:
        return ""
    return f" {way.n_answered} answered so far."


def rater_home(session: Session, actor: Actor) -> RaterHome:
    """Return the rater's packets, and first of all what must be done before their claims are shown."""
    home = locking.rater_home(session, actor)
    told = _notices(session, actor)
    if not told:
        return home
    refused = {
        packet.id
        for packet in packets.list_published_packets_of(session, actor.user_id)
        if awaits_qualification(session, actor, get_study(session, packet.study_id))
    }
    lines = tuple(
        replace(line, awaits_qualification=True, continue_id=None) if line.packet_id in refused else line
        for line in home.packets
    )
    return RaterHome(lines, told)


def _notices(session: Session, actor: Actor) -> tuple[QualificationNotice, ...]:
    """Return, for each codebook whose claims are refused to the actor until qualified, what comes next."""
    found = []
    for sha256, under in studies_under(session, actor).items():
        asking = [study for study in under if awaits_qualification(session, actor, study)]
        if asking:
            step = step_of(session, actor.user_id, sha256)
            titles = tuple(study.title for study in asking)
            found.append(QualificationNotice(asking[0].codebook_version, titles, step.value))
    return tuple(found)
