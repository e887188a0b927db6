"""`datapackage.json`: every exported table described for machines (Data Package, Frictionless Standards).

For each CSV its size, hash, dialect and a schema: types, keys, what may be empty, which codes the codebook allows. It
names no rater and no native id; Parquet, JSON and HTML files stand in the manifest alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.canonical import canonical_file
from app.domain.export.column_types import ColumnType, column_types
from app.domain.export.manifest import Artifact
from app.domain.record import StudyRecord

NAME = "datapackage.json"
_KEYS: Mapping[str, tuple[str, ...]] = {
    "rater_pooled": ("blind_claim_id",),
    "rater_long": ("blind_claim_id", "coder_slot"),
    "disagreements": ("blind_claim_id",),
    "intra_rater": ("blind_claim_id", "coder_slot"),
    "controls": ("blind_claim_id", "coder_slot"),
    "timesheet": ("coder_slot", "session"),
    "ratings_wide": ("field", "unit"),
    "ratings_long": ("field", "unit", "rater"),
    "categories": ("field", "code"),
    "codings": ("claim_id", "coder_slot"),
}
_OF_A_CLAIM = ("rater_long", "disagreements", "intra_rater")
_POOLED = "rater_pooled"


def table_of(path: str, grain: str) -> str:
    """Return which table a file holds: with grain `long` two files have changed places.

    >>> table_of("rater_pooled.csv", "long"), table_of("claim_pooled.csv", "long"), table_of("gaps.csv", "long")
    ('rater_long', 'rater_pooled', 'gaps')
    """
    swapped = {"rater_pooled.csv": "rater_long", "claim_pooled.csv": _POOLED} if grain == "long" else {}
    return swapped.get(path, path.removesuffix(".csv"))


def package_bytes(record: StudyRecord, files: Sequence[Artifact], grain: str) -> bytes:
    """Return the canonical bytes of the package over all tables among `files`, sorted by path."""
    tables = sorted((artifact for artifact in files if artifact.columns is not None), key=lambda a: a.path)
    pooled = next(
        (artifact.path.removesuffix(".csv") for artifact in tables if table_of(artifact.path, grain) == _POOLED), None
    )
    package = {
        "profile": "tabular-data-package",
        "name": "saydo-export",
        "title": f"Codings of study {record.study_id} under codebook {record.codebook.version}",
        "created": record.written_at,
        "resources": [_resource(record, artifact, table_of(artifact.path, grain), pooled) for artifact in tables],
    }
    return canonical_file(package)


def _resource(record: StudyRecord, artifact: Artifact, table: str, pooled: str | None) -> dict[str, Any]:
    entry = artifact.entry()
    types = column_types(table, artifact.columns or (), record.codebook)
    schema: dict[str, Any] = {
        "fields": [_field(name, kind) for name, kind in types.items()],
        "missingValues": [""],
    }
    if table in _KEYS:
        schema["primaryKey"] = list(_KEYS[table])
    if table in _OF_A_CLAIM and pooled is not None:
        reference = {"resource": pooled, "fields": ["blind_claim_id"]}
        schema["foreignKeys"] = [{"fields": ["blind_claim_id"], "reference": reference}]
    return {
        "name": artifact.path.removesuffix(".csv"),
        "path": artifact.path,
        "profile": "tabular-data-resource",
        "scheme": "file",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": entry["bytes"],
        "hash": f"sha256:{entry['sha256']}",
        "dialect": {"delimiter": ",", "lineTerminator": "\n", "quoteChar": '"', "doubleQuote": True, "header": True},
        "schema": schema,
    }


def _field(name: str, kind: ColumnType) -> dict[str, Any]:
    described: dict[str, Any] = {"name": name, "type": kind.kind}
    if kind.kind == "boolean":
        described |= {"trueValues": ["true"], "falseValues": ["false"]}
    constraints: dict[str, Any] = {}
    if kind.required:
        constraints["required"] = True
    if kind.enum is not None:
        constraints["enum"] = list(kind.enum)
    if kind.pattern is not None:
        constraints["pattern"] = kind.pattern
    if kind.minimum is not None:
        constraints["minimum"] = kind.minimum
    return {**described, "constraints": constraints} if constraints else described
