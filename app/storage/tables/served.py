"""What raters are served: blinded runs and claims, the leak scan, packets and assignments."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from app.storage.tables.columns import one_of


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
