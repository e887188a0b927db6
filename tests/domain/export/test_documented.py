"""Every exported column, and every part of the manifest, has its line in docs/export.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.domain.export.column_types import column_types
from app.domain.export.control_table import CONTROL_COLUMNS
from app.domain.export.disagreements import disagreement_columns
from app.domain.export.gap_table import GAP_COLUMNS
from app.domain.export.intra_rater import INTRA_COLUMNS
from app.domain.export.long import long_columns
from app.domain.export.pooled import pooled_columns
from app.domain.export.ratings_tables import CATEGORY_COLUMNS, LONG_COLUMNS, wide_columns
from app.domain.export.timesheet import TIMESHEET_COLUMNS
from app.domain.export.type_words import WORDS
from tests.domain.export.records import codebook

DOCS = Path(__file__).resolve().parents[3] / "docs" / "export.md"
TYPES = {"text", "code", "integer", "float", "number", "bool", "JSON", "list", "integer list"}
TABLES = {
    "rater_pooled.csv": pooled_columns(codebook(), 1),
    "rater_long.csv": long_columns(codebook()),
    "disagreements.csv": disagreement_columns(1),
    "gaps.csv": GAP_COLUMNS,
    "intra_rater.csv": INTRA_COLUMNS,
    "controls.csv": CONTROL_COLUMNS,
    "timesheet.csv": TIMESHEET_COLUMNS,
    "ratings_wide.csv": wide_columns(["R1"]),
    "ratings_long.csv": LONG_COLUMNS,
    "categories.csv": CATEGORY_COLUMNS,
}


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_documented_in_order(name: str) -> None:
    section = DOCS.read_text(encoding="utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)) == TABLES[name]


@pytest.mark.parametrize("name", TABLES)
def test_every_columns_type_is_the_one_the_data_package_declares(name: str) -> None:
    section = DOCS.read_text(encoding="utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0]
    told = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", section, flags=re.MULTILINE))
    assert {word.removesuffix("?") for word in told.values()} <= TYPES
    table = name.removesuffix(".csv")
    assert {column: WORDS[table].get(column, told[column]) for column in told} == told
    types = column_types(table, TABLES[name], codebook())
    for column, word in told.items():
        needed = not word.endswith("?") and word not in ("list", "integer list")
        assert types[column].required == needed, column
        assert (types[column].kind == "integer") == (word.removesuffix("?") == "integer"), column
