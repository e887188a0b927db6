"""`rater_long.csv`: one row per claim and coder, the adjudicator's two rows among them.

The table from which everything else is recomputed. It holds no free text unless notes are asked for, and no name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.domain.accounting import Case, slot_order
from app.domain.canonical import canonical_json
from app.domain.codebook.columns import QUESTIONS, further_fields
from app.domain.codebook.model import EVIDENCE_TYPES, Codebook, Field
from app.domain.export.citations import citations
from app.domain.export.consolidated import plain
from app.domain.export.csv_form import hashed
from app.domain.record import CodingRecord, DecisionRecord, StudyRecord

SCHEMA = "rater_long/1"
PROVISIONAL, FINAL = "ADJ_PROV", "ADJ"
ADJUDICATOR_SLOTS = (PROVISIONAL, FINAL)
_FIRST = [
    "schema_version",
    "study_id",
    "blind_claim_id",
    "blind_run_id",
    "coder_slot",
    "phase",
    "codebook_version",
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
_LAST = [
    "confidence",
    "flags",
    "note",
    "position",
    "session",
    "seconds_on_item",
    "revisions",
    "warnings_shown",
    "warnings_overridden",
    "origin",
    "created_rel",
    "lock_id",
    "row_sha256",
]


def long_columns(codebook: Codebook, *, needs: bool = False) -> tuple[str, ...]:
    """Return the header: the same columns for every codebook, then its own further fields after `disclosure`.

    `needs` says whether carried codings lack anything, which then has a column after `origin`.
    """
    after = _LAST.index("origin") + 1
    last = [*_LAST[:after], "needs", *_LAST[after:]] if needs else _LAST
    return (*_FIRST, *(field.name for field in further_fields(codebook)), *last)


def tells_needs(cases: Iterable[Case]) -> bool:
    """Return whether a coding of these claims was carried over by a crosswalk and lacks something."""
    return any(coding.needs for case in cases for coding in (*case.codings, *case.machine))


def long_rows(record: StudyRecord, cases: Sequence[Case], *, notes: bool = False) -> list[dict[str, Any]]:
    """Return the rows by blind claim id, then R1, R2, …, then machine slots, then the adjudicator's, each hashed."""
    rows: list[dict[str, Any]] = []
    for case in cases:
        for coding in (*case.codings, *case.machine):
            rows.append(_identity(record, case, coding.slot) | _coding_cells(record.codebook, coding, notes))
        for slot, decision in ((PROVISIONAL, case.provisional), (FINAL, case.final)):
            if decision is not None:
                rows.append(_identity(record, case, slot) | _decision_cells(record.codebook, decision, notes))
    return hashed(long_columns(record.codebook, needs=tells_needs(cases)), rows)


def row_hashes(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """Return each row's hash under (blind claim id, coder slot)."""
    return {(row["blind_claim_id"], row["coder_slot"]): row["row_sha256"] for row in rows}


def coder_order(slot: str) -> tuple[int, int, str]:
    """Return a sort key over coder slots: raters by number, then the provisional, then the final decision."""
    place = ADJUDICATOR_SLOTS.index(slot) + 1 if slot in ADJUDICATOR_SLOTS else 0
    return (place, *slot_order(slot))


def answer_cells(
    codebook: Codebook, answer: Mapping[str, Any], derived_tiers: Sequence[str], notes: bool
) -> dict[str, Any]:
    """Return the field columns of one answer, which stands under the tables' names; free text only with `notes`."""
    span = answer.get("search_span") or {}
    cells: dict[str, Any] = {name: answer.get(name) or None for name in QUESTIONS}
    cited = citations(answer, derived_tiers, quotes=notes)
    cells |= {
        "evidence": canonical_json(cited) if cited else None,
        "search_from": span.get("from_turn"),
        "search_to": span.get("to_turn"),
        "flags": sorted(answer.get("flags") or ()),
        "note": (answer.get("note") or None) if notes else None,
    }
    for field in further_fields(codebook):
        value = answer.get(field.name)
        cells[field.name] = plain(value if notes else _without_free_text(field, value))
    return cells


def _without_free_text(field: Field, value: Any) -> Any:
    """Leave out what a rater wrote in own words: a text, what a search looked for, the quote of a citation."""
    if field.type == "text":
        return None
    if field.type == "span" and isinstance(value, Mapping):
        return {key: part for key, part in value.items() if key != "looked_for"}
    if field.type in EVIDENCE_TYPES:
        return [_without(cited, "quote") for cited in value or ()]
    return value


def _without(cited: Any, key: str) -> Any:
    return {name: part for name, part in cited.items() if name != key} if isinstance(cited, Mapping) else cited


def _identity(record: StudyRecord, case: Case, slot: str) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA,
        "study_id": record.study_id,
        "blind_claim_id": case.claim.blind_claim_id,
        "blind_run_id": case.claim.blind_run_id,
        "coder_slot": slot,
        "phase": "main",
        "codebook_version": record.codebook.version,
    }


def _coding_cells(codebook: Codebook, coding: CodingRecord, notes: bool) -> dict[str, Any]:
    return answer_cells(codebook, coding.answer, coding.derived_tiers, notes) | {
        "position": coding.position,
        "session": coding.session,
        "seconds_on_item": None if coding.seconds_on_item is None else float(coding.seconds_on_item),
        "revisions": coding.revisions,
        "warnings_shown": sorted(coding.warnings_shown),
        "warnings_overridden": sorted(coding.warnings_confirmed),
        "origin": coding.origin if coding.kind == "human" else coding.kind,
        "needs": sorted(coding.needs),
        "created_rel": float(coding.created_seconds),
        "lock_id": coding.lock_id,
    }


def _decision_cells(codebook: Codebook, decision: DecisionRecord, notes: bool) -> dict[str, Any]:
    return answer_cells(codebook, decision.answer, decision.derived_tiers, notes) | {
        "origin": "human",
        "created_rel": float(decision.created_seconds),
    }
