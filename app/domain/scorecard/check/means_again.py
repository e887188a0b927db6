"""Second implementation: effective and quality-only means, their intervals, paired differences, ranks.

Responsible for everything that averages answers over questions, drawn once or again and again. Draws are handed in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.scorecard.check.plain import Draws, Found, Panel, Spec, less, mean_of
from app.domain.stats.check.intervals import percentile

Values = Mapping[tuple[str, str], float | None]
TIED = 1e-9


def effective(panel: Panel, values: Values, model: str, questions: Sequence[str]) -> Found:
    """Return the mean over all these questions with zero for a failure; None if a valid answer has no score."""
    scores = effective_scores(panel, values, model, questions)
    known = [score for score in scores if score is not None]
    gaps = len(scores) - len(known)
    if not scores:
        return {"value": None, "n": 0, "N": 0, "bounds": None}
    low = sum(known) / len(scores)
    return {
        "value": None if gaps else low,
        "n": len(known),
        "N": len(scores),
        "bounds": [low, low + 100.0 * gaps / len(scores)] if gaps else None,
    }


def effective_scores(panel: Panel, values: Values, model: str, questions: Sequence[str]) -> list[float | None]:
    """Return a model's score on each question, zero for a failure, None for a valid answer without a score."""
    return [values[model, question] if panel.valid[model, question] else 0.0 for question in questions]


def quality_only(panel: Panel, values: Values, model: str, questions: Sequence[str]) -> Found:
    """Return the mean over the valid answers that have a value."""
    valid = [question for question in questions if panel.valid[model, question]]
    known = [value for value in (values[model, question] for question in valid) if value is not None]
    return {"value": mean_of(known), "n": len(known), "N": len(valid)}


def limits(resampled: Sequence[float | None], how: tuple[int, int], defined: bool) -> Found:
    """Return the percentile limits of resampled values, all null where the value itself is undefined."""
    known = [value for value in resampled if value is not None]
    shown = defined and bool(known)
    return {
        "lo": percentile(known, 0.025) if shown else None,
        "hi": percentile(known, 0.975) if shown else None,
        "draws": how[0],
        "seed": how[1],
        "undefined_resamples": len(resampled) - len(known) if shown else None,
    }


def resampled(scores: Sequence[float | None], draws: Sequence[Sequence[int]]) -> list[float | None]:
    """Return the mean of the scores drawn in each resample, those that are None left out."""
    if None not in scores:
        whole = [score for score in scores if score is not None]
        n = len(whole)
        return [sum(map(whole.__getitem__, drawn)) / n for drawn in draws]
    filled = [0.0 if score is None else score for score in scores]
    there = [0 if score is None else 1 for score in scores]
    means: list[float | None] = []
    for drawn in draws:
        n = sum(map(there.__getitem__, drawn))
        means.append(sum(map(filled.__getitem__, drawn)) / n if n else None)
    return means


def paired(names: Sequence[str], scores: Mapping[str, list[float | None]], named: tuple[Spec, Draws], of: int) -> Found:
    """Return means and differences of every two of `names` over the questions their scores are given for.

    `named` holds the resamplings by the key their interval takes, and the draws; `of` is the number of all questions.
    """
    intervals, draws = named
    n = len(scores[names[0]])
    means = {name: None if None in scores[name] else mean_of([s or 0.0 for s in scores[name]]) for name in names}
    again = {
        key: {name: resampled([s or 0.0 for s in scores[name]], draws(which, n)) if n else [] for name in names}
        for key, (which, _) in intervals.items()
    }
    pairs: Found = {name: {} for name in names[:-1]}
    for a, first in enumerate(names):
        for second in names[a + 1 :]:
            difference = less(means[first], means[second])
            entry: Found = {"value": difference, "n": n, "N": of, "ci95_original": None}
            for key, (_, how) in intervals.items():
                drawn = [less(x, y) for x, y in zip(again[key][first], again[key][second], strict=True)]
                entry[key] = limits(drawn, how, difference is not None)
            pairs[first][second] = entry
    return {"n": n, "N": of, "means": {name: {"value": means[name], "n": n, "N": of} for name in names}, "pairs": pairs}


def ranks(scores: Mapping[str, float | None]) -> dict[str, int | None]:
    """Return 1 for the highest; neighbours within 1e-9 share the best place; None for an undefined score."""
    found: dict[str, int | None] = dict.fromkeys(scores)
    for first, tied in tie_groups({name: score for name, score in scores.items() if score is not None}):
        found.update(dict.fromkeys(tied, first + 1))
    return found


def tie_groups(scores: Mapping[str, float]) -> list[tuple[int, list[str]]]:
    """Return (places above, the models that share the next places), the highest first."""
    falling = sorted(scores, key=lambda name: -scores[name])
    groups: list[tuple[int, list[str]]] = []
    for place, name in enumerate(falling):
        if groups and scores[falling[place - 1]] - scores[name] <= TIED:
            groups[-1][1].append(name)
        else:
            groups.append((place, [name]))
    return groups


def frequencies(scores: Mapping[str, list[float]], draws: Sequence[Sequence[int]]) -> dict[str, list[float]]:
    """Return how often each model takes each rank, ties sharing the places they take."""
    taken = {name: [0.0] * len(scores) for name in scores}
    means = {name: resampled(values, draws) for name, values in scores.items()}
    for b in range(len(draws)):
        for first, tied in tie_groups({name: means[name][b] or 0.0 for name in scores}):
            for name in tied:
                for place in range(first, first + len(tied)):
                    taken[name][place] += 1 / len(tied)
    return {name: [times / len(draws) for times in row] for name, row in taken.items()}
