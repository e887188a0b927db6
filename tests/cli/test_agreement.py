"""`saydo agreement` as a person and as a program call it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from app.cli import build_cli, run
from tests.readers import rating_exports

Call = Callable[..., tuple[int, str, str]]
LABELS = ["no", "partly", "yes"]


@pytest.fixture
def saydo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the assembled command; returns exit code, stdout and stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["saydo", "agreement", *map(str, arguments)])
        code = run(build_cli(lambda: None, lambda: None))  # type: ignore[arg-type, return-value]
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def rating_rows(raters: str = "AB", n: int = 60) -> list[tuple[str, str, str, str]]:
    rng = random.Random("rows")
    rows = []
    for i in range(n):
        truth = rng.choice(LABELS)
        for rater in raters:
            label = truth if rng.random() < 0.75 else rng.choice(LABELS)
            rows.append((f"u{i}", rater, label, f"r{i % 6}"))
    return rows


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    return write(tmp_path, rating_rows())


def write(folder: Path, rows: list[tuple[str, str, str, str]], name: str = "ratings.csv") -> Path:
    path = folder / name
    path.write_text("unit,rater,label,run\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_json_holds_the_agreed_keys(saydo: Call, ratings: Path) -> None:
    code, out, err = saydo(ratings, "--categories", "no,partly,yes", "--level", "ordinal", "--json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["schema"] == "agreement/1"
    assert (document["n_units"], document["n_raters"], document["n_runs"]) == (60, 2, 6)
    assert (document["categories"], document["level"], document["warnings"]) == (LABELS, "ordinal", [])
    (pair,) = document["pairs"]
    assert (pair["raters"], pair["n"]) == (["A", "B"], 60)
    kappa = pair["cohen_kappa"]
    assert set(kappa) >= {"value", "se", "se0", "ci95", "ci_method", "undefined_reason", "ci95_cluster"}
    assert kappa["ci95"][0] < kappa["value"] < kappa["ci95"][1]
    assert set(kappa["ci95_cluster"]) >= {"lo", "hi", "method", "B", "seed", "undefined_resamples"}
    names = "cohen_kappa_linear cohen_kappa_quadratic scott_pi bennett_s pabak gwet_ac1 prevalence_index bias_index"
    more = "positive_agreement negative_agreement cohen_kappa_max exact_agreement"
    for name in f"{names} {more}".split():
        assert {"value", "undefined_reason"} <= set(pair[name]), name
    assert sum(map(sum, pair["confusion"])) == 60
    forms = [
        f"{c}{f}" for c in ("fleiss_kappa", "conger_kappa", "brennan_prediger") for f in ("", "_linear", "_quadratic")
    ]
    single = "percent_agreement krippendorff_alpha_nominal krippendorff_alpha_ordinal light_kappa gwet_ac1"
    for name in [*forms, *single.split(), "gwet_ac2_linear", "gwet_ac2_quadratic"]:
        assert document["overall"][name]["value"] is not None, name


def test_kappa_is_that_of_scikit_learn_over_the_same_file(saydo: Call, ratings: Path) -> None:
    pair = json.loads(saydo(ratings, "--categories", "no,partly,yes", "--json")[1])["pairs"][0]
    rows = rating_rows()
    first, second = ([label for _, rater, label, _ in rows if rater == who] for who in "AB")
    assert pair["cohen_kappa"]["value"] == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


def test_levels_add_what_they_say(saydo: Call, tmp_path: Path) -> None:
    numbered = [(u, r, str(LABELS.index(x)), c) for u, r, x, c in rating_rows()]
    path = write(tmp_path, numbered)
    overall = {
        level: set(json.loads(saydo(path, "--level", level, "--json")[1])["overall"])
        for level in ("nominal", "ordinal", "interval", "ratio")
    }
    assert "fleiss_kappa_linear" not in overall["nominal"]
    assert overall["ordinal"] - overall["nominal"] >= {"gwet_ac2_linear", "krippendorff_alpha_ordinal"}
    assert overall["interval"] - overall["ordinal"] == {"krippendorff_alpha_interval", "krippendorff_alpha_ratio"}
    assert overall["ratio"] == overall["interval"]


def test_a_person_reads_the_numbers_and_the_matrix(saydo: Call, ratings: Path) -> None:
    code, out, err = saydo(ratings, "--categories", "no,partly,yes")
    assert (code, err) == (0, "")
    assert "60 units, 6 runs, 2 raters" in out
    assert "A (down) and B (across): 60 units rated by both" in out
    assert "Cohen's kappa" in out
    assert "95 %" in out
    assert not [word for word in ("substantial", "moderate", "almost perfect", "fair", "excellent") if word in out]


def test_undefined_is_a_sentence_and_null(saydo: Call, tmp_path: Path) -> None:
    path = write(tmp_path, [(u, r, "yes", c) for u, r, _, c in rating_rows()])
    assert "undefined: only one category was used" in saydo(path, "--categories", "no,yes")[1]
    pair = json.loads(saydo(path, "--categories", "no,yes", "--json")[1])["pairs"][0]
    assert pair["cohen_kappa"]["value"] is None
    assert pair["cohen_kappa"]["undefined_reason"] == "single_category_used"
    assert pair["exact_agreement"]["value"] == 1.0


def test_one_rater_and_no_overlap(saydo: Call, tmp_path: Path) -> None:
    alone = json.loads(saydo(write(tmp_path, rating_rows("A")), "--json")[1])
    assert alone["pairs"] == []
    assert {v["undefined_reason"] for v in alone["overall"].values()} == {"one_rater"}
    apart = [row for row in rating_rows() if (int(row[0][1:]) % 2 == 0) == (row[1] == "A")]
    found = json.loads(saydo(write(tmp_path, apart), "--json")[1])
    assert found["pairs"][0]["n"] == 0
    assert found["pairs"][0]["cohen_kappa"]["undefined_reason"] == "no_overlap"
    assert "nothing to compare: no unit was rated by both" in saydo(write(tmp_path, apart))[1]


def test_own_weights(saydo: Call, ratings: Path, tmp_path: Path) -> None:
    weights = tmp_path / "w.csv"
    weights.write_text("0,1,2\n1,0,1\n2,1,0\n", encoding="utf-8")
    found = json.loads(
        saydo(ratings, "--categories", "no,partly,yes", "--level", "ordinal", "--weights", weights, "--json")[1]
    )
    pair = found["pairs"][0]
    assert pair["cohen_kappa_custom"]["value"] == pytest.approx(pair["cohen_kappa_linear"]["value"], abs=1e-12)
    code, _, err = saydo(ratings, "--categories", "no,yes,partly,never", "--weights", weights)
    assert (code, err.count("\n")) == (2, 1)
    assert "w.csv: 3 rows of weights for 4 categories" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "give either a CSV of ratings or --study ID"),
        (["{file}", "--study", "pilot"], "give either a CSV of ratings or --study ID"),
        (["{file}", "--label", "verdict"], 'there is no column "verdict"; the columns are unit, rater, label, run'),
        (
            ["{file}", "--categories", "no,yes"],
            "column label: 'partly' is not one of the declared categories (no, yes)",
        ),
        (["{file}", "--level", "cardinal"], "level 'cardinal' is not one of nominal, ordinal, interval, ratio"),
        (["{file}", "--level", "interval"], "level interval needs categories that are numbers, and 'no' is not one"),
    ],
)
def test_bad_usage_is_one_sentence_and_exit_two(saydo: Call, ratings: Path, arguments: list[str], told: str) -> None:
    code, out, err = saydo(*[a.replace("{file}", str(ratings)) for a in arguments])
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_labels_with_commas_come_from_a_file(saydo: Call, tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text('unit,rater,label\nu1,A,"well, yes"\nu1,B,no\n', encoding="utf-8")
    labels = tmp_path / "labels.txt"
    labels.write_text("no\nwell, yes\n", encoding="utf-8")
    assert json.loads(saydo(path, "--categories", f"@{labels}", "--json")[1])["categories"] == ["no", "well, yes"]


def test_the_order_of_rows_changes_no_byte(saydo: Call, tmp_path: Path) -> None:
    rows = rating_rows("ABC")
    shuffled = rows[:]
    random.Random(2).shuffle(shuffled)
    assert saydo(write(tmp_path, rows), "--json")[1] == saydo(write(tmp_path, shuffled), "--json")[1]


def test_two_processes_write_the_same_bytes(ratings: Path) -> None:
    command = [sys.executable, "-c", "from app.main import run_cli; run_cli()", "agreement", str(ratings), "--json"]
    root = Path(__file__).resolve().parents[2]
    outs = {subprocess.run(command, capture_output=True, check=True, cwd=root).stdout for _ in range(2)}
    assert len(outs) == 1


def test_help_shows_an_example(saydo: Call) -> None:
    code, out, _ = saydo("--help")
    assert code == 0
    assert "Example: saydo agreement" in out


def test_an_annotation_tools_export_is_read_as_it_comes(saydo: Call, tmp_path: Path) -> None:
    path = tmp_path / "project-3.json"
    path.write_text(json.dumps(rating_exports.label_studio_tasks()), encoding="utf-8")
    code, out, err = saydo(path, "--categories", "backed,open")
    assert (code, err) == (0, "")
    assert "note: read as a Label Studio JSON export, question verdict" in out
    members = []
    for place in (0, 1):
        members.append(tmp_path / f"member-{place}.jsonl")
        members[-1].write_text(rating_exports.doccano_lines(place), encoding="utf-8")
    assert json.loads(saydo(*members, "--format", "doccano", "--json")[1])["raters"] == ["member-0", "member-1"]
    assert saydo(path, "--format", "excel")[0] == 2


def test_the_ratings_are_written_as_tables_for_other_programs(saydo: Call, ratings: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, printed, err = saydo(ratings, "--categories", "no,partly,yes", "--level", "ordinal", "--json", "--out", out)
    assert (code, err) == (0, "")
    assert sorted(p.name for p in out.iterdir()) == [
        "agreement.json", "categories.csv", "ratings_long.csv", "ratings_wide.csv",
    ]  # fmt: skip
    assert json.loads((out / "agreement.json").read_text(encoding="utf-8")) == json.loads(printed)
    assert (out / "categories.csv").read_text(encoding="utf-8") == (
        "field,code,label,level\nlabel,1,no,ordinal\nlabel,2,partly,ordinal\nlabel,3,yes,ordinal\n"
    )
    assert (
        (out / "ratings_wide.csv").read_text(encoding="utf-8").startswith("field,unit,run,A,B,A_code,B_code\nlabel,u0,")
    )
    assert saydo(ratings, "--out", ratings)[0] == 2
    assert saydo("--study", "x", "--out", out)[2].startswith("--out is for a file of ratings")
