"""Judgements: drafts apart, only ever inserted. Triggers in the migration refuse anything else."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from app.storage.tables.columns import one_of


class DraftRow(SQLModel, table=True):
    """What a rater has entered and not submitted; never a coding."""

    __tablename__: ClassVar[str] = "draft"
    assignment_id: str = Field(foreign_key="assignment.id", primary_key=True)
    answer_json: str
    base_revision: int
    seconds_on_item: float | None = None
    saved_at: str


class CodingRow(SQLModel, table=True):
    """One revision of one coding, appended with who, when, under which codebook and on what was shown."""

    __tablename__: ClassVar[str] = "coding"
    __table_args__ = (
        UniqueConstraint("assignment_id", "revision"),
        UniqueConstraint("assignment_id", "client_token"),
        CheckConstraint("revision >= 1", name="revision_counts_from_one"),
        one_of("origin", "human", "machine", "crosswalk", "import"),
        Index("ix_coding_rater", "rater_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    assignment_id: str = Field(foreign_key="assignment.id")
    revision: int
    rater_id: int = Field(foreign_key="user_account.id")
    answer_json: str
    derived_tiers_json: str
    codebook_version: str
    codebook_sha256: str
    shown_sha256: str
    client_token: str
    seconds_on_item: float | None = None
    work_session: int = 1
    warnings_shown_json: str = "[]"
    warnings_confirmed_json: str = "[]"
    dropped_json: str = "[]"
    origin: str = "human"
    created_at: str
    previous_sha256: str
    sha256: str


class RuleCountRow(SQLModel, table=True):
    """How often one rule applied, refused, asked and was confirmed at the judged saves of a study, by who sent them.

    `rule` is `*` for every judged save. Nothing here leads back to a claim, a person or a coding.
    """

    __tablename__: ClassVar[str] = "rule_count"
    __table_args__ = (
        one_of("source", "human", "machine", "import", "adjudicator"),
        CheckConstraint(
            "n_refused >= 0 AND n_asked >= 0 AND n_confirmed >= 0 AND n_refused + n_asked + n_confirmed <= n_applied",
            name="counts_are_of_those_applied",
        ),
    )
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    source: str = Field(primary_key=True)
    rule: str = Field(primary_key=True)
    n_applied: int = 0
    n_refused: int = 0
    n_asked: int = 0
    n_confirmed: int = 0


class LockRow(SQLModel, table=True):
    """A packet's lock: attested, complete, hashed. After it nothing in the packet changes."""

    __tablename__: ClassVar[str] = "packet_lock"
    id: str = Field(primary_key=True)
    packet_id: str = Field(foreign_key="packet.id", unique=True)
    study_id: str = Field(foreign_key="study.id", index=True)
    slot: str
    user_id: int = Field(foreign_key="user_account.id")
    attestations_json: str
    packet_sha256: str
    rows_sha256: str
    n_rows: int
    locked_at: str


class QueueItemRow(SQLModel, table=True):
    """One claim in the adjudication queue; `id` is opaque, `selected_by` is never shown to the adjudicator."""

    __tablename__: ClassVar[str] = "queue_item"
    __table_args__ = (UniqueConstraint("study_id", "blind_claim_id"), UniqueConstraint("study_id", "position"))
    id: str = Field(primary_key=True)
    study_id: str = Field(foreign_key="study.id")
    blind_claim_id: str
    position: int
    selected_by_json: str


class DecisionRow(SQLModel, table=True):
    """One adjudicator's judgement, provisional or final, appended."""

    __tablename__: ClassVar[str] = "decision"
    __table_args__ = (
        UniqueConstraint("item_id", "stage", "revision"),
        UniqueConstraint("item_id", "client_token"),
        one_of("stage", "provisional", "final"),
    )
    id: int | None = Field(default=None, primary_key=True)
    item_id: str = Field(foreign_key="queue_item.id")
    stage: str
    revision: int
    adjudicator_id: int = Field(foreign_key="user_account.id")
    answer_json: str
    derived_tiers_json: str
    rule: str = ""
    reason: str = ""
    cause: str = ""
    client_token: str
    created_at: str
    previous_sha256: str
    sha256: str


class AuditRow(SQLModel, table=True):
    """One act on the chain: each row's hash covers the one before it."""

    __tablename__: ClassVar[str] = "audit_event"
    __table_args__ = (Index("ix_audit_event_study", "study_id"),)
    id: int | None = Field(default=None, primary_key=True)
    at: str
    actor: str
    action: str
    study_id: str | None = None
    subject: str
    details_json: str
    previous_sha256: str
    sha256: str = Field(unique=True)
