"""Second implementation: one scorer's values, from sheets to answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.scorecard.check.means_again import Values
from app.domain.scorecard.check.plain import Panel, Spec
from app.domain.scorecard.check.sheets_again import average, averages, composites, score_all

ORIGINAL = "original"


@dataclass(frozen=True)
class Scores:
    """One scorer's values: composites by scenario of sheets and answers, and the answers' averaged metrics."""

    of_sheets: Mapping[str, Mapping[tuple[str, str, str], float | None]]
    of_answers: Mapping[str, Values]
    averaged: Mapping[str, Values]

    @property
    def composite(self) -> Values:
        """Return the answers' original composites."""
        return self.of_answers[ORIGINAL]


def scores_of(panel: Panel, spec: Spec, scorer: str) -> Scores:
    """Return the `Scores` of a scorer: historical, sanitised or consensus; scenarios are of the historical one."""
    sheets = score_all(panel, spec, scorer)
    wanted = spec["scenarios"] if scorer == "historical" else (ORIGINAL,)
    of_sheets = {name: composites(sheets, spec, name) for name in wanted}
    of_answers = {name: average(panel, values) for name, values in of_sheets.items()}
    return Scores(of_sheets, of_answers, averages(panel, sheets, spec))
