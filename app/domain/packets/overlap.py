"""Who codes what: dealing claims to raters so that the asked overlap is reached exactly and the pairs are balanced.

Orders within a packet, repeats and controls are `assignment`'s.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.domain.errors import BadInput
from app.domain.packets.packet import BlindClaim
from app.domain.packets.sampling import draw_stratified, shuffled_by_stratum

DESIGNS = ("full", "partial", "k_of_n")


@dataclass(frozen=True)
class Overlap:
    """The overlap design: `full` (every claim by every rater), `partial` (a share by two raters, the rest by one),
    `k_of_n` (every claim by k raters).
    """

    design: str = "full"
    share: float = 0.25
    min_claims: int = 100
    k: int = 2

    def n_double(self, n_claims: int) -> int:
        """Return how many claims a partial design double-codes: the share, never under `min_claims`, all if fewer.

        >>> Overlap("partial", 0.3, 100).n_double(1000), Overlap("partial", 0.3, 100).n_double(60)
        (300, 60)
        """
        return min(n_claims, max(math.ceil(round(self.share * n_claims, 9)), self.min_claims))


@dataclass
class _Hands:
    """What has been dealt so far."""

    slots: Sequence[str]
    rng: np.random.Generator
    held: dict[str, set[str]] = field(default_factory=dict)
    runs: Counter[tuple[str, str]] = field(default_factory=Counter)
    pairs: Counter[frozenset[str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.held = {slot: set() for slot in self.slots}

    def deal(self, claim: str, run: str, k: int) -> None:
        """Give a claim to k raters: the least loaded, then those least often paired, then whoever reads the run."""
        lot = {slot: float(value) for slot, value in zip(self.slots, self.rng.random(len(self.slots)), strict=True)}
        chosen: list[str] = []
        while len(chosen) < k:
            rest = [slot for slot in self.slots if slot not in chosen]
            chosen.append(min(rest, key=lambda slot: self._cost(slot, run, chosen, lot)))
        self.pairs.update(frozenset((a, b)) for i, a in enumerate(chosen) for b in chosen[i + 1 :])
        for slot in chosen:
            self.held[slot].add(claim)
            self.runs[slot, run] += 1

    def _cost(
        self, slot: str, run: str, chosen: Iterable[str], lot: Mapping[str, float]
    ) -> tuple[int, int, bool, float]:
        paired = sum(self.pairs[frozenset((slot, other))] for other in chosen)
        return len(self.held[slot]), paired, self.runs[slot, run] == 0, lot[slot]


def deal_claims(
    claims: Sequence[BlindClaim], slots: Sequence[str], overlap: Overlap, rng: np.random.Generator
) -> dict[str, frozenset[str]]:
    """Return slot → the blind claim ids dealt to it.

    Loads differ by at most one claim; in a partial design the double-coded claims are drawn proportionally from every
    source and run and dealt over all pairs of raters. Raises `BadInput` for a design that cannot be: unknown, a share
    outside 0 to 1, two raters needed and one there, k not between 1 and the number of raters.
    """
    _check(overlap, len(slots))
    run_of = {claim.blind_claim_id: claim.blind_run_id for claim in claims}
    if overlap.design == "full":
        return {slot: frozenset(run_of) for slot in slots}
    strata = {claim.blind_claim_id: (claim.claim_source, claim.blind_run_id) for claim in claims}
    hands = _Hands(slots, rng)
    several, k = shuffled_by_stratum(strata, rng), overlap.k
    if overlap.design == "partial":
        several, k = list(draw_stratified(strata, overlap.n_double(len(strata)), rng)), 2
    for claim in several:
        hands.deal(claim, run_of[claim], k)
    dealt = set(several)
    singles = {claim: names for claim, names in strata.items() if claim not in dealt}
    for claim in shuffled_by_stratum(singles, rng):
        hands.deal(claim, run_of[claim], 1)
    return {slot: frozenset(held) for slot, held in hands.held.items()}


def _check(overlap: Overlap, n_slots: int) -> None:
    if overlap.design not in DESIGNS:
        raise BadInput(f"overlap.design {overlap.design!r} is not one of {', '.join(DESIGNS)}")
    if overlap.design == "partial" and not 0 <= overlap.share <= 1:
        raise BadInput(f"overlap.share is {overlap.share}; give a share between 0 and 1")
    if overlap.design == "partial" and n_slots < 2:
        raise BadInput("overlap.design partial needs at least two raters")
    if overlap.design == "k_of_n" and not 1 <= overlap.k <= n_slots:
        raise BadInput(f"overlap.k is {overlap.k}; with {n_slots} raters it can be 1 to {n_slots}")
