"""The guide to writing a codebook names everything there is, and its example is sound."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.domain.codebook.registry import PREDICATES, RESERVED
from app.domain.codebook.shapes import FIELD_TYPES
from app.domain.codebook.subject import COMPUTED
from app.readers import codebook_parts
from app.readers.codebook_file import check_codebook

GUIDE = (Path(__file__).resolve().parents[3] / "docs" / "codebook-authoring.md").read_text(encoding="utf-8")
KEYS = {
    *codebook_parts._REQUIRED,
    *codebook_parts._OPTIONAL,
    *codebook_parts._FIELD_OPTIONAL,
    *codebook_parts._OPTION_OPTIONAL,
    *codebook_parts._EXAMPLE_REQUIRED,
    *codebook_parts._EXAMPLE_OPTIONAL,
    *RESERVED,
}


@pytest.mark.parametrize("name", sorted({*PREDICATES, *COMPUTED, *FIELD_TYPES, *KEYS}))
def test_everything_a_file_can_hold_is_described(name: str) -> None:
    assert f"`{name}" in GUIDE


def test_no_predicate_is_described_that_is_not_there() -> None:
    table = GUIDE[GUIDE.index("| predicate |") : GUIDE.index("A role of `any`")]
    rows = re.findall(r"^\| (`[^|]+`) \|", table, flags=re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(PREDICATES)


def test_the_example_of_the_guide_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "yourname-1.0.yaml"
    found = re.search(r"```yaml\n(.*?)```", GUIDE, flags=re.DOTALL)
    assert found is not None
    path.write_text(found[1], encoding="utf-8")
    codebook, faults = check_codebook(path)
    assert faults == ()
    assert [rule.id for rule in codebook.rules] == ["A1", "A2", "A3", "A4"]
