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
    *("adjudication.csv", "again-r1.csv", "again-r2.csv", "claims.csv", "clock.json", "codings-r1.csv"),
    *("codings-r2.csv", "coverage.yaml", "gold.csv", "runs.jsonl", "runs.parquet", "study.yaml"),
)


@pytest.mark.skipif(shutil.which("git") is None, reason="the scripted agent runs git, which is not here")
def test_the_same_bytes_come_out_elsewhere_and_in_another_environment(tmp_path: Path) -> None:
    """One test, since playing takes seconds. A parquet carries its writer's version: bytes only under that version."""
    elsewhere = {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "GIT_AUTHOR_NAME": "Somebody", "COLUMNS": "133"}
    subprocess.run(
        [sys.executable, str(ROOT / "examples/demo/generate.py"), "--out", str(tmp_path / "again")],
        cwd=tmp_path,
        env=os.environ | elsewhere | {"PYTEST_ADDOPTS": "--no-such-option"},
        check=True,
        capture_output=True,
    )
    made = {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    assert sorted(made) == sorted(NAMES)
    differing = [name for name in NAMES if made[name] != (DEMO / name).read_bytes()]
    if differing == ["runs.parquet"]:
        new, old = pq.ParquetFile(tmp_path / "again" / "runs.parquet"), pq.ParquetFile(DEMO / "runs.parquet")
        assert new.metadata.created_by != old.metadata.created_by
        assert new.read().equals(old.read())
    else:
        assert differing == []
