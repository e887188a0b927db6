"""Unit agreement of two extractors, by hand and against a brute-force count."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.claims.raw import RawClaim
from app.domain.claims.units import compare_units

calm = settings(deadline=None)


def unit(start: int, end: int, *, row: int = 1, turn: int = 0, run: str = "run", target: str = "text") -> RawClaim:
    return RawClaim(row, f"c{row}", run, turn, target, start, end, "x")


def test_exact_and_overlapping_units_are_counted() -> None:
    a = [unit(0, 10, row=1), unit(20, 30, row=2), unit(40, 50, row=3), unit(60, 70, row=4)]
    b = [unit(0, 10, row=1), unit(20, 35, row=2), unit(40, 61, row=3)]
    found = compare_units(a, b)
    # exact: 1 pair of 4 + 3 units → 2/7; overlap: also 20-30 / 20-35 (10 of 15) → 4/7; 40-50 covers 10 of 21 only
    assert found.exact_f1 == pytest.approx(2 / 7)
    assert found.overlap_f1 == pytest.approx(4 / 7)
    assert [u.row for u in found.only_a] == [3, 4]
    assert [u.row for u in found.only_b] == [3]


def test_half_is_enough_and_less_is_not() -> None:
    assert compare_units([unit(0, 10)], [unit(0, 20)]).overlap_f1 == 1.0
    assert compare_units([unit(0, 10)], [unit(0, 21)]).overlap_f1 == 0.0


@pytest.mark.parametrize("other", [unit(0, 9, turn=1), unit(0, 9, run="b"), unit(0, 9, target="args:t0.c0")])
def test_units_meet_only_in_the_same_text(other: RawClaim) -> None:
    found = compare_units([unit(0, 9)], [other])
    assert (found.exact_f1, found.overlap_f1) == (0.0, 0.0)


def test_partners_move_over_so_that_as_many_pairs_as_possible_form() -> None:
    # 0-10 fits both, 2-12 fits only 0-10's first choice: the pairs must be crossed
    a = [unit(0, 10, row=1), unit(4, 14, row=2)]
    b = [unit(2, 12, row=1), unit(0, 7, row=2)]
    assert compare_units(a, b).overlap_f1 == 1.0


def test_nothing_on_both_sides_is_undefined_and_on_one_side_zero() -> None:
    empty = compare_units([], [])
    assert (empty.exact_f1, empty.overlap_f1, empty.undefined_reason) == (None, None, "no_units")
    one = compare_units([unit(0, 5)], [])
    assert (one.exact_f1, one.overlap_f1, one.undefined_reason) == (0.0, 0.0, None)


SPANS = st.lists(st.tuples(st.integers(0, 8), st.integers(1, 6)).map(lambda p: (p[0], p[0] + p[1])), max_size=4)


def brute_force(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> int:
    """The most pairs that can be formed at all, by trying every assignment."""

    def fits(one: tuple[int, int], other: tuple[int, int]) -> bool:
        common = min(one[1], other[1]) - max(one[0], other[0])
        return common / max(one[1] - one[0], other[1] - other[0]) >= 0.5

    for size in range(min(len(a), len(b)), 0, -1):
        for chosen in combinations(range(len(a)), size):
            for partners in permutations(range(len(b)), size):
                if all(fits(a[i], b[j]) for i, j in zip(chosen, partners, strict=True)):
                    return size
    return 0


@calm
@given(SPANS, SPANS)
def test_the_pairs_are_as_many_as_trying_everything_finds_and_the_measure_is_symmetric(
    a: list[tuple[int, int]], b: list[tuple[int, int]]
) -> None:
    units_a = [unit(*span, row=row) for row, span in enumerate(a, start=1)]
    units_b = [unit(*span, row=row) for row, span in enumerate(b, start=1)]
    found, turned = compare_units(units_a, units_b), compare_units(units_b, units_a)
    assert found.n_overlapping == brute_force(a, b) == turned.n_overlapping
    assert found.n_exact == turned.n_exact == sum(min(a.count(span), b.count(span)) for span in set(a))
    assert len(found.only_a) == len(a) - found.n_overlapping
    assert len(found.only_b) == len(b) - found.n_overlapping
