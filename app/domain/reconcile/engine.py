"""Implementation A: all figures of a reconciliation from its two tables, in pandas.

Responsible for the order of the work and the shape of the document. The same tables give the same document whatever the
order of their rows. The second implementation, `check`, gives the same document from plain lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.reconcile.categories import map_categories
from app.domain.reconcile.cells import (
    Addressed,
    count_classes,
    list_cells,
    structural_reason,
    summarise_policies,
    summarise_rows,
)
from app.domain.reconcile.census import take_census
from app.domain.reconcile.joining import Joined, search
from app.domain.reconcile.mentions import census_ties, find_executors, largest_deviations
from app.domain.reconcile.null import permutation_null
from app.domain.reconcile.policies import Value, Values, recompute
from app.domain.reconcile.spec import Family, Spec, category_of, expand
from app.domain.reconcile.tiers import judge_column, published_values

SCHEMA = "reconcile/1"


@dataclass(frozen=True, eq=False)
class Prepared:
    """Rows joined, categories mapped, every policy computed and every column judged: what all summaries are made of."""

    joined: Joined
    joins: dict[str, Any]
    mapping: dict[str, Any]
    recomputed: Mapping[tuple[str, str], Values]
    addressed: dict[str, Addressed]


def prepare(spec: Spec, target: Any, source: Any) -> Prepared:
    """Return everything that is computed row by row, before anything is counted."""
    joined, joins = search(spec, target, source)
    decided, mapping = map_categories(spec, source)
    joined.source["_prefix"] = joined.source[spec.mapping.benchmark].map(decided).astype("string")
    recomputed = recompute(spec, joined)
    return Prepared(joined, joins, mapping, recomputed, _addressed(spec, joined, recomputed))


def reconcile(spec: Spec, target: Any, source: Any) -> dict[str, Any]:
    """Return the document of all figures; the frames must be what the spec declares (`drift`) with nullable types."""
    ready = prepare(spec, target, source)
    joined, addressed = ready.joined, ready.addressed
    cells = list_cells(spec, joined, addressed)
    classes = count_classes(cells)
    largest = largest_deviations(spec, joined.rows, addressed)
    executors = find_executors(spec, joined, addressed, largest)
    return {
        "schema": SCHEMA,
        "spec": spec.id,
        "shape": {"rows": len(joined.rows), "columns": len(spec.target.columns), "cells": len(cells)},
        "census": take_census(spec, target, source),
        "join": ready.joins,
        "mapping": ready.mapping,
        "columns": [_column(spec, entry) for entry in addressed.values()],
        "policies": summarise_policies(addressed),
        "cells": cells,
        "classes": classes,
        "sum": sum(classes.values()),
        "rows": summarise_rows(spec, joined.rows, cells, addressed),
        "mentions": {
            "largest_deviations": largest,
            "join_failures": [row for row, group in zip(joined.rows, joined.group_of, strict=True) if group is None],
            "executor_rows": sorted({line["row"] for entry in executors for line in entry["rows"]}),
        },
        "executors": executors,
        "ranking": census_ties(spec, joined.rows, addressed),
        "null": permutation_null(spec, joined, addressed, ready.recomputed),
    }


def _addressed(spec: Spec, joined: Joined, recomputed: Mapping[tuple[str, str], Values]) -> dict[str, Addressed]:
    families = {column: family for family in spec.families for column in expand(family.columns, spec.mapping.prefixes)}
    return {
        column: _one(spec, joined, recomputed, column, families[column])
        for column in spec.target.columns
        if column in families
    }


def _one(
    spec: Spec, joined: Joined, recomputed: Mapping[tuple[str, str], Values], column: str, family: Family
) -> Addressed:
    published = published_values(joined.target, column, family.kind)
    is_key = family.structural_as_key and column in joined.key.target
    values = {} if is_key else {policy.id: recomputed[column, policy.id] for policy in family.policies}
    return Addressed(
        column=column,
        family=family,
        category=category_of(column, family, spec.mapping.prefixes),
        published=published,
        judged=judge_column(joined, published, values, family, spec.tolerances[family.tolerance]),
        structural=structural_reason(column, family, published, joined),
    )


def _column(spec: Spec, entry: Addressed) -> dict[str, Any]:
    known: list[Any] = [value for value in entry.published if value is not None]
    return {
        "column": entry.column,
        "family": entry.family.id,
        "kind": entry.family.kind,
        "unit": spec.tolerances[entry.family.tolerance].unit,
        "decimals": entry.family.decimals,
        "policies": list(entry.judged),
        "primary": entry.family.primary if entry.judged else None,
        "structural": entry.structural,
        "range": _range(known, len(entry.published)),
    }


def _range(known: list[Any], n: int) -> dict[str, Value]:
    return {
        "min": min(known) if known else None,
        "max": max(known) if known else None,
        "n_distinct": len(set(known)),
        "n_null": n - len(known),
    }
