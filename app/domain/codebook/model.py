"""A codebook as data: fields, options, rules, policies. Read from one YAML file a version, hashed, never
changed after release. The form, the rule engine, the statistics and the exports read everything they know from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

EVIDENCE_TYPES = ("turn_list", "citation_list")


@dataclass(frozen=True)
class Option:
    """One value of a field. `kinds` limits a verdict to claim kinds; `credit` is null where no credit is defined.

    `key` is the single keyboard key that picks it in its field; `shape` the glyph that stands beside its colour, and
    `letter` the capital that stands for it where there is no room for a word.
    """

    code: str
    title: str = ""
    key: str = ""
    shape: str = ""
    definition: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    examples: tuple[Mapping[str, str], ...] = ()
    counter_examples: tuple[Mapping[str, str], ...] = ()
    kinds: tuple[str, ...] | None = None
    decided: bool = False
    credit: float | None = None
    letter: str = ""


@dataclass(frozen=True)
class Field:
    """One question of the form, in form order.

    `type`: `enum`, `turn_list`, `citation_list`, `span`, `text`, `flags`. `when` maps another field to the values under
    which this one belongs to the answer (all must hold; empty: always) and is also the form's display condition.
    `ordinal` is True for an ordinal field, whose options stand low to high. `role_notes` and `tier_notes` say in one
    sentence what a role or tier of a citation list means; `quote_max` bounds a citation's quote, in code points.
    """

    name: str
    type: str
    title: str = ""
    help: str = ""
    options: tuple[Option, ...] = ()
    when: Mapping[str, tuple[str, ...]] = None  # type: ignore[assignment]
    ordinal: bool = False
    max_length: int | None = None
    roles: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    quote_max: int | None = None
    role_notes: Mapping[str, str] = field(default_factory=dict)
    tier_notes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.when is None:
            object.__setattr__(self, "when", {})

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The values this field allows, in declared order."""
        return tuple(option.code for option in self.options)


@dataclass(frozen=True)
class Rule:
    """One rule: under `when` (all must hold), every predicate in `require` must hold; else `message` at `field`.

    A requirement is a mapping with one predicate and its parameter, and may carry `when`, `unless`, a `message` of its
    own and `soften` (`when`, `require`: if these hold, breaking it is soft for this coding).
    """

    id: str
    level: str
    when: Mapping[str, tuple[Any, ...]]
    require: tuple[Mapping[str, Any], ...]
    message: str
    field: str


@dataclass(frozen=True)
class Codebook:
    """One version. `sha256` is over the canonical content of the file, so two spellings of one content share it.

    `source` is the file as it was read, kept with a study so that it can be opened when the folder has moved on.
    """

    id: str
    version: str
    origin: str
    title: str
    sha256: str
    fields: tuple[Field, ...]
    rules: tuple[Rule, ...]
    window: Mapping[str, Any]
    backward_kinds: tuple[str, ...]
    forward_kinds: tuple[str, ...]
    decision_order: tuple[str, ...]
    gap_policies: Mapping[str, tuple[str, ...]]
    primary_gap: str
    ordinal: tuple[str, ...]
    critical_pairs: tuple[tuple[str, str], ...]
    pooled_fields: tuple[str, ...]
    supersedes: str | None = None
    text: str = ""
    source: str = ""
    decision_steps: tuple[str, ...] = ()

    def field(self, name: str) -> Field | None:
        """Return the field of that name, or None when this codebook has none."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> Mapping[str, Field]:
        """The fields by name; of two that share one, the first."""
        return {field.name: field for field in reversed(self.fields)}

    def first_of(self, *types: str) -> Field | None:
        """Return the first field of one of these types: the citations, the search or the flags of this codebook."""
        return next((field for field in self.fields if field.type in types), None)

    @property
    def verdicts(self) -> tuple[Option, ...]:
        """The verdict options in declared order (empty for a codebook without a `verdict` field)."""
        found = self.field("verdict")
        return found.options if found else ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The categories of the main label, in declared order: every verdict, then `not_codable` if it can be said."""
        verdicts = tuple(option.code for option in self.verdicts)
        return (*verdicts, "not_codable") if self.field("codability") else verdicts
