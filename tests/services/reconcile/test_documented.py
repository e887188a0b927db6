"""docs/reconcile.md names every key of a spec, every policy of the shipped one, and every file a run writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.readers.reconcile_spec import KEYS
from tests.domain.reconcile.small import declared

DOCS = (Path(__file__).resolve().parents[3] / "docs" / "reconcile.md").read_text(encoding="utf-8")
PLAIN = {"schema", "id", "title", "written", "arm"}  # said by their names


def test_every_key_of_a_spec_is_documented() -> None:
    assert [key for key in KEYS if key not in PLAIN and f"`{key}`" not in DOCS] == []


def test_every_policy_of_the_shipped_spec_is_documented() -> None:
    policies = {policy.id for family in declared().spec.families for policy in family.policies}
    assert sorted(policy for policy in policies if f"`{policy}`" not in DOCS) == []


def test_every_file_of_a_run_is_documented(example: tuple[Path, dict[str, Any]]) -> None:
    written = {path.name for path in example[0].iterdir()} - {f"implementation-{n}.json" for n in ("a.2", "b.1")}
    assert sorted(name for name in written if f"`{name}`" not in DOCS) == []
