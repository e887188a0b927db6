"""Second implementation: effective and quality-only means, their intervals, paired differences, ranks.

Responsible for everything that averages answers over questions, drawn once or again and again. Draws are handed in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import sub

from app.domain.scorecard.check.drawn_again import Resamples, limits
from app.domain.scorecard.check.plain import Found, Panel, Spec, less, mean_of

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


def paired(
    names: Sequence[str], scores: Mapping[str, list[float | None]], named: tuple[Spec, Resamples], of: int
) -> Found:
    """Return means and differences of every two of `names` over the questions their scores are given for.

    `named` holds the resamplings by the key their interval takes, and the draws; `of` is the number of all questions.
    """
    intervals, resamples = named
    n = len(scores[names[0]])
    means = {name: None if None in scores[name] else mean_of([s or 0.0 for s in scores[name]]) for name in names}
    again = {
        key: {name: whole_means(resamples, which, scores[name]) if n else [] for name in names}
        for key, (which, _) in intervals.items()
    }
    pairs: Found = {name: {} for name in names[:-1]}
    for a, first in enumerate(names):
        for second in names[a + 1 :]:
            difference = less(means[first], means[second])
            entry: Found = {"value": difference, "n": n, "N": of, "ci95_original": None}
            for key, (_, how) in intervals.items():
                drawn = list(map(sub, again[key][first], again[key][second]))
                entry[key] = limits(drawn, how, difference is not None)
            pairs[first][second] = entry
    return {"n": n, "N": of, "means": {name: {"value": means[name], "n": n, "N": of} for name in names}, "pairs": pairs}


def whole_means(resamples: Resamples, which: str, scores: Sequence[float | None]) -> list[float]:
    """Return the resampled means of scores with zero in the place of an undefined one; the caller says undefined."""
    return [mean or 0.0 for mean in resamples.means(which, [score or 0.0 for score in scores])]


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


def frequencies(means: Mapping[str, Sequence[float | None]], n_draws: int) -> dict[str, list[float]]:
    """Return how often each model takes each rank in its resampled means, ties sharing the places they take."""
    taken = {name: [0.0] * len(means) for name in means}
    for b in range(n_draws):
        for first, tied in tie_groups({name: means[name][b] or 0.0 for name in means}):
            for name in tied:
                for place in range(first, first + len(tied)):
                    taken[name][place] += 1 / len(tied)
    return {name: [times / n_draws for times in row] for name, row in taken.items()}
