"""What goes to the adjudicator and in which order: queue rules, the audit of agreements, seeded orders.

Everything is derived from locked codings and the codebook's own data. It does not store decisions and does not decide.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.domain.canonical import canonical_json, sha256_hex
from app.domain.codebook.model import Codebook
from app.domain.errors import Violation
from app.domain.packets.seeds import AUDIT, CODING_ORDER, QUEUE_ORDER, generator
from app.domain.record import CodingRecord

CAUSES = ("rater_slip", "rule_ambiguity", "evidence_missed", "unit_problem", "log_gap")
"""Why two codings differed, in the adjudicator's judgement."""

DIFFERING_FIELDS = ("codability", "claim_kind", "verdict")
"""The fields in which any difference sends a claim to the queue."""

QUEUE_FLAGS = ("blinding_leak", "unit_error")
"""The flags that send a claim to the queue."""

AUDIT_SHARE = 0.10
"""The share of plain agreements that is audited."""

AUDIT_REASON = "audit"

_MIN_REASON = 20


def queue_reasons(codings: Sequence[CodingRecord], codebook: Codebook) -> tuple[str, ...]:
    """Return why one claim goes to the adjudicator, in a fixed order; empty when nothing does.

    `codings` are the claim's locked codings; only main codings by humans count. The reasons: `differs:<field>`
    (codability, claim_kind, verdict), `gap:<label>` (a label of the codebook's primary gap policy), `undetermined`,
    `low_confidence_high_materiality`, `flag:<flag>`. An audit of a plain agreement is not decided here.
    """
    answers = [c.answer for c in codings if c.purpose == "main" and c.kind == "human"]
    reasons = [f"differs:{name}" for name in DIFFERING_FIELDS if len({_plain(a.get(name)) for a in answers}) > 1]
    gap = codebook.gap_policies.get(codebook.primary_gap, ())
    used = {answer.get("verdict") for answer in answers}
    reasons.extend(f"gap:{label}" for label in codebook.labels if label in gap and label in used)
    if used & undetermined_labels(codebook):
        reasons.append("undetermined")
    if any(_unsure_and_material(answer, codebook) for answer in answers):
        reasons.append("low_confidence_high_materiality")
    field = codebook.first_of("flags")
    flags = {flag for answer in answers for flag in answer.get(field.name if field else "flags") or ()}
    reasons.extend(f"flag:{flag}" for flag in QUEUE_FLAGS if flag in flags)
    return tuple(reasons)


def undetermined_labels(codebook: Codebook) -> frozenset[str]:
    """Return the verdicts by which a rater says "I cannot settle it".

    Those for which the codebook asks an `undetermined_reason`; where it has no such field (v0.4), the undecided verdict
    called UNDETERMINED.
    """
    asked = codebook.field("undetermined_reason")
    named = set(asked.when.get("verdict", ())) if asked else set()
    named |= {option.code for option in codebook.verdicts if not option.decided and option.code == "UNDETERMINED"}
    return frozenset(named)


def audit_sample(agreed_ids: Iterable[str], seed: int) -> tuple[str, ...]:
    """Return the plain agreements to audit: ten per cent rounded up, sorted by id (purpose 9).

    Each id has the same chance, `len(result) / len(agreed)`, which is the selection probability to weight by. The
    order in which the ids come in does not matter; none in, none out.
    """
    ids = sorted(set(agreed_ids))
    n_audited = math.ceil(AUDIT_SHARE * len(ids))
    picked = generator(seed, AUDIT).permutation(len(ids))[:n_audited]
    return tuple(sorted(ids[int(i)] for i in picked))


def queue_order(ids: Iterable[str], seed: int) -> tuple[str, ...]:
    """Return the queue in its seeded order (purpose 7), whatever order the ids came in."""
    ordered = sorted(set(ids))
    return tuple(ordered[int(i)] for i in generator(seed, QUEUE_ORDER).permutation(len(ordered)))


def queue_sha256(reasons: Mapping[str, str]) -> str:
    """Return the hash of why each claim is in the queue; `reasons` maps a blind claim id to its stored reasons."""
    return sha256_hex(canonical_json(sorted(reasons.items())))


def coding_order(seed: int, blind_claim_id: str, n_codings: int = 2) -> tuple[int, ...]:
    """Return the order in which a claim's codings are shown, as indices into the codings by slot (purpose 8).

    Stable for a claim: it depends on the seed and the claim's id alone, so "coding 1" stays "coding 1" on every visit.
    """
    number = int.from_bytes(hashlib.sha256(blind_claim_id.encode("utf-8")).digest()[:8], "big")
    return tuple(int(i) for i in generator(seed, CODING_ORDER, number).permutation(n_codings))


def decision_faults(*, rule: str, reason: str, cause: str, knows: Sequence[str]) -> tuple[Violation, ...]:
    """Return what is missing in a final decision (H27): a rule reference, a reason of 20 characters, a known cause.

    `knows` are the rule references that exist (rule ids and sections of the codebook); empty means any non-empty one.
    """
    faults = []
    if not rule.strip() or (knows and rule.strip() not in knows):
        faults.append(Violation("H27", "hard", "rule", "name the rule of the codebook that decides this claim"))
    if len(reason.strip()) < _MIN_REASON:
        faults.append(Violation("H27", "hard", "reason", f"give a reason of at least {_MIN_REASON} characters"))
    if cause not in CAUSES:
        faults.append(Violation("H27", "hard", "cause", f"choose the cause: {', '.join(CAUSES)}"))
    return tuple(faults)


def _unsure_and_material(answer: Mapping[str, Any], codebook: Codebook) -> bool:
    """Whether confidence is the lowest and materiality (v0.4: severity) the highest value the codebook has."""
    confidence = codebook.field("confidence")
    weight = codebook.field("materiality") or codebook.field("severity")
    if confidence is None or weight is None or not confidence.codes or not weight.codes:
        return False
    return bool(answer.get("confidence") == confidence.codes[0] and answer.get(weight.name) == weight.codes[-1])


def _plain(value: Any) -> str | None:
    return None if value in (None, "") else str(value)
