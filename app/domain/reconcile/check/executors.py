"""The executors' own rows by the declared rule, a second time."""

from __future__ import annotations

from app.domain.reconcile.check.declared import Tree, families_by_column
from app.domain.reconcile.check.judging import Matched


def executors(matched: Matched, names: list[str | None], largest: list[Tree]) -> list[Tree]:
    """Return each executor's rows with values and rank; `names` are the models' names in row order."""
    lines = []
    for executor in matched.spec["rows"]["executors"]:
        rule, at = _rows_of(executor, [None if name is None else name.lower() for name in names])
        own = {matched.rows[i] for i in at}
        hit = [entry["column"] for entry in largest if any(row in own for row in entry["rows"])]
        lines.append(
            {
                "executor": executor["id"],
                "model": executor.get("model"),
                "rule": rule,
                "note": executor.get("note"),
                "rows": [_line(matched, i) for i in at],
                "among_the_largest_deviations": hit,
            }
        )
    return lines


def _rows_of(executor: Tree, names: list[str | None]) -> tuple[str, list[int]]:
    known = [(i, name) for i, name in enumerate(names) if name is not None]
    if "starts_with" in executor:
        return "begins with", [i for i, name in known if name.startswith(executor["starts_with"].lower())]
    same = [i for i, name in known if name == executor["model"].lower()]
    if same:
        return "exact", same
    token = executor.get("fallback", "").lower()
    holding = [i for i, name in known if token and token in name]
    return ("fallback token" if holding else "none"), holding


def _line(matched: Matched, i: int) -> Tree:
    scores = matched.published[matched.spec["rows"]["ranked_by"]]
    known = [score for score in scores if score is not None]
    rank = None
    if scores[i] is not None:
        better = sum(1 for score in known if score > scores[i])
        same = sum(1 for score in known if score == scores[i])
        rank = {"from": better + 1, "to": better + same, "of": len(known)}
    values = {column: matched.published[column][i] for column in families_by_column(matched.spec)}
    return {"row": matched.rows[i], "rank": rank, "values": values}
