"""The scorecard, computed: every figure from the records and the declarations, as one nested mapping.

Responsible for putting the parts together under their names; the formulas are in the modules named after their nouns.
It reads and writes no file, rounds nothing, and orders models by name, never by score.
"""

from __future__ import annotations

from typing import Any

from app.domain.scorecard.calls import account_calls
from app.domain.scorecard.comparisons import compare_criteria, compare_slices
from app.domain.scorecard.entities import score_entities
from app.domain.scorecard.grid import build_grid
from app.domain.scorecard.judging import agreement_of_judges
from app.domain.scorecard.ledger import (
    compare_settings,
    count_answers,
    count_corpus,
    count_defects,
    count_reviews,
    count_rules,
)
from app.domain.scorecard.panel import common_subset, length_correlations, lengths_of
from app.domain.scorecard.parties import overlaps
from app.domain.scorecard.records import ScoreData
from app.domain.scorecard.saved import check_manifest, compare_saved, copy_intervals
from app.domain.scorecard.scenarios import consensus_sensitivity, weight_scenarios
from app.domain.scorecard.scored import Scored, answer_values
from app.domain.scorecard.scorers import HISTORICAL, SANITISED
from app.domain.scorecard.spec import ORIGINAL, ScorecardSpec
from app.domain.scorecard.standings import model_standings, rank_table
from app.domain.stats.ratings import Floats

Figures = dict[str, Any]
"""Nested mappings from names to statistics and counts; see `compute`."""


def compute(data: ScoreData, spec: ScorecardSpec) -> Figures:
    """Return every figure of a scorecard.

    Keys: accounting, defects, corpus, settings, rules, reviews, models, scenarios, slices, ranks, focus, consensus,
    common_subset, length, judges, overlaps, entities, calls, saved, manifest, copied, answers. A part that was not
    asked for is null. `data` and `spec` are consistent; the reader has refused all others.
    """
    grid = build_grid(data, spec)
    scored = Scored(grid, spec, HISTORICAL)
    clean = Scored(grid, spec, SANITISED)
    weights = spec.scenarios[ORIGINAL]
    official, sanitised = scored.composite(weights), clean.composite(weights)
    figures: Figures = {
        "accounting": count_answers(data),
        "defects": count_defects(data),
        "corpus": count_corpus(data, spec),
        "settings": compare_settings(data, spec),
        "rules": count_rules(data, spec),
        "reviews": count_reviews(data, spec),
        "models": model_standings(scored, clean, official, sanitised),
        "scenarios": weight_scenarios(scored),
        "slices": compare_slices(grid, official, data, spec),
        "ranks": rank_table(grid, official, spec.resampling["ranks"]),
        "common_subset": common_subset(grid, official),
        "judges": agreement_of_judges(grid, data, scored.composites(weights), spec.thresholds),
        "overlaps": overlaps(data),
        "answers": answer_values(scored, official, sanitised),
    }
    return figures | _asked_for(data, spec, scored, official) | _earlier(data, spec, figures)


def _asked_for(data: ScoreData, spec: ScorecardSpec, scored: Scored, official: Floats) -> Figures:
    """The parts that a file asks for or that rest on tables which may be absent."""
    grid = scored.grid
    focus, how = spec.focus, spec.resampling["focus"]
    return {
        "focus": compare_criteria(grid, scored.averaged, official, focus, how) if focus else None,
        "consensus": consensus_sensitivity(grid, spec) if spec.consensus_of is not None else None,
        "length": length_correlations(grid, scored.averaged, lengths_of(grid, data)) if spec.length else None,
        "entities": score_entities(grid, data),
        "calls": account_calls(data.calls),
    }


def _earlier(data: ScoreData, spec: ScorecardSpec, figures: Figures) -> Figures:
    """Earlier results, compared and copied."""
    manifest = check_manifest(data.manifest, data.inputs)
    return {
        "saved": compare_saved(figures["models"], data.saved, spec.saved_tolerance),
        "manifest": manifest,
        "copied": copy_intervals(data, manifest, figures, spec.resampling["original"].draws),
    }
