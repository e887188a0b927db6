"""A crosswalk as data: how codings made under one codebook become codings of another, row by row.

Read from one YAML file for each pair of codebooks. What its conditions mean is `crosswalk_conditions`, whether it is
whole `crosswalk_faults`, how one coding is carried over `crosswalk`. Nothing here knows a label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput

AUTO, RECODE = "auto", "recode"
CROSSWALK = "crosswalk"
"""The origin of a coding that a crosswalk carried over."""


@dataclass(frozen=True)
class CitedAs:
    """The role that an old citation gets where it lies: `at_or_before_claim`, `in_window` or `anywhere`."""

    where: str
    role: str


@dataclass(frozen=True)
class CarriedField:
    """A field of the new codebook that takes its value from an old one; `values` None: the same value."""

    name: str
    source: str
    values: Mapping[str, str] | None = None

    def value(self, old: Any) -> Any:
        """Return the new value of an old one; None for a value that is not carried."""
        if self.values is None:
            return old
        if isinstance(old, list):
            return [self.values[item] for item in old if item in self.values]
        return self.values.get(old)


@dataclass(frozen=True)
class CrosswalkRow:
    """One row: the old codings it takes, and what becomes of them.

    It takes codings with the old `label` whose fields have the values in `when` (all must hold), for which every
    condition in `require` holds and none in `unless`; with `otherwise`, those that the other rows of its label leave.
    `to` is the new label; None: the claim is coded again. `sets` are further fields of the new coding.
    """

    id: str
    label: str
    how: str
    reason: str
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    require: tuple[Mapping[str, Any], ...] = ()
    unless: tuple[Mapping[str, Any], ...] = ()
    otherwise: bool = False
    to: str | None = None
    sets: Mapping[str, str] = field(default_factory=dict)
    cites: tuple[CitedAs, ...] = ()


@dataclass(frozen=True)
class HarmonisedClass:
    """Old and new labels that a statement across both codebooks does not tell apart."""

    name: str
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True)
class Crosswalk:
    """One file with the two codebooks it names. `sha256` is over the canonical content, as of a codebook.

    `exempt` are the hard rules of the new codebook that a coding carried over need not keep. `carried` has the mapping
    of claim kinds under `claim_kind`.
    """

    id: str
    title: str
    origin: str
    sha256: str
    old: Codebook
    new: Codebook
    exempt: tuple[str, ...]
    carried: tuple[CarriedField, ...]
    cue_words: Mapping[str, tuple[str, ...]]
    harmonised: tuple[HarmonisedClass, ...]
    rows: tuple[CrosswalkRow, ...]


def harmonise(crosswalk: Crosswalk, version: str, label: str) -> str:
    """Return the class of the harmonised scale that a label of one of the two versions falls in.

    Any statement across versions uses these classes and no label. Raises `BadInput` for a version the crosswalk does
    not join and a label that version does not have.
    """
    sides = {crosswalk.old.version: "old", crosswalk.new.version: "new"}
    if version not in sides:
        raise BadInput(f"crosswalk {crosswalk.id} joins {' and '.join(sides)}; it says nothing of version {version}")
    for one in crosswalk.harmonised:
        if label in getattr(one, sides[version]):
            return one.name
    raise BadInput(f"{label} is no label of version {version}")
