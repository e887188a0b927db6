"""The pooling policies once more, in plain loops, written from their definitions and sharing no code with the first.

A label is a verdict or `not_codable`; each function returns (label or None, how it came about, why null or None).
"""

from __future__ import annotations

Outcome = tuple[str | None, str, str | None]
NOT_CODABLE = "not_codable"
POLICIES = ("P1", "P2", "P3", "P5", "P6")


def all_equal(labels: list[str]) -> bool:
    """Return whether no label differs from the first; true for none."""
    return all(label == labels[0] for label in labels)


def pooled(policy: str, labels: list[str], final: str | None, status: str, order: list[str]) -> Outcome:
    """Return the outcome of one policy for one claim; `order` is the ordinal subset, lowest first."""
    if status in ("paused", "withdrawn") or len(labels) == 0:
        return None, "open", status if status != "sampled" else "open"
    if policy == "P2":
        return _majority(labels)
    if policy == "P3":
        return _lowest(labels, order)
    if policy == "P5":
        return _agreement_only(labels)
    return _unanimous_else_adjudicated(labels, final, anyway=policy == "P6")


def claim_state(labels: list[str], final: str | None, status: str) -> str:
    """Return the one state a claim is in, from which the accounting sums."""
    if status in ("paused", "withdrawn"):
        return status
    if len(labels) == 0:
        return "open"
    if len(labels) == 1:
        return "single_coded"
    if all_equal(labels):
        return "agreed"
    return "open" if final is None else "adjudicated"


def _unanimous_else_adjudicated(labels: list[str], final: str | None, anyway: bool) -> Outcome:
    if anyway and final is not None:
        return final, "adjudicated", None
    if len(labels) == 1:
        return labels[0], "single", None
    if all_equal(labels):
        return labels[0], "unanimous", None
    if final is not None:
        return final, "adjudicated", None
    return None, "open", "open"


def _majority(labels: list[str]) -> Outcome:
    for label in labels:
        votes = 0
        for other in labels:
            if other == label:
                votes += 1
        if votes > len(labels) - votes:
            return label, _how(labels, "majority"), None
    return None, "open", "no_majority"


def _lowest(labels: list[str], order: list[str]) -> Outcome:
    for label in labels:
        if label not in order:
            return None, "open", "undecided"
    for label in order:
        if label in labels:
            return label, _how(labels, "lowest"), None
    return None, "open", "undecided"


def _agreement_only(labels: list[str]) -> Outcome:
    if len(labels) == 1:
        return None, "open", "single"
    if all_equal(labels):
        return labels[0], "unanimous", None
    return None, "open", "no_agreement"


def _how(labels: list[str], otherwise: str) -> str:
    if len(labels) == 1:
        return "single"
    return "unanimous" if all_equal(labels) else otherwise
