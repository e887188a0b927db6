"""`saydo plan` as a person and as a program call it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import build_cli, run

Call = Callable[..., tuple[int, str, str]]
GOOD = {"--kappa": "0.7", "--shares": "0.6,0.3,0.1", "--claims-per-run": "10", "--half-width": "0.1", "--minutes": "3"}


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call `saydo plan` with the good options, some of them changed (None leaves one out)."""

    def call(changed: dict[str, str | None] | None = None, *more: str) -> tuple[int, str, str]:
        options = {**GOOD, **(changed or {})}
        words = [word for name, value in options.items() if value is not None for word in (name, value)]
        monkeypatch.setattr(sys, "argv", ["saydo", "plan", *words, *more])
        code = run(build_cli(lambda: None, lambda: None))  # type: ignore[arg-type, return-value]
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def test_a_person_reads_claims_runs_hours_and_the_method(plan: Call) -> None:
    code, out, err = plan()
    assert (code, err) == (0, "")
    document = json.loads(plan(None, "--json")[1])
    answer = document["answer"]
    assert f"{answer['claims']} claims in {answer['runs']} runs, coded by 2 raters" in out
    assert f"{answer['hours_per_rater']:.1f} hours a rater" in out
    assert "small_sample_effective" in out
    assert out.count("\n") < 30


def test_files_are_written_where_asked(plan: Call, tmp_path: Path) -> None:
    code, out, _ = plan(None, "--out", str(tmp_path / "plan"))
    assert code == 0
    assert sorted(p.name for p in (tmp_path / "plan").iterdir()) == [
        "plan.json", "plan.svg", "plan_curve.csv", "plan_what_if.csv",
    ]  # fmt: skip
    assert "written: plan.svg" in out


def test_unreachable_is_no_error_and_says_what_is_missing(plan: Call) -> None:
    code, out, err = plan({"--half-width": "0.01"}, "--most-runs", "25")
    assert (code, err) == (0, "")
    assert "not reached: with 25 runs and 250 claims" in out
    assert json.loads(plan({"--half-width": "0.01"}, "--most-runs", "25", "--json")[1])["answer"]["claims"] is None


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"--shares": "0.6,x,0.1"}, "shares: 'x' in place 2 is not a number"),
        ({"--shares": "0.6,0.3"}, "shares: they sum to 0.9 and must sum to 1"),
        ({"--shares": "1"}, "shares: name the expected share of every label"),
        ({"--shares": None}, "--shares"),
        ({"--kappa": None}, "--kappa or --agreement"),
        ({"--kappa": "1.5"}, "kappa: 1.5 does not lie between -1 and 1"),
        ({"--kappa": "high"}, "--kappa"),
        ({"--agreement": "0.9"}, "--kappa or --agreement"),
        ({"--half-width": "0"}, "half-width: 0.0 does not lie between 0 and 1"),
        ({"--minutes": "-3"}, "minutes: -3.0"),
        ({"--claims-per-run": "0"}, "claims per run: 0.0"),
    ],
)
def test_bad_input_is_refused_by_name(plan: Call, changed: dict[str, str | None], told: str) -> None:
    code, out, err = plan(changed)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
