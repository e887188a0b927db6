"""Which labels and fields of a codebook can be reached at all, read off its conditions and hard rules.

A reading of the document, not a proof: it finds labels no procedure leads to, labels a hard rule refuses whatever else
is coded, and fields that no label shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.domain.codebook.model import Codebook, Field, Rule
from app.domain.codebook.registry import RESERVED

Place = tuple[tuple[str | int, ...], str]
_NOT_CODABLE = "not_codable"


def shows(codebook: Codebook, field: Field, label: str) -> bool:
    """Return whether an answer with this label can show the field: none of its conditions, or theirs, rules it out."""
    return all(
        (asked := codebook.field(name)) is not None and shows(codebook, asked, label) and _allows(name, allowed, label)
        for name, allowed in field.when.items()
    )


def _allows(name: str, allowed: tuple[Any, ...], label: str) -> bool:
    if name == "verdict":
        return label in allowed
    if name == "codability":
        return _NOT_CODABLE in allowed if label == _NOT_CODABLE else any(code != _NOT_CODABLE for code in allowed)
    return bool(allowed)


def list_labels(codebook: Codebook) -> tuple[str, ...]:
    """Return the labels this codebook's answers can end in: its verdicts, and not_codable if it has codability."""
    return codebook.labels


def unreachable(codebook: Codebook) -> Iterator[Place]:
    """Yield path and sentence for each label that cannot be reached and each field that no label shows."""
    labels = list_labels(codebook)
    for label in labels:
        for sentence in _why_unreachable(codebook, label):
            yield _place_of(codebook, label), f"{label} cannot be reached: {sentence}"
    for place, field in enumerate(codebook.fields):
        if not any(shows(codebook, field, label) for label in labels):
            yield ("fields", place), f"{field.name} is shown by no label"


def _place_of(codebook: Codebook, label: str) -> tuple[str | int, ...]:
    name = "codability" if label == _NOT_CODABLE else "verdict"
    for place, field in enumerate(codebook.fields):
        if field.name == name:
            return ("fields", place, "options", field.codes.index(label))
    return ("fields",)


def _why_unreachable(codebook: Codebook, label: str) -> Iterator[str]:
    if label not in codebook.decision_order:
        yield "the decision order does not name it"
    option = next((o for o in codebook.verdicts if o.code == label), None)
    if option is not None and option.kinds == ():
        yield "it is allowed for no claim kind"
    verdict = codebook.field("verdict")
    if option is not None and verdict is not None and not shows(codebook, verdict, label):
        yield "the conditions of the field verdict hide it"
    for rule in codebook.rules:
        if rule.level == "hard" and _always(rule.when, label):
            yield from _refusals(codebook, rule, label)


def _always(when: Mapping[str, tuple[Any, ...]], label: str) -> bool:
    """Whether a condition holds for every answer with this label."""
    return all(name in ("verdict", "codability") and _allows(name, allowed, label) for name, allowed in when.items())


def _refusals(codebook: Codebook, rule: Rule, label: str) -> Iterator[str]:
    for requirement in rule.require:
        if "unless" in requirement or "soften" in requirement or not _always(requirement.get("when", {}), label):
            continue
        (name,) = (key for key in requirement if key not in RESERVED)
        if name == "never":
            yield f"rule {rule.id} always refuses it"
        field = codebook.field(requirement[name]) if name == "present" else None
        if field is not None and not shows(codebook, field, label):
            yield f"rule {rule.id} asks for {field.name}, which it does not show"
