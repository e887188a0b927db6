"""Building ratings: order, gaps, runs and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from app.domain.errors import BadInput
from app.domain.stats.ratings import LongTable, build_ratings, natural_key, number_of, ratings_of_codes
from app.domain.stats.scales import scale_of
from app.domain.stats.statistic import REASONS, sentence, statistic, tidy


def test_units_and_raters_are_ordered_and_gaps_stay_gaps() -> None:
    table = LongTable(["u10", "u2", "u10"], ["B", "A", "A"], ["x", "y", None])
    built = build_ratings(table, ["x", "y"], sort_key=natural_key)
    assert (built.units, built.raters) == (("u2", "u10"), ("A", "B"))
    assert built.codes.tolist() == [[1, -1], [-1, 0]]
    assert not built.clustered


def test_runs_go_with_their_units() -> None:
    built = build_ratings(LongTable(["u1", "u2"], ["A", "A"], ["x", "x"], ["r2", "r1"]), ["x"])
    assert [built.cluster_names[c] for c in built.clusters] == ["r2", "r1"]


@pytest.mark.parametrize(
    ("table", "categories", "told"),
    [
        (LongTable([], [], []), ["x"], "there are no ratings"),
        (LongTable(["u"], ["A"], ["x"]), [], "no categories are declared"),
        (LongTable(["u"], ["A"], ["x"]), ["x", "y", "x"], "category 'x' is declared twice"),
        (LongTable(["u"], ["A"], ["z"]), ["x"], "rating 1, column label: 'z'"),
        (
            LongTable(["u", "v", "u"], ["A", "A", "B"], ["x", "x", "x"], ["r1", "r1", "r2"]),
            ["x"],
            "rating 3: unit 'u' is in run 'r2' here and in run 'r1' in rating 1",
        ),
    ],
)
def test_a_table_that_means_two_things_is_refused(table: LongTable, categories: list[str], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        build_ratings(table, categories)


def test_codes_outside_the_categories_are_refused() -> None:
    with pytest.raises(BadInput, match="not one of the 2 declared"):
        ratings_of_codes([[0, 2]], ["a", "b"])


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1.0), ("-2.5", -2.5), (".5", 0.5), ("1e3", 1000.0), ("１", None), ("inf", None), ("", None)],
)
def test_what_counts_as_a_number(text: str, number: float | None) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    ("level", "weights", "told"),
    [
        ("cardinal", None, "level 'cardinal' is not one of nominal, ordinal, interval, ratio"),
        ("interval", None, "level interval needs categories that are numbers, and 'a' is not one"),
        ("nominal", [[0.0]], "a square of 2 rows and 2 columns"),
        ("nominal", [[0.0, -1.0], [1.0, 0.0]], "row 1, column 2: a disagreement must be 0 or more"),
        ("nominal", [[1.0, 0.5], [0.5, 1.0]], "row 1, column 1: a category does not disagree with itself"),
    ],
)
def test_levels_and_weights_that_do_not_fit(level: str, weights: list[list[float]] | None, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        scale_of(["a", "b"], level, None if weights is None else np.array(weights))


def test_a_statistic_is_a_number_or_a_reason() -> None:
    assert statistic(-0.0, "no_overlap") == {"value": 0.0, "undefined_reason": None}
    assert statistic(float("nan"), "no_overlap") == {"value": None, "undefined_reason": "no_overlap"}
    with pytest.raises(ValueError, match="needs a known reason"):
        statistic(float("nan"))
    assert str(tidy(-1e-17)) == "0.0"
    assert all(sentence(code).startswith("undefined: ") for code in REASONS)
