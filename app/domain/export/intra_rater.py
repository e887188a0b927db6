"""`intra_rater.csv`: each rater's hidden repeats beside the first coding of the same claim, and how many agree.

The first coding counts everywhere else; these rows measure agreement with oneself and enter nothing (protocol, hidden
repeats; seed document B takes 0.80 as the gate).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.accounting import human_slots, label_of
from app.domain.codebook.crosswalk_model import CROSSWALK
from app.domain.export.csv_form import hashed
from app.domain.record import CodingRecord, StudyRecord

SCHEMA = "intra_rater/1"
INTRA_COLUMNS = (
    "schema_version",
    "study_id",
    "blind_claim_id",
    "blind_run_id",
    "coder_slot",
    "codebook_version",
    "first_position",
    "repeat_position",
    "first_label",
    "repeat_label",
    "first_claim_kind",
    "repeat_claim_kind",
    "agree_label",
    "agree_kind",
    "row_sha256",
)


def intra_rater_rows(record: StudyRecord) -> list[dict[str, Any]]:
    """Return one hashed row a hidden repeat, by claim, then slot; empty when none was dealt.

    A repeat of a claim whose coding a crosswalk carried over is left out: it was never coded a first time.
    """
    runs = {claim.blind_claim_id: claim.blind_run_id for claim in record.claims}
    own = [c for c in record.codings if c.origin != CROSSWALK]
    first = {(c.slot, c.blind_claim_id): c for c in own if c.purpose == "main"}
    again = [c for c in own if c.purpose == "repeat" and c.slot in human_slots(record)]
    pairs = [(first[c.slot, c.blind_claim_id], c) for c in again if (c.slot, c.blind_claim_id) in first]
    pairs.sort(key=lambda pair: (pair[0].blind_claim_id, int(pair[0].slot[1:])))
    return hashed(INTRA_COLUMNS, [_row(record, runs[one.blind_claim_id], one, two) for one, two in pairs])


def _row(record: StudyRecord, run_id: str, first: CodingRecord, again: CodingRecord) -> dict[str, Any]:
    labels = label_of(first.answer), label_of(again.answer)
    kinds = first.answer.get("claim_kind"), again.answer.get("claim_kind")
    return {
        "schema_version": SCHEMA,
        "study_id": record.study_id,
        "blind_claim_id": first.blind_claim_id,
        "blind_run_id": run_id,
        "coder_slot": first.slot,
        "codebook_version": first.codebook_version,
        "first_position": first.position,
        "repeat_position": again.position,
        "first_label": labels[0],
        "repeat_label": labels[1],
        "first_claim_kind": kinds[0],
        "repeat_claim_kind": kinds[1],
        "agree_label": labels[0] == labels[1],
        "agree_kind": kinds[0] == kinds[1],
    }


def count_uncoded_first(record: StudyRecord) -> int:
    """Return how many hidden repeats are left out because a crosswalk carried their claim's coding over."""
    carried = {(c.slot, c.blind_claim_id) for c in record.codings if c.purpose == "main" and c.origin == CROSSWALK}
    return sum(c.purpose == "repeat" and (c.slot, c.blind_claim_id) in carried for c in record.codings)


def self_agreement(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, int]]:
    """Return slot → (repeats with the same label, repeats), in slot order; no slot without a repeat."""
    found: dict[str, tuple[int, int]] = {}
    for slot in sorted({row["coder_slot"] for row in rows}, key=lambda name: int(name[1:])):
        own = [row for row in rows if row["coder_slot"] == slot]
        found[slot] = (sum(bool(row["agree_label"]) for row in own), len(own))
    return found
