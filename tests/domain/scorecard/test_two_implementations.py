"""The gate between the implementations, and what must hold for any scorecard at all."""

from __future__ import annotations

import ast
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.canonical import canonical_json
from app.domain.scorecard.check.recompute import recompute
from app.domain.scorecard.engine import compute
from app.domain.scorecard.gate import TOLERANCE, compare
from app.domain.scorecard.records import (
    LABELS,
    Answer,
    Call,
    Entity,
    Fact,
    Mention,
    Question,
    ScoreData,
    Sheet,
)
from app.domain.scorecard.spec import Focus, Length, Resampling, Salience, ScorecardSpec, Slice, Weights
from tests.domain.scorecard.small import FEW, SPEC, card, drawn, party, scored, sheet

CHECK = Path(__file__).resolve().parents[3] / "app/domain/scorecard/check"
RICH = replace(
    SPEC,
    scenarios={**SPEC.scenarios, "even": Weights(25, 25, (2.5, 2.5)), "no-language": Weights(60, 40, (0, 0))},
    slices=(Slice("NE", "lang", "ne"),),
    focus=Focus("some", ("m2", "m1")),
    length=Length(("words",), "words"),
    consensus_of=2,
    inventory=("lang",),
    resampling={name: Resampling(12, 3) for name in FEW},
)


def invent(rng: random.Random) -> ScoreData:
    """A scorecard with every defect, more of it than any real one has."""
    models, questions = [f"m{i}" for i in range(1, rng.randint(2, 4) + 1)], [f"q{i}" for i in range(rng.randint(1, 5))]
    judges = [f"j{i}" for i in range(1, rng.randint(1, 3) + 1)]
    gold = [
        Fact(q, f"f{k}", "core" if not k else rng.choice(["core", "supporting", "context"]), rng.randint(0, 2))
        for q in questions
        for k in range(rng.randint(1, 4))
    ]
    answers = [
        Answer(m, q, rng.random() < 0.85, rng.choice([None, 10.0, 10.0, float(rng.randint(1, 90))]))
        for m in models
        for q in questions
    ]
    sheets = [
        _sheet(rng, (a.model_id, a.question_id, judge, repeat))
        for a in answers
        for judge in judges
        for repeat in (1, 2)
        if rng.random() < (0.9 if repeat == 1 else 0.4)
    ]
    kinds, surfaces = ["place", "Place", "person"], ["Ennis Point", "ennis-point", "Firth", "Tarn"]
    return ScoreData(
        questions=tuple(Question(q, {"lang": rng.choice(["ne", "en"])}) for q in questions),
        facts=tuple(gold),
        models=tuple(party(m, rng.choice(["x", "y"])) for m in models),
        judges=tuple(party(j, rng.choice(["x", "y"]), official=j == "j1" or rng.random() < 0.7) for j in judges),
        answers=tuple(answers),
        sheets=tuple(sheets),
        calls=tuple(_call(rng, a.model_id) for a in answers),
        entities=tuple(Entity(q, "e1", "place", ("Ennis Point", "Tarn")) for q in questions),
        mentions=tuple(
            Mention(a.model_id, a.question_id, rng.choice(kinds), rng.choice(surfaces))
            for a in answers
            for _ in range(rng.randint(0, 3))
        ),
    )


def _sheet(rng: random.Random, place: tuple[str, str, str, int]) -> Sheet:
    names = ["f0", "f1", "f2", "f3", "f9"]
    entries = tuple((rng.choice(names), rng.choice(LABELS)) for _ in range(rng.randint(0, 6)))
    quality = (rng.choice([None, 1.0, 5.5, 10.0]), rng.choice([2.0, 7.5]))
    model, question, judge, repeat = place
    return Sheet(model, question, judge, repeat, rng.random() < 0.95, rng.choice([None, 0, 0, 1, 4]), quality, entries)


def _call(rng: random.Random, actor: str) -> Call:
    cost, latency = (rng.choice([None, rng.random() * 9]) for _ in range(2))
    return Call(rng.choice(["candidate", "judge"]), actor, rng.random() < 0.2, cost, latency)


def shuffled(rng: random.Random, data: ScoreData) -> ScoreData:
    """The same records with every table's rows, and every sheet's entries, in another order."""

    def mixed(rows: Any) -> Any:
        return tuple(rng.sample(rows, len(rows)))

    tables = ("questions", "facts", "models", "judges", "answers", "calls", "entities", "mentions")
    changed = {name: mixed(getattr(data, name)) for name in tables if getattr(data, name) is not None}
    sheets = mixed([replace(s, entries=mixed(s.entries)) for s in data.sheets])
    return replace(data, sheets=sheets, **changed)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_both_implementations_agree_on_any_scorecard(seed: int) -> None:
    scored(invent(random.Random(seed)), RICH)


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_the_order_of_rows_changes_not_one_byte(seed: int) -> None:
    rng = random.Random(seed)
    data = invent(rng)
    again = shuffled(rng, data)
    assert canonical_json(compute(data, RICH)) == canonical_json(compute(again, RICH))
    plain = [recompute(d.plain(), RICH.plain(), drawn(RICH)) for d in (data, again)]
    assert compare(plain[0], plain[1])["agrees"]


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_taking_a_scenario_away_changes_no_other_figure(seed: int) -> None:
    data = invent(random.Random(seed))
    fewer = replace(RICH, scenarios={name: w for name, w in RICH.scenarios.items() if name != "even"})
    whole, less = compute(data, RICH), compute(data, fewer)
    assert whole["scenarios"].pop("even")
    assert canonical_json(whole) == canonical_json(less)


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_counts_always_sum(seed: int) -> None:
    data = invent(random.Random(seed))
    figures = compute(data, RICH)
    of = figures["accounting"]
    assert of["n_valid"] + of["n_failed"] == of["N"] == len(data.answers)
    for sheets in figures["defects"].values():
        assert sheets["n_valid"] + sheets["n_failed"] + sheets["n_missing"] == sheets["n_due"]
    calls = figures["calls"]
    parts = [phase["total"] for phase in calls["phases"].values()]
    assert sum(part["n_retained"] + part["n_replaced"] for part in parts) == len(data.calls or ())
    for model in figures["ranks"]["models"].values():
        assert sum(model["frequencies"]) == pytest.approx(1.0)
    centred = [m["centred_mean"]["value"] for m in figures["common_subset"]["models"].values()]
    assert None in centred or sum(centred) == pytest.approx(0.0, abs=1e-9)


def test_the_gate_names_what_differs_and_how_far() -> None:
    figures = scored(card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated")]))
    other = recompute_changed(figures, 94.0 + 3e-9)
    gate = compare(figures, other)
    assert (gate["agrees"], gate["n_differing"]) == (False, 1)
    assert gate["differing"][0]["path"] == "models.m1.effective_mean.value"
    assert gate["max_abs_diff"] == pytest.approx(3e-9, rel=1e-3)
    assert compare(figures, recompute_changed(figures, 94.0 + 0.5e-9))["agrees"]
    assert TOLERANCE == 1e-9


def recompute_changed(figures: dict[str, Any], value: object) -> dict[str, Any]:
    model = figures["models"]["m1"]
    changed = {**model, "effective_mean": {**model["effective_mean"], "value": value}}
    return {**figures, "models": {"m1": changed}}


@pytest.mark.parametrize("value", [None, "94", True])
def test_the_gate_takes_nothing_for_a_number(value: object) -> None:
    figures = scored(card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated")]))
    assert not compare(figures, recompute_changed(figures, value))["agrees"]


def test_the_gate_misses_no_leaf_that_only_one_has() -> None:
    figures = scored(card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated")]))
    fewer = {name: part for name, part in figures.items() if name != "defects"}
    assert not compare(figures, fewer)["agrees"]
    assert not compare(fewer, figures)["agrees"]
    assert not compare({"a": {"b": 1}}, {"a": {}})["agrees"]
    assert not compare({"a": [1]}, {"a": []})["agrees"]
    assert not compare({"n": 1}, {"n": True})["agrees"]
    assert not compare({"n": 2}, {"n": 3})["agrees"]


def test_the_second_implementation_imports_nothing_of_the_first() -> None:
    allowed = ("app.domain.scorecard.check", "app.domain.stats.check")
    paths = sorted(CHECK.glob("*.py"))
    assert len(paths) > 8
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                assert not name.startswith(("numpy", "scipy", "pandas")), f"{path.name} imports {name}"
                assert not name.startswith("app.") or name.startswith(allowed), f"{path.name} imports {name}"


def test_a_scorecard_of_one_of_everything_is_scored() -> None:
    spec = ScorecardSpec("x", "y", {}, salience=Salience(), resampling=FEW)
    figures = scored(card({"q1": "a:core"}, [sheet("m1 q1 j1", "a:stated")]), spec)
    assert figures["models"]["m1"]["effective_mean"]["value"] == 94.0
    assert figures["slices"]["overall"]["pairs"] == {}
