"""Divergent cells as claims for human coding: a small turn log and a claim list that a study takes as they are.

What a table publishes is what was said; what its records give under every declared policy is what was done. Each cell
becomes one run of four turns. The row's own name stands where identities stand and in the lead's list alone, never in a
text that raters see; nor does a text say that the cell diverges.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.domain.canonical import canonical_json, sha256_hex
from app.domain.claims.claim import Claim
from app.domain.errors import BadInput
from app.domain.export.csv_form import table_bytes
from app.domain.export.manifest import Artifact
from app.domain.turnlog.schema import table_from_turns
from app.domain.turnlog.turns import ToolCall, ToolResult, Turn
from app.readers.claims_writer import write_claims
from app.readers.turnlog_file import write_turn_log

CLAIMS = "claims.csv"
LOG = "claims_log.parquet"
CELLS = "claims_cells.csv"
CLAIM_FILES = (CLAIMS, LOG, CELLS)
_CELL_COLUMNS = ("claim_id", "row", "column", "published", "unit", "policies")


@dataclass(frozen=True)
class Cell:
    """One cell of a run's results, by the row's name and the column."""

    row: str
    column: str

    @property
    def claim_id(self) -> str:
        """The claim's id: the same cell has it in every run."""
        return "cell-" + sha256_hex(canonical_json([self.row, self.column]))[:16]


def divergent_cells(results: Mapping[str, Any]) -> list[Cell]:
    """Return the cells that no declared policy reaches, in the order of rows and columns."""
    return [Cell(cell["row"], cell["column"]) for cell in results["cells"] if cell["class"] == "divergent"]


def every_cell(cells: list[Cell]) -> list[Cell]:
    """Return all of them: every divergent cell becomes a claim."""
    return cells


def named_cells(names: Sequence[str]) -> Callable[[list[Cell]], list[Cell]]:
    """Return a choice of the cells written as `ROW:COLUMN`; it raises `BadInput` for one that does not diverge."""

    def choose(cells: list[Cell]) -> list[Cell]:
        known = {f"{cell.row}:{cell.column}": cell for cell in cells}
        for name in names:
            if name not in known:
                raise BadInput(f"{name} is no divergent cell; write ROW:COLUMN as in cells.csv, class divergent")
        return [cell for name, cell in known.items() if name in names]

    return choose


def claim_files(results: Mapping[str, Any], wanted: Iterable[Cell]) -> list[Artifact]:
    """Return the claim list, its turn log, and the lead's list of what each claim stands for; [] without a cell."""
    kept = set(wanted)
    cells = [cell for cell in results["cells"] if Cell(cell["row"], cell["column"]) in kept]
    if not cells:
        return []
    units = {line["column"]: line["unit"] for line in results["columns"]}
    models = _models(results)
    runs = sorted(
        (_run(cell, units[cell["column"]], models.get(cell["row"])) for cell in cells), key=lambda run: run[0]
    )
    with tempfile.TemporaryDirectory(prefix="saydo-claims-") as folder:
        write_turn_log(Path(folder) / LOG, table_from_turns(turn for _, turns, _ in runs for turn in turns))
        write_claims(Path(folder) / CLAIMS, (claim for _, _, claim in runs))
        written = {name: (Path(folder) / name).read_bytes() for name in (CLAIMS, LOG)}
    lines = sorted((_line(cell, units[cell["column"]]) for cell in cells), key=lambda line: str(line["claim_id"]))
    return [
        Artifact(CLAIMS, written[CLAIMS], rows=len(runs)),
        Artifact(LOG, written[LOG], rows=sum(len(turns) for _, turns, _ in runs)),
        Artifact(CELLS, table_bytes(_CELL_COLUMNS, lines), _CELL_COLUMNS, len(lines)),
    ]


def claimed_cells(data: bytes) -> set[str]:
    """Return the ids of the claims in an earlier `claims_cells.csv`."""
    return {line.split(",", 1)[0] for line in data.decode("utf-8").splitlines()[1:] if line.startswith("cell-")}


def _models(results: Mapping[str, Any]) -> dict[str, str]:
    """Row → whose it is by the executor column, where that column is addressed: an identity, never served."""
    column = results["executor_column"]
    return {cell["row"]: cell["published"] for cell in results["cells"] if cell["column"] == column}


def _run(cell: Mapping[str, Any], unit: str, model: str | None) -> tuple[str, list[Turn], Claim]:
    claim_id = Cell(cell["row"], cell["column"]).claim_id
    said = "not given" if cell["published"] is None else repr(cell["published"])
    sentence = f"The {cell['column']} of this row is {said}."
    found = _found(cell, unit)
    call = ToolCall("t1.c0", "recompute", json.dumps({"column": cell["column"]}), call_id="call-1")
    result = ToolResult(found, "id", len(found.encode("utf-8")), call_key="t1.c0", call_id="call-1", name="recompute")
    known: dict[str, Any] = {"session_id": claim_id, "model": model, "run_id": cell["row"]}
    turns = [
        Turn(
            turn_index=0,
            role="user",
            text=f"Publish {cell['column']} of one row from the records of that row.",
            **known,
        ),
        Turn(turn_index=1, role="assistant", tool_calls=(call,), **known),
        Turn(turn_index=2, role="tool", kind="tool_result", tool_results=(result,), **known),
        Turn(turn_index=3, role="assistant", text=sentence, kind="final", **known),
    ]
    claim = Claim(
        claim_id=claim_id,
        session_id=claim_id,
        turn_index=3,
        target="text",
        span_start=0,
        span_end=len(sentence),
        text=sentence,
        text_sha256=sha256_hex(sentence),
        claim_source="report",
    )
    return claim_id, turns, claim


def _found(cell: Mapping[str, Any], unit: str) -> str:
    lines = [f"{cell['column']}, recomputed from the records of this row ({unit}):"]
    for result in cell["results"]:
        value = "undefined" if result["value"] is None else repr(result["value"])
        lines.append(f"  {result['policy']}: {value}")
    return "\n".join(lines)


def _line(cell: Mapping[str, Any], unit: str) -> dict[str, Any]:
    found = [f"{r['policy']}={'undefined' if r['value'] is None else r['value']!r}" for r in cell["results"]]
    return {
        "claim_id": Cell(cell["row"], cell["column"]).claim_id,
        "row": cell["row"],
        "column": cell["column"],
        "published": cell["published"],
        "unit": unit,
        "policies": found,
    }
