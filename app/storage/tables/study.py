"""A study as registered: members, pinned inputs, what was frozen, and the seal."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from app.storage.tables.columns import one_of


class StudyRow(SQLModel, table=True):
    """A registered study. The registration and the codebook's text are kept as they were.

    `qualification` is settled at registration: asked of every human rater, waived by the study file, or not asked.
    """

    __tablename__: ClassVar[str] = "study"
    __table_args__ = (one_of("qualification", "required", "waived", "not_asked"),)
    id: str = Field(primary_key=True)
    title: str
    phase: str
    codebook_version: str
    codebook_sha256: str
    codebook_text: str
    registration_text: str
    registration_json: str
    registration_sha256: str
    seed: int
    created_by: int = Field(foreign_key="user_account.id")
    created_at: str
    published_at: str | None = None
    closed_at: str | None = None
    qualification: str = "not_asked"


class MemberRow(SQLModel, table=True):
    """Who is what in a study; raters have a slot R1, R2, …"""

    __tablename__: ClassVar[str] = "study_member"
    __table_args__ = (UniqueConstraint("study_id", "slot"),)
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", primary_key=True)
    role: str = Field(primary_key=True)
    slot: str | None = None


class StudyInputRow(SQLModel, table=True):
    """One pinned input file."""

    __tablename__: ClassVar[str] = "study_input"
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    name: str = Field(primary_key=True)
    path: str
    sha256: str
    bytes: int
    rows: int | None = None


class SealKeyRow(SQLModel, table=True):
    """The study key of the blind ids: the custodian's."""

    __tablename__: ClassVar[str] = "seal_key"
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    key_hex: str


class IdentityRow(SQLModel, table=True):
    """What a blind id stands for; read by packet building, imports and the custodian, by no page of others."""

    __tablename__: ClassVar[str] = "identity"
    __table_args__ = (UniqueConstraint("study_id", "kind", "native_id"), one_of("kind", "claim", "run"))
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    kind: str = Field(primary_key=True)
    blind_id: str = Field(primary_key=True)
    native_id: str


class FrozenClaimRow(SQLModel, table=True):
    """One claim of the frozen list, with its native ids and spans."""

    __tablename__: ClassVar[str] = "frozen_claim"
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    claim_id: str = Field(primary_key=True)
    session_id: str
    text_sha256: str
    body_json: str


class FrozenRunRow(SQLModel, table=True):
    """One run's coverage map as frozen; `origin` says whether it was declared or derived from the log."""

    __tablename__: ClassVar[str] = "frozen_run"
    __table_args__ = (one_of("origin", "declared", "derived"),)
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    session_id: str = Field(primary_key=True)
    coverage_json: str
    gaps_json: str
    origin: str
