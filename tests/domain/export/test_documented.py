"""Every exported column, and every part of the manifest, has its line in docs/export.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.domain.export.disagreements import disagreement_columns
from app.domain.export.gap_table import GAP_COLUMNS
from app.domain.export.intra_rater import INTRA_COLUMNS
from app.domain.export.long import long_columns
from app.domain.export.pooled import pooled_columns
from tests.domain.export.records import codebook

DOCS = Path(__file__).resolve().parents[3] / "docs" / "export.md"
TABLES = {
    "rater_pooled.csv": pooled_columns(codebook(), 1),
    "rater_long.csv": long_columns(codebook()),
    "disagreements.csv": disagreement_columns(1),
    "gaps.csv": GAP_COLUMNS,
    "intra_rater.csv": INTRA_COLUMNS,
}


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_documented_in_order(name: str) -> None:
    section = DOCS.read_text(encoding="utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)) == TABLES[name]
