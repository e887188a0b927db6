"""The records as arrays: models × questions × judges, and every returned entry with the cell it belongs to.

Responsible for the one order of models, questions, judges and facts (by name, digits as numbers), so that the order of
rows never matters. Only a judge's first grade of a valid answer is in the grid. Nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.domain.scorecard.records import CREDIT, OFFICIAL_REPEAT, ScoreData, Sheet
from app.domain.scorecard.spec import ScorecardSpec
from app.domain.stats.ratings import Floats, Numbers, natural_key

Bools = NDArray[np.bool_]
EXTRA = -1
CORE, SUPPORTING, OTHER = 0, 1, 2


@dataclass(frozen=True, eq=False)
class FactTable:
    """The gold facts in order: the question each belongs to, its kind, and whether every contributor named it."""

    keys: tuple[tuple[str, str], ...]
    question: Numbers
    kind: Numbers
    consensus: Bools

    def of_kind(self, kind: int | None) -> Bools:
        """Return which facts are of a kind; None: all of them."""
        return np.full(len(self.keys), True) if kind is None else np.asarray(self.kind == kind)


@dataclass(frozen=True, eq=False)
class Entries:
    """Every entry of the sheets in the grid: its cell, its credit, and its gold fact (`EXTRA` where there is none)."""

    cell: Numbers
    credit: Floats
    fact: Numbers


@dataclass(frozen=True, eq=False)
class Grid:
    """The panel. `valid` (M, Q); `graded` (M, Q, J): a valid sheet is there; `unsupported` and `quality` NaN if null.

    Cell (m, q, j) has the flat number (m·Q + q)·J + j. `official` (J) says which judges score.
    """

    models: tuple[str, ...]
    questions: tuple[str, ...]
    judges: tuple[str, ...]
    official: Bools
    valid: Bools
    graded: Bools
    unsupported: Floats
    quality: Floats
    facts: FactTable
    entries: Entries

    @property
    def shape(self) -> tuple[int, int, int]:
        """Return (M, Q, J)."""
        return len(self.models), len(self.questions), len(self.judges)


def ordered(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in the one order used everywhere.

    >>> ordered(["q10", "q2", "q1"])
    ('q1', 'q2', 'q10')
    """
    return tuple(sorted(set(names), key=natural_key))


def build_grid(data: ScoreData, spec: ScorecardSpec) -> Grid:
    """Return the `Grid` of complete, consistent records (the reader has refused all others)."""
    models = ordered(party.party_id for party in data.models)
    questions = ordered(question.question_id for question in data.questions)
    judges = ordered(party.party_id for party in data.judges)
    m_of, q_of, j_of = (_places(names) for names in (models, questions, judges))
    valid = np.zeros((len(models), len(questions)), dtype=np.bool_)
    for answer in data.answers:
        valid[m_of[answer.model_id], q_of[answer.question_id]] = answer.valid
    facts = _fact_table(data, spec, q_of)
    shape = (len(models), len(questions), len(judges))
    graded = np.zeros(shape, dtype=np.bool_)
    unsupported, quality = np.full(shape, np.nan), np.full((2, *shape), np.nan)
    seated: list[tuple[int, Sheet]] = []
    for sheet in scoring_sheets(data, valid, (m_of, q_of)):
        at = (m_of[sheet.model_id], q_of[sheet.question_id], j_of[sheet.judge_id])
        graded[at] = True
        unsupported[at] = np.nan if sheet.unsupported is None else sheet.unsupported
        quality[(slice(None), *at)] = [np.nan if score is None else score for score in sheet.quality]
        seated.append((int(np.ravel_multi_index(at, shape)), sheet))
    official_ids = {party.party_id for party in data.judges if party.official}
    official = np.array([name in official_ids for name in judges], dtype=np.bool_)
    return Grid(
        models, questions, judges, official, valid, graded, unsupported, quality, facts, _entries(seated, facts)
    )


def scoring_sheets(data: ScoreData, valid: Bools, places: tuple[Mapping[str, int], Mapping[str, int]]) -> list[Sheet]:
    """Return the sheets in the grid: valid, the judge's first, of a valid answer."""
    m_of, q_of = places
    return [
        sheet
        for sheet in data.sheets
        if sheet.valid and sheet.repeat == OFFICIAL_REPEAT and valid[m_of[sheet.model_id], q_of[sheet.question_id]]
    ]


def _places(names: tuple[str, ...]) -> dict[str, int]:
    return {name: i for i, name in enumerate(names)}


def _fact_table(data: ScoreData, spec: ScorecardSpec, q_of: Mapping[str, int]) -> FactTable:
    kinds = {spec.salience.core: CORE, spec.salience.supporting: SUPPORTING}
    facts = sorted(data.facts, key=lambda f: (q_of[f.question_id], natural_key(f.fact_id)))
    every = spec.consensus_of
    return FactTable(
        tuple((fact.question_id, fact.fact_id) for fact in facts),
        np.array([q_of[fact.question_id] for fact in facts], dtype=np.int64),
        np.array([kinds.get(fact.salience, OTHER) for fact in facts], dtype=np.int64),
        np.array([every is not None and fact.contributors == every for fact in facts], dtype=np.bool_),
    )


def _entries(seated: list[tuple[int, Sheet]], facts: FactTable) -> Entries:
    number = {key: i for i, key in enumerate(facts.keys)}
    # By cell, so that sums run in one order whatever the order of the rows.
    rows = [
        (cell, CREDIT[label], number.get((sheet.question_id, fact_id), EXTRA))
        for cell, sheet in seated
        for fact_id, label in sheet.entries
    ]
    rows.sort()
    cells, credits_, fact_numbers = zip(*rows, strict=True) if rows else ((), (), ())
    return Entries(
        np.array(cells, dtype=np.int64),
        np.array(credits_, dtype=np.float64),
        np.array(fact_numbers, dtype=np.int64),
    )
