"""What was practised is not replaced either, and what a study asks of its raters stands as it was registered.

As in 0005: `INSERT OR REPLACE` asks no trigger on removal, so an insert that would meet a row like it is refused.
"""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

IDENTITIES = {
    "practice_set": "sha256 = NEW.sha256",
    "codebook_reading": "user_id = NEW.user_id AND codebook_sha256 = NEW.codebook_sha256",
    "practice_attempt": "id = NEW.id OR (user_id = NEW.user_id AND codebook_sha256 = NEW.codebook_sha256 "
    "AND purpose = NEW.purpose AND round = NEW.round)",
    "practice_answer": "id = NEW.id OR (attempt_id = NEW.attempt_id AND item_id = NEW.item_id "
    "AND (revision = NEW.revision OR client_token = NEW.client_token))",
}


def upgrade() -> None:
    for table, same in IDENTITIES.items():
        met = " ".join(["EXISTS (SELECT 1 FROM", table, "WHERE", same, ")"])
        raised = f"BEGIN SELECT RAISE(ABORT, '{table} rows are never replaced'); END"
        op.execute(f"CREATE TRIGGER {table}_refuses_replacing BEFORE INSERT ON {table} WHEN {met} {raised}")
    op.execute(
        "CREATE TRIGGER study_qualification_refuses_update BEFORE UPDATE OF qualification ON study "
        "BEGIN SELECT RAISE(ABORT, 'study rows stand as they were registered'); END"
    )


def downgrade() -> None:
    for table in IDENTITIES:
        op.execute(f"DROP TRIGGER {table}_refuses_replacing")
    op.execute("DROP TRIGGER study_qualification_refuses_update")
