"""Gap rates: which share of the coded claims the log does not bear out, by every declared gap policy and denominator.

The gap policies, the decided labels and their credit come from the codebook; a rate never comes without its numerator
and denominator. Nothing here pools: it is given one label a claim.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.codebook.model import Codebook

CREDIT = "G4"
DENOMINATORS = ("decided", "decided_or_released", "codable", "sampled")
CLAIM_SETS = ("backward", "intents", "kind_open", "all")
REPEATS = ("all", "first")


@dataclass(frozen=True)
class Labelled:
    """One claim as a gap rate sees it: its label under a policy and its kind (or None), and whether it is a repeat."""

    label: str | None
    kind: str | None
    repeat: bool


def gap_names(codebook: Codebook) -> tuple[str, ...]:
    """Return the gap policies that are sets of labels, by name (the credit mean G4 is not one)."""
    return tuple(sorted(name for name in codebook.gap_policies if name != CREDIT))


def gap_measures(codebook: Codebook) -> tuple[str, ...]:
    """Return every measure of a gap this codebook knows: its policies, and the credit mean if a verdict has credit."""
    credit = (CREDIT,) if any(option.credit is not None for option in codebook.verdicts) else ()
    return (*gap_names(codebook), *credit)


def primary_measure(codebook: Codebook) -> str:
    """Return the measure of the headline: the primary gap policy, else the credit mean, "" without either."""
    return codebook.primary_gap or next(iter(gap_measures(codebook)), "")


def decided_labels(codebook: Codebook) -> frozenset[str]:
    """Return the verdicts that settle a claim."""
    return frozenset(option.code for option in codebook.verdicts if option.decided)


def released_labels(codebook: Codebook) -> frozenset[str]:
    """Return the undecided verdicts that only intents can take: a promise openly let go, not an open question."""
    forward = set(codebook.forward_kinds)
    return frozenset(o.code for o in codebook.verdicts if not o.decided and o.kinds and set(o.kinds) <= forward)


def credit_of(codebook: Codebook, label: str | None) -> float | None:
    """Return a label's credit, None where the codebook gives it none."""
    return next((option.credit for option in codebook.verdicts if option.code == label), None)


def is_gap(codebook: Codebook, name: str, label: str | None) -> bool | None:
    """Return whether a decided label is a gap under one policy; None for a label that decides nothing."""
    return label in codebook.gap_policies[name] if label in decided_labels(codebook) else None


def claim_set(codebook: Codebook, kind: str | None) -> str:
    """Return `intents`, `backward`, or `kind_open` for a claim without a pooled kind.

    Under a codebook without kinds every claim looks back.
    """
    if kind is None:
        return "kind_open" if codebook.field("claim_kind") else "backward"
    return "intents" if kind in codebook.forward_kinds else "backward"


def gap_rows(codebook: Codebook, pooling: str, claims: Sequence[Labelled]) -> list[dict[str, Any]]:
    """Return one row per claim set × repeats × gap policy × denominator for one pooling policy.

    Each row holds `pooling, claims, repeats_of, gap, denominator, num, den, value, undefined_reason`. `num` counts gap
    labels; for G4 it is the sum of credits (an undecided label carries none, so it adds nothing). `value` is num/den,
    None with `empty_denominator` where den is 0.
    """
    rows: list[dict[str, Any]] = []
    for name in CLAIM_SETS:
        inside = [c for c in claims if name in ("all", claim_set(codebook, c.kind))]
        for repeats in REPEATS:
            counted = [c for c in inside if repeats == "all" or not c.repeat]
            where = {"pooling": pooling, "claims": name, "repeats_of": repeats}
            rows.extend(where | rate for rate in _rates(codebook, counted))
    return rows


def _rates(codebook: Codebook, counted: Sequence[Labelled]) -> Iterable[dict[str, Any]]:
    tally = Counter(claim.label for claim in counted)
    tests = _denominators(codebook)
    for gap in gap_measures(codebook):
        for denominator in DENOMINATORS:
            within = {label: n for label, n in tally.items() if tests[denominator](label)}
            yield {"gap": gap, "denominator": denominator, **_rate(codebook, gap, within)}


def _denominators(codebook: Codebook) -> Mapping[str, Callable[[str | None], bool]]:
    decided, released = decided_labels(codebook), released_labels(codebook)
    verdicts = {option.code for option in codebook.verdicts}
    return {
        "decided": lambda label: label in decided,
        "decided_or_released": lambda label: label in decided or label in released,
        "codable": lambda label: label in verdicts,
        "sampled": lambda label: True,
    }


def _rate(codebook: Codebook, gap: str, within: Mapping[str | None, int]) -> dict[str, Any]:
    den = sum(within.values())
    num: float
    if gap == CREDIT:
        # fsum rounds once, so the sum does not depend on the order of the labels
        num = math.fsum((credit_of(codebook, label) or 0.0) * n for label, n in within.items())
    else:
        num = sum(n for label, n in within.items() if is_gap(codebook, gap, label))
    if den == 0:
        return {"num": num, "den": 0, "value": None, "undefined_reason": "empty_denominator"}
    return {"num": num, "den": den, "value": num / den, "undefined_reason": None}
