"""Small scorecards written by hand: gold facts and sheets in one line each, so that every number can be worked out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from app.domain.scorecard.check.recompute import recompute
from app.domain.scorecard.engine import compute
from app.domain.scorecard.gate import compare
from app.domain.scorecard.records import Answer, Fact, Party, Question, ScoreData, Sheet
from app.domain.scorecard.spec import Resampling, Salience, ScorecardSpec

FEW = {name: Resampling(40, 7) for name in ("primary", "original", "ranks", "focus")}
SPEC = ScorecardSpec("small", "written for a test", {}, salience=Salience(other=("context",)), resampling=FEW)


def party(name: str, namespace: str | None = None, **more: Any) -> Party:
    return Party(name, more.pop("display_name", name), namespace or name, "host", **more)


def facts(gold: Mapping[str, str], named_by: Mapping[str, int] | None = None) -> tuple[Fact, ...]:
    """`{"q1": "a:core b:core c:supporting"}` as facts; `named_by` how many contributors named `q1.a`."""
    counts = named_by or {}
    return tuple(
        Fact(question, name, salience, counts.get(f"{question}.{name}"))
        for question, line in gold.items()
        for name, salience in (word.split(":") for word in line.split())
    )


def sheet(
    place: str, entries: str, unsupported: int | None = 0, quality: Sequence[float | None] = (8, 8), repeat: int = 1
) -> Sheet:
    """`sheet("m1 q1 j1", "a:stated b:absent")`."""
    model, question, judge = place.split()
    pairs = tuple((name, label) for name, label in (word.split(":") for word in entries.split()))
    ne, en = quality
    return Sheet(model, question, judge, repeat, True, unsupported, (ne, en), pairs)


def card(gold: Mapping[str, str], sheets: Iterable[Sheet], failures: Iterable[str] = (), **more: Any) -> ScoreData:
    """A whole scorecard from gold and sheets; `failures` are `"m1 q2"`, everything else that is named is valid."""
    given = tuple(sheets)
    failed = {tuple(place.split()) for place in failures}
    models = sorted({s.model_id for s in given} | {model for model, _ in failed} | set(more.pop("models", ())))
    judges = sorted({s.judge_id for s in given})
    whole = ScoreData(
        questions=tuple(Question(question) for question in gold),
        facts=facts(gold, more.pop("named_by", None)),
        models=tuple(party(name) for name in models),
        judges=tuple(party(name) for name in judges),
        answers=tuple(Answer(m, q, (m, q) not in failed) for m in models for q in gold),
        sheets=given,
    )
    return replace(whole, **more)


def drawn(spec: ScorecardSpec) -> Any:
    """The draws a scorecard states, as plain lists."""

    def draws(name: str, n: int) -> list[list[int]]:
        how = spec.resampling[name]
        table: list[list[int]] = np.random.default_rng(how.seed).integers(0, n, size=(how.draws, n)).tolist()
        return table

    return draws


def scored(data: ScoreData, spec: ScorecardSpec = SPEC) -> dict[str, Any]:
    """Every figure, after both implementations have been held against each other."""
    figures = compute(data, spec)
    gate = compare(figures, recompute(data.plain(), spec.plain(), drawn(spec)))
    assert gate["agrees"], gate["differing"]
    return figures
