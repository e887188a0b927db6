"""`saydo claims`: propose, compare, check, as a person or a program calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli.claims import commands
from app.cli.edge import exit_code
from app.domain.errors import SaydoError
from app.domain.turnlog.schema import table_from_turns
from app.domain.turnlog.turns import ToolCall, Turn
from app.readers.claims_file import load_claims
from app.readers.turnlog_file import write_turn_log

FINISH = json.dumps({"message": "All 38 tests pass."})
TURNS = [
    Turn("run-a", 0, "user", "Fix the parser.", src_index=(0,)),
    Turn("run-a", 1, "assistant", "I'll fix the parser. I ran the tests.", src_index=(1,)),
    Turn("run-a", 2, "assistant", None, src_index=(2,), tool_calls=(ToolCall("t2.c0", "finish", FINISH),)),
    Turn("run-b", 0, "user", "Hello.", src_index=(0,)),
    Turn("run-b", 1, "assistant", "Hello, how can I help?", src_index=(1,)),
]
HEADER = "claim_id,session_id,turn_index,target,span_start,span_end,text\n"
GOOD = HEADER + "c1,run-a,1,text,21,37,I ran the tests.\nc2,run-a,2,args:t2.c0,,,All 38 tests pass.\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "turnlog.parquet"
    write_turn_log(path, table_from_turns(TURNS))
    return path


def run(*args: object) -> tuple[int, str, str]:
    """Run one command; a named error becomes its exit code and sentence, as the assembled command tells it."""
    result = CliRunner().invoke(commands, [str(arg) for arg in args])
    if isinstance(result.exception, SaydoError):
        return exit_code(result.exception), result.stdout, str(result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def document(*args: object) -> Any:
    _, out, _ = run(*args, "--json")
    return json.loads(out)


def test_propose_writes_claims_that_hold_and_counts_them(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "claims.parquet"
    told = document("propose", log, "--out", out)
    assert told == {
        "claims": 3,
        "by_kind": {"action": 1, "coverage": 1, "intent": 1},
        "sessions_without_claims": 1,
    }
    assert [claim.text for claim in load_claims(out)] == [
        "I'll fix the parser.",
        "I ran the tests.",
        "All 38 tests pass.",
    ]
    assert document("check", out, "--log", log) == {"ok": True, "claims": 3, "faults": []}


def test_propose_gives_the_same_bytes_twice(log: Path, tmp_path: Path) -> None:
    for name in ("a.parquet", "b.parquet"):
        assert run("propose", log, "--out", tmp_path / name)[0] == 0
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_propose_tells_a_person_what_it_did(log: Path, tmp_path: Path) -> None:
    code, out, err = run("propose", log, "--out", tmp_path / "claims.parquet")
    assert (code, err) == (0, "")
    assert "3 claims proposed in 2 sessions" in out
    assert "1 sessions without claims: run-b" in out


def test_propose_refuses_what_is_no_turn_log_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 no")
    code, out, err = run("propose", tmp_path / "x.parquet", "--out", tmp_path / "claims.parquet", "--json")
    assert (code, out) == (2, "")
    assert err.startswith("x.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def test_check_accepts_claims_in_text_and_in_arguments(log: Path, tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_text(GOOD, encoding="utf-8")
    code, out, err = run("check", tmp_path / "claims.csv", "--log", log)
    assert (code, out, err) == (0, "claims.csv: 2 claims, ok\n", "")


def test_check_names_every_fault_by_row_and_column(log: Path, tmp_path: Path) -> None:
    wrong = GOOD + "c1,run-a,1,text,0,20,I'll fix the parser.\nc4,run-a,9,text,0,1,x\nc5,run-c,0,text,0,1,x\n"
    (tmp_path / "claims.csv").write_text(wrong.replace(",21,37,", ",22,38,"), encoding="utf-8")
    code, out, err = run("check", tmp_path / "claims.csv", "--log", log, "--json")
    told = json.loads(out)
    assert (code, told["ok"], told["claims"]) == (1, False, 5)
    assert [(fault["row"], fault["column"]) for fault in told["faults"]] == [
        (1, "span_end"),
        (3, "claim_id"),
        (4, "turn_index"),
        (5, "session_id"),
    ]
    assert err.startswith("claims.csv, row 1, column span_end: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("claims.csv", "", "claims.csv: the file is empty"),
        ("claims.parquet", GOOD, "claims.parquet: the name says Parquet"),
        ("claims.csv", GOOD.replace("text\n", "text,verdict\n", 1), 'claims.csv: unknown column "verdict"'),
        ("claims.csv", GOOD.replace(",1,text", ",one,text"), "claims.csv, row 1, column turn_index"),
    ],
)
def test_check_refuses_what_cannot_be_read(log: Path, tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    code, out, err = run("check", tmp_path / name, "--log", log, "--json")
    assert (code, out) == (2, "")
    assert err.startswith(said)


def test_compare_gives_both_scores_and_what_only_one_side_has(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        HEADER + "c1,run,1,text,0,10,aaaaaaaaaa\nc2,run,1,text,20,30,bbbbbbbbbb\nc3,run,2,text,0,4,cccc\n",
        encoding="utf-8",
    )
    (tmp_path / "b.csv").write_text(
        HEADER + "x1,run,1,text,0,10,aaaaaaaaaa\nx2,run,1,text,22,30,bbbbbbbb\n", encoding="utf-8"
    )
    told = document("compare", tmp_path / "a.csv", tmp_path / "b.csv")
    # one of 3 + 2 units exact: 2/5; two pairs overlap by half or more: 4/5
    assert (told["exact_f1"], told["overlap_f1"]) == (pytest.approx(0.4), pytest.approx(0.8))
    assert [unit["claim_id"] for unit in told["only_a"]] == ["c3"]
    assert told["only_b"] == []
    code, out, _ = run("compare", tmp_path / "a.csv", tmp_path / "b.csv")
    assert code == 0
    assert "exact F1    0.400" in out


def test_compare_of_two_empty_lists_is_undefined_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(HEADER, encoding="utf-8")
    told = document("compare", tmp_path / "a.csv", tmp_path / "a.csv")
    assert (told["exact_f1"], told["overlap_f1"], told["undefined_reason"]) == (None, None, "no_units")
    assert "undefined" in run("compare", tmp_path / "a.csv", tmp_path / "a.csv")[1]


def test_compare_needs_spans(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(GOOD, encoding="utf-8")
    code, _, err = run("compare", tmp_path / "a.csv", tmp_path / "a.csv")
    assert code == 2
    assert err.startswith("a.csv, row 2, column span_start: is empty")


@pytest.mark.parametrize("command", ["propose", "compare", "check"])
def test_help_shows_an_example(command: str) -> None:
    code, out, _ = run(command, "--help")
    assert code == 0
    assert f"Example: saydo claims {command}" in " ".join(out.split())
