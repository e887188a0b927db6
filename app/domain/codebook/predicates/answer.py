"""Predicates about the answer alone: what is there, what may be there, and how requirements combine.

They know no label, kind or flag by name; those stand in the codebook file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.codebook import parameters as takes
from app.domain.codebook.model import Codebook
from app.domain.codebook.registry import NOTHING, Finding, Findings, predicate, unmet
from app.domain.codebook.requirements import condition_fault, requirement_fault
from app.domain.codebook.shapes import is_complete_span, quoted, shape_faults
from app.domain.codebook.subject import Subject


@predicate(takes.takes_field)
def present(subject: Subject, name: str) -> Findings:
    """The field has a value; a search span has all of its parts."""
    value = subject.answer.get(name)
    field = subject.codebook.field(name)
    whole = value is not None and (field is None or field.type != "span" or is_complete_span(value))
    return NOTHING if whole else (Finding(name),)


@predicate(takes.takes_field)
def absent(subject: Subject, name: str) -> Findings:
    """The field has no value."""
    return (Finding(name),) if name in subject.answer else NOTHING


@predicate(takes.takes_true)
def fields_known(subject: Subject, _: Any) -> Findings:
    """Every field sent is one of this codebook's."""
    return tuple(Finding(name, quoted(name)) for name in subject.answer if subject.codebook.field(name) is None)


@predicate(takes.takes_true)
def values_listed(subject: Subject, _: Any) -> Findings:
    """Every value is one its field takes."""
    return tuple(
        Finding(field.name, what)
        for field in subject.codebook.fields
        if field.name in subject.answer
        for what in shape_faults(field, subject.answer[field.name])
    )


@predicate(takes.takes_fields_listed("except"))
def fields_belong(subject: Subject, besides: Any) -> Findings:
    """Every field sent belongs to this answer by its own conditions, but for those another rule speaks of."""
    spared = () if besides is True else besides["except"]
    return tuple(
        Finding(field.name, field.name)
        for field in subject.codebook.fields
        if field.name in subject.answer and field.name not in subject.shown and field.name not in spared
    )


@predicate(takes.takes_field_of("enum"))
def kind_allowed(subject: Subject, name: str) -> Findings:
    """The chosen option of the field may be given to a claim of this kind."""
    field = subject.codebook.field(name)
    value = subject.answer.get(name)
    option = next((o for o in field.options if o.code == value), None) if field else None
    if option is None or option.kinds is None or subject.answer.get("claim_kind") in option.kinds:
        return NOTHING
    return (Finding(name),)


@predicate(takes.takes_note_length)
def note_min(subject: Subject, n: int) -> Findings:
    """The note has at least `n` characters, spaces around it not counted."""
    return _long_enough(subject, "note", n)


@predicate(takes.takes_length)
def length_min(subject: Subject, parameter: Mapping[str, Any]) -> Findings:
    """A text field has at least `n` characters, spaces around it not counted."""
    return _long_enough(subject, parameter["field"], parameter["n"])


def _long_enough(subject: Subject, name: str, n: int) -> Findings:
    text = subject.answer.get(name)
    return NOTHING if isinstance(text, str) and len(text.strip()) >= n else (Finding(name),)


@predicate(takes.takes_one_value)
def equals(subject: Subject, values: Mapping[str, Any]) -> Findings:
    """Each field named has exactly this value."""
    return tuple(Finding(name) for name, value in values.items() if subject.answer.get(name) != value)


@predicate(takes.takes_values)
def one_of(subject: Subject, values: Mapping[str, Sequence[Any]]) -> Findings:
    """Each field named has one of these values."""
    return tuple(Finding(name) for name, allowed in values.items() if subject.answer.get(name) not in allowed)


@predicate(takes.takes_flag)
def flag(subject: Subject, code: str) -> Findings:
    """The flag is set."""
    field = subject.field_of_type("flags")
    return NOTHING if code in subject.flags or field is None else (Finding(field.name),)


@predicate(takes.takes_true)
def never(_: Subject, __: Any) -> Findings:
    """Nothing satisfies this: the rule's condition alone decides."""
    return (Finding(),)


@predicate(condition_fault)
def met(subject: Subject, when: Mapping[str, Any]) -> Findings:
    """The conditions hold: a `when` inside `any_of`."""
    return NOTHING if subject.meets(when) else (Finding(),)


def _takes_requirements(codebook: Codebook, value: Any) -> str | None:
    if not isinstance(value, list) or not value:
        return "takes a list of requirements"
    return next((fault for part in value if (fault := requirement_fault(codebook, part))), None)


@predicate(_takes_requirements)
def any_of(subject: Subject, parts: Sequence[Mapping[str, Any]]) -> Findings:
    """At least one of the requirements holds."""
    return NOTHING if any(not unmet(subject, part) for part in parts) else (Finding(),)


@predicate(_takes_requirements)
def all_of(subject: Subject, parts: Sequence[Mapping[str, Any]]) -> Findings:
    """All of the requirements hold."""
    return tuple(finding for part in parts for finding in unmet(subject, part))
