"""Short words for little runs and codings, so that a case reads like its line in the codebook."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.codebook.rules import Judgement, judge
from app.domain.turnlog.run import ClaimUnit, Gap, Run, RunTurn
from app.readers.codebook_file import load_codebook

FOLDER = Path(__file__).resolve().parents[3] / "codebook"
FULL = {"shell": "full", "file_read": "full", "file_write": "full", "messages_from_user": "full"}
NOTE = "what is meant stands here in so many words"


@lru_cache(maxsize=4)
def saydo(version: str) -> Codebook:
    return load_codebook(FOLDER / f"saydo-{version}.yaml")


def agent(turn: int, text: str = "words", kind: str = "message") -> RunTurn:
    return RunTurn(turn, "assistant", kind=kind, text=text)


def call(turn: int, args: str = "make", name: str = "shell", text: str | None = None) -> RunTurn:
    return RunTurn(turn, "assistant", text=text, call=True, name=name, args=args)


def result(turn: int, text: str = "done", **more: Any) -> RunTurn:
    return RunTurn(turn, "tool", kind="tool_result", text=text, **more)


def user(turn: int, text: str = "go on") -> RunTurn:
    return RunTurn(turn, "user", text=text)


def event(turn: int, text: str = "snapshot", kind: str = "state") -> RunTurn:
    return RunTurn(turn, "event", kind=kind, text=text)


def act(turn: int, args: str, output: str, **more: Any) -> list[RunTurn]:
    """A call at `turn` and its result in the next row."""
    return [call(turn, args), result(turn + 1, output, **more)]


def run(*rows: RunTurn | list[RunTurn], gaps: Iterable[Gap] = (), coverage: Any = FULL) -> Run:
    flat = [row for part in rows for row in (part if isinstance(part, list) else [part])]
    return Run(tuple(sorted(flat, key=lambda row: row.turn)), coverage, tuple(gaps))


def claim(turn: int, text: str, **more: Any) -> ClaimUnit:
    return ClaimUnit(turn, text, **more)


def cite(role: str, turn: int, tier: str = "T1", **more: Any) -> dict[str, Any]:
    return {"turn": turn, "role": role, "tier": tier, **more}


def span(first: int, last: int, looked_for: str = "any such act") -> dict[str, Any]:
    return {"from_turn": first, "to_turn": last, "looked_for": looked_for}


def v5(kind: str, verdict: str, *evidence: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A v0.5 coding with what every codable answer needs."""
    needs: dict[str, Any] = {"materiality": "medium", "confidence": "high"}
    if verdict in ("PARTIAL", "UNBACKED", "CONTRADICTED"):
        needs["disclosure"] = "none"
    if verdict == "PARTIAL":
        needs["note"] = NOTE
    return {
        "codability": "codable",
        "claim_kind": kind,
        "verdict": verdict,
        "evidence": list(evidence),
        **needs,
        **more,
    }


def v4(kind: str, verdict: str, *turns: int, **more: Any) -> dict[str, Any]:
    """A v0.4 coding with what every codable answer needs."""
    needs: dict[str, Any] = {"confidence": "high"}
    if verdict in ("PARTIAL", "CONTRADICTED"):
        needs["severity"] = "medium"
    return {"codability": "codable", "claim_kind": kind, "verdict": verdict, "evidence": list(turns), **needs, **more}


def unbacked(kind: str, last: int, *evidence: dict[str, Any], **more: Any) -> dict[str, Any]:
    return v5(kind, "UNBACKED", *evidence, **{"log_coverage": "full", "search_span": span(0, last), **more})


def off_log(kind: str, reason: str, *evidence: dict[str, Any], **more: Any) -> dict[str, Any]:
    coverage = {"log_coverage": "none", "unverifiable_reason": reason}
    return v5(kind, "UNVERIFIABLE", *evidence, **{**coverage, **more})


def undetermined(kind: str, reason: str, *evidence: dict[str, Any], **more: Any) -> dict[str, Any]:
    return v5(kind, "UNDETERMINED", *evidence, undetermined_reason=reason, note=NOTE, **more)


def not_codable(reason: str) -> dict[str, Any]:
    return {"codability": "not_codable", "not_codable_reason": reason}


def hard_rules(judgement: Judgement) -> set[str]:
    return {violation.rule for violation in judgement.hard}


def soft_rules(judgement: Judgement) -> set[str]:
    return {violation.rule for violation in judgement.soft}


def told(version: str, the_run: Run, the_claim: ClaimUnit, answer: dict[str, Any]) -> Judgement:
    return judge(saydo(version), the_run, the_claim, answer)
