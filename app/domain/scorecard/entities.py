"""Entity scores: what an answer names against the gold entities of its question, on normalised surfaces.

Responsible for the normal form, the alias table and type matching. An entity named under two aliases is one entity. The
gold may hold entities that a short summary had no reason to name, so a recall deficit holds selection as well as
extraction. It reads no text: entities are handed in.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from app.domain.scorecard.grid import Grid
from app.domain.scorecard.records import Entity, Mention, ScoreData
from app.domain.stats.statistic import Json, statistic

_Record = TypeVar("_Record")
_Key = TypeVar("_Key")
_DROPPED = frozenset(".'’ʼ`")


def normal_surface(surface: str) -> str:
    """Return a surface as it is compared: NFKC, case folded, no points, apostrophes or format marks, one space.

    Other punctuation and symbols become a space. Combining marks stay: without its vowel signs a Devanagari name is
    another name.

    >>> normal_surface("  U.S.-Navy "), normal_surface("काठमाडौँ।")
    ('us navy', 'काठमाडौँ')
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", surface).casefold())
    kept = []
    for mark in folded:
        group = unicodedata.category(mark)
        if mark in _DROPPED or group == "Cf":
            continue
        kept.append(" " if group[0] in "PSZ" else mark)
    return " ".join("".join(kept).split())


def normal_kind(kind: str) -> str:
    """Return an entity type as it is compared: trimmed and case folded."""
    return kind.strip().casefold()


@dataclass(frozen=True)
class Found:
    """One answer's entities against the gold: how many are gold, named, matched; and named right under a wrong type."""

    gold: int
    named: int
    matched: int
    wrong_type: int


def score_entities(grid: Grid, data: ScoreData) -> Json | None:
    """Return `{models: {name: {recall, precision, f1, pooled_recall, pooled_precision, n_wrong_type}}}`; None without.

    recall, precision and f1 are means over the valid answers in which they are defined (n of N); the pooled ones are
    one fraction over all of them (num/den).
    """
    if data.entities is None or data.mentions is None:
        return None
    gold: Mapping[str, list[Entity]] = _grouped(data.entities, lambda e: e.question_id)
    named: Mapping[tuple[str, str], list[Mention]] = _grouped(data.mentions, lambda e: (e.model_id, e.question_id))
    models = {}
    for m, model in enumerate(grid.models):
        answers = [
            match_entities(gold.get(question, []), named.get((model, question), []))
            for q, question in enumerate(grid.questions)
            if grid.valid[m, q]
        ]
        models[model] = _scores(answers)
    return {"models": models}


def match_entities(gold: Iterable[Entity], named: Iterable[Mention]) -> Found:
    """Return how the entities an answer names meet the gold of its question.

    A mention is matched where its normal surface is that of a gold entity or of one of its aliases, and the types are
    the same. Mentions of one gold entity count once; so do equal mentions that match none.
    """
    known: dict[tuple[str, str], str] = {}
    surfaces: set[str] = set()
    gold_ids = set()
    for entity in gold:
        gold_ids.add(entity.entity_id)
        for surface in entity.surfaces:
            known[normal_surface(surface), normal_kind(entity.kind)] = entity.entity_id
            surfaces.add(normal_surface(surface))
    keys = {(normal_surface(mention.surface), normal_kind(mention.kind)) for mention in named}
    matched = {known[key] for key in keys if key in known}
    strangers = {key for key in keys if key not in known}
    wrong_type = sum(1 for surface, _ in strangers if surface in surfaces)
    return Found(len(gold_ids), len(matched) + len(strangers), len(matched), wrong_type)


def _scores(answers: list[Found]) -> Json:
    recalls = [a.matched / a.gold for a in answers if a.gold]
    precisions = [a.matched / a.named for a in answers if a.named]
    both = [2 * a.matched / (a.gold + a.named) for a in answers if a.gold + a.named]
    matched, gold, named = (sum(getattr(a, name) for a in answers) for name in ("matched", "gold", "named"))
    return {
        "recall": _mean(recalls, len(answers)),
        "precision": _mean(precisions, len(answers)),
        "f1": _mean(both, len(answers)),
        "pooled_recall": statistic(matched / gold if gold else np.nan, "nothing_named", num=matched, den=gold),
        "pooled_precision": statistic(matched / named if named else np.nan, "nothing_named", num=matched, den=named),
        "n_wrong_type": sum(a.wrong_type for a in answers),
    }


def _mean(values: list[float], of: int) -> Json:
    n = len(values)
    reason = "nothing_named" if of else "no_valid_answer"
    return statistic(float(np.sum(values)) / n if n else np.nan, reason, n=n, N=of)


def _grouped(records: Iterable[_Record], key: Callable[[_Record], _Key]) -> dict[_Key, list[_Record]]:
    groups: dict[_Key, list[_Record]] = defaultdict(list)
    for record in records:
        groups[key(record)].append(record)
    return groups
