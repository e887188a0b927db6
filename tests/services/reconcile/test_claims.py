"""A divergent cell as a claim: a list and a log a study takes, with the row's name out of the raters' sight."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.readers.claims_file import load_claims
from app.readers.turnlog_file import open_turn_log
from app.services.reconcile.claims import CELLS, CLAIMS, LOG, Cell, claim_files, divergent_cells, named_cells

Example = tuple[Path, dict[str, Any]]


@pytest.fixture
def results(example: Example) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((example[0] / "results.json").read_text(encoding="utf-8"))
    return found


def write(results: dict[str, Any], cells: list[Cell], folder: Path) -> None:
    for artifact in claim_files(results, cells):
        (folder / artifact.path).write_bytes(artifact.data)


def test_every_claim_cuts_its_text_out_of_its_log(results: dict[str, Any], tmp_path: Path) -> None:
    write(results, divergent_cells(results), tmp_path)
    log = open_turn_log(tmp_path / LOG)
    claims = load_claims(tmp_path / CLAIMS)
    assert len(claims) == len(log.session_ids()) == 3
    for claim in claims:
        turns = log.turns(claim.session_id)
        assert [turn.role for turn in turns] == ["user", "assistant", "tool", "assistant"]
        assert turns[3].text == claim.text


def test_the_run_holds_what_every_policy_gives(results: dict[str, Any], tmp_path: Path) -> None:
    cell = Cell("Bench/Hammer-9", "issue_resolution_score")
    write(results, [cell], tmp_path)
    turns = open_turn_log(tmp_path / LOG).turns(cell.claim_id)
    assert turns[3].text == "The issue_resolution_score of this row is 99.9."
    output = turns[2].tool_results[0].output or ""
    found = next(c for c in results["cells"] if (c["row"], c["column"]) == (cell.row, cell.column))
    for result in found["results"]:
        assert f"{result['policy']}: {result['value']!r}" in output


def test_no_text_that_raters_see_names_the_row_or_says_that_it_diverges(
    results: dict[str, Any], tmp_path: Path
) -> None:
    write(results, divergent_cells(results), tmp_path)
    log = open_turn_log(tmp_path / LOG)
    for session in log.session_ids():
        for turn in log.turns(session):
            seen = " ".join([turn.text or "", *(r.output or "" for r in turn.tool_results)])
            seen += " ".join(call.args_json or "" for call in turn.tool_calls)
            for word in ("Bench/", "Hammer", "Anvil", "Bellows", "diverge"):
                assert word not in seen
            assert turn.run_id is not None
            assert turn.run_id.startswith("Bench/")
    assert "Bench/Hammer-9" in (tmp_path / CELLS).read_text(encoding="utf-8")
    assert "Bench" not in (tmp_path / CLAIMS).read_text(encoding="utf-8")


def test_a_cell_is_named_by_row_and_column(results: dict[str, Any]) -> None:
    cells = divergent_cells(results)
    assert named_cells(["Bench/Anvil-2:average_cost"])(cells) == [Cell("Bench/Anvil-2", "average_cost")]
    with pytest.raises(BadInput, match="Bench/Anvil-2:id is no divergent cell; write ROW:COLUMN"):
        named_cells(["Bench/Anvil-2:id"])(cells)


def test_the_same_cells_give_the_same_bytes_in_any_order(results: dict[str, Any]) -> None:
    cells = divergent_cells(results)
    first, second = claim_files(results, cells), claim_files(results, reversed(cells))
    assert [a.data for a in first] == [a.data for a in second]
    assert claim_files(results, []) == []
