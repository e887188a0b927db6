"""The built wheel, installed elsewhere, carries everything the main job needs."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return next(out.glob("saydo-*.whl"))


def test_the_wheel_holds_what_travels_with_the_code(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for needed in (
        "app/shipped/codebook/saydo-0.4.yaml",
        "app/shipped/codebook/saydo-0.5.yaml",
        "app/shipped/templates/rater/code.html",
        "app/shipped/static/saydo.css",
        "app/shipped/migrations/env.py",
        "app/shipped/examples/demo/runs.parquet",
    ):
        assert needed in names
    assert not [name for name in names if name.startswith(("tests/", "templates/", "static/", "var/"))]


def test_the_main_job_runs_from_the_wheel_in_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    """A fresh environment, elsewhere, with the wheel; only the third-party libraries are lent to it."""
    import venv

    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    packages = next((tmp_path / "venv" / "lib").glob("python3*/site-packages"))
    # A path named in a .pth file lends its packages, not its own .pth files: the editable install is not seen.
    (packages / "lent.pth").write_text("\n".join(site.getsitepackages()) + "\n", encoding="utf-8")
    zipfile.ZipFile(wheel).extractall(packages)
    code = "import app, sys; from app.main import run_cli; sys.stderr.write(app.__file__ + '\\n'); run_cli()"
    folder = tmp_path / "walk"
    done = subprocess.run(
        [str(python), "-c", code, "demo", "--dir", str(folder), "--check", "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(str(packages))
    assert json.loads(done.stdout)["verified"] is True
