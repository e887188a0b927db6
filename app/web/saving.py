"""Saving a rater's coding: one transaction for the save; if it is refused, a short second one that counts the refusal.

The refusal stands whatever becomes of its count.
"""

from __future__ import annotations

from collections.abc import Callable

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from app.domain.errors import Conflict, NotQualified, RulesBroken, SaydoError, Unconfirmed
from app.services import coding, counting
from app.services.coding import Saved, Submission
from app.services.people import Actor
from app.web.deps import Wiring


def save_coding(wiring: Wiring, actor: Actor, assignment_id: str, submission: Submission) -> Saved:
    """Save a coding and return what the save answers, after its commit; raises what `coding.save_coding` raises."""
    try:
        with wiring.database.writing() as session:
            return coding.save_coding(session, actor, assignment_id, submission, wiring.clock())
    except (RulesBroken, Unconfirmed, Conflict, NotQualified) as error:
        count_refusal(wiring, counting.count_refused_save, assignment_id, error)
        raise


def count_refusal(
    wiring: Wiring, count: Callable[[Session, str, SaydoError], None], place: str, error: SaydoError
) -> None:
    """Count a refusal by its place (an assignment, a queue item) once its own transaction is rolled back."""
    try:
        with wiring.database.writing() as session:
            count(session, place, error)
    except SQLAlchemyError as failed:
        structlog.get_logger().error("rule counts", kind=type(failed).__name__)
