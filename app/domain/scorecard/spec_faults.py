"""What a scorecard file may not declare: weights that do not sum, an altered original, names used twice.

Responsible for finding the first such declaration and saying why. It knows neither files nor lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.domain.scorecard.spec import (
    AUXILIARY,
    FULL_SCORE,
    ORIGINAL,
    PRECISION_OF_NOTHING,
    THE_ORIGINAL,
    ScorecardSpec,
)

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_LANGUAGE = re.compile(r"[a-z][a-z0-9_]{0,15}\Z")
_LARGEST_SEED = 2**63 - 1
_MOST_DRAWS = 100_000
_NEAR = 1e-9
OVERALL = "overall"


@dataclass(frozen=True)
class SpecFault:
    """One declaration that cannot stand: the path of the key and the sentence."""

    path: tuple[str | int, ...]
    message: str


def find_fault(spec: ScorecardSpec) -> SpecFault | None:
    """Return the first declaration that cannot stand, or None."""
    for check in (_identity, _languages, _scenarios, _resampling, _slices, _focus, _numbers, _tables, _names):
        for fault in check(spec):
            return fault
    return None


def _identity(spec: ScorecardSpec) -> Iterator[SpecFault]:
    if not _ID.match(spec.id):
        yield SpecFault(("id",), "takes letters, digits, dot, dash and underscore, at most 64, a letter or digit first")


def _languages(spec: ScorecardSpec) -> Iterator[SpecFault]:
    for at, code in enumerate(spec.languages):
        if not _LANGUAGE.match(code):
            yield SpecFault(("languages", at), "takes a short code of lower-case letters, such as ne")
    if len(set(spec.languages)) < len(spec.languages):
        yield SpecFault(("languages",), "names one language twice")
    if {"core", "precision"} & set(spec.languages):
        yield SpecFault(("languages",), "may not be called core or precision, which are weights")
    if len(set(spec.salience.all)) < len(spec.salience.all):
        yield SpecFault(("salience",), "names one salience twice")


def _scenarios(spec: ScorecardSpec) -> Iterator[SpecFault]:
    first, second = spec.languages
    for name, weights in spec.scenarios.items():
        path = ("scenarios", name)
        if not _ID.match(name):
            yield SpecFault(path, "takes a name of letters, digits, dot, dash and underscore")
        if min(weights.core, weights.precision, *weights.languages) < 0:
            yield SpecFault(path, "holds a negative weight")
        if abs(weights.best - FULL_SCORE) > _NEAR:
            yield SpecFault(
                path,
                f"core + precision + 10 × ({first} + {second}) is {weights.best:g} and must be 100, "
                "the score of a faultless answer",
            )
        if name == ORIGINAL and weights != THE_ORIGINAL:
            yield SpecFault(
                path,
                f"is the method's own score (core 40, precision 30, {first} 1.5, {second} 1.5) and stays primary; "
                "give other weights another name",
            )


def _resampling(spec: ScorecardSpec) -> Iterator[SpecFault]:
    for name, how in spec.resampling.items():
        if not 1 <= how.draws <= _MOST_DRAWS:
            yield SpecFault(("resampling", name, "draws"), f"takes a whole number from 1 to {_MOST_DRAWS}")
        if how.seed > _LARGEST_SEED:
            yield SpecFault(("resampling", name, "seed"), "takes a whole number below 2^63")


def _slices(spec: ScorecardSpec) -> Iterator[SpecFault]:
    for at, name in _doubled([entry.name for entry in spec.slices]):
        yield SpecFault(("slices", at), f'"{name}" is named twice')
    for at, entry in enumerate(spec.slices):
        if entry.name == OVERALL:
            yield SpecFault(("slices", at), f'"{OVERALL}" means all questions; give the slice another name')


def _focus(spec: ScorecardSpec) -> Iterator[SpecFault]:
    if spec.focus is None:
        return
    if len(spec.focus.models) < 2:
        yield SpecFault(("focus", "models"), "takes two models or more")
    for at, name in _doubled(spec.focus.models):
        yield SpecFault(("focus", "models", at), f'"{name}" is named twice')
    known = ("composite", *AUXILIARY, *spec.qualities)
    for at, name in enumerate(spec.focus.criteria):
        if name not in known:
            yield SpecFault(("focus", "criteria", at), f'"{name}" is no criterion; known are {", ".join(known)}')
    for at, name in _doubled(spec.focus.criteria):
        yield SpecFault(("focus", "criteria", at), f'"{name}" is named twice')


def _numbers(spec: ScorecardSpec) -> Iterator[SpecFault]:
    limits = spec.thresholds
    if not 0 <= limits.intra_label_agreement <= 1:
        yield SpecFault(("thresholds", "intra_label_agreement"), "takes a number from 0 to 1")
    if not -1 <= limits.inter_rank_correlation <= 1:
        yield SpecFault(("thresholds", "inter_rank_correlation"), "takes a number from -1 to 1")
    if spec.consensus_of is not None and spec.consensus_of < 1:
        yield SpecFault(("consensus_of",), "takes a whole number from 1 on: how many gold contributors there were")
    if spec.saved_tolerance < 0:
        yield SpecFault(("saved_tolerance",), "takes a number from 0 on")
    if spec.precision_of_nothing not in PRECISION_OF_NOTHING:
        yield SpecFault(("precision_of_nothing",), f"takes one of {', '.join(PRECISION_OF_NOTHING)}")


def _tables(spec: ScorecardSpec) -> Iterator[SpecFault]:
    here = spec.tables
    nested = here["sheets"].endswith(".jsonl")
    if nested and "grades" in here:
        yield SpecFault(("tables", "grades"), "is not taken beside sheets in JSON lines, which hold their facts")
    if not nested and "grades" not in here:
        yield SpecFault(("tables",), "lacks the key grades: the graded facts of the sheets")
    for one, other in (("gold_entities", "answer_entities"), ("answer_entities", "gold_entities")):
        if one in here and other not in here:
            yield SpecFault(("tables", one), f"needs the table {other} beside it")
    if "copied_intervals" in here and "manifest" not in here:
        yield SpecFault(
            ("tables", "copied_intervals"), "needs a manifest: no interval is copied before its inputs are checked"
        )
    for name in spec.ignored_columns:
        if name not in here:
            yield SpecFault(("ignored_columns", name), "is no table of this scorecard")


def _names(spec: ScorecardSpec) -> Iterator[SpecFault]:
    if spec.length is not None:
        if not spec.length.columns:
            yield SpecFault(("length", "columns"), "is empty; name a column of the answers table")
        for at, name in _doubled(spec.length.columns):
            yield SpecFault(("length", "columns", at), f'"{name}" is named twice')
    for at, name in _doubled(spec.inventory):
        yield SpecFault(("inventory", at), f'"{name}" is named twice')
    for at, name in _doubled([rule.name for rule in spec.rules]):
        yield SpecFault(("rules", at), f'"{name}" is named twice')


def _doubled(names: Iterable[str]) -> Iterator[tuple[int, str]]:
    seen: set[str] = set()
    for at, name in enumerate(names):
        if name in seen:
            yield at, name
        seen.add(name)
