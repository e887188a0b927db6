"""All tables and documents of one export, computed once from a record: what the bundle writes and the report prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.accounting import Case, account, human_slots, list_cases
from app.domain.canonical import canonical_file
from app.domain.errors import BadInput
from app.domain.export.csv_form import table_bytes
from app.domain.export.disagreements import disagreement_columns, disagreement_rows
from app.domain.export.gap_table import GAP_COLUMNS, gap_table
from app.domain.export.intra_rater import INTRA_COLUMNS, intra_rater_rows
from app.domain.export.long import long_columns, long_rows, row_hashes, tells_needs
from app.domain.export.manifest import Artifact, Findings
from app.domain.export.policies import Policies, declared_policies
from app.domain.export.pooled import pooled_columns, pooled_rows
from app.domain.export.private import carries_any, codings_columns, codings_rows
from app.domain.export.reliability import agreement_documents
from app.domain.record import StudyRecord

GRAINS = ("wide", "long")


@dataclass(frozen=True)
class StudyTables:
    """Everything computed from one record; rows are in file order and hashed."""

    cases: tuple[Case, ...]
    policies: Policies
    accounting: Mapping[str, Any]
    agreement: Mapping[str, Mapping[str, Any]]
    long: Sequence[Mapping[str, Any]]
    pooled: Sequence[Mapping[str, Any]]
    disagreements: Sequence[Mapping[str, Any]]
    gaps: Sequence[Mapping[str, Any]]
    intra_rater: Sequence[Mapping[str, Any]]
    notes: bool

    def findings(self, grain: str) -> Findings:
        """Return the computed parts that the manifest repeats."""
        primary = [row for row in self.gaps if row["primary"]]
        return Findings(self.policies, self.accounting, primary, grain, self.notes)


def study_tables(record: StudyRecord, *, notes: bool = False) -> StudyTables:
    """Return all tables of a record. Raises `BadInput` for a record that contradicts itself, `Refused` where a sum of
    the accounting does not hold."""
    cases = list_cases(record)
    policies = declared_policies(record)
    primary = policies.primary.pooling
    accounting = account(cases, record.codebook.ordinal, primary)
    long = long_rows(record, cases, notes=notes)
    return StudyTables(
        cases=cases,
        policies=policies,
        accounting=accounting,
        agreement=agreement_documents(record, cases),
        long=long,
        pooled=pooled_rows(record, cases, row_hashes(long), primary),
        disagreements=disagreement_rows(record, cases, notes=notes),
        gaps=gap_table(record, cases, policies),
        intra_rater=intra_rater_rows(record),
        notes=notes,
    )


def artifacts(record: StudyRecord, tables: StudyTables, grain: str) -> list[Artifact]:
    """Return the public data files. With grain `long`, `rater_pooled.csv` carries the long rows and the consolidated
    table stands beside it as `claim_pooled.csv`. Raises `BadInput` for another grain."""
    if grain not in GRAINS:
        raise BadInput(f"grain {grain!r} does not exist; choose one of {', '.join(GRAINS)}")
    n_slots = len(human_slots(record))
    long = (long_columns(record.codebook, needs=tells_needs(tables.cases)), tables.long)
    wide = (pooled_columns(record.codebook, n_slots), tables.pooled)
    files = [
        _table("rater_long.csv", *long),
        _table("disagreements.csv", disagreement_columns(n_slots), tables.disagreements),
        _table("gaps.csv", GAP_COLUMNS, tables.gaps),
        _table("intra_rater.csv", INTRA_COLUMNS, tables.intra_rater),
        Artifact("agreement.json", canonical_file(tables.agreement)),
    ]
    if grain == "long":
        return [*files, _table("rater_pooled.csv", *long), _table("claim_pooled.csv", *wide)]
    return [*files, _table("rater_pooled.csv", *wide)]


def private_artifacts(record: StudyRecord, tables: StudyTables, native: Mapping[str, str]) -> list[Artifact]:
    """Return the custodian's files: `codings.csv`, complete, under native claim ids where `native` has them."""
    columns = codings_columns(record.codebook, carried=carries_any(tables.cases))
    return [_table("codings.csv", columns, codings_rows(record, tables.cases, native))]


def _table(path: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Artifact:
    return Artifact(path, table_bytes(columns, rows), tuple(columns), len(rows))
