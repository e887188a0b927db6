"""One field's ratings of a study, handed to the statistics: the one place that calls them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from app.domain.stats.coefficients import confusion, pair_kappa


def study_document(
    categories: Sequence[str], level: str, ratings: Sequence[tuple[str, str, str, str | None]]
) -> dict[str, Any]:
    """Return the `agreement/1` document of (unit, run, slot, value) rows over declared categories."""
    slots = list(dict.fromkeys(slot for _, _, slot, _ in ratings))
    values = {(unit, slot): value for unit, _, slot, value in ratings}
    units = list(dict.fromkeys(unit for unit, _, _, _ in ratings))
    pairs = []
    for one, other in combinations(slots, 2):
        both = [u for u in units if values.get((u, one)) is not None and values.get((u, other)) is not None]
        a, b = [str(values[u, one]) for u in both], [str(values[u, other]) for u in both]
        kappa = pair_kappa(a, b, categories)
        exact = kappa.pop("exact_agreement")
        pairs.append(
            {
                "raters": [one, other],
                "n": len(both),
                "exact_agreement": exact,
                "cohen_kappa": kappa,
                "confusion": confusion(a, b, categories),
            }
        )
    return {
        "schema": "agreement/1",
        "n_units": len(units),
        "n_raters": len(slots),
        "categories": list(categories),
        "level": level,
        "pairs": pairs,
        "overall": {},
        "warnings": [],
    }
