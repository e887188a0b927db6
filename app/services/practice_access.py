"""Finding practice that is this actor's: the codebooks they rate under, their sets, their own attempts.

What is not theirs is not found. What is wrong with a set is never told here: it would tell its answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlmodel import Session

from app.domain.canonical import canonical_json, sha256_hex
from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput, NotFound, Refused
from app.domain.packets.facts import unit_of
from app.domain.practice import TRAINING, PracticeItem, PracticeSet, order_for
from app.domain.roles import Action, require
from app.readers.practice_file import find_practice, load_practice_text
from app.services.access import codebook_of
from app.services.bench import Case
from app.services.people import Actor
from app.storage import practice, studies
from app.storage.tables import PracticeAttemptRow, StudyRow


@dataclass(frozen=True)
class OwnAttempt:
    """One attempt of the actor's own, with its set as it was and the items in the actor's order.

    `study_id` is a study the actor rates in under this codebook: its registered text is the one to read.
    """

    row: PracticeAttemptRow
    codebook: Codebook
    practice: PracticeSet
    items: tuple[PracticeItem, ...]
    study_id: str

    @property
    def teaches(self) -> bool:
        """Whether feedback follows each answer."""
        return self.row.purpose == TRAINING

    def item(self, number: int) -> PracticeItem:
        """Return the item at a place counted from 1; raises `NotFound` beyond the ends."""
        if not 1 <= number <= len(self.items):
            raise NotFound(f"this set has the items 1 to {len(self.items)}")
        return self.items[number - 1]


def studies_under(session: Session, actor: Actor) -> dict[str, list[StudyRow]]:
    """Return codebook hash → the studies in which the actor rates under it, in the order they were registered."""
    require(actor.roles, Action.PRACTISE)
    own = set(studies.list_study_ids_of(session, actor.user_id, "rater"))
    found: dict[str, list[StudyRow]] = {}
    for study in studies.list_studies(session):
        if study.id in own:
            found.setdefault(study.codebook_sha256, []).append(study)
    return found


def codebook_under(session: Session, actor: Actor, codebook_sha256: str) -> Codebook:
    """Return the codebook of a study the actor rates in. Raises `NotFound` for any other."""
    found = studies_under(session, actor).get(codebook_sha256)
    if not found:
        raise NotFound("there is no such practice for you")
    return codebook_of(found[0])


def sets_of(folder: Path, codebook: Codebook) -> tuple[PracticeSet, ...]:
    """Return the codebook's practice sets. Raises `Refused` where they do not hold, without saying what is wrong."""
    try:
        return find_practice(folder, codebook)
    except BadInput:
        version = codebook.version
        raise Refused(
            f"the practice sets of codebook {version} cannot be used as they are; whoever runs this installation sees "
            f"why with: saydo codebook practice {version}"
        ) from None


def get_own_attempt(session: Session, actor: Actor, attempt_id: str) -> OwnAttempt:
    """Return an attempt of the actor's own, its items in the actor's order. Raises `NotFound` for anything else."""
    require(actor.roles, Action.PRACTISE)
    row = practice.find_attempt(session, attempt_id)
    if row is None or row.user_id != actor.user_id:
        raise NotFound("there is no such practice for you")
    under = studies_under(session, actor).get(row.codebook_sha256)
    if not under:
        raise NotFound("there is no such practice for you")
    codebook = codebook_of(under[0])
    kept = practice.find_set(session, row.set_sha256)
    assert kept is not None, "an attempt is opened with its set"
    found = load_practice_text(kept.text, kept.set_id, codebook)
    return OwnAttempt(row, codebook, found, order_for(found, str(actor.user_id), row.round), under[0].id)


def case_of(own: OwnAttempt, item: PracticeItem) -> Case:
    """Return an item as the workbench and the rules take it."""
    turns = tuple(turn.as_dict() for turn in item.turns)
    coverage = dict(item.run.coverage or {})
    gaps = tuple({"channel": g.channel, "from_turn": g.from_turn, "to_turn": g.to_turn} for g in item.run.gaps)
    shown: dict[str, Any] = {"turns": list(turns), "coverage": coverage, "gaps": list(gaps)}
    shown |= {"claim": item.claim.text, "turn": item.claim.turn, "codebook": own.codebook.sha256}
    return Case(
        codebook=own.codebook,
        claim=item.claim,
        unit=unit_of(item.claim),
        run=item.run,
        turns=turns,
        coverage=coverage,
        gaps=gaps,
        shown_sha256=sha256_hex(canonical_json(shown)),
    )


def next_open(own: OwnAttempt, answered: set[str], after: int = 0) -> int | None:
    """Return the place of the first item past one that has no answer, from the start after the end, or None."""
    waiting = [number for number, item in enumerate(own.items, start=1) if item.id not in answered]
    return next((number for number in waiting if number > after), waiting[0] if waiting else None)
