"""The raw ratings as the second implementation takes them, and the draws it is handed.

Responsible for naming its inputs and for the order in which runs are drawn. Standard library only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from app.domain.stats.check.counted import NONE, Pattern, Patterns

Draws = Callable[[int], Iterable[Sequence[int]]]


@dataclass(frozen=True)
class Raw:
    """The raw ratings: one row of labels a rater (None = not given), units in the document's order.

    `runs[i]` is the run of unit i and `run_order` the order runs are drawn in (default: by name); None without runs.
    `strata[i]` is the class of unit i in the document's second null.
    """

    rows: Sequence[Sequence[str | None]]
    categories: Sequence[str]
    level: str = "nominal"
    disagreement: Sequence[Sequence[float]] | None = None
    runs: Sequence[str] | None = None
    run_order: Sequence[str] | None = None
    strata: Sequence[str] | None = None


@dataclass(frozen=True)
class Chance:
    """The draws again: of R runs (`runs(R)` yields each resample), and of n places (`orders(n)` yields each order).

    `all_coefficients` resamples every coefficient instead of Cohen's kappa alone.
    """

    runs: Draws
    orders: Draws
    all_coefficients: bool = False


def blocks(raw: Raw) -> list[Patterns]:
    """Return the patterns of each rated run in drawing order, or of each rated unit where there are no runs."""
    place = {label: k for k, label in enumerate(raw.categories)}
    units: list[Pattern] = [
        tuple(NONE if label is None else place[label] for label in labels) for labels in zip(*raw.rows, strict=True)
    ]
    if raw.runs is None:
        return [{pattern: 1} for pattern in units if any(k != NONE for k in pattern)]
    found: dict[str, Counter[Pattern]] = {}
    for run, pattern in zip(raw.runs, units, strict=True):
        if any(k != NONE for k in pattern):
            found.setdefault(run, Counter())[pattern] += 1
    return [found[run] for run in raw.run_order or sorted(found) if run in found]
