"""The authored tables of the reconciliation are what their generator writes."""

from __future__ import annotations

import pyarrow.parquet as pq

from app.readers.reconcile_spec import load_spec
from examples.reconcile.generate import HERE, published, records, schema_of


def test_the_tables_beside_the_spec_are_the_generators() -> None:
    spec = load_spec(HERE / "a2-id.yaml").spec
    rows = records()
    for table, content in ((spec.target, published(rows)), (spec.source, rows)):
        assert pq.read_table(HERE / table.file).to_pylist() == content
        assert pq.read_schema(HERE / table.file).equals(schema_of(dict(table.columns)))
