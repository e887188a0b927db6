"""`saydo study rules`: the rules and counts of the lead's page, one JSON document, no count before the locks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import build_cli, run
from app.config import Settings, codebook_dir
from app.main import create_app, system_clock
from app.storage.engine import Database
from tests.conftest import Clock
from tests.services.conftest import Published
from tests.services.test_study_life import lock_both
from tests.small_study import actor, publish

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def saydo(settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the assembled command on the test's own installation; returns exit code, stdout and stderr."""
    monkeypatch.setenv("SAYDO_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("SAYDO_DATA_DIR", str(settings.data_dir))

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["saydo", "study", "rules", *arguments])
        code = run(build_cli(create_app, system_clock))
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


@pytest.fixture
def published(database: Database, tmp_path: Path) -> Published:
    study_id = publish(database, tmp_path / "inputs", codebook_dir())
    return Published(study_id, *(actor(database, name) for name in ("l.one", "r.one", "r.two", "a.one", "c.one")))


def test_it_lists_the_rules_and_counts_only_after_the_locks(
    saydo: Call, database: Database, published: Published, clock: Clock
) -> None:
    code, out, _ = saydo("small", "--as", "l.one", "--json")
    before = json.loads(out)
    assert code == 0
    assert (before["counted"], before["saves"]) == (False, {})
    assert "before every packet is locked" in before["why"]
    assert {rule["count"] for rule in before["rules"]} == {None}
    assert len(before["rules"]) == 50
    lock_both(database, published, clock)
    after = json.loads(saydo("small", "--as", "l.one", "--json")[1])
    assert after["counted"]
    assert after["saves"]["human"] == {"applied": 12, "refused": 0, "asked": 0, "confirmed": 0}
    assert [rule["rule"] for rule in after["rules"]] == [rule["rule"] for rule in before["rules"]]
    counted = {rule["rule"]: rule["count"] for rule in after["rules"]}
    assert counted["H01"]["applied"] == 12
    assert counted["H30"] is None
    lines = saydo("small", "--as", "l.one")[1]
    assert "12 judged saves (human): 0 refused, 0 asked" in lines
    assert "H01   hard  applied 12: refused 0" in lines


def test_others_are_refused_in_one_sentence(saydo: Call, published: Published) -> None:
    code, out, err = saydo("small", "--as", "r.one", "--json")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert saydo("elsewhere", "--as", "l.one")[0] == 2
