"""`saydo verify`: exit codes, one sentence on stderr, one document on stdout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from app.cli.edge import exit_code
from app.cli.verify import verify
from app.domain.errors import BadInput
from app.services.bundle import write_bundle
from tests.services.studies import study

command = typer.Typer()
command.command()(verify)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("export") / "out"
    write_bundle(study(6), place)
    return place


def altered(folder: Path, tmp_path: Path) -> Path:
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    pooled = tmp_path / "rater_pooled.csv"
    pooled.write_bytes(pooled.read_bytes().replace(b",codable,", b",not_codable,", 1))
    return tmp_path


def test_a_whole_export_exits_0(folder: Path) -> None:
    said = CliRunner().invoke(command, [str(folder), "--json"])
    assert said.exit_code == 0
    document = json.loads(said.stdout)
    assert (document["ok"], document["mismatches"]) == (True, [])
    assert document["checked"] > 1000
    assert "as stated" in CliRunner().invoke(command, [str(folder)]).stdout


def test_an_altered_export_exits_1_and_says_what_and_where(folder: Path, tmp_path: Path) -> None:
    place = altered(folder, tmp_path)
    said = CliRunner().invoke(command, [str(place), "--json"])
    assert said.exit_code == 1
    document = json.loads(said.stdout)
    assert not document["ok"]
    assert document["mismatches"][0]["file"] == "rater_pooled.csv"
    # The same cells stand in Parquet, and the data package holds the table's hash: both no longer fit.
    others = {"datapackage.json", "rater_pooled.parquet"}
    assert {mismatch["file"] for mismatch in document["mismatches"]} == {"rater_pooled.csv", *others}
    assert {mismatch["column"] for mismatch in document["mismatches"]} >= {"sha256", "row_sha256"}
    assert said.stderr.count("\n") == 1
    assert "rater_pooled.csv" in said.stderr
    assert "Traceback" not in said.output


def test_what_is_no_export_exits_2_with_a_sentence(tmp_path: Path) -> None:
    said = CliRunner().invoke(command, [str(tmp_path)])
    assert isinstance(said.exception, BadInput)
    assert exit_code(said.exception) == 2
    assert "is not an export" in str(said.exception)


def test_help_has_an_example() -> None:
    said = CliRunner().invoke(command, ["--help"])
    assert said.exit_code == 0
    assert "Example: saydo verify" in said.stdout
