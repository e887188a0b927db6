"""`saydo score` as a person and as a program call it: keys, exit codes, whole folders, the same bytes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli import build_cli, run
from app.services.scorecard import second_run
from app.services.scorecard.computing import compute_twice
from app.services.scorecard.report import report_html
from app.services.scorecard.scoring import refusals_of
from tests.readers.scorecard_folder import SPEC, TABLES, replaced, spec_with, write_folder

Call = Callable[..., tuple[int, str, str]]
FILES = {"answers.csv", "intervals.svg", "manifest.json", "ranks.svg", "report.html", "scenarios.svg", "scorecard.json"}


@pytest.fixture
def saydo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the assembled command; returns exit code, stdout and stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["saydo", "score", *map(str, arguments)])
        code = run(build_cli(lambda: None, lambda: None))  # type: ignore[arg-type, return-value]
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_json_holds_the_agreed_keys_and_the_folder_is_whole(saydo: Call, tmp_path: Path) -> None:
    spec = write_folder(tmp_path / "in")
    code, out, err = saydo(spec, "--out", tmp_path / "out", "--json")
    assert (code, err) == (0, "")
    document: dict[str, Any] = json.loads(out)
    assert document["schema"] == "scorecard/1"
    m1, m2 = document["models"]
    # m1: q1 core 1, supporting entry 0.5, credit 1.5 and nothing unsupported: 40 + 30 + 12 + 12 = 94; q2 failed.
    assert (m1["effective_mean"]["value"], m1["effective_mean"]["n"], m1["effective_mean"]["N"]) == (47.0, 2, 2)
    assert (m1["quality_only_mean"]["value"], m1["quality_only_mean"]["N"]) == (94.0, 1)
    assert (m1["rank"], m2["rank"]) == (2, 1)
    # m2: q1 core 0, credit 1, one unsupported: 0 + 15 + 10.5 + 11.25 = 36.75; q2 40 + 30 + 9 + 9 = 88.
    assert m2["effective_mean"]["value"] == (36.75 + 88) / 2
    assert {"id", "display_name", "namespace", "host"} <= m1.keys()
    assert [s["name"] for s in document["scenarios"]] == ["original", "flat"]
    assert document["scenarios"][0]["primary"] is True
    assert document["gate"]["agrees"] is True
    assert document["gate"]["max_abs_diff"] <= 1e-9
    assert document["gate"]["n_compared"] > 200
    assert document["reruns_identical"] is True
    assert set(digests(tmp_path / "out")) == FILES
    assert json.loads((tmp_path / "out" / "scorecard.json").read_bytes()) == document


def test_a_person_is_told_scores_scenarios_plan_and_boundaries(saydo: Call, tmp_path: Path) -> None:
    code, out, _ = saydo(write_folder(tmp_path / "in"), "--out", tmp_path / "out")
    assert code == 0
    for words in ("== Scores (official)", "62.375 (2/2)", "planned", "completed 2 models", "not a share of true"):
        assert words in out


def test_two_whole_runs_give_the_same_bytes_also_for_rows_in_another_order(saydo: Call, tmp_path: Path) -> None:
    spec = write_folder(tmp_path / "in")
    saydo(spec, "--out", tmp_path / "one")
    saydo(spec, "--out", tmp_path / "two")
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    turned = {
        name: "\n".join([text.split("\n")[0], *reversed(text.split("\n")[1:-1])]) + "\n"
        for name, text in TABLES.items()
    }
    saydo(write_folder(tmp_path / "turned", turned), "--out", tmp_path / "three")
    for name in ("answers.csv", "intervals.svg", "ranks.svg", "scenarios.svg"):
        assert digests(tmp_path / "one")[name] == digests(tmp_path / "three")[name]
    first, third = (json.loads((tmp_path / n / "scorecard.json").read_bytes()) for n in ("one", "three"))
    assert (first.pop("inputs"), first) != (third.pop("inputs"), third)  # the files themselves are other files
    assert first | {"reruns": 0} == third | {"reruns": 0}


def test_data_may_stand_in_another_folder(saydo: Call, tmp_path: Path) -> None:
    write_folder(tmp_path / "in")
    spec = tmp_path / "elsewhere.yaml"
    spec.write_text(SPEC, encoding="utf-8")
    assert saydo(spec, "--data", tmp_path / "in", "--out", tmp_path / "out")[0] == 0


BAD = [
    (replaced("grades.csv", "a,absent", "a,maybe"), SPEC, "grades.csv, row 3, column label"),
    (replaced("facts.csv", ",salience\n", ",weight\n"), SPEC, 'facts.csv: unknown column "weight"'),
    (replaced("models.csv", "m2,", "m1,"), SPEC, "models.csv, row 2, column model_id"),
    (replaced("sheets.csv", "1,valid,1,7,7.5", "1,valid,1,nan,7.5"), SPEC, "sheets.csv, row 2, column ne_quality"),
    (replaced("judges.csv", "j1,Judge One,one,h\n", "j1,J,one,h\nj2,K,two,h\n"), SPEC, "judges.csv, row 2"),
    ({}, spec_with("core: 50", "core: 51"), "scorecard.yaml line 12: scenarios.flat: core + precision"),
    ({}, spec_with("id: small", "id: small\nunknown: 1"), "scorecard.yaml line 2: unknown"),
]


@pytest.mark.parametrize(("changed", "spec", "place"), BAD, ids=[place for *_, place in BAD])
def test_bad_input_is_one_sentence_exit_2_and_nothing_written(
    saydo: Call, tmp_path: Path, changed: dict[str, str], spec: str, place: str
) -> None:
    path = write_folder(tmp_path / "in", changed, spec)
    code, out, err = saydo(path, "--out", tmp_path / "out", "--json")
    assert (code, out) == (2, "")
    assert place in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["in"]


def test_bad_input_leaves_an_earlier_scorecard_as_it_was(saydo: Call, tmp_path: Path) -> None:
    spec = write_folder(tmp_path / "in")
    saydo(spec, "--out", tmp_path / "out")
    before = digests(tmp_path / "out")
    write_folder(tmp_path / "in", replaced("grades.csv", "a,absent", "a,maybe"))
    assert saydo(spec, "--out", tmp_path / "out")[0] == 2
    assert digests(tmp_path / "out") == before


def test_a_file_that_is_not_there_and_a_folder_that_holds_the_tables(saydo: Call, tmp_path: Path) -> None:
    code, _, err = saydo(tmp_path / "none.yaml", "--out", tmp_path / "out")
    assert (code, err.count("\n")) == (2, 1)
    assert "none.yaml" in err
    spec = write_folder(tmp_path / "in")
    code, _, err = saydo(spec, "--out", tmp_path / "in")
    assert code == 2
    assert "write the scorecard into another folder" in err
    assert set(digests(tmp_path / "in")) == {*TABLES, "scorecard.yaml"}


def test_a_foreign_file_is_never_overwritten(saydo: Call, tmp_path: Path) -> None:
    spec = write_folder(tmp_path / "in")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.html").write_text("mine", encoding="utf-8")
    code, _, err = saydo(spec, "--out", tmp_path / "out")
    assert code == 2
    assert "already holds report.html" in err
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8") == "mine"


def test_a_saved_score_that_differs_is_written_down_and_exits_1(saydo: Call, tmp_path: Path) -> None:
    spec_text = spec_with("tables:\n", "tables:\n  saved_scores: saved.csv\n")
    spec = write_folder(tmp_path / "in", {"saved.csv": "model_id,metric,value\nm1,effective_mean,47.5\n"}, spec_text)
    code, _, err = saydo(spec, "--out", tmp_path / "out", "--json")
    assert code == 1
    assert "1 of 1 saved scores differ, the first effective_mean of m1: saved 47.5, computed 47.0" in err
    assert set(digests(tmp_path / "out")) == FILES


def test_no_interval_is_copied_from_inputs_that_changed(saydo: Call, tmp_path: Path) -> None:
    spec_text = spec_with("tables:\n", "tables:\n  manifest: pins.json\n  copied_intervals: old.csv\n")
    old = "analysis,first,second,lo,hi,draws,seed\neffective_mean,m1,,30,60,10,\n"
    pins = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in TABLES.items()}
    more = {"old.csv": old, "pins.json": json.dumps(pins)}
    code, out, _ = saydo(write_folder(tmp_path / "in", more, spec_text), "--out", tmp_path / "out", "--json")
    copied = json.loads(out)["copied"]
    assert (code, copied["copied"], copied["intervals"][0]["lo"]) == (0, True, 30.0)
    changed = {**more, **replaced("sheets.csv", "1,valid,1,7,7.5", "1,valid,1,7,8")}
    code, out, err = saydo(write_folder(tmp_path / "in", changed, spec_text), "--out", tmp_path / "out", "--json")
    assert code == 1
    assert "the input manifest does not hold, first for sheets.csv; no interval was copied" in err
    assert json.loads(out)["copied"]["intervals"] == []
    assert "30.000" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_the_second_run_is_a_process_of_its_own_and_prints_both_hashes(tmp_path: Path) -> None:
    spec = write_folder(tmp_path / "in")
    runs = [
        subprocess.run(
            [sys.executable, "-m", second_run.__name__, str(spec), str(spec.parent)],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert set(json.loads(runs[0])) == set(second_run.NAMES)


def test_a_table_that_changed_in_between_shows_in_the_second_process(tmp_path: Path) -> None:
    """The second process reads its inputs itself."""
    spec = write_folder(tmp_path / "in")
    other = write_folder(tmp_path / "other", replaced("sheets.csv", "1,valid,1,7,7.5", "1,valid,1,7,8"))
    computed = compute_twice(spec, spec.parent)
    process = second_run.start_second_run(other, other.parent)
    found = second_run.finish_second_run(process, computed)
    assert found["identical"] is False
    for name in second_run.NAMES:
        assert found[name]["first_run"] != found[name]["second_run"]
    same = second_run.finish_second_run(second_run.start_second_run(spec, spec.parent), computed)
    assert same["identical"] is True


def test_a_second_process_that_ends_without_a_result_is_no_agreement(tmp_path: Path) -> None:
    spec = write_folder(tmp_path / "in")
    computed = compute_twice(spec, spec.parent)
    process = second_run.start_second_run(tmp_path / "none.yaml", spec.parent)
    assert second_run.finish_second_run(process, computed)["identical"] is False


def test_a_failed_gate_and_other_bytes_are_why_the_work_says_no(saydo: Call, tmp_path: Path) -> None:
    _, out, _ = saydo(write_folder(tmp_path / "in"), "--out", tmp_path / "out", "--json")
    document = json.loads(out)
    assert refusals_of(document) == []
    leaf = {"path": "models.m1.rank", "first": 1, "second": 2}
    failed = {**document["gate"], "agrees": False, "n_differing": 1, "differing": [leaf]}
    said = refusals_of({**document, "gate": failed, "reruns_identical": False})
    assert said == [
        "the two implementations differ in 1 values, the first models.m1.rank",
        "a second process did not give the same bytes",
    ]
    html = report_html({**document, "gate": failed}, "", [], {}).decode()
    assert "The two implementations do not agree." in html
