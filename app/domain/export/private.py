"""`codings.csv`, for the custodian only: every current main coding complete, in the form the import reads.

Notes and search terms are in it. The claim ids are the native ones where the custodian's mapping is given, else the
blind ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.accounting import Case
from app.domain.codebook.model import Codebook
from app.domain.export.long import answer_cells, extra_fields
from app.domain.record import StudyRecord

_FIELDS = [
    "codability",
    "not_codable_reason",
    "claim_kind",
    "verdict",
    "evidence",
    "evidence_strength",
    "log_coverage",
    "search_from",
    "search_to",
    "unverifiable_reason",
    "undetermined_reason",
    "severity",
    "materiality",
    "disclosure",
]
_LAST = ["confidence", "flags", "looked_for", "note", "warnings_confirmed"]


def codings_columns(codebook: Codebook) -> tuple[str, ...]:
    """Return the header: `claim_id, coder_slot`, the field columns of `rater_long.csv`, then the free texts."""
    return ("claim_id", "coder_slot", *_FIELDS, *(field.name for field in extra_fields(codebook)), *_LAST)


def codings_rows(record: StudyRecord, cases: Sequence[Case], native: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return one row a coding by claim id, then slot; `native` maps blind claim ids to native ones (may be empty)."""
    rows = []
    for case in cases:
        blind = case.claim.blind_claim_id
        for coding in (*case.codings, *case.machine):
            cells = answer_cells(record.codebook, coding.answer, (), notes=True)
            span = coding.answer.get("search_span") or {}
            own = {
                "claim_id": native.get(blind, blind),
                "coder_slot": coding.slot,
                "looked_for": span.get("looked_for"),
            }
            rows.append(cells | own | {"warnings_confirmed": sorted(coding.warnings_confirmed)})
    return sorted(rows, key=lambda row: str(row["claim_id"]))
