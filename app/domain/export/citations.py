"""The evidence of an answer in one form: a list of citations, each with its turn and, where known, role and tiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

WEIGHING_ROLES = ("supports", "conflicts")
"""The roles that carry a verdict; `context` only explains it. v0.4 citations have no role and count."""


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


def best_tier(cited: Iterable[Mapping[str, Any]], *, coded: bool = True) -> str | None:
    """Return the lowest-numbered tier among supporting and conflicting citations, None without any.

    The tier that counts is the one the rater coded, since the rules judge that one (H16, H19). `coded` False says that
    the codebook's citations carry no tier (v0.4): then it is the tier derived from the log.

    >>> best_tier([{"turn": 1, "role": "context", "tier": "T1"}, {"turn": 2, "role": "supports", "tier": "T3"}])
    'T3'
    """
    key = "tier" if coded else "derived_tier"
    weighing = [c for c in cited if c.get("role") is None or c["role"] in WEIGHING_ROLES]
    tiers = [str(c[key]) for c in weighing if c.get(key)]
    return min(
        tiers, key=lambda tier: (int("0" + "".join(ch for ch in tier if ch in "0123456789")), tier), default=None
    )
