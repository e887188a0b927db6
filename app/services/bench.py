"""The workbench's content: one claim in its run, as served, with what the rules derive from it.

Everything here comes from the blinded tables; nothing native is read.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from sqlmodel import Session

from app.domain.canonical import sha256_hex
from app.domain.codebook.model import Codebook
from app.domain.packets.facts import unit_of
from app.domain.packets.packet import BlindClaim
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit, Run
from app.domain.turnlog.windows import find_window
from app.services.access import codebook_of
from app.services.pages import Workbench
from app.services.prepared import PreparedRun, list_turns, prepared_run
from app.storage import packets
from app.storage.tables import BlindClaimRow, BlindRunRow, StudyRow


@dataclass(frozen=True)
class Case:
    """One claim in its run, ready to be judged and shown. `shown_sha256` covers run, claim and codebook."""

    codebook: Codebook
    claim: BlindClaim
    unit: ClaimUnit
    run: Run
    turns: tuple[dict[str, Any], ...]
    coverage: dict[str, str]
    gaps: tuple[dict[str, Any], ...]
    shown_sha256: str
    kept: PreparedRun | None = None

    @cached_property
    def prepared(self) -> PreparedRun:
        """The run indexed: the one that is kept for it, or one of its own."""
        return self.kept or PreparedRun(RunView(self.run).prepared())


@dataclass(frozen=True)
class UnshownCase:
    """One claim in its run, to be judged and not shown: no turn is decoded where the run is kept prepared."""

    codebook: Codebook
    claim: BlindClaim
    unit: ClaimUnit
    prepared: PreparedRun
    shown_sha256: str


def load_case(session: Session, study: StudyRow, blind_claim_id: str) -> Case:
    """Return the claim with its whole run as served."""
    row = packets.get_blind_claim(session, study.id, blind_claim_id)
    claim = BlindClaim(**json.loads(row.body_json))
    run_row = packets.get_blind_run(session, study.id, claim.blind_run_id)
    turns = list_turns(session, run_row)
    kept = prepared_run(session, run_row, turns)
    return Case(
        codebook=codebook_of(study),
        claim=claim,
        unit=unit_of(claim),
        run=kept.view.run,
        turns=turns,
        coverage=json.loads(run_row.coverage_json),
        gaps=tuple(json.loads(run_row.gaps_json)),
        shown_sha256=_shown_sha256(study, run_row, row),
        kept=kept,
    )


def load_unshown_case(session: Session, study: StudyRow, blind_claim_id: str) -> UnshownCase:
    """Return the claim with its run as served, ready to be judged; takes the same time however long the run is, once
    the run is kept."""
    row = packets.get_blind_claim(session, study.id, blind_claim_id)
    claim = BlindClaim(**json.loads(row.body_json))
    run_row = packets.get_blind_run(session, study.id, claim.blind_run_id)
    return UnshownCase(
        codebook=codebook_of(study),
        claim=claim,
        unit=unit_of(claim),
        prepared=prepared_run(session, run_row),
        shown_sha256=_shown_sha256(study, run_row, row),
    )


def _shown_sha256(study: StudyRow, run: BlindRunRow, claim: BlindClaimRow) -> str:
    return sha256_hex(f"{run.sha256} {sha256_hex(claim.body_json)} {study.codebook_sha256}")


def workbench(study: StudyRow, case: Case, shown_id: str) -> Workbench:
    """Return what the transcript pane shows. `shown_id` stands for the claim: its own id would tell a hidden repeat."""
    return replace(bench_of(study.title, case, shown_id), study_id=study.id)


def bench_of(title: str, case: Case, shown_id: str) -> Workbench:
    """Return the workbench of a case under any title: a study's, or a practice set's."""
    window = find_window(case.codebook.window, case.prepared.view, case.unit)
    return Workbench(
        study_title=title,
        codebook=case.codebook,
        run_alias=case.claim.blind_run_id[:4],
        turns=case.turns,
        claim={
            **asdict(case.claim),
            "blind_claim_id": shown_id,
            "blind_run_id": case.claim.blind_run_id[:4],
            "repeat_of": None,
        },
        claim_text=case.claim.resolved_text or case.claim.text,
        coverage=case.coverage,
        gaps=case.gaps,
        window={"from_turn": window.first, "to_turn": window.last, "closed_by": window.closes_by},
        tiers=case.prepared.tiers,
    )
