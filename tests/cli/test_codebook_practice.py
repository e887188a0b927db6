"""`saydo codebook practice`: what sets a version has, what their references are, and where a broken one is broken."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import build_cli, run
from tests.practice_sets import LABELS, codebooks_with, item, practice, sets_for, write_sets

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def saydo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the assembled command; returns exit code, stdout and stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["saydo", "codebook", *map(str, arguments)])
        code = run(build_cli(lambda: None, lambda: None))  # type: ignore[arg-type, return-value]
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return codebooks_with(tmp_path / "codebooks", "0.5")


def test_the_sets_of_a_version_and_how_often_each_label_is_the_reference(saydo: Call, folder: Path) -> None:
    code, out, err = saydo("practice", "0.5", "--codebooks", folder, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["qualifies"] is True
    assert found["codebook"]["version"] == "0.5"
    assert [(one["id"], one["items"]) for one in found["sets"]] == [
        ("test-0.5-training", 3),
        ("test-0.5-qualification-1", 32),
        ("test-0.5-qualification-2", 32),
    ]
    assert found["sets"][1]["references"] == dict.fromkeys(LABELS, 4)
    code, out, err = saydo("practice", "0.5", "--codebooks", folder)
    assert (code, err) == (0, "")
    assert "test-0.5-qualification-2  qualification 2  32 items" in out


def test_a_version_without_sets_says_so(saydo: Call, folder: Path) -> None:
    code, out, _ = saydo("practice", "0.4", "--codebooks", folder)
    assert (code, out) == (0, "saydo-0.4 has no practice sets: its raters do not qualify\n")


def test_a_broken_set_is_one_sentence_and_exit_2(saydo: Call, folder: Path) -> None:
    broken = item(1, "SUPPORTED")
    broken["gold"]["evidence"] = []
    write_sets(folder, {"test-0.5-training-1.yaml": practice("training", 1, [broken])})
    code, out, err = saydo("practice", "0.5", "--codebooks", folder)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "test-0.5-training-1.yaml line " in err
    assert "item i001: its gold breaks the codebook's own rules" in err


def test_a_missing_retry_is_one_sentence_and_exit_2(saydo: Call, folder: Path) -> None:
    (folder / "practice" / sorted(sets_for())[1]).unlink()
    code, out, err = saydo("practice", "0.5", "--codebooks", folder, "--json")
    assert (code, out) == (2, "")
    assert "the practice sets of saydo 0.5 lack qualification round 2" in err


def test_the_shipped_sets_hold(saydo: Call) -> None:
    for version, n in (("0.4", 24), ("0.5", 32)):
        code, out, err = saydo("practice", version, "--json")
        assert (code, err) == (0, "")
        found = json.loads(out)["sets"]
        assert [one["items"] for one in found] == [15, n, n]
        assert all(set(one["references"].values()) == {4} for one in found[1:])
