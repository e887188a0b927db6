"""Practice: the sets as they were when they were opened, who read the codebook, attempts, answers, drafts.

Tables of their own, so that nothing of training or qualification can enter a count of codings.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field, SQLModel

from app.storage.tables.columns import one_of


class PracticeSetRow(SQLModel, table=True):
    """One practice set's own text, kept when the first attempt at it was opened."""

    __tablename__: ClassVar[str] = "practice_set"
    sha256: str = Field(primary_key=True)
    set_id: str
    text: str
    stored_at: str


class CodebookReadingRow(SQLModel, table=True):
    """When a person first opened a codebook of these contents."""

    __tablename__: ClassVar[str] = "codebook_reading"
    user_id: int = Field(foreign_key="user_account.id", primary_key=True)
    codebook_sha256: str = Field(primary_key=True)
    codebook_version: str
    opened_at: str


class PracticeAttemptRow(SQLModel, table=True):
    """One person's attempt at one set; finished once, with its result.

    `round` counts a person's attempts of one purpose under one codebook. `after_failures` is how many qualification
    rounds had been failed when it was opened: a training after a failure is the retraining.
    """

    __tablename__: ClassVar[str] = "practice_attempt"
    __table_args__ = (
        UniqueConstraint("user_id", "codebook_sha256", "purpose", "round"),
        one_of("purpose", "training", "qualification"),
        CheckConstraint("round >= 1", name="round_counts_from_one"),
        CheckConstraint("after_failures >= 0", name="failures_are_counted"),
        CheckConstraint("(finished_at IS NULL) = (result_json IS NULL)", name="finished_with_a_result"),
    )
    id: str = Field(primary_key=True)
    user_id: int = Field(foreign_key="user_account.id")
    codebook_id: str
    codebook_version: str
    codebook_sha256: str
    set_id: str
    set_sha256: str = Field(foreign_key="practice_set.sha256")
    purpose: str
    round: int
    after_failures: int = 0
    opened_at: str
    finished_at: str | None = None
    passed: bool | None = None
    result_json: str | None = None


class PracticeAnswerRow(SQLModel, table=True):
    """One revision of one answer to a practice item, appended; never a coding."""

    __tablename__: ClassVar[str] = "practice_answer"
    __table_args__ = (
        UniqueConstraint("attempt_id", "item_id", "revision"),
        UniqueConstraint("attempt_id", "item_id", "client_token"),
        CheckConstraint("revision >= 1", name="revision_counts_from_one"),
    )
    id: int | None = Field(default=None, primary_key=True)
    attempt_id: str = Field(foreign_key="practice_attempt.id")
    item_id: str
    revision: int
    answer_json: str
    shown_sha256: str
    client_token: str
    seconds_on_item: float | None = None
    warnings_confirmed_json: str = "[]"
    dropped_json: str = "[]"
    created_at: str


class PracticeDraftRow(SQLModel, table=True):
    """What was entered for a practice item and not yet answered."""

    __tablename__: ClassVar[str] = "practice_draft"
    attempt_id: str = Field(foreign_key="practice_attempt.id", primary_key=True)
    item_id: str = Field(primary_key=True)
    answer_json: str
    seconds_on_item: float | None = None
    saved_at: str
