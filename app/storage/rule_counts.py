"""How often each rule applied, refused, asked and was confirmed: one row a study, source and rule, counted up."""

from __future__ import annotations

from sqlalchemy import text
from sqlmodel import Session, select

from app.domain.tally import Count, RuleCount, Tally
from app.storage.tables import RuleCountRow

# Written out: sent at every save, where building it anew would cost more than running it.
_ADD = text(
    """
    INSERT INTO rule_count (study_id, source, rule, n_applied, n_refused, n_asked, n_confirmed)
    VALUES (:study_id, :source, :rule, :applied, :refused, :asked, :confirmed)
    ON CONFLICT (study_id, source, rule) DO UPDATE SET
      n_applied = n_applied + excluded.n_applied,
      n_refused = n_refused + excluded.n_refused,
      n_asked = n_asked + excluded.n_asked,
      n_confirmed = n_confirmed + excluded.n_confirmed
    """
)


def add(session: Session, study_id: str, source: str, tally: Tally) -> None:
    """Count one save up, in one statement for all of its rules; two at once lose nothing."""
    rows = [{"study_id": study_id, "source": source, "rule": rule, **count._asdict()} for rule, count in tally.items()]
    if rows:
        session.connection().execute(_ADD, rows)


def list_counts(session: Session, study_id: str) -> tuple[RuleCount, ...]:
    """Return a study's counts by source and rule."""
    query = select(RuleCountRow).where(RuleCountRow.study_id == study_id)
    rows = session.exec(query.order_by(RuleCountRow.source, RuleCountRow.rule))
    return tuple(
        RuleCount(row.source, row.rule, Count(row.n_applied, row.n_refused, row.n_asked, row.n_confirmed))
        for row in rows
    )
