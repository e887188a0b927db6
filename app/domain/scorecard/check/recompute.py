"""Second implementation: every figure of a scorecard again, from plain rows, under the same names.

Responsible for putting the parts together. Reasons and names of methods are words and not computed again.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.scorecard.check.counts_again import (
    answers_again,
    calls_again,
    corpus_again,
    defects_again,
    rules_again,
    settings_again,
)
from app.domain.scorecard.check.drawn_again import Resamples
from app.domain.scorecard.check.earlier_again import copied_again, manifest_again, overlaps_again, saved_again
from app.domain.scorecard.check.entities_again import entities_again
from app.domain.scorecard.check.judges_again import judges_again
from app.domain.scorecard.check.models_again import (
    answer_lines,
    consensus_again,
    focus_again,
    models_again,
    ranks_again,
    scenarios_again,
    slices_again,
)
from app.domain.scorecard.check.panel_again import common_subset, length_again
from app.domain.scorecard.check.plain import Draws, Found, Panel, Row, Spec, Tables, panel_of, rows
from app.domain.scorecard.check.scores_again import scores_of


def recompute(tables: Tables, spec: Spec, draws: Draws) -> Found:
    """Return every figure from plain tables and declarations; `draws` hands in the resamples by name and number."""
    panel = panel_of(tables)
    asked = (spec, Resamples(draws))
    official, clean = scores_of(panel, spec, "historical"), scores_of(panel, spec, "sanitised")
    sheets = rows(tables, "sheets")
    found: Found = {
        "accounting": answers_again(panel),
        "defects": defects_again(panel, sheets),
        "corpus": corpus_again(tables, spec, spec["saliences"]),
        "settings": settings_again(tables, spec),
        "rules": rules_again(tables, spec),
        "reviews": _reviews(tables["reviews"], spec),
        "models": models_again(panel, official, clean, asked),
        "scenarios": scenarios_again(panel, official, spec),
        "slices": slices_again(panel, official, tables, asked),
        "ranks": ranks_again(panel, official, asked),
        "common_subset": common_subset(panel, official.composite),
        "judges": judges_again(panel, sheets, official.of_sheets["original"], spec),
        "overlaps": overlaps_again(tables),
        "answers": answer_lines(panel, official, clean),
        "focus": focus_again(panel, official, asked),
        "consensus": consensus_again(panel, spec),
        "length": length_again(panel, official.averaged, rows(tables, "answers")) if spec["has_length"] else None,
        "entities": _entities(tables, panel),
        "calls": calls_again(tables["calls"]),
    }
    manifest = manifest_again(tables)
    return found | {
        "saved": saved_again(found["models"], tables["saved"], spec),
        "manifest": manifest,
        "copied": copied_again(tables, manifest, found, spec),
    }


def _entities(tables: Tables, panel: Panel) -> Found | None:
    gold, mentions = tables["entities"], tables["mentions"]
    return None if gold is None or mentions is None else entities_again(panel, gold, mentions)


def _reviews(picked: Sequence[Row] | None, spec: Spec) -> Found:
    done = None if picked is None else sum(1 for row in picked if row["reviewed"])
    return {"planned": spec["planned_reviews"], "n_picked": None if picked is None else len(picked), "n_reviewed": done}
