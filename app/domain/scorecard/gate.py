"""The gate between the two implementations: every leaf of one beside the same leaf of the other.

Responsible for what agreement means: both null, or within 1e-9; counts, names and truth values identical; and no leaf
that only one of them has. Reasons and names of methods are words and not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.domain.stats.statistic import Json

TOLERANCE = 1e-9
WORDS = frozenset({"undefined_reason", "method", "ci_method", "reason"})
MOST_NAMED = 50

Path_ = tuple[str | int, ...]


def compare(first: Mapping[str, Any], second: Mapping[str, Any]) -> Json:
    """Return `{agrees, max_abs_diff, n_compared, tolerance, n_differing, differing}` of two nested results.

    `differing` names the first fifty leaves that do not agree, each `{path, first, second}`.
    """
    ours, theirs = dict(_leaves(first, ())), dict(_leaves(second, ()))
    differing, largest = [], 0.0
    for path in sorted(ours.keys() | theirs.keys(), key=_sortable):
        one, other = ours.get(path, "absent"), theirs.get(path, "absent")
        if _is_number(one) and _is_number(other):
            largest = max(largest, abs(one - other))
        if not _agree(one, other):
            differing.append({"path": ".".join(map(str, path)), "first": one, "second": other})
    return {
        "agrees": not differing,
        "max_abs_diff": largest,
        "n_compared": len(ours.keys() | theirs.keys()),
        "tolerance": TOLERANCE,
        "n_differing": len(differing),
        "differing": differing[:MOST_NAMED],
    }


def _leaves(value: Any, path: Path_) -> Iterator[tuple[Path_, Any]]:
    """Yield every leaf with its path; an empty mapping or list is a leaf, so that its absence is seen."""
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            if name not in WORDS:
                yield from _leaves(part, (*path, name))
    elif isinstance(value, list | tuple) and value:
        for at, part in enumerate(value):
            yield from _leaves(part, (*path, at))
    else:
        yield path, [] if isinstance(value, list | tuple) else value


def _agree(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return _is_number(one) and _is_number(other) and abs(one - other) <= TOLERANCE
    return type(one) is type(other) and bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sortable(path: Path_) -> tuple[str, ...]:
    return tuple(map(str, path))
