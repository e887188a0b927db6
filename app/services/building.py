"""Building packets: the sampled runs are blinded and copied into the database, the claims dealt to the raters.

Built packets may be rebuilt until they are published; after that they stand. How the claims are dealt is `dealing`'s.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from sqlmodel import Session

from app.domain.blinding.scrub import Replacement, Scrubber
from app.domain.blinding.seal import blind_id
from app.domain.blinding.term import Term
from app.domain.blinding.terms import study_terms
from app.domain.canonical import canonical_json
from app.domain.claims.claim import Claim
from app.domain.errors import Conflict
from app.domain.moments import iso
from app.domain.packets.build import blind_claim, blind_coverage, blind_turns, run_sha256
from app.domain.packets.packet import BlindClaim, BlindTurn
from app.domain.roles import Action
from app.domain.study import StudySpec
from app.domain.turnlog.run import Gap
from app.domain.turnlog.turns import Turn
from app.readers.study_file import parse_study
from app.readers.turnlog_file import Pinned, TurnLog, open_turn_log, verify_pin
from app.services.access import get_study_for
from app.services.dealing import deal, sampled
from app.services.identities import identities_of
from app.services.people import Actor
from app.storage import audit, packets, studies
from app.storage.tables import BlindClaimRow, BlindRunRow, FrozenRunRow, IdentityRow, LedgerRow, StudyRow


@dataclass(frozen=True)
class Built:
    """What was built."""

    n_packets: int
    n_assignments: int
    n_replacements: int


@dataclass(frozen=True)
class Blinding:
    """The study's blinding at work: the key of its ids, and the scrubber made of everything it searches."""

    key: bytes
    scrubber: Scrubber


def spec_of(study: StudyRow) -> StudySpec:
    """Return the study file as registered."""
    return parse_study(study.registration_text, f"registration of {study.id}")


def pinned_log(session: Session, study_id: str) -> TurnLog:
    """Return the study's log, opened after its bytes were found unchanged. Raises `Conflict` when they are not."""
    rows = studies.list_inputs(session, study_id)
    for row in rows:
        verify_pin(Pinned(Path(row.path), row.sha256, row.bytes))
    return open_turn_log(Path(next(row.path for row in rows if row.name == "log")), checked=False)


def terms_of(session: Session, study: StudyRow, log: TurnLog) -> tuple[Term, ...]:
    """Return every term the study's blinding searches, each with its placeholder."""
    key = studies.get_seal_key(session, study.id)
    spec = spec_of(study)
    return study_terms(identities_of(log, spec), spec.blinding.terms, key=key)


@dataclass(frozen=True)
class Blinded:
    """The sampled runs and claims of one study as they will be served, ready to be stored."""

    study_id: str
    runs: tuple[BlindRunRow, ...]
    turns: Mapping[str, Sequence[tuple[int, str]]]
    claims: tuple[BlindClaim, ...]
    identities: tuple[IdentityRow, ...]
    ledger: tuple[Replacement, ...]


def build_packets(session: Session, actor: Actor, study_id: str, now: datetime) -> Built:
    """Blind the sampled runs and claims, deal them to the raters, and store both; return the counts.

    Raises `Conflict` when packets are published already, or when a pinned input's bytes have changed. Where others are
    saving meanwhile, `blind_study` is called in a reading session first: blinding takes long, storing does not.
    """
    return store_packets(session, actor, blind_study(session, actor, study_id), now)


def blind_study(session: Session, actor: Actor, study_id: str) -> Blinded:
    """Return the sampled runs and claims as they will be served; reads only. Raises as `build_packets`."""
    study = _unpublished(session, actor, study_id)
    log = pinned_log(session, study_id)
    blinding = Blinding(studies.get_seal_key(session, study_id), Scrubber(terms_of(session, study, log)))
    claims = sampled(session, study, spec_of(study))
    ledger: list[Replacement] = []
    runs: list[BlindRunRow] = []
    turns: dict[str, list[tuple[int, str]]] = {}
    blinded: list[BlindClaim] = []
    identities: list[IdentityRow] = []
    for run in studies.list_frozen_runs(session, study_id):
        of_run = [claim for claim in claims if claim.session_id == run.session_id]
        if of_run:
            row, bodies, made = _blind_run(run, (log.turns(run.session_id), of_run), blinding, ledger)
            runs.append(row)
            turns[row.blind_run_id] = bodies
            blinded.extend(made)
            identities.extend(_identities(run, row, of_run, made))
    return Blinded(study_id, tuple(runs), turns, tuple(blinded), tuple(identities), tuple(ledger))


def store_packets(session: Session, actor: Actor, blinded: Blinded, now: datetime) -> Built:
    """Store what was blinded in place of an earlier build, and deal the claims; return the counts."""
    study = _unpublished(session, actor, blinded.study_id)
    packets.clear_packets(session, study.id)
    studies.add_rows(session, blinded.runs)
    for blind_run_id, bodies in blinded.turns.items():
        packets.add_blind_turns(session, study.id, blind_run_id, bodies)
    studies.add_rows(session, [_claim_row(study.id, claim) for claim in blinded.claims])
    studies.add_rows(session, blinded.identities)
    n_assignments = deal(session, study, spec_of(study), blinded.claims, now)
    study.phase = "scan"
    session.add(study)
    built = Built(len(spec_of(study).slots), n_assignments, len(blinded.ledger))
    studies.add_rows(session, [_ledger_row(study.id, blinded.ledger, now)])
    event = {"at": iso(now), "actor": actor.name, "action": "build_packets", "study_id": study.id, "subject": study.id}
    audit.record(session, {**event, "details": asdict(built)})
    return built


def _unpublished(session: Session, actor: Actor, study_id: str) -> StudyRow:
    study = get_study_for(session, actor, study_id, Action.BUILD_PACKETS)
    if study.published_at is not None:
        raise Conflict(f"the packets of {study_id} were published on {study.published_at} and stand as they are")
    return study


def _blind_run(
    run: FrozenRunRow,
    content: tuple[Sequence[Turn], Sequence[Claim]],
    blinding: Blinding,
    ledger: list[Replacement],
) -> tuple[BlindRunRow, list[tuple[int, str]], list[BlindClaim]]:
    """Return one run as served: its row, its turns' bodies, its claims."""
    turns, claims = content
    run_id = blind_id(blinding.key, run.session_id)
    scrubber = blinding.scrubber.of_run(turn.ts for turn in turns)
    shown = blind_turns(turns, scrubber, ledger, place=f"{run_id[:8]} ")
    by_turn = {turn.turn_index: turn for turn in turns}
    made = [blind_claim(claim, by_turn[claim.turn_index], scrubber, blinding.key) for claim in claims]
    bodies = [(turn.turn, canonical_json(turn.as_dict())) for turn in shown]
    return _run_row(run, run_id, shown, scrubber), bodies, made


def _identities(
    run: FrozenRunRow, row: BlindRunRow, claims: Sequence[Claim], made: Sequence[BlindClaim]
) -> Iterator[IdentityRow]:
    """Yield what the blind ids of one run and its claims stand for."""
    natives = [("run", row.blind_run_id, run.session_id)]
    natives += [("claim", blind.blind_claim_id, claim.claim_id) for blind, claim in zip(made, claims, strict=True)]
    for kind, blind, native in natives:
        yield IdentityRow(study_id=run.study_id, kind=kind, blind_id=blind, native_id=native)


def _run_row(run: FrozenRunRow, run_id: str, shown: Sequence[BlindTurn], scrubber: Scrubber) -> BlindRunRow:
    gaps = tuple(Gap(**gap) for gap in json.loads(run.gaps_json))
    coverage, shown_gaps = blind_coverage(json.loads(run.coverage_json), gaps, scrubber)
    return BlindRunRow(
        study_id=run.study_id,
        blind_run_id=run_id,
        n_turns=len(shown),
        coverage_json=canonical_json(coverage),
        gaps_json=canonical_json([asdict(gap) for gap in shown_gaps]),
        sha256=run_sha256(shown),
    )


def _claim_row(study_id: str, claim: BlindClaim) -> BlindClaimRow:
    return BlindClaimRow(
        study_id=study_id,
        blind_claim_id=claim.blind_claim_id,
        blind_run_id=claim.blind_run_id,
        body_json=canonical_json(asdict(claim)),
    )


def _ledger_row(study_id: str, ledger: Sequence[Replacement], now: datetime) -> LedgerRow:
    entries = [asdict(entry) for entry in ledger]
    return LedgerRow(
        study_id=study_id, built_at=iso(now), n_replacements=len(entries), entries_json=canonical_json(entries)
    )
