"""The two tables of a reconciliation, opened from parquet: held against the spec, then read for an implementation.

Implementation A reads with pandas, implementation B takes plain lists and uses pyarrow for the bytes alone. pandas
comes with the extra `saydo[reconcile]` and is imported only where it is used.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pyarrow as pa

from app.domain.errors import BadInput
from app.domain.reconcile.drift import find_drift
from app.domain.reconcile.spec import Table
from app.readers.parquet_input import open_parquet
from app.readers.reconcile_spec import ReadSpec
from app.readers.source import reason_of
from app.readers.turnlog_file import Pinned, pin, source_at


def require_pandas() -> None:
    """Return when pandas is installed; raise `BadInput` saying how to get it otherwise."""
    try:
        found = importlib.util.find_spec("pandas") is not None
    except ValueError:  # the module is barred
        found = False
    if not found:
        raise BadInput("implementation A needs pandas, which is not installed; run: pip install 'saydo[reconcile]'")


def check_tables(read: ReadSpec, folder: Path) -> dict[str, Pinned]:
    """Return role → pin of both tables in `folder`, each held against the spec.

    Raises `NotFound` for a file that is absent, `BadInput` naming file, line and key of the spec for a table that is
    not what was declared.
    """
    pins = {}
    for table in (read.spec.target, read.spec.source):
        fault = find_drift(table, _arrow(table, folder))
        if fault is not None:
            raise read.root.at(fault.path).fault(fault.message)
        pins[table.role] = pin(folder / table.file)
    return pins


def read_columns(file: Path) -> dict[str, list[Any]]:
    """Return a parquet file as plain lists by column name, null as None."""
    table = _read(file)
    return {name: table.column(name).to_pylist() for name in table.column_names}


def read_frame(file: Path) -> Any:
    """Return a parquet file as a pandas frame with nullable types, so that a null is never a number."""
    import pandas as pd

    frame = pd.read_parquet(file, engine="pyarrow", dtype_backend="numpy_nullable")
    coded = [name for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)]
    return frame.astype(dict.fromkeys(coded, "string"))


def read_published_frame(file: Path) -> Any:
    """Return a parquet file as pandas reads it by default: the form the publisher's serializer works on."""
    import pandas as pd

    return pd.read_parquet(file, engine="pyarrow")


def _arrow(table: Table, folder: Path) -> pa.Table:
    return _read(folder / table.file)


def _read(file: Path) -> pa.Table:
    opened = open_parquet(source_at(file))
    try:
        return opened.read()
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{file.name}: the parquet file is damaged ({reason_of(error)})") from error
