"""A scorecard file and its folder become figures, twice: by the engine, and by the second implementation.

Responsible for handing both the same records and the same draws. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.domain.scorecard.check.recompute import recompute
from app.domain.scorecard.engine import compute
from app.domain.scorecard.records import ScoreData
from app.domain.scorecard.spec import ScorecardSpec
from app.readers.scorecard_data import read_scorecard_data
from app.readers.scorecard_spec import load_scorecard


@dataclass(frozen=True, eq=False)
class Computed:
    """The declarations, the records, and what each implementation makes of them."""

    spec: ScorecardSpec
    data: ScoreData
    figures: dict[str, Any]
    found: dict[str, Any]


class Redrawn:
    """The draws the declarations state, for whoever knows no random generator; each set is drawn once.

    `redrawn(name, n)` is `default_rng(seed).integers(0, n, size=(draws, n))` as lists.
    """

    def __init__(self, spec: ScorecardSpec) -> None:
        self.resampling = spec.resampling
        self.known: dict[tuple[str, int], Sequence[Sequence[int]]] = {}

    def __call__(self, name: str, n: int) -> Sequence[Sequence[int]]:
        if (name, n) not in self.known:
            how = self.resampling[name]
            self.known[name, n] = np.random.default_rng(how.seed).integers(0, n, size=(how.draws, n)).tolist()
        return self.known[name, n]


def compute_twice(spec_file: Path, folder: Path) -> Computed:
    """Return both results. Raises `BadInput` or `NotFound` before anything is computed."""
    spec = load_scorecard(spec_file)
    data = read_scorecard_data(spec, folder, spec_file.name)
    figures = compute(data, spec)
    return Computed(spec, data, figures, recompute(data.plain(), spec.plain(), Redrawn(spec)))
