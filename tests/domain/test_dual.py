"""The gate between two implementations of the same figures."""

from __future__ import annotations

from app.domain.dual import compare


def test_numbers_may_differ_by_the_tolerance_and_no_more() -> None:
    assert compare({"a": 1.0}, {"a": 1.0 + 9e-10})["agrees"]
    found = compare({"a": 1.0}, {"a": 1.0 + 2e-9})
    assert not found["agrees"]
    assert found["max_abs_diff"] > 1e-9


def test_counts_texts_and_truths_must_be_the_same() -> None:
    for one, other in ((3, 4), ("T0", "T1"), (True, False), (True, 1), (None, 0.0), (None, 0), ([], {})):
        assert not compare({"a": one}, {"a": other})["agrees"], (one, other)


def test_what_only_one_has_is_a_difference_at_its_place() -> None:
    found = compare({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2, "c": 3}, 4]})
    assert [line["path"] for line in found["differing"]] == ["a.1.c", "a.2"]
    assert not compare({"a": []}, {})["agrees"]


def test_null_on_both_sides_agrees_and_every_leaf_is_counted() -> None:
    found = compare({"a": None, "b": [1.5, "x"]}, {"a": None, "b": [1.5, "x"]})
    assert (found["agrees"], found["n_compared"], found["max_abs_diff"]) == (True, 3, 0.0)


def test_words_are_left_out_where_asked() -> None:
    assert compare({"a": 1, "why": "x"}, {"a": 1, "why": "y"}, words=("why",))["agrees"]
