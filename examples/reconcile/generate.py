"""Writes the two small authored tables that `a2-id.yaml` runs on beside this file.

Eight invented models on five benchmarks, ten records each at most. The target is computed from the records and altered
here and there so that every class, tier and rule has something to find: see `ALTERED` and the comments in `records`.
Run it with `python -m examples.reconcile.generate`; the same tables come out every time.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).resolve().parent
BENCHMARKS = {
    "swe-bench": "Issue Resolution",
    "swe-bench-multimodal": "Frontend",
    "commit0": "Greenfield",
    "swt-bench": "Testing",
    "gaia": "Information Gathering",
}
PREFIXES = {name: category.lower().replace(" ", "_") for name, category in BENCHMARKS.items()}
MODELS = ("Anvil-2", "Bellows-1", "fable-draft", "Gemini-of-Paper", "gemini-of-clay", "Hammer-9", "Lathe-3", "Quill-7")
N_RECORDS = {"swe-bench": 10, "swe-bench-multimodal": 9, "commit0": 8, "swt-bench": 10, "gaia": 7}

# (model, column) → what the target says instead of what the records give.
ALTERED: dict[tuple[str, str], Any] = {
    ("Hammer-9", "issue_resolution_score"): 99.9,  # divergent under every policy
    ("Bellows-1", "testing_cost"): 9.5,
    ("Anvil-2", "average_cost"): 7.25,
    ("Lathe-3", "agent_type"): "Workshop",
}


def records() -> list[dict[str, Any]]:
    """Return the source rows."""
    rng = random.Random("authored tables of a reconciliation")
    rows = []
    for model in MODELS:
        for benchmark, category in BENCHMARKS.items():
            if (model, benchmark) == ("Lathe-3", "gaia"):
                continue  # a missing benchmark: no antecedent, and the averages over 5 part from those over present
            for n in range(N_RECORDS[benchmark]):
                resolved: bool | None = rng.random() < 0.55
                cost: float | None = round(rng.uniform(0.05, 3.0), 4)
                if rng.random() < 0.06:
                    resolved = None
                if rng.random() < 0.06:
                    cost = None
                rows.append(
                    {
                        "id": f"Bench/{model}",
                        "agent_name": "Bench",
                        "agent_type": "Workshop" if model == "Lathe-3" and n % 3 else "Bench",
                        "language_model": model,
                        "benchmark": benchmark,
                        "category": category,
                        "instance_id": f"{benchmark}-{n:02d}",
                        "resolved": resolved,
                        "cost": cost,
                    }
                )
    return rows


def published(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the target rows: computed plainly from the records, then altered."""
    table = [_row(model, [row for row in rows if row["language_model"] == model]) for model in MODELS]
    for (model, column), value in ALTERED.items():
        for row in table:
            if row["language_model"] == model and column in row:
                row[column] = value
    return sorted(table, key=lambda row: -row["average_score"])


def _row(model: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    n = MODELS.index(model)
    row: dict[str, Any] = {
        "id": f"Bench/{model}",
        "agent_name": "Bench",
        "agent_type": "Bench",
        "language_model": model,
        "sdk_version": f"v0.{n}.0",
        "openness": "open" if n % 2 else "closed",
        "country": "nowhere",
        "supports_vision": n % 3 == 0,
        "release_date": f"2026-0{1 + n % 6}-15",
        "average_score": 0.0,
        "average_cost": 0.0,
        "average_runtime": 100.5 + n,
        "categories_completed": 0,
    }
    scores, costs = [], []
    for benchmark, prefix in PREFIXES.items():
        own = [record for record in rows if record["benchmark"] == benchmark]
        known = [record["cost"] for record in own if record["cost"] is not None]
        score = 100 * sum(record["resolved"] is True for record in own) / len(own) if own else 0.0
        cost = sum(known) / len(known) if known else 0.0
        if own:
            scores.append(score)
            costs.append(cost)
        row |= {
            f"{prefix}_score": round(score, 1),
            f"{prefix}_cost": round(cost + (0.003 if n % 2 else 0.0), 4),  # every other row lands on tier T1
            f"{prefix}_runtime": 10.0 + n,
            f"{prefix}_logs_url": f"logs/{model}/{benchmark}.txt",
            f"{prefix}_visualization_url": None if n % 4 == 0 else f"pictures/{model}/{benchmark}.svg",
        }
    row["average_score"] = round(sum(scores) / len(scores) + (0.3 if n % 3 == 2 else 0.0), 2)  # some on tier T2
    row["average_cost"] = round(sum(costs) / len(costs), 4)
    row["categories_completed"] = len(scores)
    return row


def schema_of(kinds: dict[str, str]) -> pa.Schema:
    """Return the Arrow schema of the declared kinds."""
    types = {"text": pa.string(), "number": pa.float64(), "whole": pa.int64(), "truth": pa.bool_()}
    return pa.schema([pa.field(name, types[kind]) for name, kind in kinds.items()])


def main() -> None:
    """Write both tables."""
    from app.readers.reconcile_spec import load_spec

    spec = load_spec(HERE / "a2-id.yaml").spec
    rows = records()
    for table, content in ((spec.target, published(rows)), (spec.source, rows)):
        written = pa.Table.from_pylist(content, schema=schema_of(dict(table.columns)))
        pq.write_table(written, HERE / table.file, compression="zstd")


if __name__ == "__main__":
    main()
