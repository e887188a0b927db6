"""Who is judge, contestant and gold contributor at once: the overlaps that a reader must know of.

Responsible for comparing parties by namespace and display name; the hosting provider says nothing about whose model it
is. It discloses; it takes nothing out and judges nobody.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.scorecard.records import Party, ScoreData
from app.domain.stats.statistic import Json

SAME_MODEL = "same model"
SAME_NAMESPACE = "same namespace"


def overlaps(data: ScoreData) -> Json:
    """Return the overlaps of judges, contestants and gold contributors, each list by the order of the tables' ids.

    `{judge_contestant, judge_contributor, contributor_contestant}`: lists of `{first, second, kind}`; a list is null
    where no contributors are named. The kind is `same model` (namespace and display name) or `same namespace`.
    """
    contributors = data.contributors
    return {
        "judge_contestant": shared(data.judges, data.models),
        "judge_contributor": None if contributors is None else shared(data.judges, contributors),
        "contributor_contestant": None if contributors is None else shared(contributors, data.models),
    }


def shared(first: Sequence[Party], second: Sequence[Party]) -> list[Json]:
    """Return every pair of the same namespace."""
    return [
        {"first": one.party_id, "second": other.party_id, "kind": _kind(one, other)}
        for one in sorted(first, key=lambda p: p.party_id)
        for other in sorted(second, key=lambda p: p.party_id)
        if one.namespace == other.namespace
    ]


def _kind(one: Party, other: Party) -> str:
    return SAME_MODEL if one.display_name == other.display_name else SAME_NAMESPACE
