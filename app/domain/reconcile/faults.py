"""What a reconciliation spec may not declare: names that are nowhere declared, columns left over, tiers with a gap.

Responsible for finding the first such declaration, before any table is opened. It knows neither files nor lines;
families and their policies are judged in `family_faults`, the tables themselves in `drift`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.domain.reconcile.family_faults import family_faults
from app.domain.reconcile.spec import (
    CLASSES,
    COUNTS,
    KINDS,
    NULL_BECOMES,
    QUANTILES,
    STATISTICS,
    TIERS,
    Path,
    Spec,
    Table,
    TierRow,
    expand,
)

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_FILE = re.compile(r"[^/\\\x00.][^/\\\x00]*\Z")
_FLOAT_FORMAT = re.compile(r"%\.[0-9]{1,2}[efg]\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_LARGEST_SEED = 2**63 - 1
_MOST_DRAWS = 1_000_000


@dataclass(frozen=True)
class SpecFault:
    """One declaration that cannot stand: the path of the key and the sentence."""

    path: Path
    message: str


def find_fault(spec: Spec) -> SpecFault | None:
    """Return the first declaration that cannot stand, or None."""
    checks = (_names, _tables, _keys, _mapping, _columns, _counts, _tolerances, family_faults, _null, _rows, _hash)
    for check in checks:
        for path, message in check(spec):
            return SpecFault(path, message)
    return None


def _twice(values: Sequence[str]) -> int | None:
    return next((i for i, value in enumerate(values) if value in values[:i]), None)


def _names(spec: Spec) -> Iterator[tuple[Path, str]]:
    if not _ID.match(spec.id):
        yield ("id",), "takes letters, digits, dot, dash and underscore, at most 64, a letter or digit first"
    if spec.gate <= 0:
        yield ("gate", "absolute"), "takes a number above 0"
    if sorted(spec.precedence) != sorted(CLASSES) or spec.precedence[-1] != CLASSES[-1]:
        yield ("precedence",), f"takes each of {', '.join(CLASSES)} once, divergent last: it is what nothing else is"
    ids = [addition.id for addition in spec.additions]
    again = _twice(ids)
    if again is not None:
        yield ("additions", again, "id"), f'"{ids[again]}" is there already'


def _tables(spec: Spec) -> Iterator[tuple[Path, str]]:
    for table in (spec.target, spec.source):
        at = ("tables", table.role)
        if not _FILE.match(table.file):
            yield (*at, "file"), "takes the name of a file in the data folder, without a path"
        for name, kind in table.columns.items():
            if kind not in KINDS:
                yield (*at, "columns", name), f'"{kind}" is not one of {", ".join(KINDS)}'
        for i, name in enumerate(table.unique):
            if name not in table.columns:
                yield (*at, "unique", i), f'"{name}" is no column of {table.file}'
        if not table.unique:
            yield (*at, "unique"), "is empty; name the columns that tell one row from another"
        yield from _stated(spec, table)


def _stated(spec: Spec, table: Table) -> Iterator[tuple[Path, str]]:
    for part, names in (("nulls", table.stated.nulls), ("decimals", table.stated.decimals)):
        for name in names:
            for column in expand((name,), spec.mapping.prefixes):
                if column not in table.columns:
                    yield ("tables", table.role, "stated", part, name), f'"{column}" is no column of {table.file}'


def _keys(spec: Spec) -> Iterator[tuple[Path, str]]:
    if not spec.keys:
        yield ("join",), "is empty; name a candidate key"
    again = _twice([key.id for key in spec.keys])
    if again is not None:
        yield ("join", again, "id"), f'"{spec.keys[again].id}" is there already'
    for n, key in enumerate(spec.keys):
        if not key.target or len(key.target) != len(key.source):
            yield ("join", n), "takes as many target columns as source columns, one at least"
        for role, names in (("target", key.target), ("source", key.source)):
            for i, name in enumerate(names):
                if spec.table(role).columns.get(name) != "text":
                    yield ("join", n, role, i), f'"{name}" is no text column of {spec.table(role).file}'


def _mapping(spec: Spec) -> Iterator[tuple[Path, str]]:
    mapping = spec.mapping
    for key, name in (("benchmark", mapping.benchmark), ("category", mapping.category)):
        if spec.source.columns.get(name) != "text":
            yield ("mapping", key), f'"{name}" is no text column of {spec.source.file}'
    again = _twice(mapping.prefixes)
    if not mapping.prefixes or again is not None:
        yield ("mapping", "prefixes"), "takes each prefix once, one at least"
    ids = [candidate.id for candidate in mapping.candidates]
    again = _twice(ids)
    if again is not None:
        yield ("mapping", "candidates", again, "id"), f'"{ids[again]}" is there already'
    if mapping.decides not in ids:
        yield ("mapping", "decides"), f'"{mapping.decides}" is none of the candidates {", ".join(ids)}'


def _columns(spec: Spec) -> Iterator[tuple[Path, str]]:
    """Every target column is addressed by one family, or declared once to have no antecedent."""
    owner: dict[str, str] = {}
    declared = [(("no_antecedent", n), entry.columns, "no_antecedent") for n, entry in enumerate(spec.no_antecedent)]
    families = [(("families", n), family.columns, family.id) for n, family in enumerate(spec.families)]
    for at, names, called in [*declared, *families]:
        for i, name in enumerate(names):
            for column in expand((name,), spec.mapping.prefixes):
                if column not in spec.target.columns:
                    yield (*at, "columns", i), f'"{column}" is no column of {spec.target.file}'
                if column in owner:
                    yield (*at, "columns", i), f'"{column}" stands already under {owner[column]}'
                owner[column] = called
    for column in spec.target.columns:
        if column not in owner:
            yield (
                ("tables", "target", "columns", column),
                "belongs to no family and is not declared without an antecedent",
            )


def _counts(spec: Spec) -> Iterator[tuple[Path, str]]:
    for name, denominator in spec.denominators.items():
        at: Path = ("denominators", name)
        if denominator.counts not in COUNTS:
            yield (*at, "counts"), f'"{denominator.counts}" is not one of {", ".join(COUNTS)}'
        elif denominator.counts != "rows":
            kind = spec.source.columns.get(denominator.column or "")
            if kind is None:
                yield at, f'counts over the column "{denominator.column}", which is not in {spec.source.file}'
            elif denominator.counts == "true" and kind != "truth":
                yield at, f'counts where "{denominator.column}" is true, and that column is no column of truths'
    for name, becomes in spec.missing.items():
        if becomes not in NULL_BECOMES:
            yield ("missing", name), f'"{becomes}" is not one of {", ".join(NULL_BECOMES)}'


def _tolerances(spec: Spec) -> Iterator[tuple[Path, str]]:
    for name, tolerance in spec.tolerances.items():
        yield from _tiers(("tolerances", name, "tiers"), tolerance.rows)


def _tiers(at: Path, rows: tuple[TierRow, ...]) -> Iterator[tuple[Path, str]]:
    """T0 by equality, then the next ones without a hole between them, then what is left: divergent."""
    wanted = [*TIERS[: len(rows) - 1], TIERS[-1]]
    if len(rows) < 2 or [row.tier for row in rows] != wanted:
        yield at, f"has a gap: takes {', '.join(TIERS[:-1])} in order, none left out between, then divergent"
        return
    if rows[0].equal not in ("rounded", "exactly") or rows[0].above is not None or rows[0].up_to is not None:
        yield (*at, 0), "T0 takes equal: rounded or equal: exactly, and no bounds"
    bounds = [0.0, *(row.up_to for row in rows[1:-1])]
    for i, (row, below) in enumerate(zip(rows[1:], bounds, strict=True), start=1):
        if row.equal is not None or row.above is None or (row.up_to is None) != (row.tier == TIERS[-1]):
            yield (*at, i), "takes above and up_to; divergent, the last, takes above alone"
        elif row.above != below:
            hole = "a gap" if below is None or row.above > below else "an overlap"
            yield (*at, i), f"leaves {hole}: {row.tier} begins above {row.above:g}, the one before ends at {below:g}"
    for i, (low, high) in enumerate(pairwise(bounds), start=1):
        if low is not None and high is not None and high <= low:
            yield (*at, i, "up_to"), f"takes more than {low:g}"


def _null(spec: Spec) -> Iterator[tuple[Path, str]]:
    null = spec.null
    if null.seed > _LARGEST_SEED:
        yield ("null", "seed"), f"takes a whole number up to {_LARGEST_SEED}"
    if not 1 <= null.draws <= _MOST_DRAWS:
        yield ("null", "draws"), f"takes 1 to {_MOST_DRAWS}"
    if sorted(null.statistics) != sorted(STATISTICS):
        yield ("null", "statistics"), f"takes {', '.join(STATISTICS)}"
    if null.quantiles != QUANTILES:
        yield ("null", "quantiles"), f"takes {list(QUANTILES)}"


def _rows(spec: Spec) -> Iterator[tuple[Path, str]]:
    rules = spec.rows
    numeric = {
        column
        for family in spec.families
        if family.kind == "number"
        for column in expand(family.columns, spec.mapping.prefixes)
    }
    if rules.ranked_by not in numeric:
        yield ("rows", "ranked_by"), f'"{rules.ranked_by}" is no addressed column of numbers'
    if spec.target.columns.get(rules.executor_column) != "text":
        yield ("rows", "executor_column"), f'"{rules.executor_column}" is no text column of {spec.target.file}'
    if rules.tie_decimals > 15:
        yield ("rows", "largest_deviation", "tie_decimals"), "takes at most 15"
    for i, executor in enumerate(rules.executors):
        if (executor.model is None) == (executor.starts_with is None):
            yield ("rows", "executors", i), "takes either model (with a fallback) or starts_with"


def _hash(spec: Spec) -> Iterator[tuple[Path, str]]:
    rule = spec.content_hash
    if not _SHA256.match(rule.shipped):
        yield ("content_hash", "shipped"), "takes a SHA-256 in 64 lower-case hex digits"
    if not _FLOAT_FORMAT.match(rule.float_format):
        yield ("content_hash", "float_format"), 'takes a format such as "%.10g"'
    if not rule.tables or not set(rule.tables) <= {"target", "source"}:
        yield ("content_hash", "tables"), "takes target and source"
