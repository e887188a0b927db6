"""Phases and their gates, derived from artefacts alone: a gate is met when the record shows it, never by a tick.

Nothing here reads or moves a study; it turns counted facts into planned / actual / evidence lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
    """What is counted of a study. `n_coded` maps slot → (coded, assigned); `kappa` is None until it may be computed."""

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
    kappa: float | None = None
    kappa_reason: str | None = None


NO_RECORD = ("train", "qualify", "calibrate")
"""Phases for which this study holds no record; shown as such, never as done."""


def gates_of(facts: StudyFacts) -> dict[str, tuple[Gate, ...]]:
    """Return phase → gates, in the order of the phases."""
    found: dict[str, tuple[Gate, ...]] = {"freeze": _freeze(facts), "scan": _scan(facts)}
    for phase in NO_RECORD:
        found[phase] = (Gate(phase, "before coding", "no record in this study", None, "none"),)
    found["code"] = _code(facts)
    found["lock"] = (_lock(facts),)
    found["reliability"] = (_reliability(facts),)
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
    )


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


def _reliability(facts: StudyFacts) -> Gate:
    threshold = facts.thresholds.get("kappa", 0.70)
    planned = f"Cohen's kappa on the verdict at least {threshold:.2f}"
    if facts.kappa is None:
        actual = f"undefined: {facts.kappa_reason}" if facts.kappa_reason else "computed after the lock"
        return Gate("kappa", planned, actual, False if facts.kappa_reason else None, "locked codings")
    return Gate("kappa", planned, f"{facts.kappa:.4f}", facts.kappa >= threshold, "locked codings")


def _adjudicate(facts: StudyFacts) -> Gate:
    if facts.queue is None:
        return Gate("queue decided", "every queued claim", "not opened", None, "decisions")
    decided, queued = facts.queue
    return Gate("queue decided", f"{queued} claims", f"{decided} of {queued}", decided == queued, "decisions")
