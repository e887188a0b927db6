"""The lead's view of a study: phases, gates from artefacts, the next step, progress without verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlmodel import Session

from app.domain.gates import StudyFacts, gates_of
from app.domain.rater_standing import QualificationRecord, figures, is_qualified, step_words
from app.domain.roles import Action, require
from app.domain.study import PHASES
from app.services.access import codebook_of, get_study_for
from app.services.adjudicating import all_locked
from app.services.agreement import reliability_of
from app.services.closing import count_queue
from app.services.pages import GateLine, NextStep, RaterProgress, StandingLine, StudyLine, StudyList, StudyPage
from app.services.people import Actor
from app.services.recording import served_sha256
from app.services.standings import record_of
from app.storage import codings, packets, studies
from app.storage.tables import StudyRow

EXPORTED = (
    ("rater_pooled.csv", "one row a claim: each rater's locked code beside the pooled value"),
    ("rater_long.csv", "one row a claim and coder"),
    ("disagreements.csv", "every disagreement, in blind-id order"),
    ("intra_rater.csv", "each rater's hidden repeats beside the first coding"),
    ("controls.csv", "each rater's codings of claims with a known answer"),
    ("timesheet.csv", "how long each rater worked, session by session"),
    ("gaps.csv", "the share of gaps under every policy and denominator, with n and N"),
    ("ratings_wide.csv", "the ratings agreement is computed from, raters in columns, for R and Python"),
    ("ratings_long.csv", "the same, one rating a row"),
    ("categories.csv", "the declared labels of every field in their order"),
    ("rater_pooled.parquet", "rater_pooled.csv with types and lists"),
    ("rater_long.parquet", "rater_long.csv with types and lists"),
    ("agreement.json", "every coefficient, with its n and its reason where undefined"),
    ("report.html", "the report, in one file"),
    ("datapackage.json", "every table described for machines: types, keys, allowed codes"),
    ("manifest.json", "hashes, policies, seeds, accounting"),
)


def study_list(session: Session, actor: Actor) -> StudyList:
    """Return the studies this actor leads or holds in custody, newest first."""
    require(actor.roles, Action.READ_PROGRESS)
    own = {s for role in ("lead", "custodian") for s in studies.list_study_ids_of(session, actor.user_id, role)}
    lines = [_line(session, study) for study in reversed(studies.list_studies(session)) if study.id in own]
    return StudyList(tuple(lines))


def _line(session: Session, study: StudyRow) -> StudyLine:
    n_claims, n_runs = studies.count_frozen(session, study.id)
    return StudyLine(study.id, study.title, study.phase, study.codebook_version, n_claims, n_runs)


def facts_of(session: Session, study: StudyRow) -> StudyFacts:
    """Count a study's artefacts. Kappa is computed only once every packet is locked."""
    n_claims, n_runs = studies.count_frozen(session, study.id)
    scan, findings = packets.find_scan(session, study.id), packets.list_findings(session, study.id)
    locked = all_locked(session, study.id)
    registration = json.loads(study.registration_json)
    opened = study.phase in {"adjudicate", "close"}
    return StudyFacts(
        n_inputs=len(studies.list_inputs(session, study.id)),
        n_claims=n_claims,
        n_runs=n_runs,
        n_runs_declared=sum(run.origin == "declared" for run in studies.list_frozen_runs(session, study.id)),
        n_packets=len(packets.list_packets(session, study.id)),
        scan_is_current=scan is not None and scan.served_sha256 == served_sha256(session, study.id),
        n_findings=len(findings),
        n_unwaived=sum(finding.waived_reason is None for finding in findings),
        published_at=study.published_at,
        n_coded={line.slot: (line.n_coded, line.n_assigned) for line in progress_of(session, study.id)},
        n_locks=len(packets.list_locks(session, study.id)),
        queue=count_queue(session, study.id) if opened else None,
        closed_at=study.closed_at,
        registration_sha256=study.registration_sha256,
        thresholds=_thresholds(study, registration),
        reliability=reliability_of(session, study) if locked else {},
        several_roles=tuple(tuple(roles) for roles in registration.get("several_roles", ())),
        qualification=record_of(session, study),
    )


def _thresholds(study: StudyRow, registration: Mapping[str, Any]) -> dict[str, float]:
    """Return the thresholds that something of this study is held to: none of codability where it is not asked."""
    declared: dict[str, float] = registration.get("thresholds", {})
    asked = codebook_of(study).field("codability") is not None
    return {name: value for name, value in declared.items() if asked or name != "codability"}


def progress_of(session: Session, study_id: str) -> tuple[RaterProgress, ...]:
    """Return each rater's progress by slot: counts and the lock, no verdict."""
    names = {member.slot: user.name for member, user in studies.list_members(session, study_id, "rater")}
    found = []
    for packet in packets.list_packets(session, study_id):
        lock = packets.find_lock(session, packet.id)
        found.append(
            RaterProgress(
                slot=packet.slot,
                name=names[packet.slot],
                n_assigned=packets.count_assignments(session, packet.id),
                n_coded=codings.count_coded(session, packet.id),
                n_drafts=codings.count_drafts(session, packet.id),
                locked_at=lock.locked_at if lock else None,
            )
        )
    return tuple(found)


def standings_of(session: Session, study_id: str, record: QualificationRecord) -> tuple[StandingLine, ...]:
    """Return where each human rater stands: slot, name and step, no answer. Empty where nobody has to qualify."""
    names = {member.slot: user.name for member, user in studies.list_members(session, study_id, "rater")}
    return tuple(
        StandingLine(r.slot, names[r.slot], step_words(r.step), tuple(map(figures, r.rounds)), is_qualified(r))
        for r in record.raters
    )


def next_step(facts: StudyFacts) -> NextStep:
    """Return the one thing to do next, derived from the artefacts."""
    if facts.closed_at:
        return NextStep("Download the tables", "the study is closed and every number can be verified", None)
    if facts.queue is not None:
        decided, queued = facts.queue
        if decided < queued:
            return NextStep("The adjudicator decides", f"{decided} of {queued} queued claims are decided", None)
        return NextStep("Close the study", f"all {queued} queued claims are decided", "close")
    if facts.published_at:
        if facts.n_locks < facts.n_packets:
            return _coding(facts)
        return NextStep("Open the adjudication", "every packet is locked", "open-adjudication")
    return _before_publication(facts)


def _coding(facts: StudyFacts) -> NextStep:
    locked = f"{facts.n_locks} of {facts.n_packets} packets are locked"
    raters = facts.qualification.raters
    waiting = sum(not is_qualified(rater) for rater in raters)
    if not waiting:
        return NextStep("The raters code and lock", locked, None)
    return NextStep(
        "The raters qualify, code and lock", f"{len(raters) - waiting} of {len(raters)} are qualified, {locked}", None
    )


def _before_publication(facts: StudyFacts) -> NextStep:
    if facts.n_packets == 0:
        return NextStep("Build the packets", f"{facts.n_claims} claims in {facts.n_runs} runs are frozen", "build")
    if not facts.scan_is_current:
        return NextStep("Scan the packets for leaks", f"{facts.n_packets} packets are built", "scan")
    if facts.n_unwaived:
        return NextStep(
            "The custodian looks at the findings", f"{facts.n_unwaived} of {facts.n_findings} are not waived", None
        )
    return NextStep("Publish the packets", "the scan of the served bytes is clean or waived", "publish")


def study_page(session: Session, actor: Actor, study_id: str) -> StudyPage:
    """Return one study whole."""
    study = get_study_for(session, actor, study_id, Action.READ_PROGRESS)
    facts = facts_of(session, study)
    gates = tuple(
        (phase, tuple(GateLine(g.name, g.planned, g.actual, g.met, g.evidence) for g in found))
        for phase, found in gates_of(facts).items()
    )
    return StudyPage(
        study_id=study.id,
        title=study.title,
        phase=study.phase,
        phases=tuple(PHASES),
        codebook_version=study.codebook_version,
        codebook_sha256=study.codebook_sha256,
        codebook_origin=codebook_of(study).origin,
        registration_sha256=study.registration_sha256,
        registration_text=study.registration_text,
        inputs=_inputs(session, study_id),
        n_claims=facts.n_claims,
        n_runs=facts.n_runs,
        gates=gates,
        next_step=next_step(facts),
        progress=progress_of(session, study_id),
        standings=standings_of(session, study_id, facts.qualification),
        n_findings=facts.n_findings,
        n_unwaived=facts.n_unwaived,
        adjudication=facts.queue,
        can_read_agreement=all_locked(session, study_id),
        exports=tuple({"name": name, "about": about} for name, about in EXPORTED) if study.closed_at else (),
    )


def _inputs(session: Session, study_id: str) -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {
            "name": row.name,
            "file": row.path.rsplit("/", 1)[-1],
            "sha256": row.sha256,
            "bytes": row.bytes,
            "rows": row.rows,
        }
        for row in studies.list_inputs(session, study_id)
    )
