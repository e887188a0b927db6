"""What a rule looks at: one answer beside its claim and run, with what the server computes from them.

Computed once a judgement, as it is asked. No rule is stated here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from app.domain.codebook.model import EVIDENCE_TYPES, Codebook, Field
from app.domain.coding import kind_class, shown_fields
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit
from app.domain.turnlog.tiers import tier_in
from app.domain.turnlog.windows import Window, due_turn, find_window

__all__ = ["ANY", "COMPUTED", "EVIDENCE_TYPES", "Citation", "Subject", "is_turn"]

ANY = "any"
# Conditions the server computes; a rule's `when` may name them beside the codebook's own fields. None: any role.
COMPUTED: dict[str, tuple[Any, ...] | None] = {
    "kind_class": ("backward", "intent"),
    "late_roles": None,
    "polarity": ("do", "not_do"),
    "conditional": (True, False),
    "coverage_map": (True, False),
}


@dataclass(frozen=True)
class Citation:
    """One well-formed citation. `place` is its index in the normalised evidence list."""

    place: int
    turn: int
    role: str | None
    tier: str | None
    part: str | None


def is_turn(value: Any) -> bool:
    """Return whether a value can name a position: a whole number (true and false are none)."""
    return type(value) is int


class Subject:
    """One answer to be judged. `answer` is normalised."""

    def __init__(self, codebook: Codebook, view: RunView, claim: ClaimUnit, answer: Mapping[str, Any]) -> None:
        self.codebook = codebook
        self.view = view
        self.claim = claim
        self.answer = answer

    def field_of_type(self, *types: str) -> Field | None:
        """Return the codebook's first field of one of these types."""
        return self.codebook.first_of(*types)

    @cached_property
    def evidence(self) -> Field | None:
        """The field that holds citations."""
        return self.field_of_type(*EVIDENCE_TYPES)

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """The citations that have at least a turn; others are for `values_listed` to refuse."""
        sent = self.answer.get(self.evidence.name) if self.evidence else None
        return tuple(_citations(sent)) if isinstance(sent, list) else ()

    def cited(self, role: str) -> tuple[Citation, ...]:
        """Return the citations of one role; `any` returns all."""
        return self.citations if role == ANY else tuple(c for c in self.citations if c.role == role)

    @cached_property
    def flags(self) -> frozenset[str]:
        """The flags that are set."""
        field = self.field_of_type("flags")
        sent = self.answer.get(field.name) if field else None
        return frozenset(f for f in sent if isinstance(f, str)) if isinstance(sent, list) else frozenset()

    @cached_property
    def kind_class(self) -> str | None:
        """`backward` or `intent`."""
        return kind_class(self.codebook, self.answer.get("claim_kind"))

    @cached_property
    def window(self) -> Window:
        """Where evidence about an intent may lie."""
        return find_window(self.codebook.window, self.view, self.claim)

    @cached_property
    def due(self) -> int:
        """The position a recorded search must reach."""
        return due_turn(self.window if self.kind_class == "intent" else None, self.claim)

    @cached_property
    def shown(self) -> frozenset[str]:
        """The names of the fields that belong to this answer."""
        return shown_fields(self.codebook, self.answer)

    def derived_tier(self, citation: Citation) -> str | None:
        """Return what the log says of a citation; None where the turn is not in the run."""
        return tier_in(self.view, citation.turn, citation.part)

    def is_late(self, citation: Citation) -> bool:
        """Return whether a citation lies after the claim."""
        return citation.turn > self.claim.turn

    def is_own_call(self, citation: Citation) -> bool:
        """Return whether a citation means the call made in the claim's own row."""
        return citation.turn == self.claim.turn and self.view.part(citation.turn, citation.part) == "call"

    def tier_rank(self, tier: str | None) -> int:
        """Return a tier's place in the codebook's list, strongest 0; a tier it does not have ranks behind all."""
        tiers = self.evidence.tiers if self.evidence else ()
        return tiers.index(tier) if tier in tiers else len(tiers)

    def meets(self, when: Mapping[str, Any]) -> bool:
        """Return whether every condition holds; for a list value one allowed member is enough."""
        for name, allowed in when.items():  # noqa: SIM110 - asked some fifty times a judgement, and twice as fast so
            if not self._meets_one(name, allowed):
                return False
        return True

    def _meets_one(self, name: str, allowed: Any) -> bool:
        value = self._computed(name) if name in COMPUTED else self.answer.get(name)
        if isinstance(value, list | tuple):
            return any(item in allowed for item in value)
        return value in allowed

    def _computed(self, name: str) -> Any:
        if name == "kind_class":
            return self.kind_class
        if name == "late_roles":
            return [citation.role or ANY for citation in self.citations if self.is_late(citation)]
        if name == "coverage_map":
            return bool(self.view.run.coverage)
        return getattr(self.claim, name)


def _citations(sent: list[Any]) -> Iterator[Citation]:
    for place, item in enumerate(sent):
        if isinstance(item, dict) and is_turn(item.get("turn")):
            yield Citation(place, item["turn"], _text(item, "role"), _text(item, "tier"), _text(item, "part"))


def _text(item: Mapping[str, Any], key: str) -> str | None:
    value = item.get(key)
    return value if isinstance(value, str) else None
