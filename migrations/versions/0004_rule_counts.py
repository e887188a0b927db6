"""How often each rule applied, refused, asked and was confirmed at the judged saves of a study; counts alone.

Also the index by which a rater's newest codings are found, whatever the length of the history.
"""

from __future__ import annotations

import sqlalchemy as sa
import sqlmodel
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TEXT = sqlmodel.sql.sqltypes.AutoString


def upgrade() -> None:
    op.create_table(
        "rule_count",
        sa.Column("study_id", TEXT(), nullable=False),
        sa.Column("source", TEXT(), nullable=False),
        sa.Column("rule", TEXT(), nullable=False),
        sa.Column("n_applied", sa.Integer(), nullable=False),
        sa.Column("n_refused", sa.Integer(), nullable=False),
        sa.Column("n_asked", sa.Integer(), nullable=False),
        sa.Column("n_confirmed", sa.Integer(), nullable=False),
        sa.CheckConstraint("source IN ('human', 'machine', 'import', 'adjudicator')", name="source_is_known"),
        sa.CheckConstraint(
            "n_refused >= 0 AND n_asked >= 0 AND n_confirmed >= 0 AND n_refused + n_asked + n_confirmed <= n_applied",
            name="counts_are_of_those_applied",
        ),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"]),
        sa.PrimaryKeyConstraint("study_id", "source", "rule"),
    )
    op.create_index("ix_coding_rater", "coding", ["rater_id"])


def downgrade() -> None:
    op.drop_index("ix_coding_rater", table_name="coding")
    op.drop_table("rule_count")
