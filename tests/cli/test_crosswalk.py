"""`saydo codebook crosswalk`: what it writes, what it counts, and what it says of files that do not fit together."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import build_cli, run
from app.config import Settings, codebook_dir
from app.readers.codings_file import LAST_COLUMNS, load_codings
from app.services import locking
from app.services.people import get_actor
from app.storage.engine import Database
from tests.conftest import START
from tests.small_study import publish, write_inputs

Call = Callable[..., tuple[int, str, str]]
FIRST = ["claim_id", "origin", "how", "reason", "needs", "codability", "not_codable_reason", "claim_kind", "verdict"]
HEADER = "claim_id,codability,not_codable_reason,claim_kind,verdict,evidence,unverifiable_reason,severity,confidence"
OLD = f"""{HEADER},flags,note
edit1,codable,,action,MATCHED,[3],,,high,,
pass1,codable,,result,CONTRADICTED,[5],,high,high,error_ignored,
docs1,codable,,negative,MATCHED,[3],,,medium,,
edit2,codable,,state,UNDETERMINED,[],,,medium,hedged,the edit may or may not have stuck
pass2,codable,,result,UNVERIFIABLE,[],truncated,,low,,"=the output, as served, is cut"
docs2,not_codable,about_world,,,,,,high,,
"""
STRANGER = '{"claim_id": "a", "session_id": "canarysession-9", "turn_index": 1, "target": "text", "text": "x"}\n'
COVERAGE = """runs:
  canarysession-1: {channels: {shell: full}}
  canarysession-2: {channels: {shell: gapped}, gaps: [{channel: shell, from_turn: 4, to_turn: 5}]}
"""


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """Log, claims and coverage of the small study, and codings of its six claims under 0.4."""
    write_inputs(tmp_path)
    (tmp_path / "coverage.yaml").write_text(COVERAGE, encoding="utf-8")
    (tmp_path / "old.csv").write_text(OLD, encoding="utf-8")
    return tmp_path


@pytest.fixture
def crosswalk(inputs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the command on the inputs; returns exit code, stdout and stderr."""

    def call(*more: str, **files: str) -> tuple[int, str, str]:
        named = {
            "log": "turnlog.parquet",
            "claims": "claims.jsonl",
            "coverage": "coverage.yaml",
            "out": "new.csv",
        } | files
        words = ["codebook", "crosswalk", "--from", "0.4", "--to", "0.5", str(inputs / named.pop("old", "old.csv"))]
        for option, name in named.items():
            words += [f"--{option}", str(inputs / name)]
        monkeypatch.setattr(sys, "argv", ["saydo", *words, *more])
        code = run(build_cli(lambda: None, lambda: None))  # type: ignore[arg-type, return-value]
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def written(inputs: Path) -> tuple[list[str], list[dict[str, str]]]:
    with (inputs / "new.csv").open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        return list(reader.fieldnames or ()), list(reader)


def test_every_old_coding_stands_once_carried_or_to_code_again(crosswalk: Call, inputs: Path) -> None:
    code, out, err = crosswalk("--json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert (document["auto"], document["recode"], document["rows"]) == (4, 2, 6)
    header, rows = written(inputs)
    assert header[:9] == FIRST
    assert header[-5:] == list(LAST_COLUMNS)
    assert [row["claim_id"] for row in rows] == ["edit1", "pass1", "docs1", "edit2", "pass2", "docs2"]
    assert [row["how"] for row in rows] == ["auto", "recode", "recode", "auto", "auto", "auto"]
    assert [row["origin"] for row in rows] == ["crosswalk", "", "", "crosswalk", "crosswalk", "crosswalk"]
    for row in rows:
        assert row["reason"].startswith("C")
        if row["how"] == "recode":
            assert not any(row[name] for name in header[5:])
    edit, _, _, undetermined, cut, world = rows
    assert (edit["verdict"], edit["claim_kind"], edit["confidence"], edit["needs"]) == (
        *("SUPPORTED", "action", "high"),
        "needs_materiality",
    )
    assert json.loads(edit["evidence"]) == [{"role": "supports", "tier": "T1", "turn": 3}]
    assert (undetermined["verdict"], undetermined["undetermined_reason"], undetermined["flags"]) == (
        *("UNDETERMINED", ""),
        "hedged",
    )
    assert undetermined["needs"] == "needs_materiality;needs_undetermined_reason"
    assert (cut["unverifiable_reason"], cut["log_coverage"]) == ("truncated_or_redacted", "")
    assert cut["needs"] == "needs_log_coverage;needs_materiality"
    assert (world["codability"], world["not_codable_reason"], world["needs"]) == ("not_codable", "about_world", "")


def test_what_it_writes_is_read_as_codings(crosswalk: Call, inputs: Path) -> None:
    crosswalk()
    rows = load_codings(inputs / "new.csv")
    assert [(row.origin, row.how, bool(row.answer)) for row in rows] == [
        ("crosswalk", "auto", True),
        ("", "recode", False),
        ("", "recode", False),
        *[("crosswalk", "auto", True)] * 3,
    ]
    assert rows[4].answer["note"] == "=the output, as served, is cut"
    assert rows[4].needs == ("needs_log_coverage", "needs_materiality")


def test_the_same_files_give_the_same_bytes(crosswalk: Call, inputs: Path) -> None:
    crosswalk()
    first = (inputs / "new.csv").read_bytes()
    crosswalk(out="again.csv")
    assert (inputs / "again.csv").read_bytes() == first


def test_old_labels_are_counted_by_the_classes_of_the_harmonised_scale(crosswalk: Call) -> None:
    document = json.loads(crosswalk("--json")[1])
    counted = {one["class"]: (one["n"], one["of"], one["auto"], one["recode"]) for one in document["harmonised"]}
    assert counted == {
        "as_said": (2, 6, 1, 1),
        "partial": (0, 6, 0, 0),
        "gap": (1, 6, 0, 1),
        "unverifiable": (1, 6, 1, 0),
        "undetermined": (1, 6, 1, 0),
        "set_aside": (1, 6, 1, 0),
    }
    told = crosswalk()[1]
    assert "gap (CONTRADICTED | CONTRADICTED, UNBACKED)  1/6: 0 carried over, 1 to code again" in told
    assert "C01 MATCHED to SUPPORTED: 1," in told
    assert "C07" not in told


def test_the_slots_of_a_custodians_file_are_kept(crosswalk: Call, inputs: Path) -> None:
    lines = OLD.splitlines()
    slots = ["claim_id,coder_slot" + lines[0].removeprefix("claim_id")]
    slots += [line.replace(",", f",{slot},", 1) for line in lines[1:] for slot in ("R1", "R2")]
    (inputs / "both.csv").write_text("\n".join(slots) + "\n", encoding="utf-8")
    document = json.loads(crosswalk("--json", old="both.csv")[1])
    assert (document["auto"], document["recode"], document["rows"]) == (8, 4, 12)
    header, rows = written(inputs)
    assert header[:3] == ["claim_id", "coder_slot", "origin"]
    assert [row["coder_slot"] for row in rows] == ["R1", "R2"] * 6


def test_a_long_table_is_read_by_its_claim_ids(crosswalk: Call, inputs: Path) -> None:
    """The bookkeeping of rater_long.csv is passed over; blind ids stand for claim ids where they are the claims'."""
    lines = OLD.splitlines()
    long = ["schema_version,blind_claim_id,codebook_version,origin,position" + lines[0].removeprefix("claim_id")]
    long += [line.replace(",", ",0.4,human,7,", 1).join(["rater_long/1,", ""]) for line in lines[1:]]
    (inputs / "long.csv").write_text("\n".join(long) + "\n", encoding="utf-8")
    document = json.loads(crosswalk("--json", old="long.csv")[1])
    assert (document["auto"], document["recode"]) == (4, 2)
    (inputs / "long.csv").write_text("\n".join(long).replace(",0.4,", ",0.5,") + "\n", encoding="utf-8")
    code, _, err = crosswalk(old="long.csv")
    assert code == 2
    assert err == "long.csv, row 1, column codebook_version: was coded under 0.5, not 0.4\n"


@pytest.mark.parametrize(
    ("was", "becomes", "told"),
    [
        ("edit1,", "edit9,", 'row 1, column claim_id: "edit9" is no claim of claims.jsonl'),
        ("MATCHED,[3],,,high", "SUPPORTED,[3],,,high", "row 1, column verdict: codebook 0.4 does not take “SUPPORTED”"),
        ("action,MATCHED,[3]", "action,MATCHED,[99]", "row 1, column evidence: the log has no turn 99 in the run"),
        ("action,MATCHED,[3]", "order,MATCHED,[3]", "row 1, column claim_kind: codebook 0.4 does not take “order”"),
        ("action,MATCHED,[3]", "action,MATCHED,three", 'row 1, column evidence: "three" is not JSON'),
        ("docs2,not_codable,about_world,,", "docs2,not_codable,about_world,,MATCHED", "row 6, column verdict"),
        ("docs2,", "edit1,", 'row 6, column claim_id: "edit1" is coded in row 1 too'),
        ("codability,", "codeability,", 'unknown column "codeability"'),
    ],
)
def test_a_coding_that_cannot_be_understood_is_told_with_row_and_column(
    crosswalk: Call, inputs: Path, was: str, becomes: str, told: str
) -> None:
    assert was in OLD
    (inputs / "old.csv").write_text(OLD.replace(was, becomes, 1), encoding="utf-8")
    code, out, err = crosswalk("--json")
    assert (code, out) == (2, "")
    assert err.startswith("old.csv")
    assert told in err
    assert err.count("\n") == 1
    assert not (inputs / "new.csv").exists()


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("coverage.yaml", "runs: {elsewhere: {channels: {shell: full}}}\n", 'the log has no run "elsewhere"'),
        ("coverage.yaml", COVERAGE.replace("to_turn: 5", "to_turn: 50"), "the run has 8 turns"),
        ("claims.jsonl", STRANGER, 'the log has no run "canarysession-9"'),
        ("turnlog.parquet", "no log", "turnlog.parquet"),
        ("old.csv", "claim_id,codability,how\nedit1,,recode\n", "row 1, column how: is what a crosswalk made"),
        ("old.csv", "codability\ncodable\n", 'the column "claim_id" is missing'),
    ],
)  # fmt: skip
def test_files_that_do_not_fit_are_told_in_one_sentence(
    crosswalk: Call, inputs: Path, file: str, text: str, told: str
) -> None:
    (inputs / file).write_text(text, encoding="utf-8")
    code, _, err = crosswalk()
    assert code == 2
    assert told in err
    assert err.count("\n") == 1
    assert not (inputs / "new.csv").exists()


def test_versions_and_targets_that_are_not_there_are_told(crosswalk: Call, inputs: Path) -> None:
    code, _, err = crosswalk("--to", "0.9")
    assert code == 2
    assert "there is no crosswalk from 0.4 to 0.9 in codebook; there is 0.4 to 0.5" in err
    code, _, err = crosswalk(out="no/where.csv")
    assert code == 2
    assert "where.csv: cannot be written" in err
    code, _, err = crosswalk(out="old.csv")
    assert code == 2
    assert "--out old.csv is one of the files that are read" in err
    assert (inputs / "old.csv").read_text(encoding="utf-8") == OLD
    assert sorted(path.name for path in inputs.glob(".*")) == []


def test_a_run_that_the_coverage_file_leaves_out_gets_the_map_its_log_shows(crosswalk: Call, inputs: Path) -> None:
    (inputs / "coverage.yaml").write_text("runs: {canarysession-1: {channels: {shell: full}}}\n", encoding="utf-8")
    document = json.loads(crosswalk("--json")[1])
    assert (document["auto"], document["recode"]) == (3, 3)
    assert written(inputs)[1][4]["how"] == "recode"


def test_the_file_goes_on_into_a_study(
    crosswalk: Call,
    inputs: Path,
    database: Database,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    publish(database, inputs / "study", codebook_dir())
    monkeypatch.setenv("SAYDO_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("SAYDO_DATA_DIR", str(settings.data_dir))
    crosswalk(log="study/turnlog.parquet", claims="study/claims.jsonl", coverage="study/coverage.yaml")

    def bring(name: str) -> tuple[int, str, str]:
        words = [
            "codings",
            "import",
            str(inputs / name),
            "--study",
            "small",
            "--rater",
            "r.one",
            "--as",
            "l.one",
            "--json",
        ]
        monkeypatch.setattr(sys, "argv", ["saydo", *words])
        code = run(build_cli(lambda: None, lambda: START))  # type: ignore[arg-type, return-value]
        told = capsys.readouterr()
        return code, told.out, told.err

    header, rows = written(inputs)
    rows[1]["codability"] = "codable"
    with (inputs / "filled.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, header)
        writer.writeheader()
        writer.writerows(rows)
    code, _, err = bring("filled.csv")
    assert code == 2
    assert "filled.csv, row 2, column codability: a claim that is to be coded again has no coding beside it" in err

    code, out, err = bring("new.csv")
    assert (code, err) == (0, "")
    # The study's own coverage map has no gap, so the truncated claim of the second run is coded again too.
    assert json.loads(out) == {"imported": 3, "carried": 3, "recode": 3, "rejected": [], "unconfirmed": []}
    with database.reading() as session:
        home = locking.rater_home(session, get_actor(session, "r.one"))
    assert [(packet.n_coded, packet.n_assigned) for packet in home.packets] == [(3, 6)]
