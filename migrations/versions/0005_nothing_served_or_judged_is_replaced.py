"""What was judged is not replaced either, and what was registered or served stands once it is.

`INSERT OR REPLACE` removes the row it replaces without asking the triggers on removal; so an insert that would meet a
row of the same identity is refused before it does. What raters are served is refused any change once it is published.
"""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

IDENTITIES = {
    "coding": "id = NEW.id OR (assignment_id = NEW.assignment_id AND revision = NEW.revision) "
    "OR (assignment_id = NEW.assignment_id AND client_token = NEW.client_token)",
    "packet_lock": "id = NEW.id OR packet_id = NEW.packet_id",
    "decision": "id = NEW.id OR (item_id = NEW.item_id AND stage = NEW.stage AND revision = NEW.revision) "
    "OR (item_id = NEW.item_id AND client_token = NEW.client_token)",
    "audit_event": "id = NEW.id OR sha256 = NEW.sha256",
    "queue_item": "id = NEW.id OR (study_id = NEW.study_id AND blind_claim_id = NEW.blind_claim_id) "
    "OR (study_id = NEW.study_id AND position = NEW.position)",
    "study": "id = NEW.id",
    "blind_run": "study_id = NEW.study_id AND blind_run_id = NEW.blind_run_id",
    "blind_turn": "study_id = NEW.study_id AND blind_run_id = NEW.blind_run_id AND turn = NEW.turn",
    "blind_claim": "study_id = NEW.study_id AND blind_claim_id = NEW.blind_claim_id",
    "packet": "id = NEW.id OR (study_id = NEW.study_id AND slot = NEW.slot)",
    "assignment": "id = NEW.id OR (packet_id = NEW.packet_id AND position = NEW.position)",
}
# Table, and the columns that stand once the packets are published: the custodian still pauses and withdraws claims.
PUBLISHED = {
    "blind_run": "",
    "blind_turn": "",
    "blind_claim": " OF study_id, blind_claim_id, blind_run_id, body_json",
    "packet": " OF id, study_id, slot, user_id, sha256, built_at",
    "assignment": "",
}
REGISTERED = (
    "id, codebook_version, codebook_sha256, codebook_text, registration_text, registration_json, registration_sha256, "
    "seed, created_by, created_at"
)


def refuse(name: str, act: str, table: str, why: str, when: str = "") -> None:
    """Make the trigger that refuses an act on a table, always or under a condition."""
    condition = f"WHEN {when}" if when else ""
    raised = f"BEGIN SELECT RAISE(ABORT, '{table} rows {why}'); END"
    op.execute(" ".join(["CREATE TRIGGER", f"{table}_{name}", "BEFORE", act, "ON", table, condition, raised]))


def upgrade() -> None:
    for table, same in IDENTITIES.items():
        met = " ".join(["EXISTS (SELECT 1 FROM", table, "WHERE", same, ")"])
        refuse("refuses_replacing", "INSERT", table, "are never replaced", met)
    published = "(SELECT published_at FROM study WHERE id = OLD.study_id) IS NOT NULL"
    for table, columns in PUBLISHED.items():
        refuse("published_refuses_update", "UPDATE" + columns, table, "stand once they are published", published)
        refuse("published_refuses_delete", "DELETE", table, "stand once they are published", published)
    refuse("refuses_update", "UPDATE", "queue_item", "are only appended")
    refuse("refuses_delete", "DELETE", "queue_item", "are only appended")
    refuse("refuses_update", f"UPDATE OF {REGISTERED}", "study", "stand as they were registered")
    refuse("refuses_delete", "DELETE", "study", "stand as they were registered")


def downgrade() -> None:
    for table in IDENTITIES:
        op.execute(f"DROP TRIGGER {table}_refuses_replacing")
    for table in PUBLISHED:
        for act in ("update", "delete"):
            op.execute(f"DROP TRIGGER {table}_published_refuses_{act}")
    for table in ("queue_item", "study"):
        for act in ("update", "delete"):
            op.execute(f"DROP TRIGGER {table}_refuses_{act}")
