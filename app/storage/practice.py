"""Readings of the codebook, attempts at practice sets and their answers. Nothing that counts codings reads these."""

from __future__ import annotations

from sqlmodel import Session, col, func, select

from app.storage.tables import (
    CodebookReadingRow,
    PracticeAnswerRow,
    PracticeAttemptRow,
    PracticeDraftRow,
    PracticeSetRow,
)


def find_reading(session: Session, user_id: int, codebook_sha256: str) -> CodebookReadingRow | None:
    """Return when a person first opened a codebook, or None."""
    return session.get(CodebookReadingRow, (user_id, codebook_sha256))


def is_qualified(session: Session, user_id: int, codebook_sha256: str) -> bool:
    """Return whether a person passed a qualification under this codebook: one indexed look-up."""
    query = select(PracticeAttemptRow.id).where(
        PracticeAttemptRow.user_id == user_id,
        PracticeAttemptRow.codebook_sha256 == codebook_sha256,
        PracticeAttemptRow.purpose == "qualification",
        col(PracticeAttemptRow.passed).is_(True),
    )
    return session.exec(query.limit(1)).first() is not None


def list_attempts(session: Session, user_id: int, codebook_sha256: str) -> list[PracticeAttemptRow]:
    """Return a person's attempts under one codebook, training first, by round."""
    query = select(PracticeAttemptRow).where(
        PracticeAttemptRow.user_id == user_id, PracticeAttemptRow.codebook_sha256 == codebook_sha256
    )
    ordered = query.order_by(col(PracticeAttemptRow.purpose).desc(), col(PracticeAttemptRow.round))
    return list(session.exec(ordered))


def find_attempt(session: Session, attempt_id: str) -> PracticeAttemptRow | None:
    """Return the attempt, or None."""
    return session.get(PracticeAttemptRow, attempt_id)


def find_set(session: Session, sha256: str) -> PracticeSetRow | None:
    """Return a set as it was when it was first opened, or None."""
    return session.get(PracticeSetRow, sha256)


def list_current_answers(session: Session, attempt_id: str) -> dict[str, PracticeAnswerRow]:
    """Return item → its newest answer in an attempt."""
    newest = (
        select(PracticeAnswerRow.item_id, func.max(PracticeAnswerRow.revision).label("revision"))
        .where(PracticeAnswerRow.attempt_id == attempt_id)
        .group_by(PracticeAnswerRow.item_id)
        .subquery()
    )
    query = select(PracticeAnswerRow).join(
        newest,
        (newest.c.item_id == PracticeAnswerRow.item_id) & (newest.c.revision == PracticeAnswerRow.revision),
    )
    found = session.exec(query.where(PracticeAnswerRow.attempt_id == attempt_id))
    return {row.item_id: row for row in found}


def find_answer(session: Session, attempt_id: str, item_id: str) -> PracticeAnswerRow | None:
    """Return the newest answer to one item, or None."""
    query = select(PracticeAnswerRow).where(
        PracticeAnswerRow.attempt_id == attempt_id, PracticeAnswerRow.item_id == item_id
    )
    return session.exec(query.order_by(col(PracticeAnswerRow.revision).desc()).limit(1)).first()


def find_answer_by_token(session: Session, attempt_id: str, item_id: str, token: str) -> PracticeAnswerRow | None:
    """Return the answer that this client token already made, or None."""
    query = select(PracticeAnswerRow).where(
        PracticeAnswerRow.attempt_id == attempt_id,
        PracticeAnswerRow.item_id == item_id,
        PracticeAnswerRow.client_token == token,
    )
    return session.exec(query).first()


def find_draft(session: Session, attempt_id: str, item_id: str) -> PracticeDraftRow | None:
    """Return what was entered for an item and not yet answered, or None."""
    return session.get(PracticeDraftRow, (attempt_id, item_id))


def list_draft_ids(session: Session, attempt_id: str) -> set[str]:
    """Return the items of an attempt that have a draft."""
    return set(session.exec(select(PracticeDraftRow.item_id).where(PracticeDraftRow.attempt_id == attempt_id)))


def put_draft(session: Session, draft: PracticeDraftRow) -> None:
    """Store the draft in place of an earlier one."""
    session.merge(draft)
    session.flush()


def remove_draft(session: Session, attempt_id: str, item_id: str) -> None:
    """Remove the draft once its content has become an answer."""
    found = find_draft(session, attempt_id, item_id)
    if found is not None:
        session.delete(found)
        session.flush()


def add(session: Session, *rows: CodebookReadingRow | PracticeSetRow | PracticeAttemptRow | PracticeAnswerRow) -> None:
    """Append the rows, in their order."""
    for row in rows:
        session.add(row)
        session.flush()
