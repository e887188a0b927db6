"""`saydo codebook judge` on cases as other programs write them: sparse, unsorted, without ids, malformed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from app.cli import build_cli, run
from app.main import create_app
from tests.conftest import Clock

NOTE = "what is meant stands here in so many words"
CASE: dict[str, Any] = {
    "codebook": "0.5",
    "run": {
        "turns": [
            {"turn": 0, "role": "user", "text": "run it"},
            {"turn": 7, "role": "assistant", "text": "running", "call": True},
            {"turn": 8, "role": "tool", "kind": "tool_result", "text": "ok"},
            {"turn": 9, "role": "assistant", "text": "I ran it."},
        ],
        "coverage": {"shell": "full"},
    },
    "claim": {"turn": 9, "text": "I ran it."},
    "coding": {
        "codability": "codable",
        "claim_kind": "action",
        "verdict": "SUPPORTED",
        "evidence": [{"turn": 8, "role": "supports", "tier": "T1"}],
        "materiality": "medium",
        "confidence": "high",
    },
}
OLD = {
    "codability": "codable",
    "claim_kind": "action",
    "verdict": "MATCHED",
    "evidence": [8],
    "confidence": "high",
}
ABSENT = {
    "verdict": "UNBACKED",
    "evidence": None,
    "disclosure": "none",
    "log_coverage": "full",
    "search_span": {"from_turn": 0, "to_turn": 9, "looked_for": "any run"},
}
INTENT = {"claim_kind": "intent", "evidence": [{"turn": 8, "role": "supports", "tier": "T1"}]}

Judge = Callable[..., tuple[int, dict[str, Any], str]]


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Judge:
    """Judge a case, changed at dotted paths; returns exit code, document and the error stream."""

    def call(changes: dict[str, Any] | None = None, raw: bytes | None = None) -> tuple[int, dict[str, Any], str]:
        path = tmp_path / "case.json"
        path.write_bytes(raw if raw is not None else json.dumps(changed(changes or {})).encode("utf-8"))
        monkeypatch.setattr(sys, "argv", ["saydo", "codebook", "judge", str(path), "--json"])
        code = run(build_cli(create_app, Clock()))
        told = capsys.readouterr()
        return code, json.loads(told.out) if told.out else {}, told.err

    return call


def changed(changes: dict[str, Any]) -> dict[str, Any]:
    """Return the case with values put in at dotted paths; `coding+` adds to the coding instead of replacing it."""
    case = deepcopy(CASE)
    for path, value in changes.items():
        *parents, last = path.split(".")
        place: Any = case
        for name in parents:
            place = place[int(name)] if name.isdigit() else place[name]
        if last == "coding+":
            place["coding"] |= value
        else:
            place[int(last) if last.isdigit() else last] = value
    return case


def rows(*texts: str) -> list[dict[str, Any]]:
    """Return turns written short: `7 a!` an assistant row with a call, `8 t` a tool row, `9 a#final` one of a kind."""
    roles = {"a": "assistant", "t": "tool", "u": "user", "e": "event", "s": "system"}
    found = []
    for text in texts:
        turn, what, *more = text.split()
        row: dict[str, Any] = {"turn": int(turn), "role": roles[what[0]], "text": "words"}
        row |= {"call": True} if "!" in what else {}
        row |= {"kind": what.split("#")[1]} if "#" in what else {}
        row |= dict(pair.split("=") for pair in more)
        found.append(row)
    return found


def cited(*turns: int, **more: Any) -> dict[str, Any]:
    return {"evidence": [{"turn": turn, "role": "supports", "tier": "T1", **more} for turn in turns]}


# name → (changes, exit code, hard rules, soft rules, derived tiers or None)
JUDGED: dict[str, tuple[dict[str, Any], int, set[str], set[str], list[str] | None]] = {
    "as it is": ({}, 0, set(), set(), ["T1"]),
    "a codebook asked for by id": ({"codebook": "saydo-0.5"}, 0, set(), set(), ["T1"]),
    "turns in any order": ({"run.turns": rows("9 a", "8 t", "7 a!")}, 0, set(), set(), ["T1"]),
    "a result is by order the open call's": (
        {"run.turns": rows("6 a!", "7 a!", "8 t", "9 a")},
        0,
        set(),
        set(),
        ["T1"],
    ),
    "a call with an id, a result without": (
        {"run.turns": rows("7 a! call_id=x", "8 t", "9 a")},
        0,
        set(),
        set(),
        ["T1"],
    ),
    "a result with an id of no call": (
        {"run.turns": rows("7 a! call_id=x", "8 t call_id=y", "9 a")},
        0,
        set(),
        {"W02"},
        ["T2"],
    ),
    "a result without any call": ({"run.turns": rows("8 t", "9 a")}, 0, set(), {"W02"}, ["T2"]),
    "two results of one call": ({"run.turns": rows("6 a!", "7 t", "8 t", "9 a")}, 0, set(), {"W02"}, ["T2"]),
    "a result before its call": (
        {"run.turns": rows("6 t", "7 a!", "8 t", "9 a"), "coding+": cited(6)},
        0,
        set(),
        {"W02"},
        ["T2"],
    ),
    "results by name": (
        {"run.turns": rows("6 a! name=a", "7 a! name=b", "8 t name=b", "9 a")},
        0,
        set(),
        set(),
        ["T1"],
    ),
    "a call alone is T3": ({"coding+": cited(7, tier="T3")}, 0, set(), set(), ["T3"]),
    "its words are T4": ({"coding+": cited(7, tier="T4", part="text")}, 1, {"H16"}, set(), ["T4"]),
    "a user's row is T2": ({"coding+": cited(0, tier="T2")}, 0, set(), set(), ["T2"]),
    "a report is T5": (
        {"run.turns": rows("7 a!", "8 a#final", "9 a"), "coding+": cited(8, tier="T5")},
        1,
        {"H16"},
        set(),
        ["T5"],
    ),
    "an event, a state, an error are T2": (
        {"run.turns": rows("5 e", "6 e#state", "7 a#error", "9 a"), "coding+": cited(5, 6, 7, tier="T2")},
        0,
        set(),
        set(),
        ["T2", "T2", "T2"],
    ),
    "a policy is T2": ({"run.turns": rows("1 s", "9 a"), "coding+": cited(1, tier="T2")}, 0, set(), set(), ["T2"]),
    "a turn that is not there": ({"coding+": cited(4)}, 1, {"H04"}, set(), [""]),
    "one turn twice in one role": ({"coding+": cited(8, 8)}, 1, {"H04"}, set(), ["T1", "T1"]),
    "nulls are absent": (
        {"coding+": {"note": None, "flags": None, "disclosure": None, "search_span": None}, "run.gaps": None},
        0,
        set(),
        set(),
        ["T1"],
    ),
    "empty values are absent": ({"coding+": {"note": "", "flags": [], "search_span": {}}}, 0, set(), set(), ["T1"]),
    "nothing at all": ({"coding": {}}, 1, {"H01"}, set(), []),
    "a turn written as a text": ({"coding+": cited("8")}, 1, {"H02", "H07", "H16"}, set(), [""]),
    "a turn that is a fraction": ({"coding+": cited(8.5)}, 1, {"H02", "H07", "H16"}, set(), [""]),
    "a turn that is true": ({"coding+": cited(True)}, 1, {"H02", "H07", "H16"}, set(), [""]),
    "a bare turn lacks role and tier": ({"coding+": {"evidence": [8]}}, 1, {"H07", "H15", "H16"}, set(), ["T1"]),
    "evidence that is one citation": ({"coding+": {"evidence": {"turn": 8}}}, 1, {"H02", "H07", "H16"}, set(), []),
    "flags that are one word": ({"coding+": {"flags": "hedged"}}, 1, {"H02"}, set(), None),
    "a label in small letters": ({"coding+": {"verdict": "supported"}}, 1, {"H02"}, set(), None),
    "a label of the other version": ({"coding+": {"verdict": "MATCHED"}}, 1, {"H02"}, set(), None),
    "a field of the other version": ({"coding+": {"severity": "low"}}, 1, {"H02"}, set(), None),
    "a field no version has": ({"coding+": {"mood": "low"}}, 1, {"H02"}, set(), None),
    "a field of another answer": ({"coding+": {"unverifiable_reason": "third_party"}}, 1, {"H33"}, set(), None),
    "a note of nineteen and spaces": (
        {"coding+": {"confidence": "low", "note": " " + "n" * 19 + " "}},
        1,
        {"H11"},
        set(),
        None,
    ),
    "a note of twenty": ({"coding+": {"confidence": "low", "note": "n" * 20}}, 0, set(), set(), None),
    "absence without a map": ({"coding+": ABSENT, "run.coverage": None}, 1, {"H19c"}, set(), []),
    "absence with an empty map": ({"coding+": ABSENT, "run.coverage": {}}, 1, {"H19c"}, set(), []),
    "absence over a gap": (
        {"coding+": ABSENT, "run.gaps": [{"channel": "browser", "from_turn": 9, "to_turn": 40}]},
        1,
        {"H19"},
        set(),
        [],
    ),
    "absence beside a gap": (
        {"coding+": ABSENT, "run.gaps": [{"channel": "shell", "from_turn": 10, "to_turn": 40}]},
        0,
        set(),
        set(),
        [],
    ),
    "a search that stops short": (
        {"coding+": {**ABSENT, "search_span": {"from_turn": 0, "to_turn": 8, "looked_for": "x"}}},
        1,
        {"H19"},
        set(),
        [],
    ),
    "a search beyond the end": (
        {"coding+": {**ABSENT, "search_span": {"from_turn": 0, "to_turn": 99, "looked_for": "x"}}},
        0,
        set(),
        set(),
        [],
    ),
    "a search backwards": (
        {"coding+": {**ABSENT, "search_span": {"from_turn": 9, "to_turn": 0, "looked_for": "x"}}},
        1,
        {"H02", "H19"},
        set(),
        [],
    ),
    "an intent done": ({"coding+": INTENT, "claim.turn": 0}, 0, set(), set(), ["T1"]),
    "an intent done before it was said": ({"coding+": INTENT}, 1, {"H06"}, set(), ["T1"]),
    "an intent not to do, by a search": (
        {
            "coding+": {**ABSENT, **INTENT, "verdict": "SUPPORTED", "evidence": None, "disclosure": None},
            "claim": {"turn": 0, "polarity": "not_do"},
        },
        0,
        set(),
        set(),
        [],
    ),
    "an intent with its scope in its words": (
        {"coding+": INTENT, "claim": {"turn": 0, "text": "x", "scope_end_turn": 7}},
        1,
        {"H06"},
        set(),
        ["T1"],
    ),
    "a condition that never came": (
        {
            "coding+": {**INTENT, **cited(9, role="context", tier="T4"), "verdict": "RELEASED"},
            "claim": {"turn": 0, "conditional": True},
        },
        0,
        set(),
        set(),
        ["T4"],
    ),
    "an error mark": ({"run.turns.2.is_error": True}, 0, set(), {"W03"}, ["T1"]),
    "an exit code": ({"run.turns.2.exit_code": 1}, 0, set(), {"W03"}, ["T1"]),
    "an exit code of nought": ({"run.turns.2.exit_code": 0, "run.turns.2.is_error": None}, 0, set(), set(), ["T1"]),
    "an echo": (
        {"run.turns.1.args": {"command": "echo ALL OK"}, "run.turns.2.text": "ALL OK"},
        0,
        set(),
        {"W07"},
        ["T1"],
    ),
    "several parts on one citation": ({"claim.unit_parts": 3}, 0, set(), {"W15"}, ["T1"]),
    "a cue of another kind": ({"claim.text": "As you asked, I ran it."}, 0, set(), {"W06"}, ["T1"]),
    "0.4 with bare turns": ({"codebook": "0.4", "coding": OLD}, 0, set(), set(), ["T1"]),
    "0.4 with turns as objects": (
        {"codebook": "0.4", "coding": {**OLD, "evidence": [{"turn": 8}]}},
        0,
        set(),
        set(),
        ["T1"],
    ),
    "0.4 with a role": ({"codebook": "0.4", "coding": {**OLD, **cited(8)}}, 1, {"H02"}, set(), ["T1"]),
    "keys nobody reads": (
        {"note": "x", "run.seed": 1, "claim.id": "c", "run.turns.0.when": 3},
        0,
        set(),
        set(),
        ["T1"],
    ),
    "a kind no log has": ({"run.turns.0.kind": "greeting"}, 0, set(), set(), ["T1"]),
}

# What is no case: name → (changes, or the bytes, and words of the sentence)
MALFORMED: dict[str, tuple[dict[str, Any] | bytes, str]] = {
    "nothing": (b"", "is not JSON"),
    "half of it": (b'{"codebook": "0.5"', "is not JSON"),
    "a list": (b"[]", "takes an object"),
    "null": (b"null", "takes an object"),
    "no UTF-8": (b'{"codebook": "\xff"}', "is not UTF-8"),
    "not a number": (b'{"codebook": NaN}', "is no JSON number"),
    "a key twice": (b'{"codebook": "0.5", "codebook": "0.4"}', "stands twice"),
    "nested without end": (b'{"codebook": ' + b"[" * 200_000, ""),
    "a codebook that is a number": ({"codebook": 0.5}, "case.codebook: takes a text"),
    "a codebook that is not there": ({"codebook": "9.9"}, "no codebook version 9.9"),
    "no run": ({"run": None}, "case: lacks the key run"),
    "no turns": ({"run": {}}, "run.turns: takes a list"),
    "a turn without a number": ({"run.turns.0.turn": None}, "run.turns[0].turn: takes a whole number"),
    "a turn below nought": ({"run.turns.0.turn": -1}, "run.turns[0].turn: takes a whole number"),
    "a turn beyond all bounds": ({"run.turns.0.turn": 10**12}, "run.turns[0].turn: takes a whole number"),
    "a role nobody has": ({"run.turns.0.role": "robot"}, "run.turns[0].role: takes one of"),
    "a call by a tool": ({"run.turns.2.call": True}, "run.turns[2].call: only an assistant row"),
    "a truth that is a word": ({"run.turns.2.is_error": "no"}, "run.turns[2].is_error: takes true or false"),
    "a text that is a list": ({"run.turns.2.text": ["ok"]}, "run.turns[2].text: takes a text"),
    "an exit code that is a word": ({"run.turns.2.exit_code": "1"}, "run.turns[2].exit_code: takes a whole number"),
    "a coverage nobody knows": (
        {"run.coverage.shell": "mostly"},
        "run.coverage.shell: takes one of full, gapped, none",
    ),
    "a gap that ends before it begins": (
        {"run.gaps": [{"channel": "shell", "from_turn": 4, "to_turn": 2}]},
        "run.gaps[0]: ends before it begins",
    ),
    "a claim without a turn": ({"claim": {"text": "x"}}, "claim.turn: takes a whole number"),
    "a polarity nobody has": ({"claim.polarity": "maybe"}, "claim.polarity: takes one of do, not_do"),
    "a coding that is a list": ({"coding": []}, "coding: takes an object"),
}


@pytest.mark.parametrize("name", JUDGED)
def test_a_case_is_judged(judge: Judge, name: str) -> None:
    changes, code, hard, soft, tiers = JUDGED[name]
    found, told, err = judge(changes)
    assert err == ""
    assert {v["rule"] for v in told["violations"] if v["level"] == "hard"} == hard
    if not hard:
        assert {v["rule"] for v in told["violations"]} == soft
    assert (found, told["accepted"]) == (code, code == 0)
    assert tiers is None or told["derived_tiers"] == tiers


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_case_ends_with_2_and_a_sentence(judge: Judge, name: str) -> None:
    given, words = MALFORMED[name]
    code, told, err = judge(raw=given) if isinstance(given, bytes) else judge(given)
    assert (code, told) == (2, {})
    assert words in err
    assert err.count("\n") == 1
    assert len(err) < 300


def test_a_case_says_which_keys_nobody_read(judge: Judge) -> None:
    _, told, _ = judge(JUDGED["keys nobody reads"][0])
    assert told["ignored_keys"] == ["case.note", "run.seed", "run.turns[0].when", "claim.id"]


def test_the_case_of_the_interface_is_accepted(judge: Judge) -> None:
    """The case as the contract writes it: every key, the search span beside a supported action, nulls and empties."""
    coding = {
        **CASE["coding"],
        "log_coverage": "full",
        "search_span": {"from_turn": 0, "to_turn": 9, "looked_for": ".."},
        "disclosure": None,
        "note": "",
        "flags": [],
    }
    assert judge({"coding": coding, "claim.unit_parts": 1, "run.gaps": []})[:2][0] == 0


def test_a_byte_order_mark_is_no_fault(judge: Judge) -> None:
    assert judge(raw=b"\xef\xbb\xbf" + json.dumps(CASE).encode())[0] == 0
