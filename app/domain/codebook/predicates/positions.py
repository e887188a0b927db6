"""Predicates about where things stand: citations against claim and window, the search span, the coverage map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.domain.codebook import parameters as takes
from app.domain.codebook.predicates.citations import at_evidence, turn_names
from app.domain.codebook.registry import NOTHING, Finding, Findings, predicate
from app.domain.codebook.shapes import is_complete_span
from app.domain.codebook.subject import Subject


@predicate(takes.takes_role)
def cites_at_or_before_claim(subject: Subject, role: str) -> Findings:
    """Citations of the role lie before the claim, or are the call made in the claim's own row."""
    wrong = [c for c in subject.cited(role) if not (c.turn < subject.claim.turn or subject.is_own_call(c))]
    return (at_evidence(subject, turn_names(wrong)),) if wrong else NOTHING


@predicate(takes.takes_roles)
def cites_in_window(subject: Subject, roles: Sequence[str]) -> Findings:
    """Citations of the roles lie inside the intent's window."""
    wrong = [c for role in roles for c in subject.cited(role) if not subject.window.holds(c.turn)]
    return (at_evidence(subject, turn_names(wrong)),) if wrong else NOTHING


@predicate(takes.takes_role)
def some_cite_in_window(subject: Subject, role: str) -> Findings:
    """At least one citation of the role lies inside the intent's window."""
    return NOTHING if any(subject.window.holds(c.turn) for c in subject.cited(role)) else (at_evidence(subject),)


def _span(subject: Subject, name: str) -> tuple[int, int] | None:
    value = subject.answer.get(name)
    return (value["from_turn"], value["to_turn"]) if isinstance(value, dict) and is_complete_span(value) else None


@predicate(takes.takes_field_of("span"))
def span_reaches_due_point(subject: Subject, name: str) -> Findings:
    """The search span ends at or after the claim, for an intent at or after the window's end. Holds without a span."""
    span = _span(subject, name)
    return NOTHING if span is None or span[1] >= subject.due else (Finding(name, f"turn {subject.due}"),)


@predicate(takes.takes_field_of("span"))
def span_without_gap(subject: Subject, name: str) -> Findings:
    """No gap of the coverage map overlaps the search span, whatever its channel. Holds without a span."""
    span = _span(subject, name)
    if span is None:
        return NOTHING
    hit = [gap for gap in subject.view.run.gaps if gap.from_turn <= span[1] and gap.to_turn >= span[0]]
    return tuple(Finding(name, f"turns {gap.from_turn} to {gap.to_turn}") for gap in hit[:1])


@predicate(takes.takes_true)
def coverage_map(subject: Subject, _: Any) -> Findings:
    """The run has a channel coverage map."""
    return NOTHING if subject.view.run.coverage else (Finding(),)
