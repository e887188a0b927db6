"""What holds of every table: the order of rows is nothing, a policy stands alone, classes always sum, and two
implementations agree."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.dual import compare
from app.domain.reconcile.spec import Family
from tests.domain.reconcile.small import CATEGORIES, Row, few_draws, few_draws_tree, record, run_both, target_row

SOAK = bool(os.environ.get("SAYDO_SOAK"))
MODELS = ("claude-fable-5", "Gemini-a", "m", "M")
# Short decimals on purpose: their means end in ties at the published precision.
PUBLISHED = st.one_of(st.none(), st.integers(0, 2000).map(lambda n: n / 20), st.sampled_from([33.3, 50.0, 0.0001]))
COST = st.one_of(st.none(), st.integers(0, 400).map(lambda n: n / 10000), st.floats(0, 1e6, allow_nan=False))
NUMBERS = [f"{p}_{kind}" for p in ("greenfield", "testing") for kind in ("score", "cost")] + ["average_score"]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    names = draw(st.lists(st.sampled_from(MODELS), min_size=1, max_size=4, unique=True))
    targets = [
        target_row(
            name,
            agent_type=draw(st.sampled_from(["x", "y", None])),
            categories_completed=draw(st.integers(0, 5)),
            **{column: draw(PUBLISHED) for column in NUMBERS},
        )
        for name in names
    ]
    some = st.tuples(
        st.sampled_from(MODELS),
        st.sampled_from([*CATEGORIES, "elsewhere"]),
        st.sampled_from([True, False, None]),
        COST,
        st.sampled_from(["x", "y", None]),
    )
    sources = [
        record(name, benchmark, resolved, cost, agent_type=kind)
        for name, benchmark, resolved, cost, kind in draw(st.lists(some, min_size=1, max_size=25))
    ]
    return targets, sources


@settings(max_examples=200 if SOAK else 25)
@given(tables())
def test_two_implementations_agree_and_classes_sum(drawn: tuple[list[Row], list[Row]]) -> None:
    targets, sources = drawn
    both = run_both(targets, sources)
    assert compare(both.a, both.b)["differing"] == []
    assert both.a["sum"] == len(targets) * 38 == len(both.a["cells"])
    for line in both.a["policies"]:
        assert sum(line["tiers"].values()) == len(targets)


@settings(max_examples=60 if SOAK else 8)
@given(tables(), st.randoms(use_true_random=False))
def test_permuting_rows_changes_nothing(drawn: tuple[list[Row], list[Row]], random: Any) -> None:
    targets, sources = drawn
    before = run_both(targets, sources)
    shuffled = random.sample(targets, len(targets)), random.sample(sources, len(sources))
    after = run_both(*shuffled)
    assert after.a == before.a
    assert after.b == before.b


def without(family: Family, policy: str) -> Family:
    return replace(family, policies=tuple(p for p in family.policies if p.id != policy))


@settings(max_examples=60 if SOAK else 6)
@given(tables(), st.data())
def test_removing_a_policy_changes_no_other_policys_figures(
    drawn: tuple[list[Row], list[Row]], data: st.DataObject
) -> None:
    targets, sources = drawn
    spec, tree = few_draws(), few_draws_tree()
    n = data.draw(st.integers(2, len(spec.families) - 2))
    family = spec.families[n]
    gone = data.draw(st.sampled_from([p.id for p in family.policies if p.id != family.primary]))
    fewer = replace(spec, families=tuple(without(f, gone) if f is family else f for f in spec.families))
    tree["families"][n]["policies"] = [p for p in tree["families"][n]["policies"] if p["id"] != gone]
    before, after = run_both(targets, sources), run_both(targets, sources, fewer, tree)
    for side in ("a", "b"):
        kept = [line for line in getattr(before, side)["policies"] if line["policy"] != gone]
        assert getattr(after, side)["policies"] == kept
        assert getattr(after, side)["null"] == getattr(before, side)["null"]
        for old, new in zip(getattr(before, side)["cells"], getattr(after, side)["cells"], strict=True):
            assert new["results"] == [r for r in old["results"] if r["policy"] != gone]


def test_a_sum_does_not_depend_on_the_order_of_its_terms() -> None:
    """(0.1 + 0.2) + 0.3 is 0.6000000000000001 in plain addition, (0.3 + 0.2) + 0.1 is 0.6; here both are 0.6."""
    costs = [0.1, 0.2, 0.3]
    first = run_both([target_row("m")], [record("m", cost=cost) for cost in costs])
    second = run_both([target_row("m")], [record("m", cost=cost) for cost in reversed(costs)])
    assert (
        first.value("m", "greenfield_cost", "sum/N_all") == second.value("m", "greenfield_cost", "sum/N_all") == 0.6 / 3
    )
    assert (first.a, first.b) == (second.a, second.b)
