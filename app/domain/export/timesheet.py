"""`timesheet.csv`: how long each rater worked, session by session, from the saves themselves. People are paid by it.

Counts every save of a locked packet, revisions, hidden repeats and controls among them. Practice and adjudication are
not in it. No time of day and no name: seconds from the publication of the packets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.accounting import Case, human_slots, slot_order
from app.domain.export.csv_form import hashed
from app.domain.record import CodingRecord, StudyRecord
from app.domain.work import Save

SCHEMA = "timesheet/1"
NOT_MEASURED = "not_measured"
TIMESHEET_COLUMNS = (
    "schema_version",
    "study_id",
    "coder_slot",
    "session",
    "items",
    "saves",
    "unmeasured_saves",
    "seconds_active",
    "seconds_idle",
    "seconds_span",
    "first_rel",
    "last_rel",
    "claims",
    "claims_seconds",
    "undefined_reason",
    "row_sha256",
)


def timesheet_rows(record: StudyRecord, cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Return one hashed row a rater and session, R1 first; empty where nothing was saved.

    `claims` and `claims_seconds` are those of the session's rows in `rater_long.csv`. Idle is null with `not_measured`
    where a save has no measured time; active is, where none has.
    """
    saves: dict[tuple[str, int], list[Save]] = defaultdict(list)
    for save in record.work:
        if save.slot in human_slots(record):
            saves[save.slot, save.session].append(save)
    kept = _kept(cases)
    rows = []
    for slot, session in sorted({*saves, *kept}, key=lambda key: (slot_order(key[0]), key[1])):
        own = {"schema_version": SCHEMA, "study_id": record.study_id, "coder_slot": slot, "session": session}
        rows.append(own | _worked(saves[slot, session]) | _coded(kept.get((slot, session), [])))
    return hashed(TIMESHEET_COLUMNS, rows)


def _kept(cases: Sequence[Case]) -> Mapping[tuple[str, int], list[CodingRecord]]:
    """Return the current codings of claims by slot and session, those a crosswalk carried over left out."""
    found: dict[tuple[str, int], list[CodingRecord]] = defaultdict(list)
    for case in cases:
        for coding in case.codings:
            if coding.origin == "human":
                found[coding.slot, coding.session].append(coding)
    return found


def _worked(saves: Sequence[Save]) -> dict[str, Any]:
    ordered = sorted(saves, key=lambda save: (save.created_seconds, save.position))
    measured = [save.seconds for save in ordered if save.seconds is not None]
    cells: dict[str, Any] = {
        "items": len({save.position for save in ordered}),
        "saves": len(ordered),
        "unmeasured_saves": len(ordered) - len(measured),
        "undefined_reason": None if ordered and len(measured) == len(ordered) else NOT_MEASURED,
    }
    if not ordered:
        return cells
    first = ordered[0].created_seconds - (ordered[0].seconds or 0.0)
    span = ordered[-1].created_seconds - first
    active = float(sum(measured)) if measured else None
    idle = max(0.0, span - active) if active is not None and len(measured) == len(ordered) else None
    times = {"seconds_active": active, "seconds_idle": idle, "seconds_span": float(span)}
    return cells | times | {"first_rel": float(first), "last_rel": float(ordered[-1].created_seconds)}


def _coded(codings: Sequence[CodingRecord]) -> dict[str, Any]:
    measured = [float(coding.seconds_on_item) for coding in codings if coding.seconds_on_item is not None]
    return {"claims": len(codings), "claims_seconds": float(sum(measured)) if measured else None}
