"""How each recomputed value stands to its cell, and which class the cell gets: the tables of the registration, row by
row."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from app.domain.reconcile.check.declared import Tree, category_of, families_by_column, written_out
from app.domain.reconcile.check.values import Groups, rounded

Result = dict[str, Any]
CLASS_NAMES = ("no antecedent", "structural", "reconciled T0", "reconciled T1", "reconciled T2", "divergent")


@dataclass
class Matched:
    """Everything the loops below need: rows in order with their groups, groups, values, published columns."""

    spec: Tree
    rows: list[str]
    key: Tree
    group_of: list[str | None]
    groups: Groups
    published: dict[str, list[Any]]
    values: dict[tuple[str, str], dict[str, Any]]
    results: dict[str, dict[str, list[Result]]] = field(default_factory=dict)


def stand(value: Any, published: Any, family: Tree, spec: Tree) -> Result:
    """Return `{value, delta, tier, n_values}` of one value (None: nothing to compare) against one published cell."""
    n_values = None
    if family["kind"] == "text":
        value, n_values = value if value is not None else (None, None)
    if value is None and not n_values:
        return {"value": None, "delta": None, "tier": "undefined", "n_values": n_values}
    if family["kind"] == "text":
        tier = "T0" if value is not None and value == published else "divergent"
        return {"value": value, "delta": None, "tier": tier, "n_values": n_values}
    if published is None:
        return {"value": value, "delta": None, "tier": "divergent", "n_values": None}
    if family["kind"] == "whole":
        return {
            "value": value,
            "delta": value - published,
            "tier": "T0" if value == published else "divergent",
            "n_values": None,
        }
    exact = Decimal(repr(value)) - Decimal(repr(published))
    tier = "T0" if rounded(value, family["decimals"]) == published else _tier(abs(exact), family, spec)
    return {"value": value, "delta": float(exact), "tier": tier, "n_values": None}


def _tier(size: Decimal, family: Tree, spec: Tree) -> str:
    for line in spec["tolerances"][family["tolerance"]]["tiers"]:
        if "up_to" in line and size <= Decimal(repr(float(line["up_to"]))):
            return str(line["tier"])
    return "divergent"


def judge_all(matched: Matched) -> None:
    """Fill in `results`: column → policy → one result a row. The key's own column has no policies where so declared."""
    for column, family in families_by_column(matched.spec).items():
        matched.results[column] = {}
        if family.get("structural_as_key", False) and column in matched.key["target"]:
            continue
        for policy in family["policies"]:
            values = matched.values[column, policy["id"]]
            results = []
            for i, group in enumerate(matched.group_of):
                value = None if group is None else values.get(group)
                results.append(stand(value, matched.published[column][i], family, matched.spec))
            matched.results[column][policy["id"]] = results


def why_structural(matched: Matched, column: str, family: Tree) -> str | None:
    """Return why a match in the column tells nothing, or None."""
    forced = family.get("structural_as_key", False) or not matched.key.get("fold_case", False)
    if column in matched.key["target"] and forced:
        return "join key: the value is what the rows were joined by"
    first = matched.published[column][0]
    if all(value == first for value in matched.published[column]):
        return "zero variance: the published values are all the same"
    return None


def class_cells(matched: Matched) -> list[Tree]:
    """Return every cell with its class."""
    spec = matched.spec
    reasons: dict[str, str] = {}
    for entry in spec["no_antecedent"]:
        for column in written_out(entry["columns"], spec):
            reasons[column] = entry["reason"]
    families = families_by_column(spec)
    structural = {column: why_structural(matched, column, family) for column, family in families.items()}
    cells = []
    for i, row in enumerate(matched.rows):
        for column in spec["tables"]["target"]["columns"]:
            cell = {"row": row, "column": column, "tier": None, "policy": None, "achieved_by": []}
            if column in reasons:
                cell |= {"class": "no antecedent", "reason": reasons[column], "published": None, "results": []}
            else:
                cell |= _class_one(matched, i, column, families[column], structural[column])
            cells.append(cell)
    return cells


def _class_one(matched: Matched, i: int, column: str, family: Tree, structural: str | None) -> Tree:
    published = matched.published[column][i]
    results = [{"policy": policy, **found[i]} for policy, found in matched.results[column].items()]
    missing = _why_missing(matched, i, column, family, results)
    reached = [result["tier"] for result in results if result["tier"] in ("T0", "T1", "T2")]
    whole: Tree = {"published": published, "results": results}
    for named in matched.spec["precedence"]:
        if named == "no antecedent" and missing is not None:
            return {"class": named, "reason": missing, **whole}
        if named == "structural" and structural is not None:
            return {"class": named, "reason": structural, **whole}
        if named == "reconciled" and reached:
            best = min(reached)
            by = [result["policy"] for result in results if result["tier"] == best]
            got = {"tier": best, "policy": by[0], "achieved_by": by, "reason": None}
            return {"class": f"reconciled {best}", **got, **whole}
    return {"class": "divergent", "reason": "the published value is null" if published is None else None, **whole}


def _why_missing(matched: Matched, i: int, column: str, family: Tree, results: list[Tree]) -> str | None:
    group = matched.group_of[i]
    if group is None:
        return "no source rows join this row"
    category = category_of(column, family, matched.spec)
    if category is not None and (group, category) not in matched.groups.by_category:
        return "no source rows of this row and this category"
    if results and all(result["tier"] == "undefined" for result in results):
        return str(matched.spec["all_undefined"]["reason"])
    return None


def count_by_class(cells: list[Tree]) -> dict[str, int]:
    """Return the number of cells of each class."""
    counts = dict.fromkeys(CLASS_NAMES, 0)
    for cell in cells:
        counts[cell["class"]] += 1
    return counts
