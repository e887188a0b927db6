"""The lead's pages of reconciliations: the shelf of finished ones, and one with its divergent cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RunLine:
    """One finished reconciliation on the shelf."""

    name: str
    title: str
    cells: int
    divergent: int
    agrees: bool
    identical: bool
    n_claims: int


@dataclass(frozen=True)
class ReconcileShelf:
    """`/reconcile`: what was reconciled, and the form that reconciles; `error` says what was wrong with it."""

    runs: tuple[RunLine, ...]
    values: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True)
class DivergentCell:
    """One divergent cell: what is published, and the declared policy that comes nearest."""

    claim_id: str
    row: str
    published: str
    nearest: str
    value: str
    delta: str
    claimed: bool


@dataclass(frozen=True)
class DivergentColumn:
    """The divergent cells of one column."""

    column: str
    unit: str
    cells: tuple[DivergentCell, ...]
    n_unclaimed: int


@dataclass(frozen=True)
class PolicyLine:
    """One column and policy: rows by the best tier it reaches alone, and its mean |Δ|."""

    column: str
    policy: str
    primary: bool
    tiers: tuple[int, ...]
    mean_deviation: str


@dataclass(frozen=True)
class ReconcilePage:
    """`/reconcile/{name}`: the sum of the cells, whether two implementations agree, and what diverges."""

    name: str
    title: str
    spec: str
    classes: tuple[tuple[str, int], ...]
    total: int
    facts: tuple[tuple[str, str, bool | None], ...]
    columns: tuple[DivergentColumn, ...]
    n_divergent: int
    n_claims: int
    policies: tuple[PolicyLine, ...]
    files: tuple[tuple[str, int], ...]
    error: str | None = None
