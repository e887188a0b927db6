"""What one save adds to a study's counts of its rules: which applied, which refused it, asked, or were confirmed.

Counts alone: nothing here leads back to a claim, a person or an answer. Storing and showing them is not done here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.domain.errors import Violation

EVERY_SAVE = "*"
"""Stands in place of a rule for the save itself, so that every count has its N."""


class Count(NamedTuple):
    """How often a rule applied, and of these how often it refused the save, asked, or was confirmed when it was stored.

    Of one save at most one of the last three is 1.
    """

    applied: int = 0
    refused: int = 0
    asked: int = 0
    confirmed: int = 0


Tally = Mapping[str, Count]


def tally_of(applied: Iterable[str], violations: Iterable[Violation], confirmed: Collection[str]) -> Tally:
    """Return what a judged save counts. Nothing is asked of a save that a hard rule refuses, and nothing is confirmed
    by one that still has a question open: neither is stored."""
    found = list(violations)
    hard = {v.rule for v in found if v.level == "hard"}
    soft = {v.rule for v in found if v.level == "soft"} - hard
    open_ = soft - set(confirmed)
    kept = frozenset[str]() if open_ else frozenset(soft)
    asked, settled = (frozenset(), frozenset()) if hard else (frozenset(open_), kept)
    counts = {
        rule: Count(1, int(rule in hard), int(rule in asked), int(rule in settled)) for rule in {*applied, *hard, *soft}
    }
    counts[EVERY_SAVE] = Count(1, int(bool(hard)), int(bool(asked)), int(bool(settled)))
    return counts


def refusal_of(rules: Iterable[str]) -> Tally:
    """Return what a save counts that was refused by these rules before it was judged."""
    return {rule: Count(applied=1, refused=1) for rule in rules}


@dataclass(frozen=True)
class RuleCount:
    """What was counted of one rule (or of every save, `*`) under one source: human, machine, import or adjudicator."""

    source: str
    rule: str
    count: Count
