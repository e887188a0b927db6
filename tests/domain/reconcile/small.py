"""Tables small enough to work out by hand, and both implementations run on them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from app.domain.reconcile.check.again import reconcile_again
from app.domain.reconcile.engine import reconcile
from app.domain.reconcile.spec import Spec, Table
from app.readers.reconcile_spec import ReadSpec, load_spec
from app.readers.reconcile_tables import read_columns, read_frame

SPEC = Path(__file__).resolve().parents[3] / "examples" / "reconcile" / "a2-id.yaml"
TYPES = {"text": pa.string(), "number": pa.float64(), "whole": pa.int64(), "truth": pa.bool_()}
FILLED: dict[str, Any] = {"text": "x", "number": 1.0, "whole": 1, "truth": True}
CATEGORIES = {
    "swe-bench": "Issue Resolution",
    "swe-bench-multimodal": "Frontend",
    "commit0": "Greenfield",
    "swt-bench": "Testing",
    "gaia": "Information Gathering",
}
Row = dict[str, Any]


@cache
def declared() -> ReadSpec:
    """The shipped spec, read once."""
    return load_spec(SPEC)


def target_row(name: str, **values: Any) -> Row:
    """A target row of this model; columns that are not given hold the same everywhere."""
    filled = {column: FILLED[kind] for column, kind in declared().spec.target.columns.items()}
    return {**filled, "id": name, "language_model": name, **values}


def record(
    name: str, benchmark: str = "commit0", resolved: bool | None = True, cost: float | None = 1.0, **more: Any
) -> Row:
    """One source row; `instance_id` is made unique by `tables`."""
    known = {"id": name, "agent_name": "x", "agent_type": "x", "language_model": name}
    fitting = {"benchmark": benchmark, "category": CATEGORIES.get(benchmark, benchmark)}
    return {**known, **fitting, "resolved": resolved, "cost": cost, **more}


def arrow(table: Table, rows: Sequence[Row]) -> pa.Table:
    """The rows as an Arrow table of the declared kinds."""
    schema = pa.schema([pa.field(name, TYPES[kind]) for name, kind in table.columns.items()])
    return pa.Table.from_pylist([dict(row) for row in rows], schema=schema)


def numbered(rows: Sequence[Row]) -> list[Row]:
    """Source rows with an instance id each."""
    return [{"instance_id": f"i{n:05d}", **row} for n, row in enumerate(rows)]


@dataclass(frozen=True)
class Both:
    """What the two implementations make of the same tables."""

    a: Mapping[str, Any]
    b: Mapping[str, Any]

    def cell(self, row: str, column: str) -> Mapping[str, Any]:
        """One cell of implementation A."""
        return next(c for c in self.a["cells"] if (c["row"], c["column"]) == (row, column))

    def value(self, row: str, column: str, policy: str) -> Any:
        """What a policy gives on a cell, both implementations being of one mind."""
        found = [
            next(r["value"] for c in side["cells"] if (c["row"], c["column"]) == (row, column) for r in c["results"]
                 if r["policy"] == policy)
            for side in (self.a, self.b)
        ]  # fmt: skip
        assert found[0] == found[1]
        return found[0]


def write(folder: Path, targets: Sequence[Row], sources: Sequence[Row]) -> None:
    """Write both tables into a folder."""
    spec = declared().spec
    pq.write_table(arrow(spec.target, targets), folder / spec.target.file)
    pq.write_table(arrow(spec.source, sources), folder / spec.source.file)


def run_both(
    targets: Sequence[Row], sources: Sequence[Row], spec: Spec | None = None, tree: Mapping[str, Any] | None = None
) -> Both:
    """Run both implementations; `spec` and `tree` are two forms of one registration, few draws unless given."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, targets, numbered(sources))
        files = [folder / declared().spec.target.file, folder / declared().spec.source.file]
        a = reconcile(spec or few_draws(), *map(read_frame, files))
        b = reconcile_again(dict(tree or few_draws_tree()), *map(read_columns, files))
    return Both(a, b)


def few_draws(draws: int = 20) -> Spec:
    """The shipped spec with a short null."""
    spec = declared().spec
    return replace(spec, null=replace(spec.null, draws=draws))


def few_draws_tree(draws: int = 20) -> dict[str, Any]:
    """The same as a plain tree."""
    tree: dict[str, Any] = declared().root.plain()
    tree["null"]["draws"] = draws
    return tree
