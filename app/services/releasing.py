"""From built packets to published ones: the leak scan over what is served, the custodian's waivers, publication.

It fails closed: packets that were not scanned as they stand, or with a finding nobody waived, are not published (H29).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlmodel import Session

from app.domain.blinding.leaks import Finding, scan
from app.domain.blinding.term import Unsearched
from app.domain.blinding.terms import unsearched_values
from app.domain.canonical import canonical_json
from app.domain.errors import Conflict, NotFound, Refused
from app.domain.moments import iso
from app.domain.roles import Action, require
from app.services.access import get_study_for
from app.services.building import pinned_log, spec_of, terms_of
from app.services.identities import identities_of
from app.services.pages import CustodyPage, FindingLine, StudyLine, StudyList
from app.services.people import Actor
from app.services.recording import served_sha256
from app.storage import audit, packets, studies
from app.storage.tables import FindingRow, ScanRow, StudyRow

MIN_REASON = 20
HIDDEN = ("arm", "model", "run_id", "task_id")


def served_texts(session: Session, study: StudyRow) -> Iterator[tuple[str, str]]:
    """Yield place → text of everything a rater or adjudicator is served of this study."""
    yield "study title", study.title
    yield "study id", study.id
    for row in packets.list_blind_runs(session, study.id):
        place = f"run {row.blind_run_id[:8]}"
        yield f"{place} coverage", row.coverage_json + row.gaps_json
        for turn, body in enumerate(packets.list_blind_turns(session, study.id, row.blind_run_id)):
            yield f"{place} turn {turn}", body
    for claim in packets.list_blind_claims(session, study.id):
        yield f"claim {claim.blind_claim_id[:8]}", claim.body_json
    for packet in packets.list_packets(session, study.id):
        yield f"packet {packet.slot} ids", " ".join(a.id for a in packets.list_assignments(session, packet.id))


@dataclass(frozen=True)
class Scanned:
    """What a leak scan found, and the hash of the bytes it looked at."""

    study_id: str
    findings: tuple[Finding, ...]
    unsearched: tuple[Unsearched, ...]
    served_sha256: str


def scan_packets(session: Session, actor: Actor, study_id: str, now: datetime) -> tuple[Finding, ...]:
    """Scan everything the built packets serve for what blinding hides; store and return the findings.

    Raises `Refused` before packets are built, `Conflict` after they are published. Where others are saving meanwhile,
    `look_for_leaks` is called in a reading session first: looking takes long, storing does not.
    """
    return store_scan(session, actor, look_for_leaks(session, actor, study_id), now)


def look_for_leaks(session: Session, actor: Actor, study_id: str) -> Scanned:
    """Return what a scan of the built packets finds; reads only. Raises as `scan_packets`."""
    study = _unpublished(session, actor, study_id)
    log = pinned_log(session, study_id)
    served = list(served_texts(session, study))
    spec = spec_of(study)
    left = tuple(unsearched_values(identities_of(log, spec), spec.blinding.terms))
    findings = (*scan(served, terms_of(session, study, log)), *_common_words(left, served))
    return Scanned(study_id, findings, left, served_sha256(session, study_id))


def store_scan(session: Session, actor: Actor, scanned: Scanned, now: datetime) -> tuple[Finding, ...]:
    """Store a scan's findings in place of an earlier scan's and return them.

    Raises `Conflict` when the packets were built anew since they were looked at.
    """
    study_id, findings = scanned.study_id, scanned.findings
    _unpublished(session, actor, study_id)
    if served_sha256(session, study_id) != scanned.served_sha256:
        raise Conflict(f"the packets of {study_id} were built anew during the scan; scan them again")
    packets.clear_scan(session, study_id)
    row = ScanRow(
        study_id=study_id,
        scanned_at=iso(now),
        served_sha256=scanned.served_sha256,
        unsearched_json=canonical_json([asdict(value) for value in scanned.unsearched]),
    )
    rows = [FindingRow(study_id=study_id, place=f.where, kind=f.kind, excerpt=f.excerpt) for f in findings]
    studies.add_rows(session, [row, *rows])
    event = {"at": iso(now), "actor": actor.name, "action": "scan_packets", "study_id": study_id, "subject": study_id}
    audit.record(session, {**event, "details": {"n_findings": len(findings), "served_sha256": row.served_sha256}})
    return findings


def _unpublished(session: Session, actor: Actor, study_id: str) -> StudyRow:
    study = get_study_for(session, actor, study_id, Action.SCAN_PACKETS)
    if not packets.list_packets(session, study_id):
        raise Refused(f"{study_id} has no packets yet; build them first: saydo packets build {study_id}")
    if study.published_at is not None:
        raise Conflict(f"the packets of {study_id} were published on {study.published_at} after their scan")
    return study


@dataclass(frozen=True)
class Waiver:
    """The custodian's word on one finding."""

    finding_id: int
    reason: str


@dataclass(frozen=True)
class Settlement:
    """The custodian's word on one paused claim: `resume` or `withdraw`, and why."""

    blind_claim_id: str
    what: str
    reason: str


def _common_words(left: Sequence[Unsearched], served: Sequence[tuple[str, str]]) -> list[Finding]:
    """Find names of arms, models, runs and tasks that are too short or common to be replaced, standing as words.

    The custodian decides on each: nobody else can tell `control` the arm from `control` the word. Numbers are left out.
    """
    words = sorted({v.value for v in left if v.column in HIDDEN and any(c.isalpha() for c in v.value)})
    found = []
    for word in words:
        pattern = re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", re.IGNORECASE)
        places = [place for place, text in served if place.startswith("run ") and pattern.search(text)]
        if places:
            more = f" and {len(places) - 1} more places" if len(places) > 1 else ""
            found.append(Finding(places[0], "common word", f"a value of an identity column stands here{more}"))
    return found


def waive_finding(session: Session, actor: Actor, study_id: str, waiver: Waiver, now: datetime) -> None:
    """Record the custodian's waiver of one finding. Raises `Refused` for a reason that says too little."""
    get_study_for(session, actor, study_id, Action.WAIVE_FINDING)
    finding_id, reason = waiver.finding_id, waiver.reason
    if len(reason.strip()) < MIN_REASON:
        raise Refused(f"a waiver needs a reason of at least {MIN_REASON} characters: it is printed in the report")
    row = session.get(FindingRow, finding_id)
    if row is None or row.study_id != study_id:
        raise NotFound("there is no such finding in this study's last scan")
    row.waived_by, row.waived_reason, row.waived_at = actor.user_id, reason.strip(), iso(now)
    session.add(row)
    event = {"at": iso(now), "actor": actor.name, "action": "waive_finding", "study_id": study_id}
    audit.record(session, {**event, "subject": str(finding_id), "details": {"kind": row.kind}})


def publish_packets(session: Session, actor: Actor, study_id: str, now: datetime) -> int:
    """Publish the packets to their raters; return how many. Raises `Refused` unless scanned as they stand and clean."""
    study = get_study_for(session, actor, study_id, Action.PUBLISH_PACKETS)
    if study.published_at is not None:
        raise Conflict(f"the packets of {study_id} were published on {study.published_at}")
    scanned = packets.find_scan(session, study_id)
    if scanned is None or scanned.served_sha256 != served_sha256(session, study_id):
        raise Refused(f"the packets of {study_id} were not scanned as they stand: saydo packets scan {study_id}")
    unwaived = sum(finding.waived_reason is None for finding in packets.list_findings(session, study_id))
    if unwaived:
        raise Refused(f"{unwaived} findings of the leak scan are neither mended nor waived by the custodian (H29)")
    built = packets.list_packets(session, study_id)
    for packet in built:
        packet.published_at = iso(now)
        session.add(packet)
    study.published_at, study.phase = iso(now), "code"
    session.add(study)
    session.flush()
    event = {"at": iso(now), "actor": actor.name, "action": "publish_packets", "study_id": study_id}
    audit.record(session, {**event, "subject": study_id, "details": {"n_packets": len(built)}})
    return len(built)


def custody_list(session: Session, actor: Actor) -> StudyList:
    """Return the studies this actor holds in custody."""
    require(actor.roles, Action.READ_FINDINGS)
    lines = []
    for study_id in studies.list_study_ids_of(session, actor.user_id, "custodian"):
        study = studies.find_study(session, study_id)
        assert study is not None, "a membership refers to a study"
        n_claims, n_runs = studies.count_frozen(session, study_id)
        lines.append(StudyLine(study_id, study.title, study.phase, study.codebook_version, n_claims, n_runs))
    return StudyList(tuple(lines))


def custody_page(session: Session, actor: Actor, study_id: str) -> CustodyPage:
    """Return the last scan of a study with its findings and waivers."""
    study = get_study_for(session, actor, study_id, Action.READ_FINDINGS)
    scanned, ledger = packets.find_scan(session, study_id), packets.find_ledger(session, study_id)
    findings = tuple(
        FindingLine(row.id or 0, row.place, row.kind, row.excerpt, row.waived_reason)
        for row in packets.list_findings(session, study_id)
    )
    return CustodyPage(
        study_id=study_id,
        title=study.title,
        scanned_at=scanned.scanned_at if scanned else None,
        findings=findings,
        unsearched=tuple(json.loads(scanned.unsearched_json)) if scanned else (),
        n_replacements=ledger.n_replacements if ledger else 0,
        paused=tuple(
            {"blind_claim_id": row.blind_claim_id, "text": json.loads(row.body_json)["text"]}
            for row in packets.list_blind_claims(session, study_id)
            if row.status == "paused"
        ),
    )


def settle_paused(session: Session, actor: Actor, study_id: str, settlement: Settlement, now: datetime) -> None:
    """Resume or withdraw a claim that a leak had paused. Raises `Refused` for a reason that says too little."""
    get_study_for(session, actor, study_id, Action.REPLACE_ASSIGNMENT)
    what, reason = settlement.what, settlement.reason.strip()
    if what not in {"resume", "withdraw"} or len(reason) < MIN_REASON:
        raise Refused(f"say resume or withdraw, and why in at least {MIN_REASON} characters")
    claims = {row.blind_claim_id: row for row in packets.list_blind_claims(session, study_id)}
    row = claims.get(settlement.blind_claim_id)
    if row is None or row.status != "paused":
        raise NotFound("there is no such paused claim in this study")
    row.status = "sampled" if what == "resume" else "withdrawn"
    session.add(row)
    event = {"at": iso(now), "actor": actor.name, "action": f"{what}_claim", "study_id": study_id}
    audit.record(session, {**event, "subject": row.blind_claim_id, "details": {"reason": reason}})
