"""The pooled coding of one claim: label, kind, materiality, evidence and the other pooled fields, from its codings.

It applies a pooling policy to one `Case`; it lays out no columns and hashes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.domain.accounting import NOT_CODABLE, Case
from app.domain.canonical import canonical_json
from app.domain.codebook.model import EVIDENCE_TYPES, Codebook
from app.domain.export.citations import best_tier, citations, cited_turns
from app.domain.record import CodingRecord
from app.domain.stats.pooling import Pooled, pool

OWN_COLUMNS = frozenset(
    [
        "codability",
        "not_codable_reason",
        "claim_kind",
        "verdict",
        "evidence",
        "severity",
        "materiality",
        "confidence",
        "flags",
        "note",
    ]
)
"""Fields that have columns of their own in the pooled table, whatever `pooled_fields` says."""


def materiality_of(answer: Mapping[str, Any]) -> Any:
    """Return an answer's materiality (v0.4 called it severity), or None."""
    return answer.get("materiality") or answer.get("severity") or None


def pooled_field_names(codebook: Codebook) -> tuple[str, ...]:
    """Return the codebook's `pooled_fields` that need a column of their own, in its order: its closed questions.

    Free text, spans and lists have no one value to agree on, and free text can unblind.
    """
    closed = {field.name for field in codebook.fields if field.type == "enum"} - OWN_COLUMNS
    return tuple(name for name in codebook.pooled_fields if name in closed)


def coded_tiers(codebook: Codebook) -> tuple[str, ...]:
    """Return the evidence tiers that raters of this codebook code; empty where citations carry none (v0.4)."""
    evidence = codebook.first_of(*EVIDENCE_TYPES)
    return evidence.tiers if evidence else ()


def consolidated(case: Case, codebook: Codebook, policy: str) -> dict[str, Any]:
    """Return the pooled cells of one claim under `policy`, keyed by column; every one is null where no label is pooled.

    A field holds the adjudicator's value for an adjudicated label, else what all codings behind the label agree on.
    """
    pooled = pool(policy, case.ballot, codebook.ordinal)
    behind = codings_behind(case, pooled)
    answers = [answer for answer, _ in behind]
    cited = [citation for answer, tiers in behind for citation in citations(answer, tiers)]
    cells = {
        "pooled_codability": _codability(codebook, pooled.label, answers),
        "pooled_not_codable_reason": _settled(case, answers, "not_codable_reason")
        if pooled.label == NOT_CODABLE
        else None,
        "pooled_kind": None if pooled.label in (None, NOT_CODABLE) else _kind(case, pooled, answers),
        "pooled_verdict": None if pooled.label == NOT_CODABLE else pooled.label,
        "pooled_materiality": _materiality(case, pooled, codebook),
        "pooled_basis": pooled.basis,
        "pooled_null_reason": pooled.null_reason,
        "evidence_turns": cited_turns(cited),
        "best_tier": best_tier(cited, coded_tiers(codebook)),
    }
    return cells | {name: agreed(answers, name) or None for name in pooled_field_names(codebook)}


def codings_behind(case: Case, pooled: Pooled) -> list[tuple[Mapping[str, Any], Sequence[str]]]:
    """Return the answers that a pooled label rests on, each with its derived tiers: the adjudicator's, else the codings
    that carry the label; empty without a label."""
    if pooled.basis == "adjudicated" and case.final is not None:
        return [(case.final.answer, case.final.derived_tiers)]
    labelled = zip(case.codings, case.ballot.labels, strict=True)
    return [(coding.answer, coding.derived_tiers) for coding, label in labelled if label == pooled.label]


def agreed(answers: Sequence[Mapping[str, Any]], name: str) -> Any:
    """Return the value all answers give a field; None when they differ, or give none."""
    values = [answer.get(name) for answer in answers]
    return values[0] if values and all(value == values[0] for value in values) else None


def plain(value: Any) -> Any:
    """Return a value as one cell can hold it: a mapping, or a list of them, as canonical JSON; None for an empty one.

    >>> plain([{"turn": 4}]), plain(["b", "a"]), plain([])
    ('[{"turn":4}]', ['b', 'a'], None)
    """
    if not value and isinstance(value, Mapping | list | tuple):
        return None
    structured = isinstance(value, Mapping) or (isinstance(value, list | tuple) and isinstance(value[0], Mapping))
    return canonical_json(value) if structured else value


def flags_of(case: Case, basis: str) -> list[str]:
    """Return every flag the raters set on the claim, and the adjudicator's where the label is adjudicated, sorted."""
    answers: Iterable[Mapping[str, Any]] = [coding.answer for coding in case.codings]
    if basis == "adjudicated" and case.final is not None:
        answers = [*answers, case.final.answer]
    return sorted({str(flag) for answer in answers for flag in answer.get("flags") or ()})


def origin_of(codings: Sequence[CodingRecord]) -> str | None:
    """Return `human`, `crosswalk` or `mixed`; None for a claim nobody coded."""
    origins = {coding.origin for coding in codings}
    return None if not origins else origins.pop() if len(origins) == 1 else "mixed"


def _codability(codebook: Codebook, label: str | None, answers: Sequence[Mapping[str, Any]]) -> Any:
    """The word by which the codebook says that a claim can be coded: what the codings say, else its first such word."""
    field = codebook.field("codability")
    if label is None or field is None:
        return None
    words = [code for code in field.codes if code != NOT_CODABLE]
    return NOT_CODABLE if label == NOT_CODABLE else agreed(answers, "codability") or next(iter(words), None)


def _settled(case: Case, answers: Sequence[Mapping[str, Any]], name: str) -> Any:
    value = agreed(answers, name)
    return value if value is not None or case.final is None else case.final.answer.get(name)


def _kind(case: Case, pooled: Pooled, answers: Sequence[Mapping[str, Any]]) -> Any:
    if pooled.basis == "adjudicated" and not answers[0].get("claim_kind"):
        return agreed([coding.answer for coding in case.codings], "claim_kind")
    return _settled(case, answers, "claim_kind")


def _materiality(case: Case, pooled: Pooled, codebook: Codebook) -> Any:
    """Adjudicated, else unanimous, else the higher one; only for a label that is a verdict."""
    if pooled.label in (None, NOT_CODABLE):
        return None
    given = [value for value in (materiality_of(coding.answer) for coding in case.codings) if value]
    decided = materiality_of(case.final.answer) if case.final else None
    if decided and (pooled.basis == "adjudicated" or len(set(given)) != 1):
        return decided
    order = materiality_order(codebook)
    return max(given, key=lambda value: order.index(value) if value in order else -1, default=None)


def materiality_order(codebook: Codebook) -> tuple[str, ...]:
    """Return the declared values of materiality (or severity), low to high."""
    found = codebook.field("materiality") or codebook.field("severity")
    return found.codes if found else ()
