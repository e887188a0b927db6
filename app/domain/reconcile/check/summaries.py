"""Counts, deviations, ties, ranks and named rows of the second implementation."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from app.domain.reconcile.check.declared import Tree, families_by_column, unit_of, written_out
from app.domain.reconcile.check.judging import Matched, Result, count_by_class, why_structural
from app.domain.reconcile.check.values import rounded


def census(spec: Tree, tables: dict[str, dict[str, list[Any]]]) -> Tree:
    """Return nulls, decimals, and what was stated beside what is found."""
    nulls = {
        role: {
            name: sum(1 for value in tables[role][name] if value is None) for name in spec["tables"][role]["columns"]
        }
        for role in ("target", "source")
    }
    decimals = {
        name: _most_decimals(tables["target"][name])
        for name, kind in spec["tables"]["target"]["columns"].items()
        if kind == "number"
    }
    lines: list[Tree] = []
    for role in ("target", "source"):
        stated = spec["tables"][role].get("stated", {})
        found = {"rows": len(next(iter(tables[role].values()))), "columns": len(spec["tables"][role]["columns"])}
        for what in ("rows", "columns"):
            if what in stated:
                lines.append(_line(role, what, None, stated[what], found[what]))
        for name, said in stated.get("nulls", {}).items():
            for column in written_out([name], spec):
                lines.append(_line(role, "nulls", column, said, nulls[role][column]))
        for name, said in stated.get("decimals", {}).items():
            for column in written_out([name], spec):
                lines.append(_line(role, "decimals at most", column, said, decimals.get(column)))
    return {"nulls": nulls, "decimals": decimals, "stated": lines}


def _line(role: str, what: str, column: str | None, said: int, found: int | None) -> Tree:
    holds = found == said or (what == "decimals at most" and found is not None and found < said)
    return {"table": role, "what": what, "column": column, "stated": said, "found": found, "holds": holds}


def _most_decimals(values: list[float | None]) -> int | None:
    most = None
    for value in values:
        if value is not None:
            text = f"{Decimal(repr(value)):f}"
            behind = len(text.partition(".")[2].rstrip("0"))
            most = behind if most is None else max(most, behind)
    return most


def columns(matched: Matched) -> list[Tree]:
    """Return one line an addressed column."""
    lines = []
    for column, family in families_by_column(matched.spec).items():
        known = [value for value in matched.published[column] if value is not None]
        policies = list(matched.results[column])
        lines.append(
            {
                "column": column,
                "family": family["id"],
                "kind": family["kind"],
                "unit": unit_of(family, matched.spec),
                "decimals": family.get("decimals"),
                "policies": policies,
                "primary": family["primary"] if policies else None,
                "structural": why_structural(matched, column, family),
                "range": {
                    "min": min(known, default=None),
                    "max": max(known, default=None),
                    "n_distinct": len(set(known)),
                    "n_null": len(matched.rows) - len(known),
                },
            }
        )
    return lines


def policies(matched: Matched) -> list[Tree]:
    """Return one line an addressed column and policy."""
    lines = []
    for column, family in families_by_column(matched.spec).items():
        for policy, results in matched.results[column].items():
            tiers = dict.fromkeys(("T0", "T1", "T2", "divergent", "undefined"), 0)
            for result in results:
                tiers[result["tier"]] += 1
            sizes = sizes_of(results)
            lines.append(
                {
                    "column": column,
                    "policy": policy,
                    "primary": policy == family["primary"],
                    "tiers": tiers,
                    "matches_at_published_precision": tiers["T0"],
                    "matches_by_rounding": _by_rounding(matched, column, family, results),
                    "n_compared": len(results) - tiers["undefined"],
                    "mean_absolute_deviation": mean(sizes),
                    "largest_absolute_deviation": max(sizes, default=None),
                    "most_values_of_a_row": max(
                        (r["n_values"] for r in results if r["n_values"] is not None), default=None
                    ),
                }
            )
    return lines


def _by_rounding(matched: Matched, column: str, family: Tree, results: list[Result]) -> dict[str, int]:
    found = {}
    for digits in family.get("rounding", []):
        n = 0
        for result, published in zip(results, matched.published[column], strict=True):
            value = result["value"]
            if value is not None and published is not None:
                n += (value if digits == "none" else rounded(value, digits)) == published
        found[str(digits)] = n
    return found


def sizes_of(results: list[Result]) -> list[float]:
    """Return the absolute deviations there are."""
    return [abs(float(result["delta"])) for result in results if result["delta"] is not None]


def mean(values: list[float]) -> float | None:
    """Return the mean, None of nothing."""
    return math.fsum(values) / len(values) if values else None


def by_row(matched: Matched, cells: list[Tree]) -> list[Tree]:
    """Return one line a target row: classes, and deviations under the primary policies by unit."""
    lines = []
    width = len(matched.spec["tables"]["target"]["columns"])
    for i, row in enumerate(matched.rows):
        sizes: dict[str, list[float]] = {}
        for column, family in families_by_column(matched.spec).items():
            if family["kind"] == "number":
                found = sizes_of([matched.results[column][family["primary"]][i]])
                sizes.setdefault(unit_of(family, matched.spec), []).extend(found)
        deviations = {
            unit: {"n": len(found), "mean_absolute": mean(found), "largest_absolute": max(found, default=None)}
            for unit, found in sizes.items()
        }
        lines.append(
            {"row": row, "classes": count_by_class(cells[i * width : (i + 1) * width]), "deviations": deviations}
        )
    return lines


def largest(matched: Matched) -> list[Tree]:
    """Return the rows of the largest deviation of each column of numbers, ties judged at the declared decimals."""
    digits = matched.spec["rows"]["largest_deviation"]["tie_decimals"]
    lines = []
    for column, family in families_by_column(matched.spec).items():
        if family["kind"] != "number":
            continue
        most: float | None = None
        named: list[str] = []
        for row, result in zip(matched.rows, matched.results[column][family["primary"]], strict=True):
            if result["delta"] is None:
                continue
            size = rounded(abs(result["delta"]), digits)
            if most is None or size > most:
                most, named = size, []
            if size == most:
                named.append(row)
        lines.append({"column": column, "policy": family["primary"], "largest_absolute_deviation": most, "rows": named})
    return lines


def ties(matched: Matched) -> Tree:
    """Return the ties of the ranked column, as published and as recomputed, both at its published decimals."""
    column = matched.spec["rows"]["ranked_by"]
    family = families_by_column(matched.spec)[column]
    values = [result["value"] for result in matched.results[column][family["primary"]]]
    return {
        "column": column,
        "decimals": family["decimals"],
        "policy": family["primary"],
        "published": _ties(matched.rows, matched.published[column]),
        "recomputed": _ties(matched.rows, [None if v is None else rounded(v, family["decimals"]) for v in values]),
    }


def _ties(rows: list[str], values: list[float | None]) -> Tree:
    found: list[Tree] = []
    known = {value for value in values if value is not None}
    for value in sorted(known, reverse=True):
        holders = [row for row, other in zip(rows, values, strict=True) if other == value]
        if len(holders) > 1:
            found.append({"value": value, "rows": holders})
    n_null = sum(1 for value in values if value is None)
    n_tied = sum(len(tie["rows"]) for tie in found)
    return {"ties": found, "n_tied_rows": n_tied, "n_null": n_null, "decidable": n_tied == 0 and n_null == 0}
