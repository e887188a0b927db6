"""A table that is not what the spec declares: refused with the place of the declaration."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.domain.dual import compare
from app.domain.errors import BadInput, NotFound
from app.domain.reconcile.check.again import reconcile_again
from app.domain.reconcile.engine import reconcile
from app.readers.reconcile_tables import check_tables, read_columns, read_frame
from tests.domain.reconcile.small import declared, few_draws, numbered, record, target_row, write

TARGETS = [target_row("m"), target_row("n")]
SOURCES = numbered([record("m"), record("m"), record("n")])


def refused(folder: Path) -> str:
    with pytest.raises(BadInput) as caught:
        check_tables(declared(), folder)
    assert str(caught.value).startswith("a2-id.yaml line ")
    return str(caught.value)


def change(folder: Path, name: str, by: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(by(pq.read_table(folder / name)), folder / name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, TARGETS, SOURCES)
    return tmp_path


def test_sound_tables_are_pinned(folder: Path) -> None:
    assert set(check_tables(declared(), folder)) == {"target", "source"}


def test_a_missing_column(folder: Path) -> None:
    change(folder, "instances.parquet", lambda table: table.drop_columns(["cost"]))
    assert "tables.source.columns.cost: instances.parquet has no such column" in refused(folder)


def test_a_column_that_is_not_declared(folder: Path) -> None:
    change(folder, "test.parquet", lambda table: table.append_column("extra", pa.array([1, 2])))
    assert 'tables.target.columns: test.parquet has the column "extra", which is not declared' in refused(folder)


@pytest.mark.parametrize(
    ("column", "kind"),
    [("resolved", pa.int64()), ("cost", pa.float32()), ("cost", pa.string()), ("benchmark", pa.binary())],
)
def test_a_column_of_another_type(folder: Path, column: str, kind: pa.DataType) -> None:
    def cast(table: pa.Table) -> pa.Table:
        place = table.column_names.index(column)
        return table.set_column(place, column, table.column(column).cast(kind))

    change(folder, "instances.parquet", cast)
    assert f"tables.source.columns.{column}: is declared as" in refused(folder)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
def test_a_number_that_is_none(tmp_path: Path, value: float) -> None:
    write(tmp_path, TARGETS, numbered([record("m"), record("m", cost=value)]))
    sentence = refused(tmp_path)
    assert "tables.source.columns.cost: instances.parquet, row 2 holds" in sentence
    assert "only finite numbers" in sentence


def test_a_published_number_that_is_none(tmp_path: Path) -> None:
    write(tmp_path, [target_row("m", average_score=math.nan)], SOURCES)
    assert "tables.target.columns.average_score: test.parquet, row 1 holds nan" in refused(tmp_path)


def test_duplicate_keys_of_the_target(tmp_path: Path) -> None:
    write(tmp_path, [*TARGETS, target_row("m")], SOURCES)
    assert "tables.target.unique: test.parquet, rows 1 and 3 have the same key (id 'm')" in refused(tmp_path)


def test_duplicate_keys_of_the_source(tmp_path: Path) -> None:
    write(tmp_path, TARGETS, [*SOURCES, SOURCES[0]])
    assert "tables.source.unique: instances.parquet, rows 1 and 4 have the same key" in refused(tmp_path)


def test_a_key_with_a_hole(tmp_path: Path) -> None:
    write(tmp_path, [target_row("m"), {**target_row("n"), "id": None}], SOURCES)
    assert "row 2 lacks a part of its key" in refused(tmp_path)


def test_an_empty_table(tmp_path: Path) -> None:
    write(tmp_path, [], SOURCES)
    assert "tables.target.file: test.parquet holds no row" in refused(tmp_path)


def test_a_file_that_is_absent_or_no_parquet(folder: Path) -> None:
    (folder / "test.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(BadInput, match=r"test\.parquet: not a readable parquet file"):
        check_tables(declared(), folder)
    (folder / "test.parquet").unlink()
    with pytest.raises(NotFound, match=r"test\.parquet: there is no such file"):
        check_tables(declared(), folder)


def test_dictionary_coded_texts_are_texts(folder: Path) -> None:
    """Categories that no row has must not be counted as values."""

    def coded(table: pa.Table) -> pa.Table:
        for name in ("id", "agent_type", "benchmark", "category"):
            words = pa.DictionaryArray.from_arrays(
                pa.array([0] * table.num_rows), pa.array([table.column(name)[0].as_py(), "never"])
            )
            if name not in ("id",):
                table = table.set_column(table.column_names.index(name), name, words)
        return table

    change(folder, "instances.parquet", coded)
    check_tables(declared(), folder)
    files = [folder / name for name in ("test.parquet", "instances.parquet")]
    a = reconcile(few_draws(), *map(read_frame, files))
    tree = declared().root.plain()
    tree["null"]["draws"] = 20
    assert compare(a, reconcile_again(tree, *map(read_columns, files)))["differing"] == []
