"""The blinding of real logs: nothing the study knows is left, and every span moves to the text it cut."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from app.domain.blinding.leaks import scan
from app.domain.blinding.scrub import Scrubber
from app.domain.blinding.terms import study_terms
from app.domain.claims.claim import Claim
from app.domain.packets.build import blind_claim, blind_turns
from app.domain.turnlog.turns import Turn
from app.readers.logs import read_logs
from app.readers.turnlog_file import open_turn_log, write_turn_log

LOGS = Path(__file__).resolve().parents[3] / "../shared/data/turnlogs"
FOLDERS = ("claude_code", "mini_swe_agent", "tau_bench")

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not LOGS.is_dir(), reason=f"the real logs are not at {LOGS}"),
]


def targets(turn: Turn) -> dict[str, str]:
    """Return target → stored text for all that a claim can stand in."""
    found = {"text": turn.text, "reasoning": turn.reasoning}
    found |= {f"args:{call.call_key}": call.args_json for call in turn.tool_calls}
    return {target: text for target, text in found.items() if text}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_real_log_is_blinded_and_its_spans_hold(folder: str, tmp_path: Path) -> None:
    write_turn_log(tmp_path / "log.parquet", read_logs([LOGS / folder]).table)
    log = open_turn_log(tmp_path / "log.parquet")
    terms = study_terms(log.identities(), key=b"key")
    everything, rng = Scrubber(terms), random.Random(1)
    for session in log.session_ids():
        turns = log.turns(session)
        scrubber = everything.of_run(turn.ts for turn in turns)
        shown = blind_turns(turns, scrubber)
        served = [(f"turn {turn.turn}", json.dumps(turn.as_dict())) for turn in shown]
        assert scan(served, terms) == []
        for turn, blind in zip(turns, shown, strict=True):
            parts = {"text": blind.text, "reasoning": blind.reasoning}
            parts |= {f"args:{call.key}": call.args for call in blind.calls}
            for target, text in targets(turn).items():
                start = rng.randrange(len(text))
                end = rng.randint(start + 1, len(text))
                claim = Claim("c", session, turn.turn_index, target, start, end, text[start:end])
                moved = blind_claim(claim, turn, scrubber, b"key")
                assert moved.text == (parts[moved.target] or "")[moved.span_start : moved.span_end]
