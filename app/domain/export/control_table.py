"""`controls.csv`: each rater's codings of claims whose answer is known, beside that answer.

Controls enter no other table and no coefficient. Where a study has none the file holds its header alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.accounting import human_slots, label_of, slot_order
from app.domain.export.csv_form import hashed
from app.domain.record import CodingRecord, StudyRecord

SCHEMA = "controls/1"
CONTROL_COLUMNS = (
    "schema_version",
    "study_id",
    "blind_claim_id",
    "blind_run_id",
    "coder_slot",
    "codebook_version",
    "position",
    "session",
    "known_label",
    "given_label",
    "known_claim_kind",
    "given_claim_kind",
    "agree_label",
    "agree_kind",
    "row_sha256",
)


def control_rows(record: StudyRecord) -> list[dict[str, Any]]:
    """Return one hashed row a control and rater, by claim, then slot; empty where none was dealt."""
    runs = {claim.blind_claim_id: claim.blind_run_id for claim in record.claims}
    given = [c for c in record.codings if c.purpose == "control" and c.slot in human_slots(record)]
    given = [c for c in given if c.blind_claim_id in record.controls]
    given.sort(key=lambda coding: (coding.blind_claim_id, slot_order(coding.slot)))
    rows = [_row(record, runs[c.blind_claim_id], c, record.controls[c.blind_claim_id]) for c in given]
    return hashed(CONTROL_COLUMNS, rows)


def _row(record: StudyRecord, run_id: str, coding: CodingRecord, known: Mapping[str, Any]) -> dict[str, Any]:
    labels = label_of(known), label_of(coding.answer)
    kinds = known.get("claim_kind") or None, coding.answer.get("claim_kind") or None
    return {
        "schema_version": SCHEMA,
        "study_id": record.study_id,
        "blind_claim_id": coding.blind_claim_id,
        "blind_run_id": run_id,
        "coder_slot": coding.slot,
        "codebook_version": coding.codebook_version,
        "position": coding.position,
        "session": coding.session,
        "known_label": labels[0],
        "given_label": labels[1],
        "known_claim_kind": kinds[0],
        "given_claim_kind": kinds[1],
        "agree_label": labels[0] == labels[1],
        "agree_kind": None if kinds[0] is None else kinds[0] == kinds[1],
    }
