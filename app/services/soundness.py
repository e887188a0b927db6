"""Whether the database still holds what was put into it: every hash it keeps, computed once more from the rows.

A changed, removed, added or reordered judgement is named with its place. It reads only; it mends nothing, and it cannot
see a database that was rewritten whole, hashes and all: for that there are the receipts and the exported bundle.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlmodel import Session

from app.domain.adjudication import queue_order, queue_sha256
from app.domain.blinding.seal import derived_id
from app.domain.canonical import sha256_hex
from app.domain.errors import Refused, SaydoError
from app.domain.packets.facts import run_sha256, turn_from_dict
from app.domain.packets.packet import BlindClaim
from app.domain.receipts import locked_rows_sha256
from app.readers.codebook_file import parse_codebook
from app.readers.study_file import parse_study
from app.services.dealing import packet_hash, plan
from app.services.recording import served_sha256
from app.storage import adjudications, audit, chains, codings, packets, studies
from app.storage.tables import LockRow, PacketRow, StudyRow

FIRST = audit.FIRST
DECIDED = ("adjudicate_provisional", "adjudicate_final")


def find_alterations(session: Session) -> Iterator[str]:
    """Yield one sentence for everything in the database that is not as it was stored; nothing for a sound one."""
    yield from _all_of(_everywhere(session))
    for study in studies.list_studies(session):
        yield from _all_of(_of_study(session, study))


def require_unaltered(session: Session, study: StudyRow) -> None:
    """Return when nothing of the study and no judgement was altered; raises `Refused` naming the first place."""
    for sentence in _all_of({**_everywhere(session), **_of_study(session, study)}):
        raise Refused(f"the database was changed outside the application: {sentence}; see saydo db check")


def require_unaltered_packet(session: Session, packet: PacketRow) -> None:
    """Return when every coding of a packet is as it was stored; raises `Refused` naming the first that is not."""
    for kept in chains.codings_of_packet(session, packet.id):
        if chains.expected_sha256(kept.content) != kept.sha256:
            raise Refused(f"the database was changed outside the application: {_named('coding', kept)} was altered")


def _everywhere(session: Session) -> dict[str, Iterator[str]]:
    return {
        "the audit chain": _audit_chain(session),
        "the table of codings": _chain("coding", chains.codings(session), _recorded(session, "save_coding")),
        "the table of decisions": _chain(
            "decision", chains.decisions(session), _recorded(session, "adjudicate_provisional", "adjudicate_final")
        ),
    }


def _of_study(session: Session, study: StudyRow) -> dict[str, Iterator[str]]:
    locks = packets.list_locks(session, study.id)
    return {
        f"the registration of {study.id}": _registration(session, study),
        f"the moments of {study.id}": _moments(session, study),
        f"what {study.id} serves": _served(session, study),
        f"the claims of {study.id}": _claims(session, study),
        f"the packets of {study.id}": _packets(session, study),
        f"the number of locks of {study.id}": _locks(session, study),
        f"the locks of {study.id}": (found for lock in locks for found in _lock(session, study, lock)),
        f"the queue of {study.id}": _queue(session, study),
    }


def _all_of(parts: Mapping[str, Iterator[str]]) -> Iterator[str]:
    """Yield what every part finds; a part whose stored JSON or references no longer hold says so itself."""
    for what, found in parts.items():
        try:
            yield from found
        except (ValueError, KeyError, TypeError, AssertionError, SaydoError) as error:
            yield f"{what} cannot be read any more ({type(error).__name__})"


def _recorded(session: Session, *actions: str) -> set[tuple[str, str]]:
    told = (act for act in chains.acts(session, *actions) if "sha256" in act.details)
    return {(act.subject, act.details["sha256"]) for act in told}


def _audit_chain(session: Session) -> Iterator[str]:
    before = FIRST
    for place, event in enumerate(chains.audit_events(session), start=1):
        if event.id != place:
            yield f"audit event {place} is missing or out of its place"
            return
        if chains.expected_sha256(event.content) != event.sha256:
            yield f"audit event {place} was altered"
        if event.content["previous_sha256"] != before:
            yield f"audit event {place} does not follow the one before it"
        before = event.sha256


def _chain(what: str, rows: Iterator[chains.Kept], recorded: set[tuple[str, str]]) -> Iterator[str]:
    """Rows must be whole by their own hash, follow the revision before them, and stand on the audit chain."""
    newest: dict[tuple[Any, ...], str] = {}
    n_rows = 0
    for n_rows, kept in enumerate(rows, start=1):
        if kept.id != n_rows:
            yield f"{what} {n_rows} is missing or out of its place"
            return
        if chains.expected_sha256(kept.content) != kept.sha256:
            yield f"{_named(what, kept)} was altered"
        if kept.content["previous_sha256"] != newest.get(kept.chain, FIRST):
            yield f"{_named(what, kept)} does not follow the revision before it"
        if recorded and (kept.subject, kept.sha256) not in recorded:
            yield f"{_named(what, kept)} is not on the audit chain"
        newest[kept.chain] = kept.sha256
    if n_rows < len(recorded):
        yield f"the audit chain tells of {len(recorded)} {what} rows and there are {n_rows}"


def _named(what: str, kept: chains.Kept) -> str:
    return f"{what} {kept.id} ({kept.subject}, revision {kept.content['revision']})"


def _registration(session: Session, study: StudyRow) -> Iterator[str]:
    if sha256_hex(study.registration_text + "\n" + study.registration_json) != study.registration_sha256:
        yield f"the registration of {study.id} was altered"
    created = [act.details for act in chains.acts(session, "create_study") if act.subject == study.id]
    if [details["registration_sha256"] for details in created] != [study.registration_sha256]:
        yield f"the registration of {study.id} is not the one on the audit chain"
    registered = json.loads(study.registration_json)
    if (study.seed, study.title) != (registered["seed"], registered["title"] or study.id):
        yield f"the seed or title of {study.id} is not the registered one"
    codebook = parse_codebook(study.codebook_text, f"codebook of {study.id}")
    if not study.codebook_sha256 == registered["codebook_sha256"] == codebook.sha256:
        yield f"the codebook kept with {study.id} is not the registered one"
    if study.codebook_version != codebook.version:
        yield f"the codebook version of {study.id} is not the registered one"


def _moments(session: Session, study: StudyRow) -> Iterator[str]:
    """When the study was created, published and closed, as the audit chain tells it."""
    told = {"create_study": study.created_at, "publish_packets": study.published_at, "close_study": study.closed_at}
    for action, stored in told.items():
        acted = [act.at for act in chains.acts(session, action) if act.subject == study.id]
        if acted != ([stored] if stored else []):
            yield f"{study.id} says {stored or 'never'} of {action}, the audit chain {', '.join(acted) or 'never'}"
    for packet in packets.list_packets(session, study.id):
        if packet.published_at != study.published_at:
            yield f"packet {packet.slot} of {study.id} was published at another moment than the study"


def _served(session: Session, study: StudyRow) -> Iterator[str]:
    runs = packets.list_blind_runs(session, study.id)
    for run in runs:
        stored = packets.list_blind_turns(session, study.id, run.blind_run_id)
        turns = [turn_from_dict(json.loads(body)) for body in stored]
        in_place = packets.list_turn_numbers(session, study.id, run.blind_run_id) == [turn.turn for turn in turns]
        if run_sha256(turns) != run.sha256 or len(turns) != run.n_turns or not in_place:
            yield f"run {run.blind_run_id} as served in {study.id} was altered"
    if packets.count_blind_turns(session, study.id) != sum(run.n_turns for run in runs):
        yield f"{study.id} holds turns of no run that it serves"
    scanned = packets.find_scan(session, study.id)
    if study.published_at and (scanned is None or scanned.served_sha256 != served_sha256(session, study.id)):
        yield f"what the packets of {study.id} serve is not what the leak scan looked at"


def _claims(session: Session, study: StudyRow) -> Iterator[str]:
    """Each claim under its own ids, and in the state the audit chain last put it."""
    entered = {"pause_claim": "paused", "resume_claim": "sampled", "withdraw_claim": "withdrawn"}
    states = {act.subject: entered[act.action] for act in chains.acts(session, *entered)}
    for row in packets.list_blind_claims(session, study.id):
        body = json.loads(row.body_json)
        if (row.blind_claim_id, row.blind_run_id) != (body["blind_claim_id"], body["blind_run_id"]):
            yield f"claim {row.blind_claim_id} of {study.id} stands under another id than its own"
        if row.status != states.get(row.blind_claim_id, "sampled"):
            yield f"claim {row.blind_claim_id} of {study.id} is {row.status}, which the audit chain does not tell"


def _packets(session: Session, study: StudyRow) -> Iterator[str]:
    """Each packet against its own hash, and its items against what the registered design deals from the seed."""
    built = packets.list_packets(session, study.id)
    claims = [BlindClaim(**json.loads(row.body_json)) for row in packets.list_blind_claims(session, study.id)]
    by_id = {claim.blind_claim_id: claim for claim in claims}
    spec = parse_study(study.registration_text, f"registration of {study.id}")
    planned = plan(session, study, spec, claims) if claims else {}
    if [packet.slot for packet in built] != list(planned):
        yield f"{study.id} has no packet, or one too many, beside those that were dealt"
        return
    for packet in built:
        stored = packets.list_assignments(session, packet.id)
        dealt = [(item.assignment_id, item.of, item.position, item.purpose) for item in planned[packet.slot]]
        if [(row.id, row.blind_claim_id, row.position, row.purpose) for row in stored] != dealt:
            yield f"the items of packet {packet.slot} of {study.id} are not those that were dealt"
        elif packet_hash(session, study, [by_id[row.blind_claim_id] for row in stored]) != packet.sha256:
            yield f"packet {packet.slot} of {study.id} was altered"
        if any((row.study_id, row.user_id) != (study.id, packet.user_id) for row in stored):
            yield f"an item of packet {packet.slot} of {study.id} belongs to somebody else"


def _locks(session: Session, study: StudyRow) -> Iterator[str]:
    built = {packet.id for packet in packets.list_packets(session, study.id)}
    told = sorted(act.subject for act in chains.acts(session, "lock_packet") if act.subject in built)
    if sorted(lock.packet_id for lock in packets.list_locks(session, study.id)) != told:
        yield f"{study.id} has not the locks that the audit chain tells of"


def _lock(session: Session, study: StudyRow, lock: LockRow) -> Iterator[str]:
    packet = packets.find_packet(session, lock.packet_id)
    rows = codings.list_current(session, lock.packet_id)
    named = f"the lock of packet {lock.slot} of {study.id}"
    if packet is None or (packet.slot, packet.user_id, packet.sha256) != (lock.slot, lock.user_id, lock.packet_sha256):
        yield f"{named} is not of that packet"
        return
    judged = [(a.blind_claim_id, json.loads(c.answer_json), c.revision) for a, c in rows]
    covered = locked_rows_sha256(study.codebook_sha256, packet.sha256, judged)
    if covered != lock.rows_sha256 or len(rows) != lock.n_rows:
        yield f"{named} does not cover the codings that stand there"
    told = {"lock_id": lock.id, "rows_sha256": lock.rows_sha256, "n_rows": lock.n_rows}
    recorded = [act for act in chains.acts(session, "lock_packet") if act.subject == packet.id]
    if [(act.at, {key: act.details.get(key) for key in told}) for act in recorded] != [(lock.locked_at, told)]:
        yield f"{named} is not the one on the audit chain"
    attested = {act.details.get("attestations_sha256") for act in recorded} - {None}
    if attested and attested != {sha256_hex(lock.attestations_json)}:
        yield f"{named} does not hold the attestations that were given"


def _queue(session: Session, study: StudyRow) -> Iterator[str]:
    items = adjudications.list_queue(session, study.id)
    key = studies.get_seal_key(session, study.id)
    order = queue_order(sorted(item.blind_claim_id for item in items), study.seed)
    for place, (item, claim_id) in enumerate(zip(items, order, strict=True), start=1):
        if (item.position, item.blind_claim_id, item.id) != (place, claim_id, derived_id(key, "queue", claim_id)):
            yield f"place {place} of the adjudication queue of {study.id} was altered"
    told = {
        act.details.get("queue_sha256") for act in chains.acts(session, "open_adjudication") if act.subject == study.id
    }
    if told - {None} and told != {queue_sha256({item.blind_claim_id: item.selected_by_json for item in items})}:
        yield f"why claims are in the adjudication queue of {study.id} was altered"
