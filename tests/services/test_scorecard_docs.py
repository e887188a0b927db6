"""`docs/scorecard.md` names every key, table, column, metric, seed and file there is."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from app.domain.scorecard.document import CARRIED
from app.domain.scorecard.records import LABELS
from app.domain.scorecard.spec import (
    DEFAULT_RESAMPLINGS,
    OPTIONAL_TABLES,
    REQUIRED_TABLES,
    Planned,
    ScorecardSpec,
    Thresholds,
)
from app.services.scorecard.scoring import score
from tests.readers.scorecard_folder import TABLES, write_folder

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "scorecard.md").read_text(encoding="utf-8")
KEYS = [entry.name for entry in fields(ScorecardSpec) if entry.name != "text"]


@pytest.mark.parametrize("name", [*KEYS, *REQUIRED_TABLES, *OPTIONAL_TABLES, *LABELS])
def test_every_key_table_and_label_is_described(name: str) -> None:
    assert f"`{name}`" in PAGE or f"`{name}," in PAGE or f", {name}" in PAGE


@pytest.mark.parametrize("name", [*CARRIED, "slices", "scenarios"])
def test_every_part_of_the_document_is_described(name: str) -> None:
    if name not in ("accounting", "saved", "manifest", "copied"):  # counts of answers, and what the tables are called
        assert f"`{name}" in PAGE


@pytest.mark.parametrize("name", [entry.name for part in (Planned, Thresholds) for entry in fields(part)])
def test_every_nested_key_is_described(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_draws_and_seeds_stand_as_they_are() -> None:
    for name, how in DEFAULT_RESAMPLINGS.items():
        assert f"`{name}` {how.draws}" in PAGE
        assert str(how.seed) in PAGE


def test_every_column_and_every_written_file_is_named(tmp_path: Path) -> None:
    for text in TABLES.values():
        for column in text.split("\n")[0].split(","):
            assert (
                column.replace("ne_quality", "<language>_quality").replace("en_quality", "<language>_quality") in PAGE
            )
    score(write_folder(tmp_path / "in"), None, tmp_path / "out")
    for path in (tmp_path / "out").iterdir():
        assert f"`{path.name}`" in PAGE
