"""`agreement.json` of a study: agreement per field on the locked, independent, human codings of one codebook version.

Chooses which codings and categories enter and hands them to `app.domain.stats`. Hidden repeats, controls, calibration,
machine raters, crosswalk rows and the adjudicator never enter; a withdrawn or paused claim stays in, because taking a
claim out after the lock would change the sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.accounting import NOT_CODABLE, Case, human_slots, label_of
from app.domain.export.study_agreement import study_document
from app.domain.record import CodingRecord, StudyRecord
from app.domain.stats.gaps import decided_labels

Value = Callable[[CodingRecord], str | None]


@dataclass(frozen=True)
class Measured:
    """One thing two raters can agree on: its name, its declared categories, their level, and how to read it."""

    name: str
    categories: tuple[str, ...]
    level: str
    value: Value


def measured_fields(record: StudyRecord) -> list[Measured]:
    """Return what agreement is computed for: the verdict incl. `not_codable` first, then every other closed question,
    then `gap_class` (gap, no_gap, undecided under the primary gap policy) and the verdict of backward claims and of
    intents apart (claims whose kind both raters put on that side).
    """
    codebook = record.codebook
    labels = Measured("verdict", codebook.labels, "nominal", lambda c: label_of(c.answer))
    fields = [
        Measured(f.name, f.codes, "ordinal" if f.ordinal else "nominal", _reader(f.name))
        for f in codebook.fields
        if f.type == "enum" and f.name != "verdict"
    ]
    gap = Measured("gap_class", ("gap", "no_gap", "undecided"), "nominal", _gap_class(record))
    backward = Measured("verdict_backward", codebook.labels, "nominal", _within(codebook.backward_kinds))
    intents = Measured("verdict_intents", codebook.labels, "nominal", _within(codebook.forward_kinds))
    return [labels, *fields, gap, backward, intents]


def agreement_documents(record: StudyRecord, cases: Sequence[Case]) -> dict[str, dict[str, Any]]:
    """Return `{field: {codebook version: agreement/1 document}}`, units in blind-id order, clustered by run.

    A field nobody answered gets a document with no units and undefined statistics, never a missing key.
    """
    found: dict[str, dict[str, Any]] = {}
    for measured in measured_fields(record):
        document = study_document(measured.categories, measured.level, ratings_of(record, cases, measured))
        found[measured.name] = {record.codebook.version: document}
    return found


def ratings_of(
    record: StudyRecord, cases: Sequence[Case], measured: Measured
) -> list[tuple[str, str, str, str | None]]:
    """Return (unit, run, slot, value or None) for every claim and human slot, in blind-id and slot order."""
    rows = []
    for case in cases:
        by_slot = {coding.slot: coding for coding in independent(case.codings)}
        for slot in human_slots(record):
            value = measured.value(by_slot[slot]) if slot in by_slot else None
            rows.append((case.claim.blind_claim_id, case.claim.blind_run_id, slot, value))
    return rows


def independent(codings: Iterable[CodingRecord]) -> list[CodingRecord]:
    """Return the codings a human made under this version, without those a crosswalk carried over."""
    return [coding for coding in codings if coding.origin == "human"]


def _reader(name: str) -> Value:
    return lambda coding: _text(coding.answer, name)


def _text(answer: Mapping[str, Any], name: str) -> str | None:
    value = answer.get(name)
    return str(value) if value else None


def _within(kinds: Sequence[str]) -> Value:
    return lambda coding: label_of(coding.answer) if coding.answer.get("claim_kind") in kinds else None


def _gap_class(record: StudyRecord) -> Value:
    gaps = set(record.codebook.gap_policies.get(record.codebook.primary_gap, ()))
    decided = decided_labels(record.codebook)

    def read(coding: CodingRecord) -> str | None:
        label = label_of(coding.answer)
        if label in (None, NOT_CODABLE) or label not in decided:
            return "undecided"
        return "gap" if label in gaps else "no_gap"

    return read
