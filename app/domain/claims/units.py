"""Agreement on units: how far two lists of claims mark the same stretches of the same texts.

Responsible for F1 on exact spans and on spans that overlap by at least half. It says nothing about agreement on codes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.claims.raw import RawClaim

NO_UNITS = "no_units"
_Text = tuple[str, int, str]


@dataclass(frozen=True)
class UnitAgreement:
    """What two lists share. The scores are None (reason `no_units`) where both lists are empty."""

    exact_f1: float | None
    overlap_f1: float | None
    n_a: int
    n_b: int
    n_exact: int
    n_overlapping: int
    only_a: tuple[RawClaim, ...]
    only_b: tuple[RawClaim, ...]
    undefined_reason: str | None = None


def compare_units(a: Sequence[RawClaim], b: Sequence[RawClaim]) -> UnitAgreement:
    """Return the unit agreement of two claim lists, every row with its span.

    F1 = 2 · matched / (|a| + |b|) (van Rijsbergen 1979, ch. 7, with equal weights). *Exact*: same run, turn, target
    and span, each unit matched once. *Overlap*: one-to-one pairs in the same target whose common part is at least half
    of the longer span, as many pairs as can be formed at all (maximum bipartite matching), exact pairs first. `only_a`
    and `only_b` are the units without an overlapping partner, in file order.
    """
    by_text_a, by_text_b = _by_text(a), _by_text(b)
    exact = 0
    partners: dict[int, int] = {}
    for text, units_a in by_text_a.items():
        found, n_exact = _match(units_a, by_text_b.get(text, []), a, b)
        partners.update(found)
        exact += n_exact
    taken = set(partners.values())
    total = len(a) + len(b)
    return UnitAgreement(
        exact_f1=2 * exact / total if total else None,
        overlap_f1=2 * len(partners) / total if total else None,
        n_a=len(a),
        n_b=len(b),
        n_exact=exact,
        n_overlapping=len(partners),
        only_a=tuple(unit for place, unit in enumerate(a) if place not in partners),
        only_b=tuple(unit for place, unit in enumerate(b) if place not in taken),
        undefined_reason=None if total else NO_UNITS,
    )


def _by_text(units: Sequence[RawClaim]) -> dict[_Text, list[int]]:
    found: dict[_Text, list[int]] = defaultdict(list)
    for place, unit in enumerate(units):
        found[(unit.session_id or "", unit.turn_index or 0, unit.target or "")].append(place)
    return found


def _match(
    places_a: list[int], places_b: list[int], a: Sequence[RawClaim], b: Sequence[RawClaim]
) -> tuple[dict[int, int], int]:
    """Return place in a → place in b for the units of one text, and how many of the pairs are exact."""
    edges = {i: [j for j in places_b if _overlap_enough(a[i], b[j])] for i in places_a}
    partner: dict[int, int] = {}
    owner: dict[int, int] = {}
    for i in places_a:
        same = next((j for j in edges[i] if j not in owner and _span(a[i]) == _span(b[j])), None)
        if same is not None:
            partner[i], owner[same] = same, i
    n_exact = len(partner)
    for i in places_a:
        if i not in partner:
            _augment(i, edges, partner, owner)
    return partner, n_exact


def _augment(start: int, edges: dict[int, list[int]], partner: dict[int, int], owner: dict[int, int]) -> None:
    """Give `start` a partner if one can be freed by moving others (breadth first; nobody loses theirs)."""
    came_from: dict[int, int] = {}
    queue = [start]
    for i in queue:
        for j in edges[i]:
            if j in came_from:
                continue
            came_from[j] = i
            if j in owner:
                queue.append(owner[j])
            else:
                _move(start, j, came_from, (partner, owner))
                return


def _move(start: int, free: int, came_from: dict[int, int], pairs: tuple[dict[int, int], dict[int, int]]) -> None:
    """Hand the free place back along the path, each unit giving its old place to the one before it."""
    partner, owner = pairs
    j = free
    while True:
        i = came_from[j]
        left = partner.get(i)
        partner[i], owner[j] = j, i
        if i == start or left is None:
            return
        j = left


def _span(unit: RawClaim) -> tuple[int, int]:
    return (unit.span_start or 0, unit.span_end or 0)


def _overlap_enough(one: RawClaim, other: RawClaim) -> bool:
    (a, b), (c, d) = _span(one), _span(other)
    return 2 * (min(b, d) - max(a, c)) >= max(b - a, d - c) > 0
