"""The tables. Judgements (codings, locks, decisions, audit) are only ever inserted; triggers in the migration refuse
anything else. Native identities stand in `seal_key` and `identity` alone; what raters are served stands in `blind_*`.

Texts are UTF-8, moments are ISO 8601 UTC text, structured values canonical JSON text. Keep related tables in this file.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel


def one_of(column: str, *values: str) -> CheckConstraint:
    """Return the CHECK that a text column holds one of these values."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_is_known")


class UserRow(SQLModel, table=True):
    """A person or a machine rater."""

    __tablename__: ClassVar[str] = "user_account"
    __table_args__ = (one_of("kind", "human", "machine"),)
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    kind: str = "human"
    created_at: str


class UserRoleRow(SQLModel, table=True):
    """One role a user holds on this installation."""

    __tablename__: ClassVar[str] = "user_role"
    __table_args__ = (one_of("role", "lead", "custodian", "rater", "adjudicator", "administrator"),)
    user_id: int = Field(foreign_key="user_account.id", primary_key=True)
    role: str = Field(primary_key=True)


class SignInLinkRow(SQLModel, table=True):
    """A one-time sign-in link; only the hash of its token is kept."""

    __tablename__: ClassVar[str] = "sign_in_link"
    token_sha256: str = Field(primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", index=True)
    created_at: str
    expires_at: str
    used_at: str | None = None


class WebSessionRow(SQLModel, table=True):
    """A signed-in browser; only the hash of the cookie's random id is kept."""

    __tablename__: ClassVar[str] = "web_session"
    id_sha256: str = Field(primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", index=True)
    created_at: str
    expires_at: str
    revoked_at: str | None = None


class ApiTokenRow(SQLModel, table=True):
    """A bearer token of the JSON interface; only its hash is kept."""

    __tablename__: ClassVar[str] = "api_token"
    token_sha256: str = Field(primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", index=True)
    created_at: str
    revoked_at: str | None = None


class StudyRow(SQLModel, table=True):
    """A registered study. The registration and the codebook's text are kept as they were."""

    __tablename__: ClassVar[str] = "study"
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


class BlindRunRow(SQLModel, table=True):
    """One run as served: its size, coverage and the hash of everything shown of it."""

    __tablename__: ClassVar[str] = "blind_run"
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    blind_run_id: str = Field(primary_key=True)
    n_turns: int
    coverage_json: str
    gaps_json: str
    sha256: str


class BlindTurnRow(SQLModel, table=True):
    """One turn as served."""

    __tablename__: ClassVar[str] = "blind_turn"
    study_id: str = Field(primary_key=True)
    blind_run_id: str = Field(primary_key=True)
    turn: int = Field(primary_key=True)
    body_json: str


class BlindClaimRow(SQLModel, table=True):
    """One claim as served; `status` sampled, paused or withdrawn."""

    __tablename__: ClassVar[str] = "blind_claim"
    __table_args__ = (one_of("status", "sampled", "paused", "withdrawn"),)
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    blind_claim_id: str = Field(primary_key=True)
    blind_run_id: str = Field(index=True)
    body_json: str
    status: str = "sampled"


class LedgerRow(SQLModel, table=True):
    """Every replacement blinding made: where, its kind, its placeholder, the original's hash. The custodian's."""

    __tablename__: ClassVar[str] = "blinding_ledger"
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    built_at: str
    n_replacements: int
    entries_json: str


class ScanRow(SQLModel, table=True):
    """The last leak scan over what the packets serve."""

    __tablename__: ClassVar[str] = "leak_scan"
    study_id: str = Field(foreign_key="study.id", primary_key=True)
    scanned_at: str
    served_sha256: str
    unsearched_json: str


class FindingRow(SQLModel, table=True):
    """One finding of the leak scan, with the custodian's waiver if there is one."""

    __tablename__: ClassVar[str] = "leak_finding"
    id: int | None = Field(default=None, primary_key=True)
    study_id: str = Field(foreign_key="study.id", index=True)
    place: str
    kind: str
    excerpt: str
    waived_by: int | None = Field(default=None, foreign_key="user_account.id")
    waived_reason: str | None = None
    waived_at: str | None = None


class PacketRow(SQLModel, table=True):
    """All that one rater is given."""

    __tablename__: ClassVar[str] = "packet"
    __table_args__ = (UniqueConstraint("study_id", "slot"),)
    id: str = Field(primary_key=True)
    study_id: str = Field(foreign_key="study.id")
    slot: str
    user_id: int = Field(foreign_key="user_account.id", index=True)
    sha256: str
    built_at: str
    published_at: str | None = None


class AssignmentRow(SQLModel, table=True):
    """One claim for one rater, at its place in the packet. `id` is opaque and tells neither order nor purpose.

    A hidden repeat points at the claim it shows again; the rater sees only the assignment's id.
    """

    __tablename__: ClassVar[str] = "assignment"
    __table_args__ = (
        UniqueConstraint("packet_id", "position"),
        UniqueConstraint("packet_id", "blind_claim_id", "purpose"),
        one_of("purpose", "main", "repeat", "control", "calibration"),
    )
    id: str = Field(primary_key=True)
    packet_id: str = Field(foreign_key="packet.id")
    study_id: str = Field(foreign_key="study.id")
    user_id: int = Field(foreign_key="user_account.id")
    blind_claim_id: str
    position: int
    purpose: str = "main"


class DraftRow(SQLModel, table=True):
    """What a rater has entered and not submitted; never a coding."""

    __tablename__: ClassVar[str] = "draft"
    assignment_id: str = Field(foreign_key="assignment.id", primary_key=True)
    answer_json: str
    base_revision: int
    saved_at: str


class CodingRow(SQLModel, table=True):
    """One revision of one coding, appended with who, when, under which codebook and on what was shown."""

    __tablename__: ClassVar[str] = "coding"
    __table_args__ = (
        UniqueConstraint("assignment_id", "revision"),
        UniqueConstraint("assignment_id", "client_token"),
        CheckConstraint("revision >= 1", name="revision_counts_from_one"),
        one_of("origin", "human", "machine", "crosswalk", "import"),
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
