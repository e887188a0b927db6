"""The workbench's content: one claim in its run, as served, with what the rules derive from it.

Everything here comes from the blinded tables; nothing native is read.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from sqlmodel import Session

from app.domain.canonical import sha256_hex
from app.domain.codebook.model import Codebook
from app.domain.coding import intent_window
from app.domain.packets.facts import run_from_dicts, unit_of
from app.domain.packets.packet import BlindClaim
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit, Run
from app.domain.turnlog.tiers import tier_in
from app.services.access import codebook_of
from app.services.pages import Workbench
from app.storage import packets
from app.storage.tables import StudyRow


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


def load_case(session: Session, study: StudyRow, blind_claim_id: str) -> Case:
    """Return the claim with its whole run as served."""
    row = packets.get_blind_claim(session, study.id, blind_claim_id)
    claim = BlindClaim(**json.loads(row.body_json))
    run_row = packets.get_blind_run(session, study.id, claim.blind_run_id)
    turns = tuple(json.loads(body) for body in packets.list_blind_turns(session, study.id, claim.blind_run_id))
    coverage, gaps = json.loads(run_row.coverage_json), tuple(json.loads(run_row.gaps_json))
    return Case(
        codebook=codebook_of(study),
        claim=claim,
        unit=unit_of(claim),
        run=run_from_dicts(turns, coverage, gaps),
        turns=turns,
        coverage=coverage,
        gaps=gaps,
        shown_sha256=sha256_hex(f"{run_row.sha256} {sha256_hex(row.body_json)} {study.codebook_sha256}"),
    )


def workbench(study: StudyRow, case: Case, shown_id: str) -> Workbench:
    """Return what the transcript pane shows. `shown_id` stands for the claim: its own id would tell a hidden repeat."""
    window = intent_window(case.codebook, case.run, case.unit)
    return Workbench(
        study_title=study.title,
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
        tiers=tiers_of(case.run),
    )


def tiers_of(run: Run) -> dict[int, dict[str, str]]:
    """Return turn → part → derived tier, for every part of the run that can be cited."""
    view = RunView(run)
    found: dict[int, dict[str, str]] = {}
    for turn in run.turns:
        parts: tuple[str, ...]
        if turn.role == "tool":
            parts = ("result",)
        elif turn.role == "assistant":
            parts = ("call", "text") if turn.call else ("text",)
        else:
            parts = ("text",)
        tiers = {part: tier_in(view, turn.turn, part) for part in parts}
        found.setdefault(turn.turn, {}).update({part: tier for part, tier in tiers.items() if tier})
    return found
