"""The files an export adds for other programs and for those who pay: ratings tables, timesheet, controls, Parquet.

Gathers them from a record and its computed tables; each file's own module says what stands in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.domain.export.column_types import column_types
from app.domain.export.columnar import parquet_bytes
from app.domain.export.control_table import CONTROL_COLUMNS, control_rows
from app.domain.export.csv_form import table_bytes
from app.domain.export.data_package import table_of
from app.domain.export.manifest import Artifact
from app.domain.export.ratings_tables import ratings_artifacts, study_fields
from app.domain.export.timesheet import TIMESHEET_COLUMNS, timesheet_rows
from app.domain.record import StudyRecord

if TYPE_CHECKING:
    from app.domain.export.tables import StudyTables

Rows = Sequence[Mapping[str, Any]]


def analysis_artifacts(
    record: StudyRecord, tables: StudyTables, files: Sequence[Artifact], grain: str
) -> list[Artifact]:
    """Return the further public files; `files` are the tables already made, whose columns Parquet takes over."""
    return [
        _csv("timesheet.csv", TIMESHEET_COLUMNS, timesheet_rows(record, tables.cases)),
        _csv("controls.csv", CONTROL_COLUMNS, control_rows(record)),
        *ratings_artifacts(study_fields(record, tables.cases)),
        *_parquet(record, tables, files, grain),
    ]


def _csv(path: str, columns: Sequence[str], rows: Rows) -> Artifact:
    return Artifact(path, table_bytes(columns, rows), tuple(columns), len(rows))


def _parquet(record: StudyRecord, tables: StudyTables, files: Sequence[Artifact], grain: str) -> list[Artifact]:
    """Return one Parquet file for the long table and one for the table with a row a claim, under its CSV's name."""
    rows: dict[str, Rows] = {"rater_long": tables.long, "rater_pooled": tables.pooled}
    found: dict[str, Artifact] = {}
    for artifact in files:
        table = table_of(artifact.path, grain)
        if table in rows and table not in found and artifact.columns is not None:
            types = column_types(table, artifact.columns, record.codebook)
            name = artifact.path.removesuffix(".csv") + ".parquet"
            found[table] = Artifact(name, parquet_bytes(types, rows[table]))
    return [found[table] for table in sorted(found)]
