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
from app.domain.adjudication import DIFFERING_FIELDS
from app.domain.codebook.crosswalk_model import CROSSWALK
from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput
from app.domain.export.study_agreement import FieldRatings, study_document
from app.domain.record import CodingRecord, StudyRecord
from app.domain.stats.gaps import claim_set, decided_labels

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
    then `gap_class` (gap, no_gap, undecided under the primary gap policy, if there is one) and the verdict of backward
    claims and of intents apart (claims whose kind both raters put on that side).
    """
    codebook = record.codebook
    labels = Measured("verdict", codebook.labels, "nominal", lambda c: label_of(c.answer))
    fields = [
        Measured(f.name, f.codes, "ordinal" if f.ordinal else "nominal", _reader(f.name))
        for f in codebook.fields
        if f.type == "enum" and f.name != "verdict"
    ]
    gap = Measured("gap_class", ("gap", "no_gap", "undecided"), "nominal", _gap_class(record))
    backward = Measured("verdict_backward", codebook.labels, "nominal", _within(codebook, "backward"))
    intents = Measured("verdict_intents", codebook.labels, "nominal", _within(codebook, "intents"))
    gaps = [gap] if codebook.primary_gap in codebook.gap_policies else []
    return [labels, *fields, *gaps, backward, intents]


def agreement_documents(record: StudyRecord, cases: Sequence[Case]) -> dict[str, dict[str, Any]]:
    """Return `{field: {codebook version: agreement/1 document}}`, units in blind-id order, clustered by run.

    A field nobody answered gets a document with undefined statistics, never a missing key. Each document says under
    `left_out` how many codings a crosswalk carried over: they are in none of its numbers. Raises `BadInput` for a study
    without a claim or without a human rater, and for codings under another codebook than the study's.
    """
    if not cases or not human_slots(record):
        raise BadInput(f"study {record.study_id} has no sampled claim or no human rater: there is nothing to export")
    _refuse_mixed(record, cases)
    found: dict[str, dict[str, Any]] = {}
    for measured in measured_fields(record):
        ratings = field_ratings(record, cases, measured)
        document = study_document(measured.categories, measured.level, ratings, record.seed)
        found[measured.name] = {record.codebook.version: document | _left_out(cases, document["warnings"])}
    return found


def _refuse_mixed(record: StudyRecord, cases: Sequence[Case]) -> None:
    """Two versions never meet in one coefficient; one version has one hash."""
    wanted = (record.codebook.version, record.codebook.sha256)
    for coding in (coding for case in cases for coding in case.codings):
        if (coding.codebook_version, coding.codebook_sha256) != wanted:
            raise BadInput(
                f"the coding of claim {coding.blind_claim_id} by {coding.slot} was made under codebook "
                f"{coding.codebook_version} ({coding.codebook_sha256[:12]}), the study's is {wanted[0]} "
                f"({wanted[1][:12]}): no agreement is computed across codebooks"
            )


def count_carried(cases: Iterable[Case]) -> dict[str, int]:
    """Return how many of the human raters' codings a crosswalk carried over (`codings`), and of how many `claims`."""
    carried = [sum(coding.origin == CROSSWALK for coding in case.codings) for case in cases]
    return {"codings": sum(carried), "claims": sum(n > 0 for n in carried)}


def _left_out(cases: Iterable[Case], warnings: Sequence[str]) -> dict[str, Any]:
    """Return what a document says of the codings that are in none of its numbers."""
    carried = count_carried(cases)
    told = f"{carried['codings']} codings of {carried['claims']} claims, carried over by a crosswalk, are left out"
    return {"left_out": {CROSSWALK: carried}, "warnings": [*warnings, *([told] if carried["codings"] else [])]}


def field_ratings(record: StudyRecord, cases: Sequence[Case], measured: Measured) -> FieldRatings:
    """Return what each human slot gave each claim, claims in blind-id order; a stratum is run and kind class."""
    slots = human_slots(record)
    codings = [{coding.slot: coding for coding in independent(case.codings)} for case in cases]
    return FieldRatings(
        slots=slots,
        units=tuple(case.claim.blind_claim_id for case in cases),
        runs=tuple(case.claim.blind_run_id for case in cases),
        strata=tuple(f"{case.claim.blind_run_id} {_kind_class(record, case)}" for case in cases),
        values=tuple(tuple(measured.value(by[slot]) if slot in by else None for by in codings) for slot in slots),
    )


def independent(codings: Iterable[CodingRecord]) -> list[CodingRecord]:
    """Return the codings a human made under this version, without those a crosswalk carried over."""
    return [coding for coding in codings if coding.origin == "human"]


def differs_in(case: Case) -> list[str]:
    """Return which of codability, claim kind and verdict the codings that humans made themselves differ in.

    Empty below two of them: what a crosswalk carried over is no second opinion.
    """
    own = independent(case.codings)
    return [name for name in DIFFERING_FIELDS if len(own) > 1 and not same(own, name)]


def same(codings: Sequence[CodingRecord], name: str) -> bool:
    """Return whether all codings give a field one value, an absent one counting as a value."""
    return len({coding.answer.get(name) or None for coding in codings}) == 1


def _kind_class(record: StudyRecord, case: Case) -> str:
    """Return the side all raters put a claim on, `mixed` where they differ: known before adjudication."""
    kinds = [coding.answer.get("claim_kind") or None for coding in independent(case.codings)]
    sides = {claim_set(record.codebook, kind) for kind in kinds}
    return sides.pop() if len(sides) == 1 else "mixed"


def _reader(name: str) -> Value:
    return lambda coding: _text(coding.answer, name)


def _text(answer: Mapping[str, Any], name: str) -> str | None:
    value = answer.get(name)
    return str(value) if value else None


def _within(codebook: Codebook, side: str) -> Value:
    def read(coding: CodingRecord) -> str | None:
        kind = coding.answer.get("claim_kind") or None
        return label_of(coding.answer) if claim_set(codebook, kind) == side else None

    return read


def _gap_class(record: StudyRecord) -> Value:
    gaps = set(record.codebook.gap_policies.get(record.codebook.primary_gap, ()))
    decided = decided_labels(record.codebook)

    def read(coding: CodingRecord) -> str | None:
        label = label_of(coding.answer)
        if label in (None, NOT_CODABLE) or label not in decided:
            return "undecided"
        return "gap" if label in gaps else "no_gap"

    return read
