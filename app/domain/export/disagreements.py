"""`disagreements.csv`: every claim its raters coded differently, the codings side by side, and how it was settled.

In blind-id order, every one of them: nothing is picked. No rater is named, and the codings stand in the seeded order in
which the adjudicator saw them, not in slot order. It tells no story about causes beyond the one the adjudicator chose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.domain.accounting import Case, human_slots, label_of
from app.domain.adjudication import coding_order
from app.domain.canonical import canonical_json
from app.domain.export.citations import citations
from app.domain.export.consolidated import materiality_of
from app.domain.export.csv_form import hashed
from app.domain.export.pooled import adjudication_status
from app.domain.export.reliability import differs_in, independent
from app.domain.record import CodingRecord, StudyRecord

SCHEMA = "disagreements/1"
_FIRST = [
    "schema_version",
    "study_id",
    "blind_claim_id",
    "blind_run_id",
    "claim_source",
    "claim_turn",
    "claim_text",
    "codebook_version",
    "differs_in",
    "selected_by",
]
_CODING = ["codability", "claim_kind", "verdict", "confidence", "materiality", "flags", "evidence", "note"]
_LAST = [
    "provisional_codability",
    "provisional_kind",
    "provisional_verdict",
    "adj_status",
    "final_codability",
    "final_kind",
    "final_verdict",
    "final_evidence",
    "final_rule",
    "final_cause",
    "final_reason",
    "final_equals",
    "row_sha256",
]


def disagreement_columns(n_codings: int) -> tuple[str, ...]:
    """Return the header for claims with up to `n_codings` codings."""
    blocks = [f"coding_{i}_{name}" for i in range(1, n_codings + 1) for name in _CODING]
    return (*_FIRST, *blocks, *_LAST)


def disagreement_rows(record: StudyRecord, cases: Sequence[Case], *, notes: bool = False) -> list[dict[str, Any]]:
    """Return one hashed row for every claim whose human codings differ in codability, kind or verdict, by blind id.

    What a crosswalk carried over makes no disagreement; beside one, it stands among the codings that were shown.
    Notes, quotes, the claim's words and the adjudicator's reason are free text and stay empty unless `notes` is set.
    """
    rows = [_row(record, case, notes) for case in cases if differs_in(case)]
    return hashed(disagreement_columns(len(human_slots(record))), rows)


def confused_pairs(cases: Iterable[Case]) -> list[dict[str, Any]]:
    """Return unordered pairs of labels that raters set against each other, most frequent first, ties by name.

    With more than two codings every pair of them counts once. Each entry: `labels` (sorted) and `n`.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for case in cases:
        labels = [str(label_of(coding.answer)) for coding in independent(case.codings)]
        for place, one in enumerate(labels):
            pairs.update((min(one, other), max(one, other)) for other in labels[place + 1 :] if other != one)
    ranked = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return [{"labels": list(pair), "n": n} for pair, n in ranked]


def cause_counts(cases: Iterable[Case]) -> dict[str, int]:
    """Return how often the adjudicator named each cause among settled disagreements, most frequent first."""
    causes = Counter(
        case.final.cause for case in cases if case.final is not None and differs_in(case) and case.final.cause
    )
    return dict(sorted(causes.items(), key=lambda item: (-item[1], item[0])))


def rule_counts(cases: Iterable[Case]) -> dict[str, int]:
    """Return how often each rule decided a disagreement, most frequent first."""
    rules = Counter(
        case.final.rule for case in cases if case.final is not None and differs_in(case) and case.final.rule
    )
    return dict(sorted(rules.items(), key=lambda item: (-item[1], item[0])))


def shown_order(record: StudyRecord, case: Case) -> list[CodingRecord]:
    """Return a claim's human codings in the seeded order in which they are shown as "coding 1", "coding 2", …"""
    order = coding_order(record.seed, case.claim.blind_claim_id, len(case.codings))
    return [case.codings[place] for place in order]


def _row(record: StudyRecord, case: Case, notes: bool) -> dict[str, Any]:
    shown = shown_order(record, case)
    cells: dict[str, Any] = {
        "schema_version": SCHEMA,
        "study_id": record.study_id,
        "blind_claim_id": case.claim.blind_claim_id,
        "blind_run_id": case.claim.blind_run_id,
        "claim_source": case.claim.claim_source,
        "claim_turn": case.claim.claim_turn,
        "claim_text": case.claim.text if notes else None,
        "codebook_version": record.codebook.version,
        "differs_in": differs_in(case),
        "selected_by": case.selected_by,
    }
    for place, coding in enumerate(shown, start=1):
        values = _coding_cells(coding.answer, coding.derived_tiers, notes)
        cells |= {f"coding_{place}_{name}": value for name, value in values.items()}
    return cells | _outcome(record, case, shown, notes)


def _coding_cells(answer: Mapping[str, Any], tiers: Sequence[str], notes: bool) -> dict[str, Any]:
    cited = citations(answer, tiers, quotes=notes)
    return {
        "codability": answer.get("codability") or None,
        "claim_kind": answer.get("claim_kind") or None,
        "verdict": answer.get("verdict") or None,
        "confidence": answer.get("confidence") or None,
        "materiality": materiality_of(answer),
        "flags": sorted(answer.get("flags") or ()),
        "evidence": canonical_json(cited) if cited else None,
        "note": (answer.get("note") or None) if notes else None,
    }


def _outcome(record: StudyRecord, case: Case, shown: Sequence[CodingRecord], notes: bool) -> dict[str, Any]:
    cells: dict[str, Any] = {"adj_status": adjudication_status(case, record.codebook)}
    for stage, decision in (("provisional", case.provisional), ("final", case.final)):
        if decision is None:
            continue
        cells |= {
            f"{stage}_codability": decision.answer.get("codability") or None,
            f"{stage}_kind": decision.answer.get("claim_kind") or None,
            f"{stage}_verdict": decision.answer.get("verdict") or None,
        }
    if case.final is None:
        return cells
    cited = citations(case.final.answer, case.final.derived_tiers, quotes=notes)
    return cells | {
        "final_evidence": canonical_json(cited) if cited else None,
        "final_rule": case.final.rule or None,
        "final_cause": case.final.cause or None,
        "final_reason": (case.final.reason or None) if notes else None,
        "final_equals": final_equals(case, shown),
    }


def final_equals(case: Case, shown: Sequence[CodingRecord]) -> list[str]:
    """Return what the final decision equals: `coding_1`, … and `provisional`; `neither` when it equals none of them.

    Equal is the same label and the same kind, the kind only where the decision names one.
    """
    if case.final is None:
        return []
    same = [f"coding_{place}" for place, c in enumerate(shown, start=1) if _equal(case.final.answer, c.answer)]
    if case.provisional is not None and _equal(case.final.answer, case.provisional.answer):
        same.append("provisional")
    return same or ["neither"]


def _equal(final: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    kind = final.get("claim_kind")
    return label_of(final) == label_of(other) and (not kind or kind == other.get("claim_kind"))
