"""Which labels and fields of a codebook can be reached at all, read off its conditions and hard rules.

A reading of the document, not a proof: it finds labels no procedure leads to, labels a hard rule refuses whatever else
is coded, and fields that no label shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.domain.codebook.model import Codebook, Field, Option, Rule
from app.domain.codebook.registry import RESERVED

Place = tuple[tuple[str | int, ...], str]
_NOT_CODABLE = "not_codable"


def shows(codebook: Codebook, field: Field, label: str) -> bool:
    """Return whether an answer with this label can show the field: none of its conditions, or theirs, rules it out."""
    return _Label(codebook, label).shows(field)


def list_labels(codebook: Codebook) -> tuple[str, ...]:
    """Return the labels this codebook's answers can end in: its verdicts, and not_codable if it has codability."""
    return codebook.labels


def unreachable(codebook: Codebook) -> Iterator[Place]:
    """Yield path and sentence for each label that cannot be reached and each field that no label shows."""
    labels = [_Label(codebook, label) for label in codebook.labels]
    for label in labels:
        for sentence in label.why_unreachable():
            yield _place_of(codebook, label.code), f"{label.code} cannot be reached: {sentence}"
    for place, field in enumerate(codebook.fields):
        if not any(label.shows(field) for label in labels):
            yield ("fields", place), f"{field.name} is shown by no label"


def _place_of(codebook: Codebook, label: str) -> tuple[str | int, ...]:
    name = "codability" if label == _NOT_CODABLE else "verdict"
    for place, field in enumerate(codebook.fields):
        if field.name == name:
            return ("fields", place, "options", field.codes.index(label))
    return ("fields",)


class _Label:
    """One label and what an answer that ends in it can show. Each field is asked once, whatever leads back to it."""

    def __init__(self, codebook: Codebook, code: str) -> None:
        self.codebook, self.code = codebook, code
        self.option: Option | None = next((o for o in codebook.verdicts if o.code == code), None)
        self._shown: dict[str, bool] = {}

    def shows(self, field: Field) -> bool:
        if field.name not in self._shown:
            self._shown[field.name] = False  # a condition that leads back to its own field never holds
            self._shown[field.name] = all(self._can_hold(name, allowed) for name, allowed in field.when.items())
        return self._shown[field.name]

    def _can_hold(self, name: str, allowed: tuple[Any, ...]) -> bool:
        asked = self.codebook.field(name)
        return asked is not None and self._allows(name, allowed) and self.shows(asked)

    def _allows(self, name: str, allowed: tuple[Any, ...]) -> bool:
        if name == "verdict":
            return self.code in allowed
        if name == "codability":
            codable = any(code != _NOT_CODABLE for code in allowed)
            return _NOT_CODABLE in allowed if self.code == _NOT_CODABLE else codable
        kinds = self.option.kinds if self.option and name == "claim_kind" else None
        return bool(allowed) if kinds is None else any(kind in kinds for kind in allowed)

    def why_unreachable(self) -> Iterator[str]:
        if self.code not in self.codebook.decision_order:
            yield "the decision order does not name it"
        if self.option is not None and self.option.kinds == ():
            yield "it is allowed for no claim kind"
        verdict = self.codebook.field("verdict")
        if self.option is not None and verdict is not None and not self.shows(verdict):
            yield "the conditions of the field verdict hide it"
        for rule in self.codebook.rules:
            if rule.level == "hard" and self._always(rule.when):
                yield from self._refusals(rule)

    def _always(self, when: Mapping[str, tuple[Any, ...]]) -> bool:
        """Whether a condition holds for every answer with this label."""
        return all(name in ("verdict", "codability") and self._allows(name, allowed) for name, allowed in when.items())

    def _refusals(self, rule: Rule) -> Iterator[str]:
        for requirement in rule.require:
            if "unless" in requirement or "soften" in requirement or not self._always(requirement.get("when", {})):
                continue
            (name,) = (key for key in requirement if key not in RESERVED)
            if name == "never":
                yield f"rule {rule.id} always refuses it"
            field = self.codebook.field(requirement[name]) if name == "present" else None
            if field is not None and not self.shows(field):
                yield f"rule {rule.id} asks for {field.name}, which it does not show"
