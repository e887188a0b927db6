"""The adjudication queue and the decisions appended to it."""

from __future__ import annotations

from sqlmodel import Session, col, select

from app.storage.tables import DecisionRow, QueueItemRow


def list_queue(session: Session, study_id: str) -> list[QueueItemRow]:
    """Return a study's queue in its seeded order."""
    query = select(QueueItemRow).where(QueueItemRow.study_id == study_id).order_by(col(QueueItemRow.position))
    return list(session.exec(query))


def find_item(session: Session, item_id: str) -> QueueItemRow | None:
    """Return the queue item, or None."""
    return session.get(QueueItemRow, item_id)


def find_own_provisional(session: Session, item_id: str, adjudicator_id: int) -> DecisionRow | None:
    """Return this adjudicator's own provisional verdict, or None."""
    query = select(DecisionRow).where(DecisionRow.item_id == item_id, DecisionRow.stage == "provisional")
    return session.exec(query.where(DecisionRow.adjudicator_id == adjudicator_id)).first()


def find_current_decision(session: Session, item_id: str, stage: str) -> DecisionRow | None:
    """Return the newest decision of a stage, or None."""
    query = select(DecisionRow).where(DecisionRow.item_id == item_id, DecisionRow.stage == stage)
    return session.exec(query.order_by(col(DecisionRow.revision).desc()).limit(1)).first()


def find_decision_by_token(session: Session, item_id: str, client_token: str) -> DecisionRow | None:
    """Return the decision this client token already made, or None."""
    query = select(DecisionRow).where(DecisionRow.item_id == item_id, DecisionRow.client_token == client_token)
    return session.exec(query).first()


def list_decisions(session: Session, study_id: str) -> list[tuple[QueueItemRow, DecisionRow]]:
    """Return every decision of a study with its item, in queue order, oldest first."""
    query = select(QueueItemRow, DecisionRow).join(DecisionRow, col(DecisionRow.item_id) == QueueItemRow.id)
    query = query.where(QueueItemRow.study_id == study_id)
    return list(session.exec(query.order_by(col(QueueItemRow.position), col(DecisionRow.id))).all())


def list_decided_ids(session: Session, study_id: str, stage: str = "final") -> set[str]:
    """Return the items of a study that have a decision of a stage."""
    query = select(DecisionRow.item_id).distinct().join(QueueItemRow, col(QueueItemRow.id) == DecisionRow.item_id)
    return set(session.exec(query.where(QueueItemRow.study_id == study_id, DecisionRow.stage == stage)))


def list_own_provisional_ids(session: Session, study_id: str, adjudicator_id: int) -> set[str]:
    """Return the items of a study on which this adjudicator has committed a provisional verdict."""
    query = select(DecisionRow.item_id).join(QueueItemRow, col(QueueItemRow.id) == DecisionRow.item_id)
    query = query.where(QueueItemRow.study_id == study_id, DecisionRow.stage == "provisional")
    return set(session.exec(query.where(DecisionRow.adjudicator_id == adjudicator_id)))


def add_decision(session: Session, row: DecisionRow) -> None:
    """Append one decision."""
    session.add(row)
    session.flush()
