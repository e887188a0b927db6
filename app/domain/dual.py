"""The gate between two implementations of the same figures: every leaf of one beside the same leaf of the other.

Responsible for what agreement means: both null, or numbers within the tolerance; counts, names and truth values
identical; and no leaf that only one of them has. It does not know what the figures mean.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

TOLERANCE = 1e-9
MOST_NAMED = 50

Path = tuple[str | int, ...]


def compare(
    first: Mapping[str, Any], second: Mapping[str, Any], tolerance: float = TOLERANCE, words: Collection[str] = ()
) -> dict[str, Any]:
    """Return `{agrees, max_abs_diff, n_compared, tolerance, n_differing, differing}` of two nested results.

    `words` are keys that hold prose and are not compared. `differing` names the first fifty leaves that do not agree,
    each `{path, first, second}`.

    >>> compare({"a": [1, 0.5]}, {"a": [1, 0.5 + 1e-12]})["agrees"]
    True
    >>> compare({"n": 3}, {"n": 4})["differing"]
    [{'path': 'n', 'first': 3, 'second': 4}]
    """
    ours, theirs = dict(_leaves(first, (), words)), dict(_leaves(second, (), words))
    paths = ours.keys() | theirs.keys()
    differing, largest = [], 0.0
    for path in paths:
        one, other = ours.get(path, "absent"), theirs.get(path, "absent")
        if is_number(one) and is_number(other):
            largest = max(largest, abs(one - other))
        if not _agree(one, other, tolerance):
            differing.append({"path": ".".join(map(str, path)), "first": one, "second": other})
    return {
        "agrees": not differing,
        "max_abs_diff": float(largest),
        "n_compared": len(paths),
        "tolerance": tolerance,
        "n_differing": len(differing),
        "differing": sorted(differing, key=lambda line: str(line["path"]))[:MOST_NAMED],
    }


def is_number(value: Any) -> bool:
    """Return whether the value is a number; a truth value is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _leaves(value: Any, path: Path, words: Collection[str]) -> Iterator[tuple[Path, Any]]:
    """Yield every leaf with its path; an empty mapping or list is a leaf, so that its absence is seen."""
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            if name not in words:
                yield from _leaves(part, (*path, name), words)
    elif isinstance(value, list | tuple) and value:
        for at, part in enumerate(value):
            yield from _leaves(part, (*path, at), words)
    else:
        yield path, [] if isinstance(value, list | tuple) else value


def _agree(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return is_number(one) and is_number(other) and abs(one - other) <= tolerance
    return type(one) is type(other) and bool(one == other)
