"""Evidence stays usable: on ordinary prose, code and output next to nothing is replaced."""

from __future__ import annotations

from app.domain.blinding.scrub import Scrubber
from app.domain.blinding.terms import study_terms
from tests.domain.blinding.ordinary import ordinary_turns

# The identities of a plausible study, ordinary names among them.
IDENTITIES = {
    "model": ["anthropic/claude-sonnet-4-5-20250929", "openai/gpt-4o-2024-08-06", "o1", "mistral-large-latest"],
    "arm": ["baseline", "treatment-b", "control", "no-map"],
    "agent": ["openhands/0.58.0", "agent"],
    "run_id": ["run-1", "run-2", "20260725", "1"],
    "session_id": ["1/0", "2/0", "s1"],
    "task_id": ["fix-parser-1184", "7"],
    "src_file": ["logs/1.json", "output.jsonl", "session.jsonl"],
    "author": ["user", "assistant", "root"],
}


def test_fewer_than_one_false_replacement_in_a_hundred_ordinary_turns() -> None:
    scrubber = Scrubber(study_terms(IDENTITIES, key=b"key"))
    turns = list(ordinary_turns(1000, seed=20260725))
    found = [(one.kind, text[one.start : one.end]) for text in turns for one in scrubber.scrub(text).replacements]
    expected = {"sonnet"}  # the study has a model of that name, so the word gives it away: hidden, and known to be
    false = [one for one in found if one[1] not in expected]
    assert len(false) < len(turns) / 100, false
