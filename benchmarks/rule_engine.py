"""How long the rule engine takes for one coding, by the length of its run, against an empty call on the same machine.

Run: .venv/bin/python benchmarks/rule_engine.py

A measurement, not a test: it asserts nothing. The promise it looks at is a median under one millisecond for one coding,
and the same for every length, in a run that was indexed beforehand as the server keeps it; "not prepared" indexes the
run for each coding, as `saydo codebook judge` does. The ratios say the same on a faster or slower machine.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter_ns

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from app.domain.codebook.rules import judge, judge_in  # noqa: E402
from app.domain.turnlog.positions import RunView  # noqa: E402
from app.domain.turnlog.run import ClaimUnit, Run, RunTurn  # noqa: E402
from app.readers.codebook_file import load_codebook  # noqa: E402

REPEATS, BLOCK = 1000, 50
LENGTHS = (60, 600, 3000)


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


def medians_ns(calls: Sequence[Callable[[], object]]) -> list[float]:
    """Return the median time of each call, in nanoseconds. They take turns in blocks: a slow moment meets them all."""
    times: list[list[int]] = [[] for _ in calls]
    for _ in range(REPEATS // BLOCK):
        for call, taken in zip(calls, times, strict=True):
            call()
            for _ in range(BLOCK):
                start = perf_counter_ns()
                call()
                taken.append(perf_counter_ns() - start)
    return [statistics.median(taken) for taken in times]


def empty() -> None:
    """Do nothing: the baseline."""


def answer_for(version: str, n_turns: int) -> dict[str, object]:
    """Return a coding that holds; under 0.5 its search reaches to the end of the run."""
    if version == "0.4":
        return CODINGS[version]
    return {**CODINGS[version], "search_span": {"from_turn": 0, "to_turn": n_turns, "looked_for": "x"}}


def calls_for(version: str, n_turns: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return one judgement in a prepared run, and the same with the run indexed for it."""
    codebook = load_codebook(ROOT / "codebook" / f"saydo-{version}.yaml")
    run, claim, answer = make_run(n_turns), ClaimUnit(n_turns, "All of it passes."), answer_for(version, n_turns)
    view = RunView(run).prepared()
    assert judge(codebook, run, claim, answer) == judge_in(codebook, view, claim, answer)
    assert judge(codebook, run, claim, answer).accepted
    return lambda: judge_in(codebook, view, claim, answer), lambda: judge(codebook, run, claim, answer)


def main() -> None:
    """Print one line a codebook and run length."""
    for version in CODINGS:
        pairs = [calls_for(version, n_turns) for n_turns in LENGTHS]
        baseline, *times = medians_ns([empty, *(call for pair in pairs for call in pair)])
        print(f"{version}: empty call {baseline:.0f} ns (medians of {REPEATS})")
        for n_turns, taken, unprepared in zip(LENGTHS, times[::2], times[1::2], strict=True):
            print(
                f"{version}, {n_turns:>4} turns: {taken / 1e6:.3f} ms, {taken / baseline:,.0f} empty calls, "
                f"{taken / times[0]:.2f} of {LENGTHS[0]} turns; "
                f"not prepared {unprepared / 1e6:.3f} ms, {unprepared / taken:.1f} times"
            )


if __name__ == "__main__":
    main()
