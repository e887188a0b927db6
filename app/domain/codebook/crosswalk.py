"""Carrying one old coding over: which row of the crosswalk takes it, and the new coding or the reason to code again.

Pure. A coding that is not carried over whole is coded again from an empty form: nothing of it is ever filled in before.
What an automatic row lacks is named, never invented.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.domain.codebook.crosswalk_conditions import OldCoding, why_not
from app.domain.codebook.crosswalk_model import AUTO, CROSSWALK, RECODE, CrosswalkRow, harmonise
from app.domain.codebook.model import Codebook, Field
from app.domain.codebook.rules import judge_in
from app.domain.codebook.shapes import shape_faults
from app.domain.codebook.subject import EVIDENCE_TYPES
from app.domain.coding import NOT_CODABLE, label_of, normalise, shown_fields
from app.domain.errors import BadInput, Violation

__all__ = ["AUTO", "CROSSWALK", "RECODE", "Carried", "carry", "find_row", "harmonise", "needs_of", "reading_fault"]

NEEDS = "needs_"


@dataclass(frozen=True)
class Carried:
    """What became of one old coding. `answer` is empty and `needs` too where the claim is coded again.

    `needs` names what the new codebook asks for and the old coding does not say: `needs_materiality`, ….
    """

    row: CrosswalkRow
    how: str
    reason: str
    answer: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()


def reading_fault(coding: OldCoding) -> tuple[str, str] | None:
    """Return the field at which an old coding cannot be understood, and a sentence; None for one that can be.

    Asked before `carry`: fields and values of the old codebook, one label, the values that decide between rows, and
    cited turns that the run has. Whether the coding kept every rule of its version is not asked.
    """
    old = coding.crosswalk.old
    for name, value in coding.answer.items():
        known = old.field(name)
        if known is None:
            return name, f"codebook {old.version} has no such field"
        for what in shape_faults(known, value):
            return name, f"codebook {old.version} does not take {what}"
    return _label_fault(coding) or _turn_fault(coding)


def _label_fault(coding: OldCoding) -> tuple[str, str] | None:
    answer, old = coding.answer, coding.crosswalk.old
    if old.field("codability") and "codability" not in answer:
        return "codability", "is empty; say whether the claim is codable"
    if answer.get("codability") == NOT_CODABLE and "verdict" in answer:
        return "verdict", "a claim that is not codable has no verdict"
    if answer.get("codability") != NOT_CODABLE and "verdict" not in answer:
        return "verdict", "is empty; there is nothing to carry over"
    label = label_of(answer)
    asked = {name for row in coding.crosswalk.rows if row.label == label for name in row.when}
    missing = next((f.name for f in old.fields if f.name in asked and f.name not in answer), None)
    return (missing, f"is empty; what becomes of {label} depends on it") if missing else None


def _turn_fault(coding: OldCoding) -> tuple[str, str] | None:
    evidence = coding.subject.evidence
    strange = next((cited.turn for cited in coding.citations if cited.turn not in coding.view.places), None)
    if evidence is None or strange is None:
        return None
    return evidence.name, f"the log has no turn {strange} in the run of this claim"


def find_row(coding: OldCoding) -> CrosswalkRow:
    """Return the one row that takes a coding; raises `BadInput` for a coding that `reading_fault` refuses."""
    rows = [row for row in coding.crosswalk.rows if _has(coding.answer, row)]
    for row in rows:
        if not row.otherwise and _holds(coding, row):
            return row
    for row in rows:
        if row.otherwise:
            return row
    raise BadInput(f"no row of crosswalk {coding.crosswalk.id} takes this coding: it is no whole coding")


def _has(answer: Mapping[str, Any], row: CrosswalkRow) -> bool:
    return label_of(answer) == row.label and all(answer.get(name) in values for name, values in row.when.items())


def _holds(coding: OldCoding, row: CrosswalkRow) -> bool:
    return not any(why_not(coding, one) for one in row.require) and all(why_not(coding, one) for one in row.unless)


def carry(coding: OldCoding) -> Carried:
    """Return what becomes of one old coding under its crosswalk.

    An automatic coding keeps every hard rule of the new codebook but the exempt ones; one that would not is coded
    again, the reason naming the rule. Raises `BadInput` as `find_row` does.
    """
    row, crosswalk = find_row(coding), coding.crosswalk
    if row.to is None:
        return Carried(row, RECODE, _reason(coding, row))
    answer = _new_answer(coding, row)
    judged = judge_in(crosswalk.new, coding.view, coding.claim, answer, crosswalk.exempt)
    if judged.accepted:
        return Carried(row, AUTO, f"{row.id}: {row.reason}", answer, needs_of(judged.waived))
    broken = "; ".join(f"{v.rule} {v.field}: {v.message}" for v in judged.hard)
    return Carried(
        row, RECODE, f"{row.id}: the old coding lacks what version {crosswalk.new.version} asks for: {broken}"
    )


def needs_of(waived: tuple[Violation, ...]) -> tuple[str, ...]:
    """Return what a carried coding lacks, from the rules it is exempt from: `needs_` and the field, sorted."""
    return tuple(sorted({NEEDS + violation.field for violation in waived if violation.level == "hard"}))


def _reason(coding: OldCoding, row: CrosswalkRow) -> str:
    """Return a row's reason; where it takes what others leave, also which of their conditions do not hold."""
    told = f"{row.id}: {row.reason}"
    if not row.otherwise:
        return told
    others = [other for other in coding.crosswalk.rows if other is not row and _has(coding.answer, other)]
    whys = [why for other in others for one in other.require if (why := why_not(coding, one))]
    return f"{told} ({'; '.join(dict.fromkeys(whys))})" if whys else told


def _new_answer(coding: OldCoding, row: CrosswalkRow) -> dict[str, Any]:
    new = coding.crosswalk.new
    answer = _label(new, str(row.to))
    for carried in coding.crosswalk.carried:
        value = carried.value(coding.answer.get(carried.source))
        if value is not None:
            answer[carried.name] = value
    answer.update(row.sets)
    evidence = next((field for field in new.fields if field.type in EVIDENCE_TYPES), None)
    if evidence is not None:
        answer[evidence.name] = [_citation(coding, row, evidence, place) for place in range(len(coding.citations))]
    shown = shown_fields(new, answer)
    return normalise({name: value for name, value in answer.items() if name in shown})


def _label(new: Codebook, label: str) -> dict[str, Any]:
    codability = new.field("codability")
    if label == NOT_CODABLE:
        return {"codability": NOT_CODABLE}
    codable = next((code for code in codability.codes if code != NOT_CODABLE), None) if codability else None
    return {"verdict": label} | ({"codability": codable} if codable else {})


def _citation(coding: OldCoding, row: CrosswalkRow, evidence: Field, place: int) -> dict[str, Any]:
    """One old citation as the new codebook has them: the role by where it lies, the tier by what the log says."""
    old = coding.citations[place]
    cited: dict[str, Any] = {"turn": old.turn, "part": old.part}
    if evidence.roles:
        cited["role"] = next((one.role for one in row.cites if coding.lies(old, one.where)), None)
    if evidence.tiers:
        cited["tier"] = coding.subject.derived_tier(old)
    return cited
