"""Codings of a study that a crosswalk carried over: under which exemptions they were taken, and what they lack.

The exemptions are those of the import that brought them, as the audit chain tells it; the crosswalk file itself may
have moved on. Carrying over is `crosswalking`, taking in is `importing`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlmodel import Session

from app.domain.codebook.crosswalk import needs_of
from app.domain.codebook.crosswalk_model import CROSSWALK, Crosswalk
from app.domain.codebook.rules import judge_in
from app.services.bench import UnshownCase, load_unshown_case
from app.storage import audit
from app.storage.tables import CodingRow, StudyRow

IMPORTED = "import_codings"


def crosswalk_facts(crosswalk: Crosswalk) -> dict[str, Any]:
    """Return what identifies a crosswalk, and the rules its codings need not keep."""
    return {
        "id": crosswalk.id,
        "sha256": crosswalk.sha256,
        "from": {"version": crosswalk.old.version, "sha256": crosswalk.old.sha256},
        "to": {"version": crosswalk.new.version, "sha256": crosswalk.new.sha256},
        "exempt": list(crosswalk.exempt),
    }


def list_crosswalks(session: Session, study_id: str) -> list[dict[str, Any]]:
    """Return the facts of every crosswalk whose codings were taken into a study, by id, each hash once."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for event in audit.list_events(session, study_id, IMPORTED):
        for facts in json.loads(event.details_json).get("crosswalks", ()):
            found[facts["id"], facts["sha256"]] = facts
    return [found[key] for key in sorted(found)]


def exempt_rules(crosswalks: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return the rules that codings carried over by these crosswalks need not keep, sorted."""
    return tuple(sorted({rule for facts in crosswalks for rule in facts["exempt"]}))


def exempt_of(row: CodingRow, exempt: tuple[str, ...]) -> tuple[str, ...]:
    """Return the rules that one stored coding need not keep: none unless a crosswalk carried it over."""
    return exempt if row.origin == CROSSWALK else ()


def find_needs(
    session: Session, study: StudyRow, row: CodingRow, claim_id: str, exempt: tuple[str, ...]
) -> tuple[str, ...]:
    """Return what a carried coding lacks (`needs_…`); nothing for any other."""
    if row.origin != CROSSWALK:
        return ()
    case: UnshownCase = load_unshown_case(session, study, claim_id)
    return needs_of(judge_in(case.codebook, case.prepared.view, case.unit, json.loads(row.answer_json), exempt).waived)
