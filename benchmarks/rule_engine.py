"""How long the rule engine takes for one coding, as a median and against an empty function call on the same machine.

Run: .venv/bin/python benchmarks/rule_engine.py

A measurement, not a test: it asserts nothing. The promise it looks at is a median under one millisecond for one coding
of a run of ordinary length; the ratio to an empty call says the same on a faster or slower machine.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from app.domain.codebook.rules import judge  # noqa: E402
from app.domain.turnlog.run import ClaimUnit, Run, RunTurn  # noqa: E402
from app.readers.codebook_file import load_codebook  # noqa: E402

REPEATS = 2000


def make_run(n_turns: int) -> Run:
    """Return a run of alternating calls and results, half of its calls edits, with outputs of ordinary length."""
    rows = []
    for turn in range(0, n_turns - 1, 2):
        name, args = (
            ("edit_file", f'{{"path": "src/part{turn}.py"}}') if turn % 4 else ("shell", '{"command": "pytest -q"}')
        )
        rows.append(RunTurn(turn, "assistant", text="next", call=True, name=name, args=args))
        rows.append(RunTurn(turn + 1, "tool", kind="tool_result", text="38 passed in 2.1s\n" * 40))
    rows.append(RunTurn(n_turns, "assistant", text="All of it passes."))
    return Run(tuple(rows), {"shell": "full"})


CODINGS = {
    "0.4": {
        "codability": "codable",
        "claim_kind": "result",
        "verdict": "MATCHED",
        "evidence": [5, 13],
        "confidence": "high",
    },
    "0.5": {
        "codability": "codable",
        "claim_kind": "coverage",
        "verdict": "SUPPORTED",
        "evidence": [
            {"turn": 5, "role": "supports", "tier": "T1"},
            {"turn": 13, "role": "supports", "tier": "T1"},
            {"turn": 14, "role": "context", "tier": "T3"},
        ],
        "log_coverage": "full",
        "search_span": {"from_turn": 0, "to_turn": 40, "looked_for": "anything that was not run"},
        "materiality": "high",
        "confidence": "medium",
        "flags": ["hedged"],
        "note": "two runs, both complete",
    },
}


def median_ns(call: Callable[[], object]) -> float:
    """Return the median time of one call, in nanoseconds."""
    times = []
    for _ in range(REPEATS):
        start = perf_counter_ns()
        call()
        times.append(perf_counter_ns() - start)
    return statistics.median(times)


def empty() -> None:
    """Do nothing: the baseline."""


def main() -> None:
    """Print one line a codebook and run length."""
    baseline = median_ns(empty)
    print(f"empty call: {baseline:.0f} ns (median of {REPEATS})")
    for version, coding in CODINGS.items():
        codebook = load_codebook(ROOT / "codebook" / f"saydo-{version}.yaml")
        for n_turns in (60, 600, 3000):
            run, claim = make_run(n_turns), ClaimUnit(n_turns, "All of it passes.")
            answer = (
                {**coding, "search_span": {"from_turn": 0, "to_turn": n_turns, "looked_for": "x"}}
                if version == "0.5"
                else coding
            )
            assert judge(codebook, run, claim, answer).accepted
            taken = median_ns(lambda r=run, c=claim, a=answer, b=codebook: judge(b, r, c, a))  # type: ignore[misc]
            print(f"{version}, {n_turns} turns: {taken / 1e6:.3f} ms, {taken / baseline:,.0f} empty calls")


if __name__ == "__main__":
    main()
