"""`gaps.csv`: the gap rate under every pooling policy, gap policy, denominator and claim set, each with num and den."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.domain.accounting import Case, human_slots, label_of
from app.domain.export.consolidated import consolidated
from app.domain.export.csv_form import hashed
from app.domain.export.policies import Policies
from app.domain.record import StudyRecord
from app.domain.stats.gaps import Labelled, gap_rows
from app.domain.stats.pooling import CONSOLIDATING, SAMPLED, pool

SCHEMA = "gaps/1"
GAP_COLUMNS = tuple(
    [
        "schema_version",
        "study_id",
        "codebook_version",
        "pooling",
        "coder_slot",
        "claims",
        "repeats_of",
        "gap",
        "denominator",
        "num",
        "den",
        "value",
        "undefined_reason",
        "declared",
        "primary",
        "row_sha256",
    ]
)


def gap_table(record: StudyRecord, cases: Sequence[Case], policies: Policies) -> list[dict[str, Any]]:
    """Return every gap rate, hashed, in policy order: P1, P2, P3, P5, P6, then P4 once per human rater.

    The claim set of a claim follows its pooled kind under the primary policy, and for P4 the rater's own kind. A row is
    `primary` when every part of it is: for intents, letting go in the open counts in the denominator.
    """
    rows: list[dict[str, Any]] = []
    kinds = [consolidated(case, record.codebook, policies.primary.pooling)["pooled_kind"] for case in cases]
    for policy in CONSOLIDATING:
        rows.extend(gap_rows(record.codebook, policy, _consolidated_labels(record, cases, policy, kinds)))
    for slot in human_slots(record):
        alone = gap_rows(record.codebook, "P4", _rater_labels(cases, slot))
        rows.extend(row | {"coder_slot": slot} for row in alone)
    return hashed(GAP_COLUMNS, [_marked(record, row, policies) for row in rows])


def primary_denominator(claims: str, policies: Policies) -> str:
    """Return the denominator that is primary for a claim set: intents openly released count beside the decided ones."""
    declared = policies.primary.denominator
    return "decided_or_released" if claims == "intents" and declared == "decided" else declared


def _consolidated_labels(
    record: StudyRecord, cases: Sequence[Case], policy: str, kinds: Sequence[str | None]
) -> list[Labelled]:
    labels = [pool(policy, case.ballot, record.codebook.ordinal).label for case in cases]
    repeats = [case.claim.repeat_of is not None for case in cases]
    return [Labelled(*values) for values in zip(labels, kinds, repeats, strict=True)]


def _rater_labels(cases: Sequence[Case], slot: str) -> list[Labelled]:
    found = []
    for case in cases:
        answer = next((c.answer for c in case.codings if c.slot == slot), None)
        standing = answer is not None and case.claim.status == SAMPLED
        label = label_of(answer) if answer is not None and standing else None
        kind = (answer.get("claim_kind") or None) if answer is not None and standing else None
        found.append(Labelled(label, kind, case.claim.repeat_of is not None))
    return found


def _marked(record: StudyRecord, row: dict[str, Any], policies: Policies) -> dict[str, Any]:
    first = policies.primary
    denominator = "decided" if row["denominator"] == "decided_or_released" else row["denominator"]
    declared = (
        row["pooling"] in policies.pooling
        and row["gap"] in policies.gaps
        and denominator in policies.denominators
        and row["repeats_of"] in policies.repeats_of
    )
    primary = (
        row["claims"] in ("backward", "intents")
        and (row["pooling"], row["gap"], row["repeats_of"]) == (first.pooling, first.gap, first.repeats_of)
        and row["denominator"] == primary_denominator(row["claims"], policies)
    )
    stamp = {"schema_version": SCHEMA, "study_id": record.study_id, "codebook_version": record.codebook.version}
    return {**stamp, **row, "declared": declared, "primary": primary}
