"""`saydo reconcile` as a person and as a program call it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from app.cli import build_cli, run
from app.cli.reconcile import _fault
from tests.domain.reconcile.small import SPEC

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def saydo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the assembled command; returns exit code, stdout and stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["saydo", "reconcile", *map(str, arguments)])
        code = run(build_cli(lambda: None, lambda: None))  # type: ignore[arg-type, return-value]
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example's tables."""
    for name in ("test.parquet", "instances.parquet"):
        shutil.copy(SPEC.parent / name, tmp_path / name)
    return tmp_path


def test_json_holds_the_agreed_keys(saydo: Call, folder: Path) -> None:
    code, out, err = saydo(SPEC, "--data", folder, "--out", folder / "out", "--json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["cells"] == document["sum"] == 304
    assert set(document["classes"]) == {
        "no antecedent",
        "structural",
        "reconciled T0",
        "reconciled T1",
        "reconciled T2",
        "divergent",
    }
    for line in document["policies"]:
        assert {"column", "policy", "tiers"} <= set(line)
        assert {"T0", "T1", "T2", "divergent"} <= set(line["tiers"])
    assert {"agrees", "max_abs_diff"} <= set(document["gate"])
    assert document["reruns_identical"] is True
    assert {"computed", "shipped", "equal"} <= set(document["content_hash"])
    assert document["null"]["draws"] == 1000
    of_average = document["null"]["columns"]["average_score"]["statistics"]["mean_absolute_deviation"]
    assert {"observed", "median", "p5", "p95"} <= set(of_average)


def test_a_person_reads_the_sum_and_where_it_was_written(saydo: Call, folder: Path) -> None:
    code, out, err = saydo(SPEC, "--out", folder / "out", "--claim", "Bench/Anvil-2:average_cost")
    assert (code, err) == (0, "")
    assert "304 cells" in out
    assert "two implementations: agree" in out
    assert "byte-identical" in out
    assert "claims.csv" in out
    assert (folder / "out" / "claims_log.parquet").is_file()


def test_a_missing_column_exits_2_with_the_place_in_the_spec(saydo: Call, folder: Path) -> None:
    path = folder / "instances.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["resolved"]), path)
    code, out, err = saydo(SPEC, "--data", folder, "--out", folder / "out", "--json")
    assert (code, out) == (2, "")
    line = SPEC.read_text(encoding="utf-8").splitlines().index("      resolved: truth") + 1
    assert err == f"a2-id.yaml line {line}: tables.source.columns.resolved: instances.parquet has no such column\n"
    assert not (folder / "out").exists()


def test_a_gap_between_tiers_exits_2(saydo: Call, folder: Path) -> None:
    text = SPEC.read_text(encoding="utf-8").replace("above: 0.005,", "above: 0.006,")
    (folder / "gap.yaml").write_text(text, encoding="utf-8")
    code, _, err = saydo(folder / "gap.yaml", "--out", folder / "out")
    assert code == 2
    assert err.startswith("gap.yaml line ")
    assert "tolerances.cost.tiers[2]: leaves a gap: T2 begins above 0.006, the one before ends at 0.005" in err


@pytest.mark.parametrize("arguments", [("nowhere.yaml",), (SPEC, "--data", "nowhere")])
def test_what_is_not_there_exits_2(saydo: Call, folder: Path, arguments: tuple[str | Path, ...]) -> None:
    code, _, err = saydo(*arguments, "--out", folder / "out")
    assert code == 2
    assert err.count("\n") == 1


def test_a_failed_gate_and_differing_processes_are_told() -> None:
    line = {"path": "cells.3.class", "first": "divergent", "second": "structural"}
    document = {"gate": {"agrees": False, "n_differing": 2, "differing": [line]}, "reruns_identical": True}
    assert _fault(document) == (
        "the two implementations do not agree on 2 values, the first at cells.3.class: divergent and structural"
    )
    agreed = {"gate": {"agrees": True}, "reruns_identical": False}
    assert (_fault(agreed) or "").startswith("a second process gave other bytes")
    assert _fault({**agreed, "reruns_identical": True}) is None


def test_without_pandas_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pandas'] = None; sys.argv = ['saydo', 'reconcile', "
        f"{str(SPEC)!r}, '--out', {str(tmp_path / 'out')!r}]; from app.main import run_cli; run_cli()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "implementation A needs pandas, which is not installed; run: pip install 'saydo[reconcile]'\n"
    )
