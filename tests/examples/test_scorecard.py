"""The scorecard example: the same bytes whenever it is written, every defect in it, and it is scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.services.scorecard.scoring import score
from examples.scorecard import generate

HERE = Path(generate.__file__).resolve().parent


def test_it_is_written_with_the_same_bytes(tmp_path: Path) -> None:
    generate.write(tmp_path)
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {path.name for path in HERE.iterdir() if path.suffix in (".csv", ".json", ".yaml")}
    for name in written:
        assert (tmp_path / name).read_bytes() == (HERE / name).read_bytes(), name


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict:
    out = tmp_path_factory.mktemp("scorecard") / "out"
    found = score(HERE / "scorecard.yaml", None, out)
    assert found.refusals == ()
    return json.loads((out / "scorecard.json").read_bytes())


def test_every_defect_is_in_it(document: dict) -> None:
    of = document["defects"].values()
    for name in ("duplicate_entries", "conflicting_ids", "extra_entries", "missing_ids"):
        assert sum(judge[f"n_{name}"] for judge in of), name
    assert sum(judge["n_missing"] for judge in of)
    assert document["accounting"]["n_failed"]
    assert document["calls"]["total"]["n_replaced"]
    assert document["calls"]["total"]["cost"]["n_null"]
    assert document["judges"]["gates"]["intra_label_agreement"]["not_evaluated"] == ["judge-beacon"]
    assert document["overlaps"]["judge_contestant"][0]["kind"] in ("same model", "same namespace")


def test_saved_scores_and_copied_intervals_hold(document: dict) -> None:
    assert document["saved"]["n_equal"] == document["saved"]["n"] == 12
    assert document["manifest"]["ok"] is True
    for row in document["copied"]["intervals"]:
        assert abs(row["lo"] - row["computed_lo"]) < 1e-6
        assert row["draws"] == row["computed_draws"]
    assert {row["draws"] for row in document["copied"]["intervals"]} == {1000, 5000}
