"""The rows a report may speak of one by one: named by rule, never picked. And ties, ranks and executors' own rows.

Responsible for the largest deviations (ties judged on rounded values), the rows without source rows, the executors'
rows, and whether the published order can be told from the published values. It says nothing of causes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.domain.canonical import round_half_even
from app.domain.reconcile.cells import Addressed, numeric
from app.domain.reconcile.joining import Joined
from app.domain.reconcile.policies import Value
from app.domain.reconcile.spec import Executor, Spec
from app.domain.reconcile.tiers import published_values


def largest_deviations(spec: Spec, rows: Sequence[str], addressed: Mapping[str, Addressed]) -> list[dict[str, Any]]:
    """Return, for each addressed column of numbers, the row or rows of the largest |Δ| under its primary policy.

    |Δ| is rounded half to even at the spec's tie decimals before the largest is taken, so ties are well defined. A
    column without any deviation has no row.
    """
    lines = []
    for entry in numeric(addressed):
        judged = entry.judged[entry.family.primary]
        sizes = [
            None if j.delta is None else round_half_even(abs(float(j.delta)), spec.rows.tie_decimals) for j in judged
        ]
        known = [size for size in sizes if size is not None]
        most = max(known) if known else None
        lines.append(
            {
                "column": entry.column,
                "policy": entry.family.primary,
                "largest_absolute_deviation": most,
                "rows": [row for row, size in zip(rows, sizes, strict=True) if most is not None and size == most],
            }
        )
    return lines


def find_executors(
    spec: Spec, joined: Joined, addressed: Mapping[str, Addressed], largest: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return each executor's rows by its rule: the exact id in lower case or a fallback token, or its beginning."""
    names = published_values(joined.target, spec.rows.executor_column, "text")
    ranks = _ranks(addressed[spec.rows.ranked_by].published)
    found = []
    for executor in spec.rows.executors:
        rule, at = _matching(executor, [None if name is None else str(name).lower() for name in names])
        rows = [joined.rows[i] for i in at]
        found.append(
            {
                "executor": executor.id,
                "model": executor.model,
                "rule": rule,
                "note": executor.note,
                "rows": [
                    {
                        "row": joined.rows[i],
                        "rank": ranks[i],
                        "values": {column: entry.published[i] for column, entry in addressed.items()},
                    }
                    for i in at
                ],
                "among_the_largest_deviations": [e["column"] for e in largest if set(e["rows"]) & set(rows)],
            }
        )
    return found


def _matching(executor: Executor, names: Sequence[str | None]) -> tuple[str, list[int]]:
    if executor.starts_with is not None:
        start = executor.starts_with.lower()
        return "begins with", [i for i, name in enumerate(names) if name is not None and name.startswith(start)]
    exact = [i for i, name in enumerate(names) if name == (executor.model or "").lower()]
    if exact:
        return "exact", exact
    token = (executor.fallback or "").lower()
    held = [i for i, name in enumerate(names) if token and name is not None and token in name]
    return ("fallback token", held) if held else ("none", [])


def _ranks(values: Sequence[Value]) -> list[dict[str, int] | None]:
    """Each row's rank by falling value, 1 first; a tie shares the places `from` to `to`; a null has no rank."""
    known = [float(value) for value in values if isinstance(value, float)]
    ranks: list[dict[str, int] | None] = []
    for value in values:
        if not isinstance(value, float):
            ranks.append(None)
            continue
        above = sum(other > value for other in known)
        ranks.append({"from": above + 1, "to": above + known.count(value), "of": len(known)})
    return ranks


def census_ties(spec: Spec, rows: Sequence[str], addressed: Mapping[str, Addressed]) -> dict[str, Any]:
    """Return the ties of the ranked column as published and as recomputed under its primary policy.

    Both at the column's published decimals. The order is decidable where no two rows tie and every row has a value.
    """
    entry = addressed[spec.rows.ranked_by]
    digits = entry.family.decimals or 0
    recomputed = [
        round_half_even(judged.value, digits) if isinstance(judged.value, float) else None
        for judged in entry.judged[entry.family.primary]
    ]
    return {
        "column": entry.column,
        "decimals": digits,
        "policy": entry.family.primary,
        "published": _ties(rows, entry.published),
        "recomputed": _ties(rows, recomputed),
    }


def _ties(rows: Sequence[str], values: Iterable[Value]) -> dict[str, Any]:
    holders: dict[float, list[str]] = {}
    n_null = 0
    for row, value in zip(rows, values, strict=True):
        if isinstance(value, float):
            holders.setdefault(value, []).append(row)
        else:
            n_null += 1
    ties: list[dict[str, Any]] = [
        {"value": value, "rows": holders[value]} for value in sorted(holders, reverse=True) if len(holders[value]) > 1
    ]
    n_tied = sum(len(tie["rows"]) for tie in ties)
    return {"ties": ties, "n_tied_rows": n_tied, "n_null": n_null, "decidable": not ties and not n_null}
