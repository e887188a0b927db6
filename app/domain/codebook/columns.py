"""Under which columns the tables hold a codebook's fields, whatever it calls them.

The tables have one column for the citations, three for the search, one for the flags and one for each question the
shipped codebooks know; a codebook's other fields get columns of their own. Nothing here writes or reads a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.codebook.model import EVIDENCE_TYPES, Codebook, Field

EVIDENCE, SEARCH, FLAGS, NOTE = "evidence", "search_span", "flags", "note"
QUESTIONS = (
    "codability",
    "not_codable_reason",
    "claim_kind",
    "verdict",
    "evidence_strength",
    "log_coverage",
    "unverifiable_reason",
    "undetermined_reason",
    "severity",
    "materiality",
    "disclosure",
    "confidence",
)
"""The closed questions that have a column in every table, empty where a codebook does not ask them."""

_TYPES: Mapping[str, tuple[str, ...]] = {
    EVIDENCE: EVIDENCE_TYPES,
    SEARCH: ("span",),
    FLAGS: ("flags",),
    NOTE: ("text",),
    **dict.fromkeys(QUESTIONS, ("enum",)),
}


def column_fault(codebook: Codebook, field: Field) -> str | None:
    """Return why a field cannot have its name: the tables keep that column for another one. None where it can."""
    types = _TYPES.get(field.name)
    if types is None:
        return None
    if field.type not in types:
        return f"{field.name} is the column of a field of type {' or '.join(types)}; choose another name"
    first = codebook.first_of(*types)
    if field.name in (EVIDENCE, SEARCH, FLAGS) and first is not None and first.name != field.name:
        return f"{field.name} is the column of {first.name}, which stands before it; choose another name"
    return None


def column_names(codebook: Codebook) -> dict[str, str]:
    """Return field → column for the fields that stand under a column of another name, and for those under their own.

    The first field of citations stands under `evidence`, the first span under `search_span` (whose parts have columns
    of their own), the first flags under `flags`.
    """
    names = {field.name: field.name for field in codebook.fields}
    for column in (EVIDENCE, SEARCH, FLAGS):
        field = codebook.first_of(*_TYPES[column])
        if field is not None:
            names[field.name] = column
    return names


def further_fields(codebook: Codebook) -> tuple[Field, ...]:
    """Return the fields that the tables' fixed columns do not cover, in form order: each has a column of its own."""
    names = column_names(codebook)
    return tuple(field for field in codebook.fields if names[field.name] not in _TYPES)


def under_columns(codebook: Codebook, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with its values under the tables' names; names the codebook does not have stay."""
    names = column_names(codebook)
    return {names.get(name, name): value for name, value in answer.items()}


def under_fields(codebook: Codebook, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inverse of `under_columns`: what a table's row says, under the codebook's own names."""
    fields = {column: name for name, column in column_names(codebook).items()}
    return {fields.get(column, column): value for column, value in row.items()}
