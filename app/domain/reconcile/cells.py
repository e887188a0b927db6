"""Every target cell in exactly one class, with what achieved it; and how each policy did over all rows.

Responsible for precedence, the achieving policy, counts and deviations. Nothing is recomputed here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.canonical import round_half_even
from app.domain.reconcile.joining import Joined
from app.domain.reconcile.policies import Value
from app.domain.reconcile.spec import Family, Spec, expand
from app.domain.reconcile.tiers import DIVERGENT, UNDEFINED, Judged

COUNTED = ("no antecedent", "structural", "reconciled T0", "reconciled T1", "reconciled T2", "divergent")
NO_ROWS = "no source rows join this row"
NO_CATEGORY_ROWS = "no source rows of this row and this category"
NULL_PUBLISHED = "the published value is null"
ZERO_VARIANCE = "zero variance: the published values are all the same"
JOIN_KEY = "join key: the value is what the rows were joined by"


@dataclass(frozen=True)
class Addressed:
    """One addressed column: its family, category, published values by row, policies' results, why it is structural."""

    column: str
    family: Family
    category: str | None
    published: list[Value]
    judged: Mapping[str, list[Judged]]
    structural: str | None


def structural_reason(column: str, family: Family, published: Sequence[Value], joined: Joined) -> str | None:
    """Return why a match in this column would tell nothing, or None. A null counts as a value of its own.

    A column of the winning key is structural where the join itself forces its value: compared as it stands, or
    declared so.
    """
    if column in joined.key.target and (family.structural_as_key or not joined.key.fold_case):
        return JOIN_KEY
    return ZERO_VARIANCE if len(set(published)) <= 1 else None


def list_cells(spec: Spec, joined: Joined, addressed: Mapping[str, Addressed]) -> list[dict[str, Any]]:
    """Return every cell of the target, rows in label order, columns as declared."""
    unaddressed = _reasons(spec)
    have = {(str(g), str(p)) for g, p in joined.source.dropna(subset=["_prefix"]).groupby(["_group", "_prefix"]).groups}
    cells = []
    for i, row in enumerate(joined.rows):
        for column in spec.target.columns:
            if column in unaddressed:
                cells.append(_cell(row, column, "no antecedent", unaddressed[column]))
                continue
            entry = addressed[column]
            group = joined.group_of[i]
            absent = NO_ROWS if group is None else None
            if absent is None and entry.category is not None and (group, entry.category) not in have:
                absent = NO_CATEGORY_ROWS
            cells.append(_classified(spec, row, entry, i, absent))
    return cells


def _reasons(spec: Spec) -> dict[str, str]:
    return {
        column: entry.reason for entry in spec.no_antecedent for column in expand(entry.columns, spec.mapping.prefixes)
    }


def _cell(row: str, column: str, named: str, reason: str | None) -> dict[str, Any]:
    plain: dict[str, Any] = {"tier": None, "policy": None, "achieved_by": [], "published": None, "results": []}
    return {"row": row, "column": column, "class": named, "reason": reason, **plain}


def _classified(spec: Spec, row: str, entry: Addressed, i: int, absent: str | None) -> dict[str, Any]:
    results = [(policy, judged[i]) for policy, judged in entry.judged.items()]
    if absent is None and results and all(judged.tier == UNDEFINED for _, judged in results):
        absent = spec.all_undefined_reason
    tiers = sorted(judged.tier for _, judged in results if judged.tier not in (UNDEFINED, DIVERGENT))
    fits = {
        "no antecedent": absent is not None,
        "structural": entry.structural is not None,
        "reconciled": bool(tiers),
        "divergent": True,
    }
    named = next(name for name in spec.precedence if fits[name])
    null = NULL_PUBLISHED if entry.published[i] is None else None
    cell = _cell(
        row,
        entry.column,
        named,
        {"no antecedent": absent, "structural": entry.structural, "divergent": null}.get(named),
    )
    if named == "reconciled":
        best = [policy for policy, judged in results if judged.tier == tiers[0]]
        cell |= {"class": f"reconciled {tiers[0]}", "tier": tiers[0], "policy": best[0], "achieved_by": best}
    cell["published"] = entry.published[i]
    cell["results"] = [_result(policy, judged) for policy, judged in results]
    return cell


def _result(policy: str, judged: Judged) -> dict[str, Any]:
    return {
        "policy": policy,
        "value": judged.value,
        "delta": judged.delta,
        "tier": judged.tier,
        "n_values": judged.n_values,
    }


def count_classes(cells: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many cells each class has, every class named."""
    counts = Counter(cell["class"] for cell in cells)
    return {name: counts[name] for name in COUNTED}


def summarise_policies(addressed: Mapping[str, Addressed]) -> list[dict[str, Any]]:
    """Return one line a column and policy: rows by tier, deviations, matches at each rounding candidate."""
    return [_summary(entry, policy, judged) for entry in addressed.values() for policy, judged in entry.judged.items()]


def _summary(entry: Addressed, policy: str, judged: Sequence[Judged]) -> dict[str, Any]:
    counts = Counter(result.tier for result in judged)
    sizes = [abs(float(result.delta)) for result in judged if result.delta is not None]
    return {
        "column": entry.column,
        "policy": policy,
        "primary": policy == entry.family.primary,
        "tiers": {tier: counts[tier] for tier in ("T0", "T1", "T2", DIVERGENT, UNDEFINED)},
        "matches_at_published_precision": counts["T0"],
        "matches_by_rounding": _by_rounding(entry, judged),
        "n_compared": len(judged) - counts[UNDEFINED],
        "mean_absolute_deviation": math.fsum(sizes) / len(sizes) if sizes else None,
        "largest_absolute_deviation": max(sizes) if sizes else None,
        "most_values_of_a_row": max((j.n_values for j in judged if j.n_values is not None), default=None),
    }


def _by_rounding(entry: Addressed, judged: Sequence[Judged]) -> dict[str, int]:
    """How many rows equal the published value exactly after each rounding candidate."""
    found = {}
    for digits in entry.family.rounding:
        pairs = list(zip(judged, entry.published, strict=True))
        found["none" if digits is None else str(digits)] = sum(_equals(j.value, p, digits) for j, p in pairs)
    return found


def _equals(value: Value, published: Value, digits: int | None) -> bool:
    if not isinstance(value, float) or published is None:
        return False
    return (value if digits is None else round_half_even(value, digits)) == published


def summarise_rows(
    spec: Spec, rows: Sequence[str], cells: Sequence[Mapping[str, Any]], addressed: Mapping[str, Addressed]
) -> list[dict[str, Any]]:
    """Return one line a target row: its cells by class, and its deviations under the primary policies by unit."""
    of_row: dict[str, list[Mapping[str, Any]]] = {}
    for cell in cells:
        of_row.setdefault(cell["row"], []).append(cell)
    return [
        {
            "row": row,
            "classes": count_classes(of_row[row]),
            "deviations": {unit: _sizes(found) for unit, found in _deltas(spec, addressed, i).items()},
        }
        for i, row in enumerate(rows)
    ]


def _deltas(spec: Spec, addressed: Mapping[str, Addressed], i: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for entry in numeric(addressed):
        judged = entry.judged[entry.family.primary][i]
        sizes = found.setdefault(spec.tolerances[entry.family.tolerance].unit, [])
        if judged.delta is not None:
            sizes.append(abs(judged.delta))
    return found


def _sizes(found: Sequence[float]) -> dict[str, Any]:
    return {
        "n": len(found),
        "mean_absolute": math.fsum(found) / len(found) if found else None,
        "largest_absolute": max(found) if found else None,
    }


def numeric(addressed: Mapping[str, Addressed]) -> Iterator[Addressed]:
    """Yield the addressed columns of numbers; a column of whole counts is not among them."""
    return (entry for entry in addressed.values() if entry.family.kind == "number")
