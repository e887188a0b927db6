"""Studies, their members, pinned inputs and what was frozen from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlmodel import Session, col, func, select

from app.storage.tables import (
    FrozenClaimRow,
    FrozenRunRow,
    IdentityRow,
    MemberRow,
    SealKeyRow,
    StudyInputRow,
    StudyRow,
    UserRow,
)


def find_study(session: Session, study_id: str) -> StudyRow | None:
    """Return the study, or None."""
    return session.get(StudyRow, study_id)


def list_studies(session: Session) -> list[StudyRow]:
    """Return all studies, oldest first."""
    return list(session.exec(select(StudyRow).order_by(StudyRow.created_at, StudyRow.id)))


def add_rows(session: Session, rows: Iterable[object]) -> None:
    """Insert rows of any table, in order, and send them."""
    session.add_all(list(rows))
    session.flush()


def list_members(session: Session, study_id: str, role: str | None = None) -> list[tuple[MemberRow, UserRow]]:
    """Return a study's members with their users, by role, slot and name."""
    query = select(MemberRow, UserRow).join(UserRow, col(UserRow.id) == MemberRow.user_id)
    query = query.where(MemberRow.study_id == study_id)
    if role is not None:
        query = query.where(MemberRow.role == role)
    found = session.exec(query).all()
    return sorted(found, key=lambda pair: (pair[0].role, _slot_number(pair[0].slot), pair[1].name))


def _slot_number(slot: str | None) -> int:
    return int(slot[1:]) if slot else 0


def find_member(session: Session, study_id: str, user_id: int, role: str) -> MemberRow | None:
    """Return one membership, or None."""
    return session.get(MemberRow, (study_id, user_id, role))


def list_study_ids_of(session: Session, user_id: int, role: str) -> list[str]:
    """Return the studies in which a user holds a role, sorted."""
    query = select(MemberRow.study_id).where(MemberRow.user_id == user_id, MemberRow.role == role)
    return sorted(session.exec(query))


def list_studies_of(session: Session, user_id: int) -> list[StudyRow]:
    """Return the studies in which a user has any part, by id."""
    query = select(StudyRow).where(col(StudyRow.id).in_(select(MemberRow.study_id).where(MemberRow.user_id == user_id)))
    return list(session.exec(query.order_by(StudyRow.id)))


def list_inputs(session: Session, study_id: str) -> list[StudyInputRow]:
    """Return the pinned inputs by name."""
    query = select(StudyInputRow).where(StudyInputRow.study_id == study_id).order_by(StudyInputRow.name)
    return list(session.exec(query))


def get_seal_key(session: Session, study_id: str) -> bytes:
    """Return the study key of the blind ids."""
    row = session.get(SealKeyRow, study_id)
    assert row is not None, "a study is created with its key"
    return bytes.fromhex(row.key_hex)


def list_frozen_claims(session: Session, study_id: str) -> list[FrozenClaimRow]:
    """Return the frozen claims by native id."""
    query = select(FrozenClaimRow).where(FrozenClaimRow.study_id == study_id).order_by(FrozenClaimRow.claim_id)
    return list(session.exec(query))


def list_frozen_runs(session: Session, study_id: str) -> list[FrozenRunRow]:
    """Return the runs' coverage maps by native session id."""
    query = select(FrozenRunRow).where(FrozenRunRow.study_id == study_id).order_by(FrozenRunRow.session_id)
    return list(session.exec(query))


def count_frozen(session: Session, study_id: str) -> tuple[int, int]:
    """Return how many claims and runs the study froze."""
    claims = session.exec(select(func.count()).where(FrozenClaimRow.study_id == study_id)).one()
    runs = session.exec(select(func.count()).where(FrozenRunRow.study_id == study_id)).one()
    return claims, runs


def blind_ids_of(session: Session, study_id: str, kind: str, native_ids: Sequence[str] | None = None) -> dict[str, str]:
    """Return native id → blind id for one kind (`claim` or `run`)."""
    query = select(IdentityRow.native_id, IdentityRow.blind_id)
    query = query.where(IdentityRow.study_id == study_id, IdentityRow.kind == kind)
    found = dict(session.exec(query).all())
    return found if native_ids is None else {key: found[key] for key in native_ids if key in found}
