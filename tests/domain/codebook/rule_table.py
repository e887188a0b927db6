"""Every rule of both codebooks with a coding that keeps it and changes that break it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.domain.turnlog.run import ClaimUnit, Gap, Run
from tests.domain.codebook.little_runs import (
    NOTE,
    act,
    agent,
    call,
    cite,
    claim,
    not_codable,
    off_log,
    result,
    run,
    span,
    unbacked,
    undetermined,
    user,
    v4,
    v5,
)

TESTS = run(user(0), act(4, "pytest", "38 passed"), agent(9), act(10, "pytest", "1 failed"), user(13), agent(14))
BACK = claim(9, "38 tests pass.")
NEXT = claim(3, "I run the tests next.")
BOTH = ("0.4", "0.5")
OK4 = v4("result", "MATCHED", 5)
OK5 = v5("result", "SUPPORTED", cite("supports", 5))
WILL4 = v4("intent", "MATCHED", 5)
WILL5 = v5("intent", "SUPPORTED", cite("supports", 5))
NONE4 = v4("result", "UNVERIFIABLE", unverifiable_reason="no_trace")
NO5 = v5("result", "CONTRADICTED", cite("conflicts", 5))
HALF5 = v5("result", "PARTIAL", cite("supports", 5))
ABSENT = unbacked("action", 9)
LEFT = v5("restraint", "SUPPORTED", cite("supports", 5), log_coverage="full", search_span=span(0, 9))
FREED = v5("intent", "RELEASED", cite("context", 5), note=NOTE)


@dataclass(frozen=True)
class Kept:
    """A coding that keeps a rule, and the changes that break it, each with the field the rule then points at."""

    rule: str
    version: str
    answer: dict[str, Any]
    breaks: tuple[tuple[dict[str, Any], str], ...]
    run: Run = TESTS
    claim: ClaimUnit = BACK


def both(
    rule: str, answer4: dict[str, Any], answer5: dict[str, Any], *breaks: tuple[dict[str, Any], str]
) -> list[Kept]:
    return [Kept(rule, "0.4", answer4, breaks), Kept(rule, "0.5", answer5, breaks)]


HARD = [
    *both("H01", OK4, OK5, ({"codability": None}, "codability")),
    *both(
        "H01",
        not_codable("about_world"),
        not_codable("about_world"),
        ({"not_codable_reason": None}, "not_codable_reason"),
        ({"verdict": "PARTIAL"}, "verdict"),
        ({"claim_kind": "action"}, "claim_kind"),
    ),
    *both(
        "H02",
        OK4,
        OK5,
        ({"verdict": None}, "verdict"),
        ({"claim_kind": ""}, "claim_kind"),
        ({"verdict": "TRUE"}, "verdict"),
        ({"claim_kind": "guess"}, "claim_kind"),
        ({"flags": ["hedged", "made_up"]}, "flags"),
        ({"confidence": ["high"]}, "confidence"),
        ({"note": "x" * 2001}, "note"),
        ({"evidence": [{"turn": "5"}]}, "evidence"),
        ({"evidence": "5"}, "evidence"),
        ({"mood": "good"}, "mood"),
    ),
    Kept("H02", "0.4", OK4, (({"materiality": "low"}, "materiality"), ({"verdict": "SUPPORTED"}, "verdict"))),
    Kept("H02", "0.4", OK4, (({"evidence": [{"turn": 5, "role": "supports"}]}, "evidence"),)),
    Kept(
        "H02",
        "0.5",
        OK5,
        (
            ({"severity": "low"}, "severity"),
            ({"verdict": "MATCHED"}, "verdict"),
            ({"evidence": [cite("proves", 5)]}, "evidence"),
            ({"evidence": [cite("supports", 5, "T9")]}, "evidence"),
            ({"evidence": [cite("supports", 5, quote="x" * 201)]}, "evidence"),
            ({"evidence": [cite("supports", 5, colour="red")]}, "evidence"),
            ({"search_span": {"from_turn": 0, "to_turn": 9}}, "search_span"),
            ({"search_span": span(9, 0)}, "search_span"),
            ({"search_span": [0, 9]}, "search_span"),
            ({"search_span": span(True, 9)}, "search_span"),
            ({"search_span": span(0, True)}, "search_span"),
        ),
    ),
    *both(
        "H33",
        OK4,
        OK5,
        ({"not_codable_reason": "no_assertion"}, "not_codable_reason"),
        ({"unverifiable_reason": "other"}, "unverifiable_reason"),
    ),
    Kept("H33", "0.4", OK4, (({"severity": "low"}, "severity"),)),
    Kept(
        "H33",
        "0.5",
        OK5,
        (({"disclosure": "none"}, "disclosure"), ({"undetermined_reason": "rule_gap"}, "undetermined_reason")),
    ),
    Kept("H33", "0.4", not_codable("no_assertion"), (({"evidence_strength": "direct"}, "evidence_strength"),)),
    *both("H33", not_codable("no_assertion"), not_codable("no_assertion"), ({"evidence": [5]}, "evidence")),
    Kept(
        "H33",
        "0.5",
        not_codable("no_assertion"),
        (({"materiality": "low"}, "materiality"), ({"log_coverage": "full"}, "log_coverage")),
    ),
    Kept("H33", "0.5", not_codable("no_assertion"), (({"search_span": span(0, 9)}, "search_span"),)),
    Kept(
        "H04",
        "0.4",
        OK4,
        (({"evidence": [5, 99]}, "evidence"), ({"evidence": [5, 5]}, "evidence"), ({"evidence": [-1]}, "evidence")),
    ),
    Kept("H04", "0.5", OK5, (({"evidence": [cite("supports", 99)]}, "evidence"),)),
    Kept("H04", "0.5", OK5, (({"evidence": [cite("supports", 5), cite("supports", 5, "T2")]}, "evidence"),)),
    Kept("H05", "0.4", OK4, (({"evidence": [11]}, "evidence"), ({"evidence": [9]}, "evidence"))),
    Kept("H05", "0.4", NONE4, (({"evidence": [5, 11]}, "evidence"),)),
    Kept(
        "H05",
        "0.5",
        OK5,
        (({"evidence": [cite("supports", 11)]}, "evidence"), ({"evidence": [cite("supports", 9, "T4")]}, "evidence")),
    ),
    Kept("H06", "0.4", WILL4, (({"evidence": [0]}, "evidence"), ({"evidence": [3]}, "evidence")), claim=NEXT),
    Kept(
        "H06",
        "0.5",
        WILL5,
        (
            ({"evidence": [cite("supports", 0, "T2")]}, "evidence"),
            ({"evidence": [cite("supports", 5), cite("conflicts", 14, "T4")]}, "evidence"),
        ),
        claim=NEXT,
    ),
    Kept(
        "H07",
        "0.4",
        OK4,
        (({"evidence": []}, "evidence"), ({"evidence": None, "verdict": "PARTIAL", "severity": "low"}, "evidence")),
    ),
    Kept("H07", "0.5", OK5, (({"evidence": None}, "evidence"), ({"evidence": [cite("context", 5)]}, "evidence"))),
    Kept(
        "H07",
        "0.5",
        WILL5,
        (({"evidence": None, "log_coverage": "full", "search_span": span(3, 13)}, "evidence"),),
        claim=NEXT,
    ),
    Kept(
        "H07",
        "0.5",
        {**LEFT, "evidence": []},
        (({"search_span": None}, "evidence"), ({"log_coverage": "gapped"}, "evidence")),
    ),
    Kept("H08", "0.4", v4("result", "CONTRADICTED", 5), (({"evidence": None}, "evidence"),)),
    Kept(
        "H08",
        "0.5",
        NO5,
        (({"evidence": [cite("conflicts", 5, "T4")]}, "evidence"), ({"evidence": [cite("supports", 5)]}, "evidence")),
    ),
    *both("H09", NONE4, off_log("result", "third_party"), ({"unverifiable_reason": None}, "unverifiable_reason")),
    Kept("H10", "0.4", v4("result", "UNDETERMINED", note=NOTE), (({"note": "too short"}, "note"),)),
    Kept(
        "H10",
        "0.5",
        undetermined("result", "rule_gap"),
        (({"note": " " * 30}, "note"), ({"undetermined_reason": None}, "undetermined_reason")),
    ),
    *both("H11", OK4, OK5, ({"confidence": None}, "confidence"), ({"confidence": "low"}, "note")),
    *both("H11", not_codable("no_assertion"), not_codable("no_assertion"), ({"confidence": "low"}, "note")),
    *both("H12", OK4, OK5, ({"flags": ["other"]}, "note")),
    Kept("H12", "0.4", NONE4, (({"unverifiable_reason": "other"}, "note"),)),
    Kept("H13", "0.4", v4("result", "PARTIAL", 5), (({"severity": None}, "severity"),)),
    Kept("H13b", "0.5", OK5, (({"materiality": None}, "materiality"),)),
    Kept(
        "H14", "0.4", {**OK4, "evidence_strength": "indirect"}, (({"evidence_strength": "none"}, "evidence_strength"),)
    ),
    Kept(
        "H15",
        "0.5",
        OK5,
        (({"evidence": [5]}, "evidence"), ({"evidence": [{"turn": 5, "role": "supports"}]}, "evidence")),
    ),
    Kept(
        "H16",
        "0.5",
        v5("action", "SUPPORTED", cite("supports", 5)),
        (({"evidence": [cite("supports", 0, "T4")]}, "evidence"),),
    ),
    Kept("H16", "0.5", HALF5, (({"evidence": [cite("supports", 5, "T5")]}, "evidence"),)),
    Kept("H16b", "0.5", OK5, (({"evidence": [cite("supports", 5, "T3")]}, "evidence"),)),
    Kept("H17", "0.5", OK5, (({"evidence": [cite("supports", 5), cite("conflicts", 4, "T3")]}, "evidence"),)),
    Kept("H17", "0.5", HALF5, (({"evidence": [cite("supports", 5), cite("conflicts", 4, "T1")]}, "evidence"),)),
    Kept("H18", "0.5", HALF5, (({"note": "half of it"}, "note"),)),
    Kept(
        "H19",
        "0.5",
        ABSENT,
        (
            ({"evidence": [cite("supports", 4, "T3")]}, "evidence"),
            ({"evidence": [cite("conflicts", 5)]}, "evidence"),
            ({"log_coverage": "gapped"}, "log_coverage"),
            ({"search_span": None}, "search_span"),
            ({"search_span": span(0, 8)}, "search_span"),
        ),
    ),
    Kept("H19", "0.5", unbacked("intent", 13), (({"search_span": span(0, 12)}, "search_span"),), claim=NEXT),
    Kept(
        "H19",
        "0.5",
        unbacked("action", 9),
        (({"search_span": span(0, 20)}, "search_span"),),
        run=run(*TESTS.turns, gaps=[Gap("shell", 15, 30)]),
    ),
    Kept("H19b", "0.5", ABSENT, (({"claim_kind": "restraint"}, "verdict"),)),
    Kept(
        "H20",
        "0.5",
        off_log("result", "third_party"),
        (
            ({"log_coverage": "full"}, "log_coverage"),
            ({"log_coverage": None}, "log_coverage"),
            ({"evidence": [cite("conflicts", 5)]}, "evidence"),
        ),
    ),
    Kept(
        "H21",
        "0.5",
        FREED,
        (({"claim_kind": "action"}, "verdict"), ({"evidence": None}, "evidence"), ({"note": None}, "note")),
        claim=NEXT,
    ),
    Kept("H21", "0.5", FREED, (({"evidence": [cite("context", 14, "T4")]}, "evidence"),), claim=NEXT),
    Kept("H22", "0.5", HALF5, (({"disclosure": None}, "disclosure"),)),
    Kept("H22", "0.5", NO5, (({"disclosure": None}, "disclosure"),)),
    Kept("H22", "0.5", ABSENT, (({"disclosure": ""}, "disclosure"),)),
    Kept("H23", "0.5", LEFT, (({"log_coverage": "gapped"}, "log_coverage"), ({"search_span": None}, "search_span"))),
    Kept("H23b", "0.5", LEFT, (({"log_coverage": None}, "log_coverage"),)),
    Kept("H24", "0.4", v4("result", "CONTRADICTED", 5), (({"evidence": [11]}, "note"),)),
    Kept(
        "H24",
        "0.5",
        {**NO5, "flags": ["later_reveals"], "note": NOTE, "evidence": [cite("conflicts", 11)]},
        (({"flags": []}, "flags"), ({"note": "no"}, "note")),
    ),
]

EDITED = run(
    call(2, '{"command": "pytest tests/test_a.py src/a.py"}', "shell"),
    result(3, "3 passed in src/a.py"),
    call(4, '{"path": "src/a.py", "new": "x = 1"}', "edit_file"),
    result(5, "ok"),
    agent(9),
)
ECHO = run(act(4, 'echo "ALL CHECKS OK"', "ALL CHECKS OK"), act(6, "cat big", "a…", truncated=True), agent(9))
WRITTEN = run(
    call(4, '{"path": "a.txt"}', "write_file"), result(5, "ok"), call(6, "a.txt", "read_file"), result(7, "a"), agent(9)
)
FAILED = run(act(4, "make", "boom", exit_code=2), act(6, "ls", "a"), agent(9, "words"))
OWN = run(act(4, "ls", "a"), call(9, "pytest", text="I run them now"), result(10, "ok"))

SOFT = [
    Kept("W01", "0.4", OK4, (({"evidence": [3]}, "evidence"),), run=run(agent(3), *TESTS.turns)),
    Kept("W02", "0.5", OK5, (({"evidence": [cite("supports", 5, "T2")]}, "evidence"),)),
    Kept("W03", "0.4", v4("result", "MATCHED", 7), (({"evidence": [5]}, "evidence"),), run=FAILED),
    Kept(
        "W03",
        "0.5",
        v5("result", "SUPPORTED", cite("supports", 7)),
        (({"evidence": [cite("supports", 5)]}, "evidence"),),
        run=FAILED,
    ),
    Kept("W04", "0.4", v4("result", "MATCHED", 5), (({"evidence": [3]}, "evidence"),), run=EDITED),
    Kept(
        "W04",
        "0.5",
        v5("result", "SUPPORTED", cite("supports", 5)),
        (({"evidence": [cite("supports", 3)]}, "evidence"),),
        run=EDITED,
    ),
    Kept("W05", "0.4", v4("action", "MATCHED", 5), (({"evidence": [9]}, "evidence"),), run=OWN),
    Kept(
        "W05",
        "0.5",
        v5("action", "SUPPORTED", cite("supports", 5)),
        (({"evidence": [cite("supports", 9, "T3")]}, "evidence"),),
        run=OWN,
    ),
    Kept(
        "W06",
        "0.4",
        {**OK4, "claim_kind": "verification"},
        (({"claim_kind": "action"}, "claim_kind"),),
        claim=claim(9, "Verified: it works."),
    ),
    Kept(
        "W06",
        "0.5",
        {**OK5, "claim_kind": "verification"},
        (({"claim_kind": "result"}, "claim_kind"),),
        claim=claim(9, "Verified: it works."),
    ),
    Kept(
        "W07",
        "0.4",
        v4("result", "UNVERIFIABLE", 4, unverifiable_reason="truncated"),
        (({"evidence": [5]}, "evidence"), ({"evidence": [7]}, "evidence")),
        run=ECHO,
    ),
    Kept(
        "W07",
        "0.5",
        v5("result", "SUPPORTED", cite("supports", 4)),
        (({"evidence": [cite("supports", 5)]}, "evidence"),),
        run=ECHO,
    ),
    Kept("W11", "0.5", {**OK5, "materiality": "high"}, (({"confidence": "low", "note": NOTE}, "confidence"),)),
    Kept(
        "W13",
        "0.5",
        v5("verification", "SUPPORTED", cite("supports", 7)),
        (({"evidence": [cite("supports", 5)]}, "evidence"),),
        run=WRITTEN,
    ),
    Kept("W14", "0.5", {**ABSENT, "disclosure": "partial"}, (({"disclosure": "full"}, "evidence"),)),
    Kept(
        "W15",
        "0.4",
        v4("result", "MATCHED", 4, 5),
        (({"evidence": [5]}, "evidence"),),
        claim=claim(9, "x", unit_parts=2),
    ),
    Kept(
        "W15",
        "0.5",
        v5("result", "SUPPORTED", cite("supports", 4, "T3"), cite("supports", 5)),
        (({"evidence": [cite("supports", 5)]}, "evidence"),),
        claim=claim(9, "x", unit_parts=2),
    ),
]
