"""How far judges repeat themselves and each other: exact label agreement with kappa beside it, rank correlation, gates.

Responsible for which labels are compared: those of gold facts that a sheet gives one label. A fact labelled twice with
different labels is left out and counted; foreign ids and missing ones are no labels. High agreement is evidence of
reliability, not of validity. Coefficients are those of `domain.stats`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from app.domain.scorecard.correlation import spearman
from app.domain.scorecard.grid import Grid, ordered
from app.domain.scorecard.records import LABELS, OFFICIAL_REPEAT, ScoreData, Sheet
from app.domain.scorecard.spec import Thresholds
from app.domain.stats.coefficients import exact_agreement, undefined_reason
from app.domain.stats.intervals import run_spread
from app.domain.stats.pair_report import kappa_intervals
from app.domain.stats.ratings import MISSING, Codes, Floats, Ratings
from app.domain.stats.statistic import Json, statistic
from app.domain.stats.sums import grouped_tables
from app.domain.stats.two_raters import weighted_kappa

Grader = tuple[str, int]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Labels by grader (a judge's first or later grade), over models × gold facts; questions are the clusters."""

    graders: tuple[Grader, ...]
    ratings: Ratings
    n_conflicting: int

    def at(self, grader: Grader) -> int:
        """Return the row of a grader."""
        return self.graders.index(grader)


def agreement_of_judges(grid: Grid, data: ScoreData, composite: Floats, thresholds: Thresholds) -> Json:
    """Return `{intra, inter, gates, n_conflicting_labels}`.

    `intra[judge][a][b]` compares two repeats of one judge, `inter[first][second]` the first grades of two judges, the
    latter with the rank correlation of the models' mean composite over the answers both graded. A gate is met when
    every value there is reaches its threshold; with none it is null, and judges without one are listed.
    """
    labelled = _labelled(grid, data)
    intra = _intra(labelled, grid.judges)
    inter: dict[str, Json] = {name: {} for name in grid.judges[:-1]}
    for a, b in combinations(range(len(grid.judges)), 2):
        first, second = grid.judges[a], grid.judges[b]
        pair = labels_agreement(labelled, (first, OFFICIAL_REPEAT), (second, OFFICIAL_REPEAT))
        inter[first][second] = pair | _rank_correlation(composite[:, :, a], composite[:, :, b])
    values = {
        judge: [pair["exact_agreement"] for pairs in of.values() for pair in pairs.values()]
        for judge, of in intra.items()
    }
    rank = {f"{a} and {b}": [pair["rank_correlation"]] for a, of in inter.items() for b, pair in of.items()}
    return {
        "intra": intra,
        "inter": inter,
        "n_conflicting_labels": labelled.n_conflicting,
        "gates": {
            "intra_label_agreement": _gate(thresholds.intra_label_agreement, values),
            "inter_rank_correlation": _gate(thresholds.inter_rank_correlation, rank),
        },
    }


def labels_agreement(labelled: Labelled, first: Grader, second: Grader) -> Json:
    """Return `{n, exact_agreement, cohen_kappa, confusion}` of two graders over the facts both labelled.

    The kappa carries the interval of `agreement/1`, clustered by question.
    """
    ratings = labelled.ratings
    by_question = grouped_tables(
        ratings, labelled.at(first), labelled.at(second), ratings.clusters, len(ratings.cluster_names)
    )
    table = by_question.sum(axis=0)
    nominal = 1.0 - np.eye(len(LABELS))
    kappa = statistic(float(weighted_kappa(table, nominal)), undefined_reason("cohen_kappa", table))
    limits = kappa_intervals(table, nominal, run_spread(by_question))
    return {
        "n": int(table.sum()),
        "exact_agreement": exact_agreement(table),
        "cohen_kappa": kappa | {"ci95": limits["ci95"], "ci_method": limits["ci_method"]},
        "confusion": table.astype(int).tolist(),
    }


def _intra(labelled: Labelled, judges: tuple[str, ...]) -> dict[str, Json]:
    """Every two grades of one judge, by repeat; a judge without a second grade has none."""
    found: dict[str, Json] = {}
    for judge in judges:
        repeats = [repeat for name, repeat in labelled.graders if name == judge]
        pairs: dict[str, Json] = {}
        for a, b in combinations(repeats, 2):
            pairs.setdefault(str(a), {})[str(b)] = labels_agreement(labelled, (judge, a), (judge, b))
        found[judge] = pairs
    return found


def _rank_correlation(first: Floats, second: Floats) -> Json:
    """Spearman's correlation of two judges' rankings of the models, over the answers both gave a composite."""
    both = ~np.isnan(first) & ~np.isnan(second)
    counts = both.sum(axis=1)
    seen = counts > 0
    means = [np.where(both, values, 0.0).sum(axis=1)[seen] / counts[seen] for values in (first, second)]
    return {"rank_correlation": spearman(means[0], means[1], 2, "too_few_models"), "n_answers": int(both.sum())}


def _gate(threshold: float, values: dict[str, list[Json]]) -> Json:
    """Return `{threshold, lowest, met, n_evaluated, not_evaluated}`: every value that is defined must reach it."""
    defined = [entry["value"] for entries in values.values() for entry in entries if entry["value"] is not None]
    absent = [name for name, entries in values.items() if all(entry["value"] is None for entry in entries)]
    return {
        "threshold": threshold,
        "lowest": min(defined) if defined else None,
        "met": min(defined) >= threshold if defined else None,
        "n_evaluated": len(defined),
        "not_evaluated": absent,
    }


def _labelled(grid: Grid, data: ScoreData) -> Labelled:
    m_of = {name: i for i, name in enumerate(grid.models)}
    f_of = {key: i for i, key in enumerate(grid.facts.keys)}
    answered = {(a.model_id, a.question_id) for a in data.answers if a.valid}
    sheets = [sheet for sheet in data.sheets if sheet.valid and (sheet.model_id, sheet.question_id) in answered]
    repeats = {(sheet.judge_id, sheet.repeat) for sheet in sheets}
    graders = tuple(
        (judge, repeat)
        for judge in grid.judges
        for repeat in sorted({OFFICIAL_REPEAT} | {r for name, r in repeats if name == judge})
    )
    row = {grader: i for i, grader in enumerate(graders)}
    n_units = len(grid.models) * len(f_of)
    codes: Codes = np.full((len(graders), n_units), MISSING, dtype=np.int16)
    n_conflicting = 0
    for sheet in sheets:
        base = m_of[sheet.model_id] * len(f_of)
        for fact_id, label in _single_labels(sheet):
            unit = f_of.get((sheet.question_id, fact_id))
            if unit is not None and label is None:
                n_conflicting += 1
            elif unit is not None and label is not None:
                codes[row[sheet.judge_id, sheet.repeat], base + unit] = LABELS.index(label)
    clusters = np.tile(grid.facts.question, len(grid.models))
    names = tuple(f"{judge} {repeat}" for judge, repeat in graders)
    ratings = Ratings(names, ordered(map(str, range(n_units))), LABELS, codes, clusters, grid.questions, True)
    return Labelled(graders, ratings, n_conflicting)


def _single_labels(sheet: Sheet) -> Iterator[tuple[str, str | None]]:
    """Yield each fact once with its label, None where the sheet gives it two that differ."""
    seen: dict[str, set[str]] = {}
    for fact_id, label in sheet.entries:
        seen.setdefault(fact_id, set()).add(label)
    for fact_id, labels in seen.items():
        yield fact_id, min(labels) if len(labels) == 1 else None
