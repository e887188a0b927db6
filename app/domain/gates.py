"""Phases and their gates, derived from artefacts alone: a gate is met when the record shows it, never by a tick.

Nothing here reads or moves a study; it turns counted facts into planned / actual / evidence lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.rater_standing import (
    PLANNED_QUALIFICATION,
    PLANNED_TRAINING,
    QualificationRecord,
    is_qualified,
    is_trained,
    qualification_told,
    training_told,
)


@dataclass(frozen=True)
class Gate:
    """One gate: `met` is None while it does not apply yet or nothing in this study asks for it."""

    name: str
    planned: str
    actual: str
    met: bool | None
    evidence: str


@dataclass(frozen=True)
class StudyFacts:
    """What is counted of a study. `n_coded` maps slot → (coded, assigned); `reliability` maps a threshold's
    name (`kappa`, `kappa_lower`, `codability`) to the lowest pair's value, or None with the reason; it is empty before
    every packet is locked. `several_roles` lists the roles of each person who holds more than one; `qualification` is
    what is on record of the raters' training and qualification.
    """

    n_inputs: int
    n_claims: int
    n_runs: int
    n_runs_declared: int
    n_packets: int
    scan_is_current: bool
    n_findings: int
    n_unwaived: int
    published_at: str | None
    n_coded: Mapping[str, tuple[int, int]]
    n_locks: int
    queue: tuple[int, int] | None
    closed_at: str | None
    registration_sha256: str
    thresholds: Mapping[str, float]
    reliability: Mapping[str, tuple[float | None, str | None]] = field(default_factory=dict)
    several_roles: tuple[tuple[str, ...], ...] = ()
    qualification: QualificationRecord = field(default=QualificationRecord())


NO_RECORD = ("calibrate",)
"""Phases for which this study holds no record; shown as such, never as done."""


def gates_of(facts: StudyFacts) -> dict[str, tuple[Gate, ...]]:
    """Return phase → gates, in the order of the phases."""
    found: dict[str, tuple[Gate, ...]] = {"freeze": _freeze(facts), "scan": _scan(facts)}
    found["train"] = _train(facts.qualification)
    found["qualify"] = _qualify(facts.qualification)
    for phase in NO_RECORD:
        found[phase] = (Gate(phase, "before coding", "no record in this study", None, "none"),)
    found["code"] = _code(facts)
    found["lock"] = (_lock(facts),)
    found["reliability"] = _reliability(facts)
    found["adjudicate"] = (_adjudicate(facts),)
    found["close"] = (
        Gate("closed", "after adjudication", facts.closed_at or "open", _done(facts.closed_at), "closing event"),
    )
    return found


def _done(moment: str | None) -> bool | None:
    return True if moment else None


def _freeze(facts: StudyFacts) -> tuple[Gate, ...]:
    declared = facts.n_runs_declared
    return (
        Gate("inputs pinned", "every input by sha256", f"{facts.n_inputs} inputs", facts.n_inputs >= 2, "input hashes"),
        Gate(
            "claims frozen",
            "a frozen list with text hashes",
            f"{facts.n_claims} claims in {facts.n_runs} runs",
            facts.n_claims > 0,
            f"registration {facts.registration_sha256[:12]}",
        ),
        Gate(
            "coverage maps",
            f"declared for {facts.n_runs} runs",
            _coverage(declared, facts.n_runs),
            declared == facts.n_runs,
            "coverage maps",
        ),
        _roles(facts),
    )


def _roles(facts: StudyFacts) -> Gate:
    held = "; ".join(" and ".join(roles) for roles in facts.several_roles)
    actual = f"one person is {held}" if held else "one role a person"
    return Gate("role separation", "one role a person", actual, not held, "registration")


def _coverage(declared: int, n_runs: int) -> str:
    derived = n_runs - declared
    return f"declared for {declared}" + (f", derived from the log for {derived}" if derived else "")


def _scan(facts: StudyFacts) -> tuple[Gate, ...]:
    built = Gate("packets built", "one a rater", f"{facts.n_packets} packets", facts.n_packets > 0, "packet hashes")
    if facts.n_packets == 0:
        return (built, Gate("leak scan", "clean or waived with a reason", "not run", None, "none"))
    found = f"{facts.n_findings} findings, {facts.n_unwaived} not waived"
    actual = found if facts.scan_is_current else "not run on these packets"
    met = facts.scan_is_current and facts.n_unwaived == 0
    return (built, Gate("leak scan", "clean or waived with a reason", actual, met, "hash of the bytes scanned"))


def _train(record: QualificationRecord) -> tuple[Gate, ...]:
    """A waiver is no training: it is told with its reason, and the gate stays unmet."""
    if record.exemption:
        return (Gate("raters trained", PLANNED_TRAINING, record.exemption, False, "registration"),)
    return tuple(
        Gate(f"{r.slot} trained", PLANNED_TRAINING, training_told(r), is_trained(r), "reading, training answers")
        for r in record.raters
    )


def _qualify(record: QualificationRecord) -> tuple[Gate, ...]:
    if record.exemption:
        return (Gate("raters qualified", PLANNED_QUALIFICATION, record.exemption, False, "registration"),)
    return tuple(
        Gate(f"{r.slot} qualified", PLANNED_QUALIFICATION, qualification_told(r), is_qualified(r), "graded answers")
        for r in record.raters
    )


def _code(facts: StudyFacts) -> tuple[Gate, ...]:
    at = facts.published_at
    published = Gate("packets published", "after a clean scan", at or "not yet", _done(at), "publication")
    progress = tuple(
        Gate(f"{slot} coded", f"{assigned} claims", f"{coded} of {assigned}", coded == assigned, "stored codings")
        for slot, (coded, assigned) in facts.n_coded.items()
    )
    return (published, *progress)


def _lock(facts: StudyFacts) -> Gate:
    n_packets = len(facts.n_coded)
    met = facts.n_locks == n_packets if n_packets else None
    return Gate("packets locked", f"{n_packets} locks", f"{facts.n_locks} of {n_packets}", met, "lock receipts")


RELIABILITY = (
    ("kappa", "kappa of the verdict"),
    ("kappa_lower", "lower 95 % bound of that kappa"),
    ("codability", "kappa of codability"),
)


def _reliability(facts: StudyFacts) -> tuple[Gate, ...]:
    return tuple(_threshold(facts, key, name) for key, name in RELIABILITY if key in facts.thresholds)


def _threshold(facts: StudyFacts, key: str, name: str) -> Gate:
    """A gate that is not reached is reported as not met, an undefined one too: neither is ever repaired by a tick."""
    wanted = facts.thresholds[key]
    planned = f"at least {wanted:.2f}, the lowest pair counts"
    if key not in facts.reliability:
        return Gate(name, planned, "computed after the lock", None, "locked codings")
    value, reason = facts.reliability[key]
    actual = f"undefined: {reason}" if value is None else f"{value:.4f}"
    return Gate(name, planned, actual, value is not None and value >= wanted, "locked codings")


def _adjudicate(facts: StudyFacts) -> Gate:
    if facts.queue is None:
        return Gate("queue decided", "every queued claim", "not opened", None, "decisions")
    decided, queued = facts.queue
    return Gate("queue decided", f"{queued} claims", f"{decided} of {queued}", decided == queued, "decisions")
