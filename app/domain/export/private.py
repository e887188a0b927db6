"""`codings.csv`, for the custodian only: every current main coding complete, in the form the import reads.

Notes and search terms are in it. The claim ids are the native ones where the custodian's mapping is given, else the
blind ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.accounting import Case
from app.domain.canonical import canonical_json
from app.domain.codebook.columns import further_fields
from app.domain.codebook.crosswalk_model import AUTO, CROSSWALK
from app.domain.codebook.model import Codebook
from app.domain.export.long import answer_cells
from app.domain.record import CodingRecord, StudyRecord

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
_LOOKS_GUARDED = re.compile(r"'+[=+\-@\t\r]")


def codings_columns(codebook: Codebook, *, carried: bool = False) -> tuple[str, ...]:
    """Return the header: `claim_id, coder_slot`, the field columns of `rater_long.csv`, then the free texts.

    `carried` says whether a crosswalk carried any of the codings over; what it says of them stands after the slot then.
    """
    crossed = ("origin", "how", "reason", "needs") if carried else ()
    return ("claim_id", "coder_slot", *crossed, *_FIELDS, *(field.name for field in further_fields(codebook)), *_LAST)


def codings_rows(record: StudyRecord, cases: Sequence[Case], native: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return one row a coding by claim id, then slot; `native` maps blind claim ids to native ones (may be empty)."""
    rows = []
    for case in cases:
        blind = case.claim.blind_claim_id
        for coding in (*case.codings, *case.machine):
            own = {"claim_id": native.get(blind, blind), "coder_slot": coding.slot, **_crossed(coding)}
            rows.append(_cells(record.codebook, coding) | own)
    return sorted(rows, key=lambda row: str(row["claim_id"]))


def carries_any(cases: Sequence[Case]) -> bool:
    """Return whether a crosswalk carried any coding of these claims over."""
    return any(coding.origin == CROSSWALK for case in cases for coding in (*case.codings, *case.machine))


def _crossed(coding: CodingRecord) -> dict[str, Any]:
    """What keeps a carried coding from being brought back as one that a rater made."""
    if coding.origin != CROSSWALK:
        return {}
    return {"origin": CROSSWALK, "how": AUTO, "needs": sorted(coding.needs)}


def _cells(codebook: Codebook, coding: CodingRecord) -> dict[str, Any]:
    evidence = coding.answer.get("evidence")
    span = coding.answer.get("search_span") or {}
    cells = answer_cells(codebook, coding.answer, (), notes=True) | {
        "evidence": canonical_json(list(evidence)) if evidence else None,
        "looked_for": span.get("looked_for"),
        "warnings_confirmed": sorted(coding.warnings_confirmed),
    }
    return {name: _read_back_as_is(value) for name, value in cells.items()}


def _read_back_as_is(value: Any) -> Any:
    """A text that looks as if it had been guarded gets one more apostrophe, so that reading gives the text back."""
    return "'" + value if isinstance(value, str) and _LOOKS_GUARDED.match(value) else value
