"""Dealing claims: the asked overlap is reached exactly, nobody gets a claim twice, and only the seed decides."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.domain.packets.assignment import SPACING, Design, plan_assignments, plan_packets, shown_under
from app.domain.packets.overlap import Overlap
from app.domain.packets.packet import BlindClaim
from app.domain.packets.sampling import draw_sample, draw_stratified
from app.domain.packets.seeds import generator

KEY = b"key"


def claims_of(n: int, n_runs: int, n_sources: int = 2, seed: int = 0) -> list[BlindClaim]:
    rng = random.Random(seed)
    return [
        BlindClaim(
            blind_claim_id=f"{rng.getrandbits(256):064x}",
            blind_run_id=f"run{i % n_runs:03d}",
            turn=i // n_runs,
            target="text",
            span_start=0,
            span_end=1,
            text="x",
            resolved_text=None,
            unit_parts=1,
            repeat_of=None,
            polarity=None,
            scope_end_turn=None,
            conditional=False,
            condition_turn=None,
            claim_source=("transcript", "report", "plan")[rng.randrange(n_sources)],
        )
        for i in range(n)
    ]


def slots_of(n: int) -> tuple[str, ...]:
    return tuple(f"R{i}" for i in range(1, n + 1))


OVERLAPS = st.one_of(
    st.just(Overlap("full")),
    st.builds(lambda share, least: Overlap("partial", share, least), st.floats(0, 1), st.integers(0, 40)),
    st.builds(lambda k: Overlap("k_of_n", k=k), st.integers(1, 5)),
)
SHAPES = st.tuples(st.integers(0, 90), st.integers(1, 12), st.integers(2, 5), st.integers(0, 2**32))


def copies(overlap: Overlap, n_claims: int, n_slots: int) -> Counter[int]:
    """How many claims ought to be coded by how many raters."""
    if overlap.design == "full":
        return Counter({n_slots: n_claims})
    if overlap.design == "k_of_n":
        return Counter({overlap.k: n_claims})
    n_double = overlap.n_double(n_claims)
    return Counter({2: n_double, 1: n_claims - n_double})


@settings(deadline=None)
@given(SHAPES, OVERLAPS)
def test_the_overlap_is_reached_exactly_and_the_load_is_even(
    shape: tuple[int, int, int, int], overlap: Overlap
) -> None:
    n, n_runs, n_slots, seed = shape
    if overlap.k > n_slots:
        overlap = Overlap("k_of_n", k=n_slots)
    plan = plan_assignments(claims_of(n, n_runs), Design(seed, slots_of(n_slots), overlap=overlap))
    times = Counter(one for order in plan.values() for one in order)
    assert Counter(times.values()) == +copies(overlap, n, n_slots)
    assert all(len(set(order)) == len(order) for order in plan.values())
    loads = [len(order) for order in plan.values()]
    assert max(loads) - min(loads) <= 1
    shared = [len(set(plan[a]) & set(plan[b])) for a, b in itertools.combinations(plan, 2)]
    assert max(shared) - min(shared) <= 2


@settings(deadline=None)
@given(SHAPES, OVERLAPS, st.sampled_from(["random_within_run", "log_order"]))
def test_only_the_seed_and_the_claims_decide(shape: tuple[int, int, int, int], overlap: Overlap, order: str) -> None:
    n, n_runs, n_slots, seed = shape
    if overlap.k > n_slots:
        overlap = Overlap("k_of_n", k=n_slots)
    claims = claims_of(n, n_runs)
    controls = {claim.blind_claim_id: i % 2 == 0 for i, claim in enumerate(claims[: n // 8])}
    design = Design(seed, slots_of(n_slots), ("R9",), overlap, order, 0.05, controls)
    mixed = random.Random(seed).sample(claims, n)
    turned = dict(reversed(controls.items()))
    again = Design(seed, slots_of(n_slots), ("R9",), overlap, order, 0.05, turned)
    assert plan_packets(mixed, again, KEY) == plan_packets(claims, design, KEY)


def test_another_seed_gives_another_plan_and_raters_have_different_orders() -> None:
    claims = claims_of(60, 6)
    one = plan_assignments(claims, Design(1, slots_of(2)))
    assert one != plan_assignments(claims, Design(2, slots_of(2)))
    assert one["R1"] != one["R2"]
    assert set(one["R1"]) == set(one["R2"])


def test_every_pair_shares_items_from_every_source_and_most_runs() -> None:
    claims = claims_of(400, 20, 3)
    plan = plan_assignments(claims, Design(5, slots_of(3), overlap=Overlap("partial", 0.3, 100)))
    by_id = {claim.blind_claim_id: claim for claim in claims}
    for a, b in itertools.combinations(plan, 2):
        both = [by_id[one] for one in set(plan[a]) & set(plan[b])]
        assert len(both) == 40  # 120 double-coded over three pairs
        assert len({claim.claim_source for claim in both}) == 3
        assert len({claim.blind_run_id for claim in both}) >= 15


def test_runs_stay_together_and_log_order_is_log_order() -> None:
    claims = claims_of(80, 8)
    by_id = {claim.blind_claim_id: claim for claim in claims}
    for order in ("random_within_run", "log_order"):
        plan = plan_assignments(claims, Design(3, slots_of(2), order=order))
        for held in plan.values():
            runs = [by_id[one].blind_run_id for one in held]
            assert len([run for run, _ in itertools.groupby(runs)]) == 8
            turns = [
                [by_id[one].turn for one in block]
                for _, block in itertools.groupby(held, lambda x: by_id[x].blind_run_id)
            ]
            assert all(block == sorted(block) for block in turns) == (order == "log_order")


@settings(deadline=None)
@given(st.integers(0, 160), st.integers(1, 20), st.integers(0, 2**32), st.floats(0.01, 0.1))
def test_repeats_are_as_many_as_asked_far_away_and_unmarked(n: int, n_runs: int, seed: int, share: float) -> None:
    claims = claims_of(n, n_runs)
    packet = plan_packets(claims, Design(seed, slots_of(2), repeats=share), KEY)["R2"]
    repeats = [item for item in packet if item.purpose == "repeat"]
    assert len(repeats) == min(n, max(10, -int(-round(share * n, 9) // 1)))
    assert len({item.of for item in repeats}) == len(repeats)
    first = {item.of: item.position for item in packet if item.purpose == "main"}
    far = [item.position - first[item.of] for item in repeats]
    assert all(distance > 0 for distance in far)
    if n >= SPACING + len(repeats):
        assert min(far, default=SPACING) >= SPACING
    assert [item.position for item in packet] == list(range(1, n + len(repeats) + 1))
    shown = [item.blind_claim_id for item in packet]
    assert len(set(shown)) == len(shown)
    assert {len(one) for one in shown} <= {64}
    assert not {item.blind_claim_id for item in repeats} & {claim.blind_claim_id for claim in claims}
    assert len({item.assignment_id for item in packet}) == len(packet)


def test_a_repeat_does_not_split_a_runs_block_and_two_raters_repeats_share_no_id() -> None:
    claims = claims_of(200, 20)
    by_id = {claim.blind_claim_id: claim for claim in claims}
    packets = plan_packets(claims, Design(11, slots_of(2), repeats=0.05), KEY)
    for packet in packets.values():
        mains = [by_id[item.of].blind_run_id for item in packet if item.purpose == "main"]
        blocks = [run for run, _ in itertools.groupby(packet, lambda item: (item.purpose, by_id[item.of].blind_run_id))]
        assert len({run for purpose, run in blocks if purpose == "main"}) == len(set(mains))
        assert sum(purpose == "main" for purpose, _ in blocks) == 20
    ids = [{item.blind_claim_id for item in packet if item.purpose == "repeat"} for packet in packets.values()]
    assert not ids[0] & ids[1]


def test_no_repeats_are_planned_when_none_are_asked() -> None:
    assert {item.purpose for item in plan_packets(claims_of(50, 5), Design(1, slots_of(2)), KEY)["R1"]} == {"main"}


def test_a_repeat_shows_the_same_claim_under_its_new_id() -> None:
    claims = claims_of(50, 5)
    by_id = {claim.blind_claim_id: claim for claim in claims}
    item = next(
        i for i in plan_packets(claims, Design(1, slots_of(2), repeats=0.1), KEY)["R1"] if i.purpose == "repeat"
    )
    shown = shown_under(by_id[item.of], item)
    assert shown.blind_claim_id == item.blind_claim_id != item.of
    assert shown.repeat_of is None
    assert shown.text == by_id[item.of].text


def test_controls_are_a_twentieth_half_gaps_half_clean_and_outside_the_overlap() -> None:
    claims = claims_of(430, 20)
    controls = {claim.blind_claim_id: i % 2 == 0 for i, claim in enumerate(claims[:30])}
    packets = plan_packets(claims, Design(4, slots_of(3), overlap=Overlap("partial", 0.3, 100), controls=controls), KEY)
    for packet in packets.values():
        mine = [item for item in packet if item.purpose == "control"]
        n_main = sum(item.purpose == "main" for item in packet)
        assert len(mine) == -(-n_main // 20)
        gaps = sum(controls[item.of] for item in mine)
        assert abs(gaps - (len(mine) - gaps)) <= 1
        assert not {item.of for item in packet if item.purpose == "main"} & set(controls)


def test_a_machine_rater_gets_every_claim_and_changes_nothing_for_the_others() -> None:
    claims = claims_of(90, 9)
    overlap = Overlap("partial", 0.3, 20)
    without = plan_assignments(claims, Design(6, slots_of(2), overlap=overlap))
    with_machine = plan_assignments(claims, Design(6, slots_of(2), ("R3",), overlap))
    assert with_machine["R1"] == without["R1"]
    assert set(with_machine["R3"]) == {claim.blind_claim_id for claim in claims}


@pytest.mark.parametrize(
    ("overlap", "n_slots", "words"),
    [
        (Overlap("half"), 2, "overlap.design 'half'"),
        (Overlap("partial", 1.5), 2, "overlap.share is 1.5"),
        (Overlap("partial", 0.3), 1, "at least two raters"),
        (Overlap("k_of_n", k=3), 2, "overlap.k is 3"),
        (Overlap("k_of_n", k=0), 2, "overlap.k is 0"),
    ],
)
def test_a_design_that_cannot_be_is_refused(overlap: Overlap, n_slots: int, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        plan_assignments(claims_of(4, 2), Design(1, slots_of(n_slots), overlap=overlap))


def test_wrong_orders_doubled_ids_and_unknown_controls_are_refused() -> None:
    claims = claims_of(4, 2)
    with pytest.raises(BadInput, match="order 'alphabetical'"):
        plan_assignments(claims, Design(1, slots_of(2), order="alphabetical"))
    with pytest.raises(BadInput, match="same blind id"):
        plan_assignments([*claims, claims[0]], Design(1, slots_of(2)))
    with pytest.raises(BadInput, match="1 controls are not among"):
        plan_assignments(claims, Design(1, slots_of(2), controls={"f" * 64: True}))


STRATA = st.dictionaries(
    st.integers(0, 400).map(str), st.tuples(st.sampled_from("ab"), st.sampled_from("uvwxyz")), max_size=120
)


@settings(deadline=None)
@given(STRATA, st.integers(0, 2**32), st.floats(0, 1))
def test_a_sample_is_exact_proportional_and_seeded(strata: dict[str, tuple[str, str]], seed: int, share: float) -> None:
    n = int(share * len(strata))
    sample = draw_sample(strata, n, seed)
    assert len(sample) == len(set(sample)) == n
    assert sample == draw_sample(dict(reversed(strata.items())), n, seed)
    assert list(sample) == sorted(sample)
    for depth in (1, 2):
        sizes = Counter(names[:depth] for names in strata.values())
        drawn = Counter(strata[one][:depth] for one in sample)
        for names, size in sizes.items():
            assert abs(drawn[names] - n * size / len(strata)) < 1 + 1e-9


def test_the_whole_frame_and_wrong_counts() -> None:
    strata = {"b": ("x",), "a": ("x",)}
    assert draw_sample(strata, None, 1) == draw_sample(strata, 5, 1) == ("a", "b")
    assert draw_sample(strata, 0, 1) == ()
    with pytest.raises(ValueError, match="fewer than no claims"):
        draw_sample(strata, -1, 1)
    with pytest.raises(ValueError, match="cannot draw 3 of 2"):
        draw_stratified(strata, 3, generator(1, 1))


def test_every_claim_has_the_same_chance_to_be_sampled() -> None:
    strata = {f"{i}": ("a" if i < 3 else "b", f"r{i % 4}") for i in range(10)}
    seen = Counter(one for seed in range(4000) for one in draw_sample(strata, 4, seed))
    # 4000 draws of 4 in 10: expected 1600 each, standard deviation sqrt(4000 * .4 * .6) = 31; five of them
    assert all(abs(seen[one] - 1600) < 155 for one in strata)
