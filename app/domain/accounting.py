"""Accounting: every sampled claim is in exactly one state, and every sum that must hold is printed and checked.

It gathers a record's rows by claim and counts them. It computes no agreement and writes no file.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.domain.canonical import canonical_json
from app.domain.codebook.columns import column_names, under_columns
from app.domain.codebook.crosswalk_model import CROSSWALK
from app.domain.errors import BadInput, Refused
from app.domain.record import ClaimRecord, CodingRecord, DecisionRecord, StudyRecord
from app.domain.stats.pooling import CONSOLIDATING, STATES, Ballot, pool, state

NOT_CODABLE = "not_codable"


@dataclass(frozen=True)
class Case:
    """One sampled claim with everything recorded of it: human and machine codings in slot order, and the decisions.

    Answers stand under the names of the tables' columns, which are the codebook's own but for citations, search, flags.
    """

    claim: ClaimRecord
    codings: tuple[CodingRecord, ...]
    machine: tuple[CodingRecord, ...]
    provisional: DecisionRecord | None
    final: DecisionRecord | None
    selected_by: tuple[str, ...]

    @property
    def ballot(self) -> Ballot:
        """The claim as pooling sees it."""
        final = None if self.final is None else label_of(self.final.answer)
        return Ballot(tuple(_label(coding) for coding in self.codings), final, self.claim.status)


def label_of(answer: Mapping[str, Any]) -> str | None:
    """Return an answer's label: its verdict, or `not_codable`; None when it has neither."""
    if answer.get("codability") == NOT_CODABLE:
        return NOT_CODABLE
    verdict = answer.get("verdict")
    return str(verdict) if verdict else None


def slot_order(slot: str) -> tuple[int, str]:
    """Return a sort key that puts R2 before R10.

    >>> sorted(["R10", "R2", "R1"], key=slot_order)
    ['R1', 'R2', 'R10']
    """
    return (len(slot), slot)


def human_slots(record: StudyRecord) -> tuple[str, ...]:
    """Return the slots of human raters, R1 first."""
    return tuple(sorted((s for s, kind in record.slots.items() if kind == "human"), key=slot_order))


def list_cases(record: StudyRecord) -> tuple[Case, ...]:
    """Return the record's claims with their main codings and decisions, by blind claim id.

    Hidden repeats, controls and calibration are left out, and so are claims that were coded as such only. Raises
    `BadInput` when the record contradicts itself: a claim twice, a coding or decision of an unknown claim, two current
    codings of one rater, another codebook version, a label that the codebook does not have.
    """
    claims = _unique_claims(record)
    codings = _codings_by_claim(record, claims)
    decisions = _decisions_by_claim(record, claims)
    apart = {coding.blind_claim_id for coding in record.codings if coding.purpose != "main"} - set(codings)
    sampled = sorted(set(claims) - apart)
    return tuple(_case(record, claims[key], codings.get(key, []), decisions.get(key, [])) for key in sampled)


def account(cases: Sequence[Case], ordinal: Sequence[str], primary: str) -> dict[str, Any]:
    """Return the counts of a study and its sums: `sampled`, each of `STATES`, `by_policy`, `audited`, `sums`.

    `codings` are those of the human raters, `carried_over` those of them that a crosswalk made: in no agreement.

    `by_policy` has, for every consolidating policy, the labels and the null reasons with their counts. Every entry of
    `sums` has passed `checked_sum`; raises `Refused` when one does not hold.
    """
    states = Counter(state(case.ballot) for case in cases)
    counted = {name: states.get(name, 0) for name in STATES}
    by_policy = {name: _by_policy(name, cases, ordinal) for name in CONSOLIDATING}
    codings = [coding for case in cases for coding in case.codings]
    sums = [checked_sum("sampled", len(cases), counted)]
    for name, parts in by_policy.items():
        sums.append(checked_sum(f"sampled under {name}", len(cases), {**parts["labels"], **_nulls(parts)}))
    return {
        "sampled": len(cases),
        **counted,
        "audited": sum(1 for case in cases if state(case.ballot) == "agreed" and case.final is not None),
        "repeats": sum(1 for case in cases if case.claim.repeat_of is not None),
        "codings": len(codings),
        "carried_over": sum(coding.origin == CROSSWALK for coding in codings),
        "primary_policy": primary,
        "pooled_labels": by_policy[primary]["labels"],
        "null_by_reason": by_policy[primary]["null"],
        "by_policy": by_policy,
        "sums": sums,
    }


def checked_sum(name: str, total: int, parts: Mapping[str, int]) -> dict[str, Any]:
    """Return `{name, text, holds}` of a sum, written out; raises `Refused` when the parts do not make the total.

    >>> checked_sum("sampled", 3, {"agreed": 2, "open": 1})["text"]
    '3 sampled = 2 agreed + 1 open'
    """
    text = f"{total} {name} = " + (" + ".join(f"{n} {part}" for part, n in parts.items()) or "0")
    if sum(parts.values()) != total:
        raise Refused(f"the accounting does not sum, so nothing is exported: {text}")
    return {"name": name, "text": text, "holds": True}


def _nulls(parts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    return {f"null ({reason})": n for reason, n in parts["null"].items()}


def _by_policy(policy: str, cases: Iterable[Case], ordinal: Sequence[str]) -> dict[str, dict[str, int]]:
    pooled = [pool(policy, case.ballot, ordinal) for case in cases]
    labels = Counter(p.label for p in pooled if p.label is not None)
    reasons = Counter(p.null_reason for p in pooled if p.null_reason is not None)
    return {"labels": dict(sorted(labels.items())), "null": dict(sorted(reasons.items()))}


def _label(coding: CodingRecord) -> str:
    label = label_of(coding.answer)
    if label is None:
        raise BadInput(
            f"the coding of claim {coding.blind_claim_id} by {coding.slot} has neither verdict nor {NOT_CODABLE}"
        )
    return label


def _unique_claims(record: StudyRecord) -> dict[str, ClaimRecord]:
    claims: dict[str, ClaimRecord] = {}
    for claim in record.claims:
        if claim.blind_claim_id in claims:
            raise BadInput(f"claim {claim.blind_claim_id} stands twice in the record of study {record.study_id}")
        claims[claim.blind_claim_id] = claim
    return claims


def _codings_by_claim(record: StudyRecord, claims: Mapping[str, ClaimRecord]) -> dict[str, list[CodingRecord]]:
    found: dict[str, dict[str, CodingRecord]] = defaultdict(dict)
    for coding in record.codings:
        if coding.purpose != "main":
            continue
        _check_coding(record, claims, coding)
        if coding.slot in found[coding.blind_claim_id]:
            raise BadInput(f"claim {coding.blind_claim_id} has two current codings by {coding.slot}")
        found[coding.blind_claim_id][coding.slot] = coding
    return {key: sorted(rows.values(), key=lambda c: slot_order(c.slot)) for key, rows in found.items()}


def _check_coding(record: StudyRecord, claims: Mapping[str, ClaimRecord], coding: CodingRecord) -> None:
    where = f"the coding of claim {coding.blind_claim_id} by {coding.slot}"
    if coding.blind_claim_id not in claims:
        raise BadInput(f"{where} is of no claim in the sample of study {record.study_id}")
    if coding.slot not in record.slots:
        raise BadInput(f"{where} comes from a slot that study {record.study_id} does not have")
    if coding.codebook_version != record.codebook.version:
        raise BadInput(
            f"{where} was made under codebook {coding.codebook_version}, the study's is {record.codebook.version}"
        )
    if _label(coding) not in record.codebook.labels:
        raise BadInput(
            f"{where} has the label {_label(coding)!r}, which codebook {record.codebook.version} does not have"
        )


def _decisions_by_claim(record: StudyRecord, claims: Mapping[str, ClaimRecord]) -> dict[str, list[DecisionRecord]]:
    found: dict[str, list[DecisionRecord]] = defaultdict(list)
    for decision in record.decisions:
        where = f"the {decision.stage} decision on claim {decision.blind_claim_id}"
        if decision.blind_claim_id not in claims:
            raise BadInput(f"{where} is of no claim in the sample of study {record.study_id}")
        if label_of(decision.answer) not in record.codebook.labels:
            raise BadInput(f"{where} has no label of codebook {record.codebook.version}")
        found[decision.blind_claim_id].append(decision)
    return found


def _case(
    record: StudyRecord, claim: ClaimRecord, codings: Sequence[CodingRecord], decisions: Sequence[DecisionRecord]
) -> Case:
    if any(name != column for name, column in column_names(record.codebook).items()):
        codings = [replace(coding, answer=under_columns(record.codebook, coding.answer)) for coding in codings]
        decisions = [replace(made, answer=under_columns(record.codebook, made.answer)) for made in decisions]
    final = _latest(decisions, "final")
    selected = set(record.queued.get(claim.blind_claim_id, ())) | set(final.selected_by if final else ())
    return Case(
        claim=claim,
        codings=tuple(c for c in codings if record.slots[c.slot] == "human"),
        machine=tuple(c for c in codings if record.slots[c.slot] != "human"),
        provisional=_latest(decisions, "provisional"),
        final=final,
        selected_by=tuple(sorted(selected)),
    )


def _latest(decisions: Iterable[DecisionRecord], stage: str) -> DecisionRecord | None:
    """The newest decision of a stage; two of one instant are told apart by their content, not by their place."""
    found = [d for d in decisions if d.stage == stage]
    return max(
        found,
        key=lambda d: (d.created_seconds, canonical_json(dict(d.answer)), d.rule, d.reason, d.cause),
        default=None,
    )
