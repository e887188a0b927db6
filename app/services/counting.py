"""Counting how a study's rules do at its saves, and the facts its history rules look at.

A count never fails a save: what cannot be counted is logged, and the save stands. Who sent a save decides under which
source it is counted; a coding that a crosswalk carried over was sent by nobody and is not counted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from app.domain.codebook.history import N_CODINGS, History, Past
from app.domain.codebook.rules import Judgement
from app.domain.codebook.work import rules_of_a_save
from app.domain.errors import Conflict, Forbidden, Refused, RulesBroken, SaydoError, Unconfirmed
from app.domain.tally import Count, Tally, refusal_of, tally_of
from app.services.access import OwnAssignment, codebook_of
from app.storage import adjudications, histories, packets, people, rule_counts
from app.storage.tables import CodingRow

ADJUDICATOR = "adjudicator"


def history_of(
    session: Session, own: OwnAssignment, current: CodingRow | None, seconds: float | None, origin: str
) -> History | None:
    """Return what is known of a rater who saves, None unless it is a person at work (form or API, not an import).

    The time on the claim is what this save took and what the stored revision before it took: who mends a word in a
    claim that was read well has not been quick.
    """
    if _source(session, own.assignment.user_id, origin) != "human":
        return None
    before = current.seconds_on_item if current else None
    recent = histories.list_recent(
        session, own.assignment.user_id, own.packet.id, own.assignment.id, limit=N_CODINGS - 1
    )
    past = tuple(Past(json.loads(answer), frozenset(json.loads(confirmed))) for answer, confirmed in recent)
    revision = (current.revision if current else 0) + 1
    return History(None if seconds is None else seconds + (before or 0.0), revision, past)


def count_save(
    session: Session,
    own: OwnAssignment,
    judged: tuple[Mapping[str, Any], Judgement],
    confirmed: Collection[str],
    origin: str,
) -> None:
    """Count a save that is being stored, in its own transaction; `judged` is the answer and its judgement."""
    answer, judgement = judged
    source = _source(session, own.assignment.user_id, origin)
    if source is not None:
        applied = (*judgement.applied, *rules_of_a_save(codebook_of(own.study), answer))
        _add(session, own.study.id, source, tally_of(applied, judgement.violations, confirmed))


def count_decision(session: Session, study_id: str, judgement: Judgement, confirmed: Collection[str]) -> None:
    """Count an adjudicator's provisional verdict or decision that is being stored."""
    _add(session, study_id, ADJUDICATOR, tally_of((*judgement.applied, "H27"), judgement.violations, confirmed))


def count_refused_save(session: Session, assignment_id: str, error: SaydoError) -> None:
    """Count a rater's save that was refused, in a transaction of its own after the refusal."""
    assignment = packets.find_assignment(session, assignment_id)
    source = _source(session, assignment.user_id, "human") if assignment else None
    if assignment is not None and source is not None:
        _add(session, assignment.study_id, source, _refusal(error, "H25"))


def count_refused_decision(session: Session, item_id: str, error: SaydoError) -> None:
    """Count an adjudicator's decision that was refused, in a transaction of its own after the refusal."""
    item = adjudications.find_item(session, item_id)
    if item is not None:
        tally = {"H27": Count(applied=1), **_refusal(error, "H27")}
        tally.pop("H25", None)  # the rule on who may code is a rater's
        _add(session, item.study_id, ADJUDICATOR, tally)


def _refusal(error: SaydoError, by_state: str) -> Tally:
    """What a refusal counts: its judgement if it had one, the rules it names, else the rule on the state of things."""
    if isinstance(error, RulesBroken | Unconfirmed) and error.tally is not None:
        return error.tally
    if isinstance(error, RulesBroken):
        return refusal_of({violation.rule for violation in error.violations})
    return refusal_of([by_state]) if isinstance(error, Conflict | Forbidden | Refused) else {}


def _source(session: Session, user_id: int, origin: str) -> str | None:
    """Return who a save is counted under: human, machine, import; None for what nobody sent."""
    if origin != "human":
        return origin if origin in ("machine", "import") else None
    user = people.find_user_by_id(session, user_id)
    return user.kind if user is not None else None


def _add(session: Session, study_id: str, source: str, tally: Tally) -> None:
    try:
        with session.begin_nested():
            rule_counts.add(session, study_id, source, tally)
    except SQLAlchemyError as error:
        structlog.get_logger().error("rule counts", study=study_id, kind=type(error).__name__)
