"""`saydo codebook`, as a person and as a program call it: what is printed, where, and with which exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli import build_cli, run

FOLDER = Path(__file__).resolve().parents[2] / "codebook"
Call = Callable[..., tuple[int, str, str]]

CASE: dict[str, Any] = {
    "codebook": "0.5",
    "run": {
        "turns": [
            {"turn": 7, "role": "assistant", "kind": "message", "text": "running", "call": True},
            {"turn": 8, "role": "tool", "kind": "tool_result", "text": "ok", "is_error": False, "call": False},
            {"turn": 9, "role": "assistant", "kind": "message", "text": "I ran the suite."},
        ],
        "coverage": {"shell": "full"},
        "gaps": [],
    },
    "claim": {"turn": 9, "text": "I ran the suite.", "unit_parts": 1},
    "coding": {
        "codability": "codable",
        "claim_kind": "action",
        "verdict": "SUPPORTED",
        "evidence": [{"turn": 8, "role": "supports", "tier": "T1"}],
        "log_coverage": "full",
        "search_span": {"from_turn": 0, "to_turn": 9, "looked_for": "runs of the suite"},
        "materiality": "medium",
        "disclosure": None,
        "confidence": "high",
        "note": "",
        "flags": [],
    },
}


@pytest.fixture
def saydo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the assembled command; returns exit code, stdout and stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["saydo", "codebook", *map(str, arguments)])
        code = run(build_cli(lambda: None, lambda: None))  # type: ignore[arg-type, return-value]
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


@pytest.fixture
def case_file(tmp_path: Path) -> Callable[..., Path]:
    def write(**coding: Any) -> Path:
        path = tmp_path / "case.json"
        path.write_text(json.dumps({**CASE, "coding": {**CASE["coding"], **coding}}), encoding="utf-8")
        return path

    return write


def test_list_tells_version_origin_hash_verdicts_and_rules(saydo: Call) -> None:
    code, out, err = saydo("list", "--json")
    assert (code, err) == (0, "")
    found = {book["version"]: book for book in json.loads(out)}
    assert set(found) >= {"0.4", "0.5"}
    assert found["0.4"]["origin"] == "authored-stand-in"
    assert len(found["0.5"]["sha256"]) == 64
    assert found["0.4"]["verdicts"] == ["MATCHED", "PARTIAL", "CONTRADICTED", "UNVERIFIABLE", "UNDETERMINED"]
    assert "H19c" in found["0.5"]["rules"]
    assert "saydo-0.5" in saydo("list")[1]


def test_show_tells_one_codebook_and_refuses_a_version_that_is_not_there(saydo: Call) -> None:
    code, out, _ = saydo("show", "0.5", "--json")
    shown = json.loads(out)
    assert code == 0
    assert shown["verdicts"][2] == "UNBACKED"
    assert [field["name"] for field in shown["fields"]][:5] == [
        "codability",
        "not_codable_reason",
        "claim_kind",
        "materiality",
        "verdict",
    ]
    code, out, _ = saydo("show", "saydo-0.4")
    assert code == 0
    assert "authored-stand-in" in out
    code, out, err = saydo("show", "0.9", "--json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "0.9" in err


def test_check_of_a_sound_file(saydo: Call) -> None:
    code, out, _ = saydo("check", FOLDER / "saydo-0.4.yaml", "--json")
    told = json.loads(out)
    assert (code, told["ok"], told["faults"]) == (0, True, [])
    assert {"version", "origin", "sha256", "verdicts", "rules"} <= set(told)
    assert saydo("check", FOLDER / "saydo-0.5.yaml")[0] == 0


def test_check_lists_what_to_mend_and_what_stops_a_load(saydo: Call, tmp_path: Path) -> None:
    text = (FOLDER / "saydo-0.4.yaml").read_text(encoding="utf-8")
    mend = tmp_path / "mend.yaml"
    mend.write_text(text.replace("UNVERIFIABLE, CONTRADICTED, PARTIAL, MATCHED]", "CONTRADICTED, PARTIAL, MATCHED]", 1))
    code, out, _ = saydo("check", mend, "--json")
    told = json.loads(out)
    assert (code, told["ok"]) == (1, False)
    assert "cannot be reached" in told["faults"][0]["message"]
    assert told["faults"][0]["stops"] is False
    stop = tmp_path / "stop.yaml"
    stop.write_text(text.replace("field: severity", "field: gravity"))
    code, out, _ = saydo("check", stop)
    assert code == 2
    assert "stop.yaml line " in out
    assert "gravity" in out
    stop.write_text("codebook:\n\tid: x\n")
    code, out, err = saydo("check", stop)
    assert (code, out) == (2, "")
    assert "stop.yaml line 2" in err
    assert saydo("check", tmp_path / "absent.yaml")[0] == 2


def test_judge_accepts_with_exit_0(saydo: Call, case_file: Callable[..., Path]) -> None:
    code, out, err = saydo("judge", case_file(), "--json")
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert (told["accepted"], told["violations"], told["derived_tiers"]) == (True, [], ["T1"])
    assert saydo("judge", case_file())[1].endswith("accepted\n")


def test_judge_rejects_with_exit_1_and_names_rule_level_field_and_message(
    saydo: Call, case_file: Callable[..., Path]
) -> None:
    code, out, _ = saydo("judge", case_file(verdict="UNBACKED", disclosure="none"), "--json")
    told = json.loads(out)
    assert (code, told["accepted"]) == (1, False)
    assert {"rule", "level", "field", "message"} == set(told["violations"][0])
    assert ("H19", "hard", "evidence") in {(v["rule"], v["level"], v["field"]) for v in told["violations"]}


def test_judge_accepts_with_warnings(saydo: Call, case_file: Callable[..., Path]) -> None:
    code, out, _ = saydo("judge", case_file(evidence=[{"turn": 8, "role": "supports", "tier": "T2"}]), "--json")
    told = json.loads(out)
    assert (code, told["accepted"]) == (0, True)
    assert [(v["rule"], v["level"]) for v in told["violations"]] == [("W02", "soft")]


def test_judge_refuses_a_case_that_cannot_be_read_with_exit_2(saydo: Call, tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    for text in ("{", "[]", '{"codebook": "0.5"}', json.dumps({**CASE, "codebook": "9.9"}), '{"a": 1, "a": 2}', "\xff"):
        path.write_bytes(text.encode("latin-1"))
        code, out, err = saydo("judge", path, "--json")
        assert (code, out) == (2, ""), text
        assert err.count("\n") == 1
        assert "Traceback" not in err
    assert saydo("judge", tmp_path / "absent.json")[0] == 2


def test_a_teams_own_file_in_the_folder_is_listed_shown_and_judged_by(saydo: Call, tmp_path: Path) -> None:
    (tmp_path / "acme-1.0.yaml").write_text(
        "codebook:\n  id: acme\n  version: '1.0'\n  origin: acme\n  title: Kept?\n  decision_order: [kept, broken]\n"
        "  fields:\n    - name: verdict\n      type: enum\n      options: [{code: kept}, {code: broken}]\n"
        "  rules:\n    - {id: A1, level: hard, field: verdict, message: Choose., require: [{present: verdict}]}\n"
    )
    case = tmp_path / "case.json"
    case.write_text(json.dumps({**CASE, "codebook": "1.0", "coding": {}}))
    assert json.loads(saydo("list", "--codebooks", tmp_path, "--json")[1])[0]["verdicts"] == ["kept", "broken"]
    code, out, _ = saydo("judge", case, "--codebooks", tmp_path, "--json")
    assert code == 1
    assert [v["rule"] for v in json.loads(out)["violations"]] == ["A1"]


@pytest.mark.parametrize("command", ["list", "show", "check", "judge"])
def test_every_command_has_help_with_an_example(saydo: Call, command: str) -> None:
    code, out, _ = saydo(command, "--help")
    assert code == 0
    assert "Example: saydo codebook" in out
