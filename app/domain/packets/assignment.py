"""The packets' contents and order: which claims a rater codes, in which order, with hidden repeats woven in.

Everything is drawn from the study's seed, one stream a purpose (`seeds`), and does not depend on the order in which
claims come in. It does not build what is shown and does not store.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import numpy as np

from app.domain.blinding.seal import derived_id
from app.domain.errors import BadInput
from app.domain.packets.overlap import Overlap, deal_claims
from app.domain.packets.packet import BlindClaim
from app.domain.packets.seeds import ASSIGNMENT, CLAIM_ORDER, CONTROLS, REPEATS, RUN_ORDER, generator, slot_number

ORDERS = ("random_within_run", "log_order")
SPACING = 30
"""How many items later a hidden repeat comes, at least, where the packet is long enough."""

_FEWEST_REPEATS = 10
_CONTROL_SHARE = 0.05


@dataclass(frozen=True)
class Design:
    """What the registration says of packets. `slots` are the human raters' (R1, R2, …), `machine_slots` follow them.

    A machine rater gets every claim and no part in the overlap. `repeats` is the share of a rater's own items that
    come back (0: none). `controls` maps the blind ids of claims with a known answer to whether that answer is a gap;
    they are never part of the overlap.
    """

    seed: int
    slots: tuple[str, ...]
    machine_slots: tuple[str, ...] = ()
    overlap: Overlap = field(default_factory=Overlap)
    order: str = "random_within_run"
    repeats: float = 0.0
    controls: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Assignment:
    """One item of one packet. `position` counts from 1. `blind_claim_id` is the id shown and coded under; `of` is the
    claim it shows, the same unless `purpose` is `repeat` (`main`, `repeat` or `control`).
    """

    assignment_id: str
    slot: str
    position: int
    blind_claim_id: str
    of: str
    purpose: str


def plan_assignments(claims: Sequence[BlindClaim], design: Design) -> dict[str, tuple[str, ...]]:
    """Return slot → the blind claim ids of its packet in their order, main items and controls, no repeats yet.

    A rater gets each claim once; claims of one run follow each other, runs in seeded order (purpose 3), claims within a
    run in seeded order (purpose 4) or log order. Raises `BadInput` for a design that cannot be.
    """
    if design.order not in ORDERS:
        raise BadInput(f"order {design.order!r} is not one of {', '.join(ORDERS)}")
    by_id = {claim.blind_claim_id: claim for claim in sorted(claims, key=lambda claim: claim.blind_claim_id)}
    if len(by_id) != len(claims):
        raise BadInput("two claims have the same blind id")
    if not set(design.controls) <= set(by_id):
        raise BadInput(f"{len(set(design.controls) - set(by_id))} controls are not among the claims")
    main = [claim for one, claim in by_id.items() if one not in design.controls]
    dealt = deal_claims(main, design.slots, design.overlap, generator(design.seed, ASSIGNMENT))
    dealt |= {slot: frozenset(claim.blind_claim_id for claim in main) for slot in design.machine_slots}
    return {
        slot: _ordered([by_id[one] for one in {*held, *_controls_for(slot, len(held), design)}], slot, design)
        for slot, held in dealt.items()
    }


def plan_packets(claims: Sequence[BlindClaim], design: Design, key: bytes) -> dict[str, tuple[Assignment, ...]]:
    """Return slot → its packet's items in order: `plan_assignments` with the hidden repeats woven in (purpose 5).

    A repeat shows a main claim of the same packet again under a new blind id, at least 30 items later where the packet
    is long enough, between two runs' blocks. The number is the share asked, never under 10, at most every main item.
    """
    by_id = {claim.blind_claim_id: claim for claim in claims}
    return {
        slot: _numbered(slot, _woven(order, by_id, slot, design), design, key)
        for slot, order in plan_assignments(claims, design).items()
    }


def shown_under(claim: BlindClaim, item: Assignment) -> BlindClaim:
    """Return the claim under the id that the item shows it by; a repeat is the same claim with another id."""
    return replace(claim, blind_claim_id=item.blind_claim_id)


def _controls_for(slot: str, n_main: int, design: Design) -> list[str]:
    """Return the rater's controls (purpose 6): five per cent of the own items, at least one, half gaps, half clean.

    Where one half runs out the other fills up; at most all there are.
    """
    rng = generator(design.seed, CONTROLS, slot_number(slot))
    halves = []
    for is_gap in (True, False):
        half = sorted(one for one, gap in design.controls.items() if gap is is_gap)
        halves.append([half[int(i)] for i in rng.permutation(len(half))])
    first = int(rng.integers(2))
    turns = zip_longest(halves[first], halves[1 - first])
    dealt = [one for pair in turns for one in pair if one is not None]
    return dealt[: max(1, math.ceil(round(_CONTROL_SHARE * n_main, 9)))]


def _ordered(claims: Sequence[BlindClaim], slot: str, design: Design) -> tuple[str, ...]:
    runs = sorted({claim.blind_run_id for claim in claims})
    run_order = generator(design.seed, RUN_ORDER, slot_number(slot)).permutation(len(runs))
    within = generator(design.seed, CLAIM_ORDER, slot_number(slot))
    ordered: list[str] = []
    for block in _by_run(claims, [runs[int(i)] for i in run_order]):
        shuffled = design.order == "random_within_run"
        places = within.permutation(len(block)) if shuffled else range(len(block))
        ordered.extend(block[int(i)].blind_claim_id for i in places)
    return tuple(ordered)


def _by_run(claims: Sequence[BlindClaim], runs: Sequence[str]) -> list[list[BlindClaim]]:
    """Return the claims of each run in log order, the runs in the order given."""
    blocks: dict[str, list[BlindClaim]] = {run: [] for run in runs}
    for claim in sorted(claims, key=lambda c: (c.turn, c.target, c.span_start, c.blind_claim_id)):
        blocks[claim.blind_run_id].append(claim)
    return list(blocks.values())


def _woven(order: tuple[str, ...], by_id: Mapping[str, BlindClaim], slot: str, design: Design) -> list[tuple[str, str]]:
    """Return (claim, purpose) of a whole packet in order."""
    items = [(one, "control" if one in design.controls else "main") for one in order]
    rng = generator(design.seed, REPEATS, slot_number(slot))
    places = [at for at, (_, purpose) in enumerate(items) if purpose == "main"]
    chosen = _repeated(places, len(order), design.repeats, rng)
    seams = [at for at in range(1, len(order)) if by_id[order[at]].blind_run_id != by_id[order[at - 1]].blind_run_id]
    inserted: dict[int, list[tuple[str, str]]] = {}
    for place in chosen:
        later = [seam for seam in seams if seam - place >= SPACING]
        seam = later[int(rng.integers(len(later)))] if later else len(order)
        inserted.setdefault(seam, []).append((order[place], "repeat"))
    woven: list[tuple[str, str]] = []
    for at in range(len(order) + 1):
        woven += [*inserted.get(at, []), *items[at : at + 1]]
    return woven


def _repeated(places: Sequence[int], length: int, share: float, rng: np.random.Generator) -> list[int]:
    """Return the places whose claims come back, ascending.

    Drawn from the places that leave room for the spacing; when those are too few, the earliest others are added, which
    leaves them as far from their repeat as the packet allows.
    """
    if share <= 0 or not places:
        return []
    n = min(len(places), max(_FEWEST_REPEATS, math.ceil(round(share * len(places), 9))))
    roomy = [place for place in places if place + SPACING <= length]
    drawn = [roomy[int(i)] for i in rng.permutation(len(roomy))[:n]]
    rest = [place for place in places if place not in set(drawn)]
    return sorted([*drawn, *rest[: n - len(drawn)]])


def _numbered(slot: str, items: Sequence[tuple[str, str]], design: Design, key: bytes) -> tuple[Assignment, ...]:
    return tuple(
        Assignment(
            assignment_id=derived_id(key, "assignment", slot, one, purpose),
            slot=slot,
            position=position,
            blind_claim_id=derived_id(key, "repeat", slot, one) if purpose == "repeat" else one,
            of=one,
            purpose=purpose,
        )
        for position, (one, purpose) in enumerate(items, start=1)
    )
