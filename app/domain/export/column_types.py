"""What every exported column holds: its type, whether it may be empty, and the codes the codebook allows in it.

One table of words a file, the same that docs/export.md prints. The data package and the Parquet files are made from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.adjudication import CAUSES
from app.domain.canonical import cell
from app.domain.claims.check import SOURCES
from app.domain.codebook.model import Codebook
from app.domain.export.type_words import WORDS
from app.domain.stats.gaps import CLAIM_SETS, CREDIT, DENOMINATORS, REPEATS, gap_names

_BLOCK = re.compile(r"^(r|coding_)[1-9][0-9]*_")
_PREFIX = re.compile(r"^(r1|coding_1|adj|pooled|provisional|final|first|repeat|known|given)_")
_TYPES = {"text": "string", "code": "string", "list": "string", "JSON": "array", "bool": "boolean", "float": "number"}
_OPEN = ("open", "paused", "withdrawn")
_LABELS = {"label", "p2", "p3", "p5", "p6"}
_SLOT = r"^(R[1-9][0-9]*|ADJ|ADJ_PROV)$"
_SHA256 = r"^[0-9a-f]{64}$"
_FIXED: Mapping[str, Sequence[str]] = {
    "claim_source": SOURCES,
    "phase": ("main",),
    "adj_status": ("none", "not_needed", "decided", "undetermined", "audit"),
    "adj_cause": CAUSES,
    "final_cause": CAUSES,
    "pooled_basis": ("unanimous", "adjudicated", "single", "open", "majority", "lowest"),
    "pooled_null_reason": (*_OPEN, "no_majority", "undecided"),
    "pooled_p2_null_reason": (*_OPEN, "no_majority"),
    "pooled_p3_null_reason": (*_OPEN, "undecided"),
    "origin": ("human", "crosswalk", "machine", "mixed"),
    "pooling": ("P1", "P2", "P3", "P4", "P5", "P6"),
    "claims": CLAIM_SETS,
    "repeats_of": REPEATS,
    "denominator": DENOMINATORS,
    "undefined_reason": ("empty_denominator", "not_measured"),
    "level": ("nominal", "ordinal", "interval", "ratio"),
}
_FIELD_TYPES = {"enum": "code?", "text": "text?", "flags": "list", "span": "text?"}


@dataclass(frozen=True)
class ColumnType:
    """One column: `kind` as a data package names it, `items` what a list holds, and what a cell must keep to."""

    kind: str
    required: bool
    items: str = ""
    enum: tuple[str, ...] | None = None
    pattern: str | None = None
    minimum: int | None = None


def column_types(table: str, header: Sequence[str], codebook: Codebook) -> dict[str, ColumnType]:
    """Return the type of every column of a table, in header order. `table` is one of `WORDS`, whatever the file's name.

    A column that neither the table's words nor the codebook know is text that may be empty.
    """
    return {name: _type(table, name, _word(table, name, codebook), codebook) for name in header}


def _word(table: str, name: str, codebook: Codebook) -> str:
    words = WORDS[table]
    general = re.sub(r"^(r|coding_)[1-9][0-9]*_", lambda found: f"{found[1]}1_", name)
    if general in words:
        unasked = general == "codability" and codebook.field("codability") is None
        return "code?" if unasked else words[general]
    if name.startswith("gap_"):
        return words.get("gap_g1", "text?")
    if table == "ratings_wide":
        return "integer?" if name.endswith("_code") else "code?"
    field = codebook.field(name)
    return "text?" if field is None else _FIELD_TYPES.get(field.type, "JSON?")


def _type(table: str, name: str, word: str, codebook: Codebook) -> ColumnType:
    plain = word.removesuffix("?")
    if plain in ("list", "integer list"):
        return _list_type(name, plain, codebook)
    kind = _TYPES.get(plain, plain)
    required = not word.endswith("?")
    if kind == "integer":
        return ColumnType(kind, required, minimum=0)
    if name in ("coder_slot", "rater"):
        return ColumnType(kind, required, pattern=_SLOT)
    if name.endswith("row_sha256"):
        return ColumnType(kind, required, pattern=_SHA256)
    return ColumnType(kind, required, enum=_codes(table, name, codebook) if plain == "code" else None)


def _list_type(name: str, plain: str, codebook: Codebook) -> ColumnType:
    if plain == "integer list":
        return ColumnType("string", False, "integer", pattern=_joined(["-?[0-9]+"]))
    own = codebook.field("flags") if _BLOCK.sub("", name) == "flags" else None
    if own is not None and own.codes:
        return ColumnType("string", False, "string", pattern=_joined([re.escape(code) for code in own.codes]))
    return ColumnType("string", False, "string")


def _joined(alternatives: Sequence[str]) -> str:
    one = "(" + "|".join(alternatives) + ")"
    return f"^{one}(;{one})*$"


def _codes(table: str, name: str, codebook: Codebook) -> tuple[str, ...] | None:
    """Return what may stand in a column of codes, as it stands in a cell; None where any text may."""
    if (table, name) == ("gaps", "gap"):
        return (*gap_names(codebook), CREDIT)
    if name in _FIXED:
        return tuple(_FIXED[name])
    base = _PREFIX.sub("", _BLOCK.sub("r1_", name))
    if base in _LABELS:
        return tuple(cell(label) for label in codebook.labels)
    names = {"kind": ("claim_kind",), "materiality": ("materiality", "severity")}.get(base, (base,))
    codes = [code for field in map(codebook.field, names) if field is not None for code in field.codes]
    return tuple(cell(code) for code in codes) or None
