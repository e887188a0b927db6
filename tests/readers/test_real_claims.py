"""Claims people marked in real logs are found at their turns, and the proposals are held against them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.domain.claims.check import resolve_claims
from app.domain.claims.claim import Claim
from app.domain.claims.propose import propose_claims
from app.domain.claims.raw import RawClaim
from app.domain.turnlog.coverage import derive_coverage
from app.domain.turnlog.schema import turns_from_table
from app.domain.turnlog.turns import Turn
from app.readers.logs import read_logs

DATA = Path(__file__).resolve().parents[2] / "../shared/data/turnlogs"
FORMATS = ("claude_code", "mini_swe_agent", "tau_bench")
pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def marked() -> list[dict[str, Any]]:
    """The marked sentences of the three formats, as the data set has them."""
    if not (DATA / "claims.jsonl").exists():
        pytest.skip("the real claims (shared/data/turnlogs/claims.jsonl) are not here")
    lines = (DATA / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [item for item in found if item["file"].split("/")[0] in FORMATS]


@pytest.fixture(scope="module")
def runs(marked: list[dict[str, Any]]) -> dict[str, dict[str, list[Turn]]]:
    """File → session → turns, read once."""
    found: dict[str, dict[str, list[Turn]]] = {}
    for name in sorted({item["file"] for item in marked}):
        sessions = found.setdefault(name, {})
        for turn in turns_from_table(read_logs([DATA / name]).table):
            sessions.setdefault(turn.session_id, []).append(turn)
    return found


def places(item: dict[str, Any], sessions: dict[str, list[Turn]]) -> list[tuple[Claim, list[Turn]]]:
    """Every claim that resolves for one marked sentence, over all turns its source record became."""
    found = []
    for session_id, turns in sessions.items():
        if item["session"] is not None and not session_id.endswith(item["session"]):
            continue
        for turn in (turn for turn in turns if item["turn"] in turn.src_index):
            for target in ("text", *(f"args:{call.call_key}" for call in turn.tool_calls)):
                raw = RawClaim(1, item["id"], session_id, turn.turn_index, target, text=item["claim"])
                claims, _ = resolve_claims([raw], {session_id: turns})
                found.extend((claim, turns) for claim in claims)
    return found


def test_all_twenty_marked_sentences_resolve_to_one_span(
    marked: list[dict[str, Any]], runs: dict[str, dict[str, list[Turn]]]
) -> None:
    assert len(marked) == 20
    counts = {item["id"]: len(places(item, runs[item["file"]])) for item in marked}
    assert counts == dict.fromkeys(counts, 1)


def test_the_proposals_reach_most_of_the_marked_sentences(
    marked: list[dict[str, Any]], runs: dict[str, dict[str, list[Turn]]]
) -> None:
    """A floor, not a figure to quote: the cue words were written with these sentences in sight."""
    reached = 0
    for item in marked:
        claim, turns = places(item, runs[item["file"]])[0]
        reached += any(
            (p.claim.turn_index, p.claim.target) == (claim.turn_index, claim.target)
            and 2 * (min(p.claim.span_end, claim.span_end) - max(p.claim.span_start, claim.span_start))
            >= max(p.claim.span_end - p.claim.span_start, claim.span_end - claim.span_start)
            for p in propose_claims(turns)
        )
    assert reached >= 18


def test_every_proposal_in_the_real_logs_cuts_its_exact_text(runs: dict[str, dict[str, list[Turn]]]) -> None:
    total = 0
    for sessions in runs.values():
        for turns in sessions.values():
            for proposal in propose_claims(turns):
                claim = proposal.claim
                turn = turns[claim.turn_index]
                stored = (
                    turn.text if claim.target == "text" else turn.tool_calls[int(claim.target.split(".c")[1])].args_json
                )
                assert stored is not None
                assert stored[claim.span_start : claim.span_end] == claim.text
                total += 1
    assert total > 100


def test_every_real_run_gets_a_map_whose_gaps_lie_inside_it(runs: dict[str, dict[str, list[Turn]]]) -> None:
    for sessions in runs.values():
        for turns in sessions.values():
            found = derive_coverage(turns)
            assert set(found.channels.values()) <= {"full", "gapped", "none"}
            assert all(0 <= gap.from_turn <= gap.to_turn < len(turns) for gap in found.gaps)
