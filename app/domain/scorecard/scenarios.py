"""Sensitivities of the score: weight scenarios, and core recall over the facts every gold contributor named.

Responsible for keeping the original primary: a scenario stands beside it and never replaces it. The consensus
sensitivity was chosen after the results existed and says so; that contributors agreed does not make a fact correct.
"""

from __future__ import annotations

import numpy as np

from app.domain.scorecard.averaging import effective_mean, quality_only_mean
from app.domain.scorecard.correlation import spearman
from app.domain.scorecard.grid import CORE, Grid
from app.domain.scorecard.ranking import competition_ranks
from app.domain.scorecard.scored import Scored
from app.domain.scorecard.scorers import CONSENSUS
from app.domain.scorecard.spec import ORIGINAL, ScorecardSpec
from app.domain.scorecard.standings import values_of
from app.domain.stats.statistic import Json


def weight_scenarios(scored: Scored) -> dict[str, Json]:
    """Return by scenario every model's effective mean and rank; the original is primary, whatever the others say."""
    grid = scored.grid
    found: dict[str, Json] = {}
    first = np.empty(0)
    for name, weights in scored.spec.scenarios.items():
        values = scored.composite(weights)
        means = [effective_mean(values[m], grid.valid[m]) for m in range(len(grid.models))]
        scores = values_of(means)
        first = scores if name == ORIGINAL else first
        ranks = competition_ranks(scores)
        both = ~np.isnan(scores) & ~np.isnan(first)
        found[name] = {
            "primary": name == ORIGINAL,
            "models": {model: {"effective_mean": means[m], "rank": ranks[m]} for m, model in enumerate(grid.models)},
            "rank_correlation_with_original": spearman(scores[both], first[both], 2, "too_few_models"),
        }
    return found


def consensus_sensitivity(grid: Grid, spec: ScorecardSpec) -> Json:
    """Return the post-hoc sensitivity: core recall over the core facts that every gold contributor named.

    It covers the questions that have such a fact, `n_questions` of N.
    """
    scored = Scored(grid, spec, CONSENSUS)
    values = scored.composite(spec.scenarios[ORIGINAL])
    core = grid.facts.of_kind(CORE) & grid.facts.consensus
    inside = np.bincount(grid.facts.question[core], minlength=len(grid.questions)) > 0
    valid = grid.valid[:, inside]
    return {
        "post_hoc": True,
        "n_questions": int(inside.sum()),
        "N": len(grid.questions),
        "models": {
            name: {
                "effective_mean": effective_mean(values[m, inside], valid[m]),
                "core_recall": quality_only_mean(scored.averaged["core_recall"][m, inside], valid[m]),
            }
            for m, name in enumerate(grid.models)
        },
    }
