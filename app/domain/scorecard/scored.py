"""One scorer's values of the whole panel, from sheets to answers: what models, scenarios and answers are read from.

Responsible for averaging the official judges. Composites are averaged, not recomposed: a judge without a defined
composite gives none, whatever else of its sheet is there.
"""

from __future__ import annotations

import numpy as np

from app.domain.scorecard.averaging import judge_mean
from app.domain.scorecard.grid import Grid
from app.domain.scorecard.scorers import composite, score_sheets
from app.domain.scorecard.spec import ScorecardSpec, Weights
from app.domain.stats.ratings import Floats
from app.domain.stats.statistic import Json, tidy


class Scored:
    """One scorer's values: every metric of every sheet, and their means over the official judges."""

    def __init__(self, grid: Grid, spec: ScorecardSpec, scorer: str) -> None:
        self.grid, self.spec = grid, spec
        self.sheets = score_sheets(grid, spec, scorer)
        self.averaged = {name: judge_mean(values, grid.official) for name, values in self.sheets.items()}

    def composites(self, weights: Weights) -> Floats:
        """Return the composite of every sheet, (M, Q, J)."""
        return composite(self.sheets, weights, self.spec.qualities)

    def composite(self, weights: Weights) -> Floats:
        """Return the composite of every answer, (M, Q): the mean of its judges' composites."""
        return judge_mean(self.composites(weights), self.grid.official)


def answer_values(scored: Scored, official: Floats, sanitised: Floats) -> Json:
    """Return every answer's averaged values, null where undefined, and how many official judges graded it."""
    grid = scored.grid
    seated = grid.graded[:, :, grid.official].sum(axis=-1)
    columns = {"composite": official, "sanitised_composite": sanitised, **scored.averaged}
    return {
        model: {
            question: {
                "valid": bool(grid.valid[m, q]),
                "n_judges": int(seated[m, q]),
                **{name: _or_none(values[m, q]) for name, values in columns.items()},
            }
            for q, question in enumerate(grid.questions)
        }
        for m, model in enumerate(grid.models)
    }


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else tidy(value)
