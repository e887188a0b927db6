"""What a scorecard may not declare."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.scorecard.spec import (
    THE_ORIGINAL,
    Focus,
    Length,
    Resampling,
    Salience,
    ScorecardSpec,
    Slice,
    Thresholds,
    Weights,
)
from app.domain.scorecard.spec_faults import find_fault

GOOD = ScorecardSpec("x", "y", {"sheets": "sheets.csv", "grades": "grades.csv"})


def original_and(**more: Weights) -> dict[str, Weights]:
    return {"original": THE_ORIGINAL, **more}


def test_the_defaults_stand() -> None:
    assert find_fault(GOOD) is None
    assert (THE_ORIGINAL.core, THE_ORIGINAL.precision, THE_ORIGINAL.languages) == (40, 30, (1.5, 1.5))
    assert THE_ORIGINAL.best == 100  # 40 + 30 + 10 × (1.5 + 1.5)


@pytest.mark.parametrize(
    ("change", "path", "word"),
    [
        ({"id": "no spaces"}, ("id",), "letters"),
        (
            {"scenarios": original_and(more=Weights(50, 30, (1.5, 1.5)))},
            ("scenarios", "more"),
            "is 110 and must be 100",
        ),
        ({"scenarios": original_and(less=Weights(40, 30, (1.5, 1.4)))}, ("scenarios", "less"), "is 99 and must be 100"),
        ({"scenarios": original_and(odd=Weights(-10, 80, (1.5, 1.5)))}, ("scenarios", "odd"), "negative"),
        ({"scenarios": {"original": Weights(30, 40, (1.5, 1.5))}}, ("scenarios", "original"), "stays primary"),
        ({"languages": ("ne", "ne")}, ("languages",), "twice"),
        ({"languages": ("ne", "core")}, ("languages",), "weights"),
        ({"languages": ("NE", "en")}, ("languages", 0), "lower-case"),
        ({"salience": Salience("core", "core")}, ("salience",), "twice"),
        ({"resampling": {"primary": Resampling(0, 1)}}, ("resampling", "primary", "draws"), "from 1"),
        ({"resampling": {"primary": Resampling(5, 2**63)}}, ("resampling", "primary", "seed"), "below"),
        ({"slices": (Slice("overall", "c", "v"),)}, ("slices", 0), "another name"),
        ({"slices": (Slice("a", "c", "v"), Slice("a", "c", "w"))}, ("slices", 1), "twice"),
        ({"focus": Focus("f", ("m1",))}, ("focus", "models"), "two models"),
        ({"focus": Focus("f", ("m1", "m1"))}, ("focus", "models", 1), "twice"),
        ({"focus": Focus("f", ("m1", "m2"), ("speed",))}, ("focus", "criteria", 0), "no criterion"),
        ({"thresholds": Thresholds(1.2)}, ("thresholds", "intra_label_agreement"), "0 to 1"),
        ({"thresholds": Thresholds(0.8, -2)}, ("thresholds", "inter_rank_correlation"), "-1 to 1"),
        ({"consensus_of": 0}, ("consensus_of",), "from 1"),
        ({"saved_tolerance": -1.0}, ("saved_tolerance",), "from 0"),
        ({"precision_of_nothing": "one"}, ("precision_of_nothing",), "undefined, zero"),
        ({"tables": {"sheets": "s.csv"}}, ("tables",), "grades"),
        ({"tables": {"sheets": "s.jsonl", "grades": "g.csv"}}, ("tables", "grades"), "JSON lines"),
        ({"tables": {**GOOD.tables, "gold_entities": "e"}}, ("tables", "gold_entities"), "answer_entities"),
        ({"tables": {**GOOD.tables, "answer_entities": "e"}}, ("tables", "answer_entities"), "gold_entities"),
        ({"tables": {**GOOD.tables, "copied_intervals": "c"}}, ("tables", "copied_intervals"), "manifest"),
        ({"ignored_columns": {"facts": ("x",)}}, ("ignored_columns", "facts"), "no table"),
        ({"length": Length((), "words")}, ("length", "columns"), "empty"),
        ({"inventory": ("a", "a")}, ("inventory", 1), "twice"),
    ],
)
def test_a_declaration_that_cannot_stand_is_named(change: dict, path: tuple, word: str) -> None:
    fault = find_fault(replace(GOOD, **change))
    assert fault is not None
    assert fault.path == path
    assert word in fault.message
