"""The rules enforced in a study, for its lead: listed at any time, counted once every packet is locked.

How often a rule for one label applied is how often that label was coded: before the locks nobody learns that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlmodel import Session

from app.domain.codebook.enforcement import NOT_AT_A_SAVE, Enforcement, RuleLine, enforcement_of
from app.domain.roles import Action
from app.domain.tally import Count
from app.services.access import codebook_of, get_study_for
from app.services.adjudicating import all_locked
from app.services.pages import RulesPage
from app.services.people import Actor
from app.storage import rule_counts


def rules_page(session: Session, actor: Actor, study_id: str) -> RulesPage:
    """Return every rule of the study's registered codebook and of the work, with counts after the last lock."""
    study = get_study_for(session, actor, study_id, Action.READ_AGREEMENT)
    locked = all_locked(session, study_id)
    counts = rule_counts.list_counts(session, study_id) if locked else None
    return RulesPage(
        study_id=study.id,
        title=study.title,
        codebook_version=study.codebook_version,
        codebook_sha256=study.codebook_sha256,
        are_counts_open=locked,
        enforcement=enforcement_of(codebook_of(study), counts),
    )


def rules_document(page: RulesPage) -> dict[str, Any]:
    """Return the page as plain values. A count that cannot be said is null beside its reason."""
    return {
        "study": page.study_id,
        "codebook": {"version": page.codebook_version, "sha256": page.codebook_sha256},
        "counted": page.enforcement.why is None,
        "why": page.enforcement.why,
        "saves": _by_source(page.enforcement),
        "rules": [_rule(line) for line in page.enforcement.lines],
    }


def _by_source(found: Enforcement) -> dict[str, dict[str, int]]:
    return {source: _plain(count) for source, count in found.saves.items()}


def _rule(line: RuleLine) -> dict[str, Any]:
    return {
        "rule": line.id,
        "level": line.level,
        "stated_by": line.stated_by,
        "applies": line.applies,
        "message": line.message,
        "count": _plain(line.count) if line.count is not None else None,
        "why": line.why,
        "by_source": {source: _plain(count) for source, count in line.by_source.items()},
    }


def _plain(count: Count) -> dict[str, int]:
    return count._asdict()


def rules_lines(page: RulesPage) -> Iterator[str]:
    """Yield the page as lines for a terminal: id, level, applied of all saves, then refused, or asked and confirmed."""
    found = page.enforcement
    yield f"{page.study_id}: codebook {page.codebook_version}, {len(found.lines)} rules" + (
        f"; no counts: {found.why}" if found.why else ""
    )
    for source, count in found.saves.items():
        yield f"  {count.applied} judged saves ({source}): {count.refused} refused, {count.asked} asked"
    for line in found.lines:
        yield f"  {line.id:<5} {line.level:<5} {_told(line):<44} {line.message}"


def _told(line: RuleLine) -> str:
    if line.count is None:
        return f"– ({line.why})" if line.why == NOT_AT_A_SAVE else "–"
    n = line.count
    parts = [f"refused {n.refused}"] if line.level == "hard" else []
    parts += [f"asked {n.asked}, confirmed {n.confirmed}"] if line.level == "soft" or n.asked or n.confirmed else []
    return f"applied {n.applied}: {', '.join(parts)}"
