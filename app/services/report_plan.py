"""Planned versus completed: what the registration promised beside what the record holds, generated, never typed.

A step counts as done only by its artefact. What the record does not hold is said to be not recorded, not assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.accounting import human_slots
from app.domain.canonical import round_half_even
from app.domain.export.intra_rater import count_uncoded_first, self_agreement
from app.domain.export.registration import withheld
from app.domain.export.reliability import independent
from app.domain.export.tables import StudyTables
from app.domain.rater_standing import (
    PLANNED_QUALIFICATION,
    PLANNED_TRAINING,
    is_qualified,
    is_trained,
    qualification_told,
    training_told,
)
from app.domain.record import StudyRecord


@dataclass(frozen=True)
class Gate:
    """One line of the table; `status` is `done`, `partly`, `not done`, `met`, `not met`, `undefined`, `not planned` or
    `not recorded`."""

    name: str
    planned: str
    actual: str
    evidence: str
    status: str


def planned_versus_completed(record: StudyRecord, tables: StudyTables) -> list[Gate]:
    """Return every gate of the study in the order of its phases."""
    return [
        _roles(record),
        _codebook(record),
        _coding(record, tables),
        _overlap(record, tables),
        *_carried(record, tables),
        _locks(record),
        _adjudication(record, tables),
        _extra(record, "repeat", "hidden repeats", record.registration.get("repeats")),
        _extra(record, "control", "controls", record.registration.get("controls")),
        _extra(record, "calibration", "calibration", record.registration.get("calibration")),
        _trained(record),
        _qualified(record),
        *_thresholds(record, tables),
    ]


def _roles(record: StudyRecord) -> Gate:
    several = [" and ".join(roles) for roles in record.registration.get("several_roles") or ()]
    actual = f"waived: one person is {'; one is '.join(several)}" if several else "one role a person"
    return Gate("Role separation", "one role a person", actual, "registration", "not met" if several else "done")


def _codebook(record: StudyRecord) -> Gate:
    hashes = {coding.codebook_sha256 for coding in record.codings if coding.purpose == "main"}
    same = hashes <= {record.codebook.sha256}
    actual = "every coding carries its hash" if same else f"{len(hashes)} different hashes among the codings"
    planned = f"version {record.codebook.version}, frozen before coding"
    return Gate("Codebook", planned, actual, "codebook_sha256", "done" if same else "not done")


def _coding(record: StudyRecord, tables: StudyTables) -> Gate:
    done = sum(1 for case in tables.cases if case.codings)
    return Gate(
        "Coding",
        f"{len(tables.cases)} claims",
        f"{done} claims coded",
        "rater_long.csv",
        _share(done, len(tables.cases)),
    )


def _overlap(record: StudyRecord, tables: StudyTables) -> Gate:
    design = record.registration.get("overlap") or {}
    name = str(design.get("design", "full"))
    total = len(tables.cases)
    twice = sum(1 for case in tables.cases if len(independent(case.codings)) >= 2)
    wanted = total if name != "partial" else _partial(design, total)
    text = f"{name}: {wanted} of {total} claims coded twice or more"
    return Gate("Overlap", text, f"{twice} of {total}", "rater_pooled.csv, n_raters", _share(twice, wanted))


def _carried(record: StudyRecord, tables: StudyTables) -> list[Gate]:
    """What a crosswalk brought from another codebook; no line where it brought nothing."""
    counts = tables.accounting
    if not counts["carried_over"]:
        return []
    by = ", ".join(str(facts["id"]) for facts in record.crosswalks) or "a crosswalk"
    actual = f"{counts['carried_over']} of {counts['codings']} codings by {by}, in no agreement"
    return [Gate("Carried over", "as the crosswalk says", actual, "rater_long.csv, origin", "done")]


def _partial(design: Mapping[str, Any], total: int) -> int:
    share = design.get("share", 0.25)
    least = design.get("min_claims", 100)
    return min(total, max(round(total * float(share)), int(least)))


def _locks(record: StudyRecord) -> Gate:
    slots = human_slots(record)
    locked = {lock.slot for lock in record.locks} & set(slots)
    return Gate(
        "Locks",
        f"{len(slots)} raters",
        f"{len(locked)} locked",
        "manifest.json, locks",
        _share(len(locked), len(slots)),
    )


def _adjudication(record: StudyRecord, tables: StudyTables) -> Gate:
    queued = [case for case in tables.cases if case.selected_by]
    decided = sum(1 for case in queued if case.final is not None)
    status = _share(decided, len(queued)) if queued else "not planned"
    return Gate(
        "Adjudication", f"{len(queued)} claims queued", f"{decided} decided", "rater_pooled.csv, adj_status", status
    )


def _extra(record: StudyRecord, purpose: str, name: str, planned: object) -> Gate:
    found = sum(1 for coding in record.codings if coding.purpose == purpose)
    told = "none declared" if planned in (None, "", 0) else withheld(record, str(planned))
    status = "done" if found else ("not planned" if told == "none declared" else "not recorded")
    return Gate(name[:1].upper() + name[1:], told, f"{found} codings in the record", "record", status)


def before_coding(record: StudyRecord) -> list[tuple[str, str, str]]:
    """Return a line a rater: slot, what is on record of reading and training, and of qualification.

    Empty where nobody had to qualify: the gates say why.
    """
    asked = record.qualification
    lines = [(rater.slot, training_told(rater), qualification_told(rater)) for rater in asked.raters]
    exempt = "machine rater: exempt"
    return lines + [(slot, exempt, exempt) for slot in asked.machines] if lines else []


def _trained(record: StudyRecord) -> Gate:
    return _asked(record, "Training", PLANNED_TRAINING, sum(map(is_trained, record.qualification.raters)))


def _qualified(record: StudyRecord) -> Gate:
    return _asked(record, "Qualification", PLANNED_QUALIFICATION, sum(map(is_qualified, record.qualification.raters)))


def _asked(record: StudyRecord, name: str, planned: str, done: int) -> Gate:
    """A waiver is not a qualification: it is printed with its reason, as a gate that was not met."""
    asked = record.qualification
    if asked.exemption:
        return Gate(name, planned, withheld(record, asked.exemption), "registration", "not met")
    wanted = len(asked.raters)
    status = "met" if done == wanted else "not met"
    return Gate(name, planned, f"{done} of {wanted} human raters", "table of raters below", status)


def _share(done: int, wanted: int) -> str:
    return "done" if done >= wanted else "partly" if done else "not done"


def _thresholds(record: StudyRecord, tables: StudyTables) -> list[Gate]:
    declared = record.registration.get("thresholds") or {}
    version = record.codebook.version
    gates = []
    for key, name, field, lower in (
        ("kappa", "κ of the verdict", "verdict", False),
        ("kappa_lower", "Lower 95 % bound of κ of the verdict", "verdict", True),
        ("codability", "κ of codability", "codability", False),
    ):
        if key in declared and field in tables.agreement:
            pairs = tables.agreement[field][version]["pairs"]
            gates.append(_threshold(name, float(declared[key]), pairs, lower))
    if "intra_rater" in declared:
        gates.append(_own_agreement(float(declared["intra_rater"]), record, tables))
    return gates


def _own_agreement(wanted: float, record: StudyRecord, tables: StudyTables) -> Gate:
    """The rater with the lowest share of repeats that got the same label gates."""
    apart = count_uncoded_first(record)
    told = f"; {apart} repeats of carried claims left out" if apart else ""
    name, planned = "Agreement with oneself", f"at least {wanted:.2f} of each rater's hidden repeats"
    found = self_agreement(tables.intra_rater)
    if not found:
        return Gate(name, planned, "no hidden repeat was dealt" + told, "none", "not recorded")
    actual = "; ".join(f"{slot} {same}/{n}" for slot, (same, n) in found.items()) + told
    lowest = min(same / n for same, n in found.values())
    return Gate(name, planned, actual, "intra_rater.csv", "met" if lowest >= wanted else "not met")


def _threshold(name: str, wanted: float, pairs: Sequence[Mapping[str, Any]], lower: bool) -> Gate:
    """The lowest pair gates; one undefined pair leaves the gate undefined."""
    values = [_bound(pair["cohen_kappa"]) if lower else pair["cohen_kappa"]["value"] for pair in pairs]
    planned = f"at least {wanted:.2f}"
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return Gate(name, planned, "undefined", "agreement.json", "undefined")
    actual = f"{round_half_even(min(known), 3):.3f}" + (f", the lowest of {len(known)} pairs" if len(known) > 1 else "")
    return Gate(name, planned, actual, "agreement.json", "met" if min(known) >= wanted else "not met")


def _bound(kappa: Mapping[str, Any]) -> float | None:
    limits = kappa.get("ci95") or [None, None]
    return None if limits[0] is None else float(limits[0])
