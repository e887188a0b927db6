"""`rater_pooled.csv`: one row per claim, each rater's locked code beside the pooled value.

Lays out the columns. What a claim pools to is `consolidated`'s business, what a gap is the codebook's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.accounting import Case, human_slots, label_of
from app.domain.adjudication import AUDIT_REASON, DIFFERING_FIELDS, undetermined_labels
from app.domain.codebook.model import Codebook
from app.domain.export.consolidated import consolidated, flags_of, materiality_of, origin_of, pooled_field_names
from app.domain.export.csv_form import hashed
from app.domain.export.reliability import independent, same
from app.domain.record import StudyRecord
from app.domain.stats.gaps import credit_of, decided_labels, gap_names, is_gap
from app.domain.stats.pooling import pool

SCHEMA = "rater_pooled/1"
_IDENTITY = [
    "schema_version",
    "study_id",
    "blind_claim_id",
    "blind_run_id",
    "claim_source",
    "claim_turn",
    "unit_parts",
    "repeat_of",
    "codebook_version",
    "codebook_sha256",
    "packet_sha256",
    "n_raters",
]
_RATER = ["codability", "claim_kind", "verdict", "confidence", "materiality", "row_sha256"]
_POOLED = [
    "agree_codability",
    "agree_kind",
    "agree_verdict",
    "adj_status",
    "adj_codability",
    "adj_verdict",
    "adj_kind",
    "adj_rule",
    "adj_cause",
    "pooled_codability",
    "pooled_not_codable_reason",
    "pooled_kind",
    "pooled_verdict",
    "pooled_materiality",
    "pooled_basis",
    "pooled_p2",
    "pooled_p3",
    "pooled_p5",
    "pooled_p6",
    "pooled_null_reason",
    "pooled_p2_null_reason",
    "pooled_p3_null_reason",
    "decided",
]
_LAST = ["flags", "origin", "warnings_overridden", "lock_ids", "row_sha256"]


def pooled_columns(codebook: Codebook, n_slots: int) -> tuple[str, ...]:
    """Return the header for a codebook and a number of human raters."""
    raters = [f"r{i}_{name}" for i in range(1, n_slots + 1) for name in _RATER]
    gaps = [f"gap_{name.lower()}" for name in gap_names(codebook)]
    evidence = ["credit", "evidence_turns", "best_tier"]
    return (*_IDENTITY, *raters, *_POOLED, *gaps, *evidence, *pooled_field_names(codebook), *_LAST)


def pooled_rows(
    record: StudyRecord, cases: Sequence[Case], hashes: Mapping[tuple[str, str], str], primary: str
) -> list[dict[str, Any]]:
    """Return one hashed row a claim, by blind claim id; `hashes` are those of `rater_long.csv`'s rows."""
    slots = human_slots(record)
    rows = [
        _identity(record, case)
        | _raters(case, slots, hashes)
        | _agreement(case)
        | _adjudication(case, record.codebook)
        | _values(case, record.codebook, primary)
        | _provenance(case)
        for case in cases
    ]
    return hashed(pooled_columns(record.codebook, len(slots)), rows)


def adjudication_status(case: Case, codebook: Codebook) -> str:
    """Return `decided`, `undetermined`, `audit` (only the audit drew it), `not_needed`, or `none` (not done)."""
    if case.final is None:
        alike = all(same(case.codings, name) for name in DIFFERING_FIELDS)
        open_need = bool(case.selected_by) or not case.codings or not alike
        return "none" if open_need else "not_needed"
    if set(case.selected_by) == {AUDIT_REASON}:
        return "audit"
    return "undetermined" if label_of(case.final.answer) in undetermined_labels(codebook) else "decided"


def _identity(record: StudyRecord, case: Case) -> dict[str, Any]:
    claim = case.claim
    return {
        "schema_version": SCHEMA,
        "study_id": record.study_id,
        "blind_claim_id": claim.blind_claim_id,
        "blind_run_id": claim.blind_run_id,
        "claim_source": claim.claim_source,
        "claim_turn": claim.claim_turn,
        "unit_parts": claim.unit_parts,
        "repeat_of": claim.repeat_of,
        "codebook_version": record.codebook.version,
        "codebook_sha256": record.codebook.sha256,
        "packet_sha256": sorted({coding.packet_sha256 for coding in case.codings}),
        "n_raters": len(independent(case.codings)),
    }


def _raters(case: Case, slots: Sequence[str], hashes: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    by_slot = {coding.slot: coding for coding in case.codings}
    cells: dict[str, Any] = {}
    for place, slot in enumerate(slots, start=1):
        if slot not in by_slot:
            continue
        answer = by_slot[slot].answer
        values = {name: answer.get(name) or None for name in ("codability", "claim_kind", "verdict", "confidence")}
        values |= {"materiality": materiality_of(answer), "row_sha256": hashes[case.claim.blind_claim_id, slot]}
        cells |= {f"r{place}_{name}": value for name, value in values.items()}
    return cells


def _agreement(case: Case) -> dict[str, Any]:
    own = independent(case.codings)
    if len(own) < 2:
        return {}
    columns = {"agree_codability": "codability", "agree_kind": "claim_kind", "agree_verdict": "verdict"}
    return {column: same(own, name) for column, name in columns.items()}


def _adjudication(case: Case, codebook: Codebook) -> dict[str, Any]:
    cells: dict[str, Any] = {"adj_status": adjudication_status(case, codebook)}
    if case.final is None:
        return cells
    answer = case.final.answer
    return cells | {
        "adj_codability": answer.get("codability") or None,
        "adj_verdict": answer.get("verdict") or None,
        "adj_kind": answer.get("claim_kind") or None,
        "adj_rule": case.final.rule or None,
        "adj_cause": case.final.cause or None,
    }


def _values(case: Case, codebook: Codebook, primary: str) -> dict[str, Any]:
    cells = consolidated(case, codebook, primary)
    label = cells["pooled_verdict"]
    for policy in ("P2", "P3", "P5", "P6"):
        other = pool(policy, case.ballot, codebook.ordinal)
        cells |= {f"pooled_{policy.lower()}": other.label, f"pooled_{policy.lower()}_null_reason": other.null_reason}
    cells |= {f"gap_{name.lower()}": is_gap(codebook, name, label) for name in gap_names(codebook)}
    return cells | {
        "decided": label in decided_labels(codebook),
        "credit": credit_of(codebook, label),
        "flags": flags_of(case, cells["pooled_basis"]),
    }


def _provenance(case: Case) -> dict[str, Any]:
    return {
        "origin": origin_of(case.codings),
        "warnings_overridden": sum(len(coding.warnings_confirmed) for coding in case.codings),
        "lock_ids": sorted({coding.lock_id for coding in case.codings}),
    }
