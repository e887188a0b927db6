"""Judgements are only appended: the database itself refuses to change, remove or add behind a lock.

Codings, locks, decisions and the audit chain take inserts alone; a coding for a locked packet is refused.
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

APPENDED = ("coding", "packet_lock", "decision", "audit_event")


def upgrade() -> None:
    for table in APPENDED:
        for act in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_refuses_{act.lower()} BEFORE {act} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} rows are only appended'); END"
            )
    op.execute(
        "CREATE TRIGGER coding_refuses_locked BEFORE INSERT ON coding "
        "WHEN EXISTS (SELECT 1 FROM assignment JOIN packet_lock ON packet_lock.packet_id = assignment.packet_id "
        "WHERE assignment.id = NEW.assignment_id) "
        "BEGIN SELECT RAISE(ABORT, 'the packet is locked'); END"
    )


def downgrade() -> None:
    op.execute("DROP TRIGGER coding_refuses_locked")
    for table in APPENDED:
        for act in ("update", "delete"):
            op.execute(f"DROP TRIGGER {table}_refuses_{act}")
