"""How near a recomputed value is to the published one: its deviation and the tier of the tolerance table.

Differences and bounds are judged on the shortest decimal forms of the floats, so that 18.75 − 18.7 is 0.05 and not a
little more. The deviation is taken of the unrounded value; rounding serves tier T0 alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from app.domain.canonical import round_half_even
from app.domain.reconcile.joining import Joined
from app.domain.reconcile.policies import Recomputed, Value, Values
from app.domain.reconcile.spec import Family, Tolerance

UNDEFINED = "undefined"
DIVERGENT = "divergent"


@dataclass(frozen=True)
class Judged:
    """One policy on one cell: the value, its deviation (numbers only, null where either side is), and the tier."""

    value: Value
    delta: float | int | None
    tier: str
    n_values: int | None = None


def difference(value: float, published: float) -> Decimal:
    """Return `value` − `published`, exact on the shortest decimal forms.

    >>> difference(18.75, 18.7)
    Decimal('0.05')
    """
    return Decimal(repr(value)) - Decimal(repr(published))


def judge(recomputed: Recomputed | None, published: Value, family: Family, tolerance: Tolerance) -> Judged:
    """Return how `recomputed` (None: no source rows) stands to `published`; nothing meets a null published value."""
    if recomputed is None or recomputed.undefined:
        return Judged(None, None, UNDEFINED, recomputed.n_values if recomputed else None)
    value = recomputed.value
    if family.kind == "text":
        met = value is not None and value == published
        return Judged(value, None, "T0" if met else DIVERGENT, recomputed.n_values)
    if published is None:
        return Judged(value, None, DIVERGENT)
    if family.kind == "whole":
        delta = int(value or 0) - int(published)
        return Judged(value, delta, "T0" if delta == 0 else DIVERGENT)
    return _number(float(value or 0.0), float(published), family.decimals or 0, tolerance)


def _number(value: float, published: float, decimals: int, tolerance: Tolerance) -> Judged:
    exact = difference(value, published)
    if round_half_even(value, decimals) == published:
        return Judged(value, float(exact), "T0")
    for tier, up_to in tolerance.bounds():
        if abs(exact) <= Decimal(repr(up_to)):
            return Judged(value, float(exact), tier)
    return Judged(value, float(exact), DIVERGENT)


def published_values(frame: Any, column: str, kind: str) -> list[Value]:
    """Return a target column as plain values in row order, null as None."""
    as_plain: Callable[[Any], Value] = {"number": float, "whole": int}.get(kind, str)
    values = frame[column]
    return [None if missing else as_plain(v) for v, missing in zip(values, values.isna(), strict=True)]


def judge_column(
    joined: Joined, published: list[Value], values: Mapping[str, Values], family: Family, tolerance: Tolerance
) -> dict[str, list[Judged]]:
    """Return policy id → one `Judged` a target row, in row order."""
    return {
        policy: [
            judge(of_groups.get(group) if group is not None else None, published[i], family, tolerance)
            for i, group in enumerate(joined.group_of)
        ]
        for policy, of_groups in values.items()
    }
