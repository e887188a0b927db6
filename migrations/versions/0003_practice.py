"""Practice: readings of the codebook, attempts at its practice sets, and their answers, in tables of their own.

Nothing that counts codings reads these tables. Answers are only appended, none to a finished attempt; an attempt is
finished once. A study registered before says `not_asked` and goes on as it was.
"""

from __future__ import annotations

import sqlalchemy as sa
import sqlmodel
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TEXT = sqlmodel.sql.sqltypes.AutoString
APPENDED = ("practice_answer", "practice_set", "codebook_reading")


def upgrade() -> None:
    # A column's own CHECK, so that the table with every study is not copied, and leaves with the column.
    op.execute(
        "ALTER TABLE study ADD COLUMN qualification VARCHAR NOT NULL DEFAULT 'not_asked' "
        "CONSTRAINT qualification_is_known CHECK (qualification IN ('required', 'waived', 'not_asked'))"
    )
    _tables()
    for table in APPENDED:
        for act in ("UPDATE", "DELETE"):
            _refuse(f"{table}_refuses_{act.lower()}", f"{act} ON {table}", f"{table} rows are only appended")
    finished = "WHEN EXISTS (SELECT 1 FROM practice_attempt WHERE id = NEW.attempt_id AND finished_at IS NOT NULL)"
    _refuse("practice_answer_refuses_finished", f"INSERT ON practice_answer {finished}", "the attempt is finished")
    _refuse("practice_attempt_refuses_delete", "DELETE ON practice_attempt", "practice_attempt rows are kept")
    same = " AND ".join(f"NEW.{name} IS OLD.{name}" for name in KEPT)
    changed = f"UPDATE ON practice_attempt WHEN OLD.finished_at IS NOT NULL OR NOT ({same})"
    _refuse("practice_attempt_refuses_update", changed, "an attempt is only finished, once")


KEPT = ("id", "user_id", "codebook_sha256", "set_sha256", "purpose", "round", "after_failures", "opened_at")


def _refuse(name: str, event: str, sentence: str) -> None:
    op.execute(f"CREATE TRIGGER {name} BEFORE {event} BEGIN SELECT RAISE(ABORT, '{sentence}'); END")


def _tables() -> None:
    op.create_table(
        "practice_set",
        sa.Column("sha256", TEXT(), nullable=False),
        sa.Column("set_id", TEXT(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.Column("stored_at", TEXT(), nullable=False),
        sa.PrimaryKeyConstraint("sha256"),
    )
    op.create_table(
        "codebook_reading",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("codebook_sha256", TEXT(), nullable=False),
        sa.Column("codebook_version", TEXT(), nullable=False),
        sa.Column("opened_at", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
        sa.PrimaryKeyConstraint("user_id", "codebook_sha256"),
    )
    _attempts()
    op.create_table(
        "practice_answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", TEXT(), nullable=False),
        sa.Column("item_id", TEXT(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("answer_json", TEXT(), nullable=False),
        sa.Column("shown_sha256", TEXT(), nullable=False),
        sa.Column("client_token", TEXT(), nullable=False),
        sa.Column("seconds_on_item", sa.Float(), nullable=True),
        sa.Column("warnings_confirmed_json", TEXT(), nullable=False),
        sa.Column("dropped_json", TEXT(), nullable=False),
        sa.Column("created_at", TEXT(), nullable=False),
        sa.CheckConstraint("revision >= 1", name="revision_counts_from_one"),
        sa.ForeignKeyConstraint(["attempt_id"], ["practice_attempt.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("attempt_id", "item_id", "client_token"),
        sa.UniqueConstraint("attempt_id", "item_id", "revision"),
    )
    op.create_table(
        "practice_draft",
        sa.Column("attempt_id", TEXT(), nullable=False),
        sa.Column("item_id", TEXT(), nullable=False),
        sa.Column("answer_json", TEXT(), nullable=False),
        sa.Column("seconds_on_item", sa.Float(), nullable=True),
        sa.Column("saved_at", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["practice_attempt.id"]),
        sa.PrimaryKeyConstraint("attempt_id", "item_id"),
    )


def _attempts() -> None:
    op.create_table(
        "practice_attempt",
        sa.Column("id", TEXT(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("codebook_id", TEXT(), nullable=False),
        sa.Column("codebook_version", TEXT(), nullable=False),
        sa.Column("codebook_sha256", TEXT(), nullable=False),
        sa.Column("set_id", TEXT(), nullable=False),
        sa.Column("set_sha256", TEXT(), nullable=False),
        sa.Column("purpose", TEXT(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("after_failures", sa.Integer(), nullable=False),
        sa.Column("opened_at", TEXT(), nullable=False),
        sa.Column("finished_at", TEXT(), nullable=True),
        sa.Column("passed", sa.Boolean(), nullable=True),
        sa.Column("result_json", TEXT(), nullable=True),
        sa.CheckConstraint("purpose IN ('training', 'qualification')", name="purpose_is_known"),
        sa.CheckConstraint("round >= 1", name="round_counts_from_one"),
        sa.CheckConstraint("after_failures >= 0", name="failures_are_counted"),
        sa.CheckConstraint("(finished_at IS NULL) = (result_json IS NULL)", name="finished_with_a_result"),
        sa.ForeignKeyConstraint(["set_sha256"], ["practice_set.sha256"]),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
        sa.PrimaryKeyConstraint("id"),
        # Also the index of the one look-up before every page and save of a rater.
        sa.UniqueConstraint("user_id", "codebook_sha256", "purpose", "round"),
    )


def downgrade() -> None:
    for table in ("practice_draft", "practice_answer", "practice_attempt", "codebook_reading", "practice_set"):
        op.drop_table(table)
    op.execute("ALTER TABLE study DROP COLUMN qualification")
