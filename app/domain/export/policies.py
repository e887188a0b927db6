"""The analysis policies a study declared before coding, with the ones that hold where it declared none.

Reads them out of the registration and checks them against the codebook; applies none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput
from app.domain.record import StudyRecord
from app.domain.stats.gaps import DENOMINATORS, REPEATS, gap_measures, primary_measure
from app.domain.stats.pooling import CONSOLIDATING

POOLING = ("P1", "P2", "P3", "P4", "P5", "P6")
DECLARABLE_DENOMINATORS = ("decided", "codable", "sampled")


@dataclass(frozen=True)
class Primary:
    """The one policy a measure whose numbers stand first; it orders and decides nulls, the others are reported too."""

    pooling: str
    gap: str
    denominator: str
    repeats_of: str


@dataclass(frozen=True)
class Policies:
    """What was declared. Every policy is computed and reported; an undeclared one is marked as such."""

    pooling: tuple[str, ...]
    gaps: tuple[str, ...]
    denominators: tuple[str, ...]
    repeats_of: tuple[str, ...]
    primary: Primary

    def as_dict(self) -> dict[str, Any]:
        """Return the plain form that stands in the manifest."""
        plain = asdict(self)
        return {key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()}


def declared_policies(record: StudyRecord) -> Policies:
    """Return the registered policies; a part that was not registered takes all, with P1, the codebook's primary gap
    policy (the credit mean where it has none, "" without either), `decided` and `all` as primary.

    Raises `BadInput` for a policy that does not exist.
    """
    given = record.registration.get("policies") or {}
    gaps = gap_measures(record.codebook)
    return Policies(
        pooling=_among(given, "pooling", POOLING, POOLING),
        gaps=_among(given, "gaps", gaps, gaps),
        denominators=_among(given, "denominators", DENOMINATORS, DECLARABLE_DENOMINATORS),
        repeats_of=_among(given, "repeats_of", REPEATS, REPEATS),
        primary=_primary(given.get("primary") or {}, record.codebook, gaps),
    )


def primary_pooling(record: StudyRecord) -> str:
    """Return the primary pooling policy; raises `BadInput` like `declared_policies`."""
    return declared_policies(record).primary.pooling


def _primary(given: Mapping[str, Any], codebook: Codebook, gaps: Sequence[str]) -> Primary:
    return Primary(
        pooling=_one(given, "pooling", CONSOLIDATING, "P1"),
        gap=_one(given, "gap", gaps, primary_measure(codebook)) if gaps else "",
        denominator=_one(given, "denominator", DENOMINATORS, "decided"),
        repeats_of=_one(given, "repeats_of", REPEATS, "all"),
    )


def _one(given: Mapping[str, Any], key: str, allowed: Sequence[str], otherwise: str) -> str:
    value = given.get(key, otherwise)
    if value not in allowed:
        raise BadInput(f"policies.primary.{key} is {value!r}; choose one of {', '.join(allowed)}")
    return str(value)


def _among(given: Mapping[str, Any], key: str, allowed: Sequence[str], otherwise: Sequence[str]) -> tuple[str, ...]:
    values = given.get(key)
    if values is None:
        return tuple(otherwise)
    for value in values:
        if value not in allowed:
            raise BadInput(f"policies.{key} names {value!r}; choose among {', '.join(allowed)}")
    return tuple(values)
