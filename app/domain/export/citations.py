"""The evidence of an answer in one form: a list of citations, each with its turn and, where known, role and tiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

EXPLAINING_ROLE = "context"
"""The one role that carries no verdict; every other one does, and so does a citation of a codebook without roles."""

DERIVED_TIERS = ("T1", "T2", "T3", "T4", "T5")


def citations(
    answer: Mapping[str, Any], derived_tiers: Sequence[str] = (), *, quotes: bool = False
) -> list[dict[str, Any]]:
    """Return the answer's citations as stored, a bare turn number as `{"turn": n}`, each with its `derived_tier`.

    Quotes are free text and are left out unless asked for. Absent values are absent keys.

    >>> citations({"evidence": [4]}, ["T1"])
    [{'turn': 4, 'derived_tier': 'T1'}]
    """
    found = []
    for place, given in enumerate(answer.get("evidence") or ()):
        cited = dict(given) if isinstance(given, Mapping) else {"turn": given}
        kept = {key: value for key, value in cited.items() if value is not None and (quotes or key != "quote")}
        if place < len(derived_tiers) and derived_tiers[place]:
            kept["derived_tier"] = derived_tiers[place]
        found.append(kept)
    return found


def cited_turns(cited: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the cited turns, each once, ascending."""
    return sorted({int(citation["turn"]) for citation in cited})


def best_tier(cited: Iterable[Mapping[str, Any]], tiers: Sequence[str]) -> str | None:
    """Return the strongest tier among the citations that carry a verdict, None without any.

    `tiers` are those the codebook declares, strongest first: the tier that counts is the one the rater coded, since the
    rules judge that one (H16, H19). Where it declares none, it is the tier derived from the log.

    >>> best_tier([{"turn": 1, "role": "context", "tier": "T1"}, {"turn": 2, "tier": "T3"}], ["T1", "T2", "T3"])
    'T3'
    """
    key, order = ("tier", list(tiers)) if tiers else ("derived_tier", list(DERIVED_TIERS))
    found = {str(c[key]) for c in cited if c.get(key) and c.get("role") != EXPLAINING_ROLE}
    # A tier that is not declared ranks behind all that are, by its number.
    rank = {tier: order.index(tier) if tier in order else len(order) for tier in found}
    return min(found, key=lambda tier: (rank[tier], _number_in(tier), tier), default=None)


def _number_in(tier: str) -> int:
    return int("0" + "".join(ch for ch in tier if ch in "0123456789"))
