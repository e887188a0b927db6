"""Predicates about the citations as the rater gave them: that they exist, are complete, and how many of which strength.

A role of `any` means every citation, also those of a codebook without roles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.codebook import parameters as takes
from app.domain.codebook.registry import NOTHING, Finding, Findings, predicate
from app.domain.codebook.subject import Citation, Subject


def at_evidence(subject: Subject, what: str = "") -> Finding:
    """Return a finding that points at the field of citations."""
    return Finding(subject.evidence.name if subject.evidence else "", what)


def turn_names(citations: Sequence[Citation]) -> str:
    """Return `turn 4` or `turns 4 and 9`, each turn once, ascending; empty for none."""
    turns = [str(turn) for turn in sorted({citation.turn for citation in citations})]
    if len(turns) < 2:
        return f"turn {turns[0]}" if turns else ""
    return f"turns {', '.join(turns[:-1])} and {turns[-1]}"


def _told(subject: Subject, citations: Sequence[Citation]) -> Findings:
    return (at_evidence(subject, turn_names(citations)),) if citations else NOTHING


@predicate(takes.takes_true)
def cites_exist(subject: Subject, _: Any) -> Findings:
    """Every cited turn is a position of this run."""
    return _told(subject, [c for c in subject.citations if c.turn not in subject.view.places])


@predicate(takes.takes_true)
def cites_distinct(subject: Subject, _: Any) -> Findings:
    """No turn is cited twice in one role."""
    seen = Counter((c.turn, c.role) for c in subject.citations)
    return _told(subject, [c for c in subject.citations if seen[c.turn, c.role] > 1])


@predicate(takes.takes_keys_of_citation)
def cites_complete(subject: Subject, keys: Sequence[str]) -> Findings:
    """Every citation carries these keys."""
    name = subject.evidence.name if subject.evidence else ""
    sent = subject.answer.get(name)
    items = [item for item in sent if isinstance(item, dict)] if isinstance(sent, list) else []
    return (Finding(name),) if any(key not in item for item in items for key in keys) else NOTHING


def _counted(subject: Subject, parameter: Mapping[str, Any]) -> list[Citation]:
    cited = subject.cited(parameter["role"])
    if "tier_max" not in parameter:
        return list(cited)
    weakest = subject.tier_rank(parameter["tier_max"])
    return [c for c in cited if subject.tier_rank(c.tier) <= weakest]


@predicate(takes.takes_count)
def cites_min(subject: Subject, parameter: Mapping[str, Any]) -> Findings:
    """At least `n` citations of the role, of the named tier or a stronger one."""
    return NOTHING if len(_counted(subject, parameter)) >= parameter["n"] else (at_evidence(subject),)


@predicate(takes.takes_count)
def cites_max(subject: Subject, parameter: Mapping[str, Any]) -> Findings:
    """At most `n` citations of the role, of the named tier or a stronger one."""
    counted = _counted(subject, parameter)
    return NOTHING if len(counted) <= parameter["n"] else _told(subject, counted)


@predicate(takes.takes_true)
def cites_tier_as_derived(subject: Subject, _: Any) -> Findings:
    """Each citation's tier is the one the log gives it."""
    return _told(subject, [c for c in subject.citations if _differs(subject, c)])


def _differs(subject: Subject, citation: Citation) -> bool:
    derived = subject.derived_tier(citation)
    return citation.tier is not None and derived is not None and citation.tier != derived


@predicate(lambda _, value: None if value in ("T1", "T2", "T3", "T4", "T5") else "takes a derived tier, T1 to T5")
def some_cite_derived_within(subject: Subject, weakest: str) -> Findings:
    """Of the citations there are, at least one is of this derived tier or a stronger one."""
    tiers = [tier for c in subject.citations if (tier := subject.derived_tier(c))]
    return NOTHING if not tiers or min(tiers) <= weakest else _told(subject, subject.citations)
