"""The corpus the registration is about: sums, the publisher's hash, the gate. Skipped where it is absent."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from app.readers.reconcile_tables import read_frame
from app.services.reconcile.running import Asked, reconcile
from tests.domain.reconcile.small import SPEC, declared

ROOT = Path(__file__).resolve().parents[3]
CORPUS = (ROOT / "../shared/data/openhands-index").resolve()
SHIPPED = "886a3ebabd70879b712deb36fcfc190199e9c91a0ea538a89b156a20663fda29"

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the real corpus is not in ../shared/data/openhands-index"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    out = tmp_path_factory.mktemp("real") / "a2-id"
    document = reconcile(Asked(SPEC, CORPUS, out))
    return out, document


def test_every_cell_has_one_class_and_they_sum(run: tuple[Path, dict[str, Any]]) -> None:
    _, document = run
    assert document["cells"] == document["sum"] == sum(document["classes"].values()) == 1292
    assert document["classes"]["no antecedent"] == 21 * 34  # the 21 columns that are declared so; every row joins
    assert document["classes"]["structural"] == 4 * 34  # id, agent_name, agent_type, categories_completed


def test_the_publishers_hash_comes_out(run: tuple[Path, dict[str, Any]]) -> None:
    _, document = run
    found = document["content_hash"]
    assert found["computed"] == found["shipped"] == SHIPPED
    assert found["equal"]


def test_the_hash_by_hand_is_the_same() -> None:
    """Column-sorted CSV of both tables, %.10g, joined by a line of two dashes: the words of the registration."""
    import pandas as pd

    parts = []
    for name in ("test.parquet", "instances.parquet"):
        frame = pd.read_parquet(CORPUS / name)
        parts.append(frame.reindex(columns=sorted(frame.columns)).to_csv(index=False, float_format="%.10g"))
    assert hashlib.sha256("\n--\n".join(parts).encode()).hexdigest() == SHIPPED


def test_the_gate_passes_and_second_processes_give_the_same_bytes(run: tuple[Path, dict[str, Any]]) -> None:
    out, document = run
    assert document["gate"]["agrees"], document["gate"]["differing"]
    assert document["gate"]["max_abs_diff"] <= 1e-9
    assert document["reruns_identical"]
    assert (out / "implementation-a.1.json").read_bytes() == (out / "implementation-a.2.json").read_bytes()
    assert document["null"]["draws"] == 1000


def test_what_was_stated_beforehand_holds(run: tuple[Path, dict[str, Any]]) -> None:
    _, document = run
    assert all(line["holds"] for line in document["census"]["stated"])
    assert document["mapping"]["disagreements"] == []
    assert document["join"]["winner"] == "K1"


def test_a_score_counted_by_hand_is_the_recomputed_one(run: tuple[Path, dict[str, Any]]) -> None:
    """Counted with neither implementation: resolved records of one model on one benchmark over all its records."""
    import json

    out, _ = run
    frame = read_frame(CORPUS / declared().spec.source.file)
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    for cell in results["cells"]:
        if cell["column"] == "frontend_score":
            rows = frame[(frame["id"] == cell["row"]) & (frame["benchmark"] == "swe-bench-multimodal")]
            share = 100 * int(rows["resolved"].fillna(False).sum()) / len(rows)
            assert next(r["value"] for r in cell["results"] if r["policy"] == "S1_pct") == share
