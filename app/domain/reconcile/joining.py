"""The row key, found by search: which candidate joins most target rows to source rows of their own.

Responsible for labels, coverage, uniqueness and the order of the candidates. A label is the key's values joined by a
separator no text holds; a row with a null in its key joins nothing. Frames are pandas frames with nullable types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.domain.reconcile.spec import KeyCandidate, Spec

BETWEEN = "\x1f"
SHOWN_BETWEEN = " · "


@dataclass(frozen=True, eq=False)
class Joined:
    """Target rows in the order of their labels, and the source rows with their group under the winning key.

    `source` has the columns `_group` (label or null) and, once mapped, `_prefix`. `group_of[i]` is the group of row i
    or None where no source row joins; `groups` are all groups of the source, in code-point order.
    """

    key: KeyCandidate
    rows: tuple[str, ...]
    target: Any
    source: Any
    groups: tuple[str, ...]
    group_of: tuple[str | None, ...]


def shown(label: str) -> str:
    """Return a label as a person reads it.

    >>> shown("a\\x1fb")
    'a · b'
    """
    return label.replace(BETWEEN, SHOWN_BETWEEN)


def labels_of(frame: Any, columns: tuple[str, ...], fold_case: bool = False) -> Any:
    """Return one label a row, null where a part of the key is null; `fold_case` compares in lower case."""
    label = frame[columns[0]].astype("string")
    for name in columns[1:]:
        label = label.str.cat(frame[name].astype("string"), sep=BETWEEN)
    return label.str.lower() if fold_case else label


def search(spec: Spec, target: Any, source: Any) -> tuple[Joined, dict[str, Any]]:
    """Return the join under the winning key, and the census of all candidates.

    Coverage is the share of target rows with a source row. Uniqueness is the share of these that share no source row
    with another target row (0 where none is covered). The highest product wins, the first declared among equals.
    """
    ordered = target.assign(_row=labels_of(target, spec.target.unique)).sort_values("_row").reset_index(drop=True)
    found = [_candidate(key, ordered, source) for key in spec.keys]
    order = sorted(range(len(found)), key=lambda n: (-found[n]["score"], n))
    best = found[order[0]]
    census = {
        "candidates": found,
        "winner": best["id"],
        "runner_up": found[order[1]]["id"] if len(order) > 1 else None,
        "tied_with_winner": [entry["id"] for entry in found if entry["score"] == best["score"] and entry is not best],
    }
    return _joined(spec.keys[order[0]], ordered, source), census


def _candidate(key: KeyCandidate, target: Any, source: Any) -> dict[str, Any]:
    wanted = labels_of(target, key.target, key.fold_case)
    groups = labels_of(source, key.source, key.fold_case).dropna().unique()
    covered = wanted.isin(groups) & wanted.notna()
    alone = covered & ~wanted.duplicated(keep=False)
    n_covered, n_alone = int(covered.sum()), int(alone.sum())
    coverage, uniqueness = n_covered / len(target), n_alone / n_covered if n_covered else 0.0
    return {
        "id": key.id,
        "coverage": coverage,
        "uniqueness": uniqueness,
        "unique": n_covered > 0 and n_alone == n_covered,
        "score": coverage * uniqueness,
        "n_groups": len(groups),
        "targets_without_groups": [shown(row) for row in target.loc[~covered, "_row"]],
        "groups_without_targets": [shown(group) for group in sorted(set(groups) - set(wanted.dropna()))],
    }


def _joined(key: KeyCandidate, target: Any, source: Any) -> Joined:
    placed = source.assign(_group=labels_of(source, key.source, key.fold_case))
    groups = tuple(sorted(placed["_group"].dropna().unique()))
    known = set(groups)
    wanted = labels_of(target, key.target, key.fold_case)
    group_of = tuple(
        None if missing or label not in known else str(label)
        for label, missing in zip(wanted, wanted.isna(), strict=True)
    )
    return Joined(key, tuple(shown(row) for row in target["_row"]), target, placed, groups, group_of)
