"""A plan as a document and as files: hours, other expectations, a curve, null with a reason, the same bytes twice."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from app.domain.errors import BadInput
from app.domain.stats.intervals import PRIMARY_INTERVAL
from app.services.planning import Wanted, expected_of, plan, sentence, write_plan

ROOT = Path(__file__).resolve().parents[2]
FIVE = (0.5, 0.2, 0.15, 0.1, 0.05)


def document(half_width: float = 0.1, most_runs: int = 100_000, raters: int = 2) -> dict:
    expected = expected_of(FIVE, 0.7, None, (12, 0.15, 0.0))
    return plan(expected, Wanted(half_width, 3.0, raters, most_runs))


def test_hours_are_claims_times_minutes_times_raters() -> None:
    answer = document(raters=3)["answer"]
    assert answer["hours_per_rater"] == pytest.approx(answer["claims"] * 3 / 60)
    assert answer["hours_all_raters"] == pytest.approx(3 * answer["hours_per_rater"])
    assert answer["half_width"] <= 0.1


def test_the_method_is_named_with_the_interval_of_every_report() -> None:
    made = document()
    assert made["method"]["interval"] == PRIMARY_INTERVAL
    assert made["method"]["least_icc"] == 0.1
    assert PRIMARY_INTERVAL in " ".join(made["method"]["said"])


def test_other_expectations_stand_beside_the_answer() -> None:
    made = document()
    rows = {(row["kappa"], row["icc"]): row for row in made["what_if"]}
    assert set(rows) == {(kappa, icc) for kappa in (0.6, 0.7, 0.8) for icc in (0.1, 0.15, 0.2, 0.3)}
    assert rows[0.7, 0.15]["claims"] == made["answer"]["claims"]
    assert rows[0.7, 0.3]["claims"] > rows[0.7, 0.1]["claims"] > rows[0.8, 0.1]["claims"]
    near_one = plan(expected_of((0.5, 0.5), 0.95, None, (1, 0.1, 0)), Wanted(0.1, 1.0))
    assert {row["kappa"] for row in near_one["what_if"]} == {0.85, 0.95}


def test_agreement_in_place_of_kappa() -> None:
    assert expected_of((0.5, 0.5), None, 0.8, (1, 0.1, 0)).kappa == pytest.approx(0.6)
    for kappa, agreement in ((None, None), (0.6, 0.8)):
        with pytest.raises(BadInput, match="give either the kappa or the exact agreement"):
            expected_of((0.5, 0.5), kappa, agreement, (1, 0.1, 0))
    with pytest.raises(BadInput, match="agreement: 80 does not lie between 0 and 1"):
        expected_of((0.5, 0.5), None, 80, (1, 0.1, 0))


def test_unreachable_is_null_with_a_reason_and_what_the_most_runs_give() -> None:
    answer = document(0.02, most_runs=30)["answer"]
    assert (answer["claims"], answer["half_width"], answer["undefined_reason"]) == (None, None, "too_few_runs")
    assert answer["at_most_runs"]["runs"] == 30
    assert sentence(answer).startswith("not reached: with 30 runs and 360 claims the interval is still kappa ± 0.")


def test_one_label_alone_is_undefined() -> None:
    made = plan(expected_of((1.0, 0.0), None, 1.0, (5, 0.1, 0)), Wanted(0.1, 1.0))
    assert made["answer"]["undefined_reason"] == "single_category_used"
    assert sentence(made["answer"]).startswith("undefined: only one category was used")
    assert (made["curve"], made["what_if"]) == ([], [])


@pytest.mark.parametrize(("minutes", "raters", "told"), [(0.0, 2, "minutes: 0.0"), (3.0, 1, "raters: 1 cannot be")])
def test_what_cannot_be_wanted_is_named(minutes: float, raters: int, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        plan(expected_of((0.5, 0.5), 0.6, None, (1, 0.1, 0)), Wanted(0.1, minutes, raters))


def test_the_files_say_what_the_document_says(tmp_path: Path) -> None:
    made = document()
    assert write_plan(made, tmp_path / "plan") == ["plan.json", "plan_curve.csv", "plan_what_if.csv", "plan.svg"]
    assert sorted(p.name for p in (tmp_path / "plan").iterdir()) == sorted(write_plan(made, tmp_path / "plan"))
    assert json.loads((tmp_path / "plan/plan.json").read_text(encoding="utf-8")) == made
    with (tmp_path / "plan/plan_curve.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [float(row["half_width"]) for row in rows] == [row["half_width"] for row in made["curve"]]
    svg = ET.fromstring((tmp_path / "plan/plan.svg").read_text(encoding="utf-8"))
    words = " ".join("".join(node.itertext()) for node in svg.iter())
    assert f"{made['answer']['claims']:,} claims in {made['answer']['runs']:,} runs" in words
    assert "wanted: 0.1" in words
    assert not [n for n in svg.iter() if n.tag.endswith(("script", "style")) or set(n.attrib) & {"style", "onload"}]


@pytest.mark.parametrize("most_runs", [100_000, 30, 2])
def test_every_plan_can_be_drawn(tmp_path: Path, most_runs: int) -> None:
    write_plan(document(0.02, most_runs), tmp_path)
    ET.fromstring((tmp_path / "plan.svg").read_text(encoding="utf-8"))
    alone = plan(expected_of((1.0, 0.0), None, 1.0, (5, 0.1, 0)), Wanted(0.1, 1.0))
    write_plan(alone, tmp_path)
    assert "no curve: single_category_used" in (tmp_path / "plan.svg").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BadInput, match="nothing can be written to"):
        write_plan(document(), tmp_path / "file")


SCRIPT = """
import sys
from pathlib import Path
from tests.services.test_planning import document
from app.services.planning import write_plan
write_plan(document(), Path(sys.argv[1]))
"""


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    for seed in ("1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path / seed)], env=environment, check=True)
    for name in ("plan.json", "plan_curve.csv", "plan_what_if.csv", "plan.svg"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "77" / name).read_bytes()
