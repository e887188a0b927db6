"""Playing the demo's scenarios again gives the recorded files, byte for byte."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.examples.recording import DEMO, ROOT

NAMES = (
    "adjudication.csv", "claims.csv", "clock.json", "codings-r1.csv", "codings-r2.csv", "coverage.yaml", "gold.csv",
    "runs.jsonl", "runs.parquet", "study.yaml",
)  # fmt: skip

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="the scripted agent runs git, which is not here")


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a second run, made from another folder and with another environment."""
    out = tmp_path_factory.mktemp("again")
    subprocess.run(
        [sys.executable, str(ROOT / "examples/demo/generate.py"), "--out", str(out)],
        cwd=out,
        env={
            **os.environ,
            "TZ": "Asia/Kathmandu",
            "LC_ALL": "C.UTF-8",
            "GIT_AUTHOR_NAME": "Somebody",
            "COLUMNS": "133",
        },
        check=True,
        capture_output=True,
    )
    return out


def test_the_same_files_come_out(again: Path) -> None:
    assert sorted(path.name for path in again.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "runs.parquet"])
def test_the_bytes_are_the_recorded_ones(again: Path, name: str) -> None:
    assert (again / name).read_bytes() == (DEMO / name).read_bytes()


def test_the_parquet_holds_the_same_table(again: Path) -> None:
    """Its bytes carry the version of the library that wrote it, so they are compared only under that version."""
    new, old = again / "runs.parquet", DEMO / "runs.parquet"
    assert pq.read_table(new).equals(pq.read_table(old))
    if pq.ParquetFile(new).metadata.created_by == pq.ParquetFile(old).metadata.created_by:
        assert new.read_bytes() == old.read_bytes()
