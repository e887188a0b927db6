"""Pooling policies P1–P6: from the raters' labels of one claim, and the adjudicator's, to one label or a reason.

A label is a verdict or `not_codable`. Which labels exist and which stand in an order is the codebook's business.
Nothing here knows records, columns or files; nothing here invents a label where a policy yields none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.domain.errors import BadInput

SAMPLED = "sampled"
STATES = ("agreed", "adjudicated", "single_coded", "open", "paused", "withdrawn")


@dataclass(frozen=True)
class Ballot:
    """What pooling needs of one claim: the human raters' labels in slot order, the adjudicator's, and its status.

    `status` is `sampled`, `paused` or `withdrawn`; the last two have no pooled label under any policy.
    """

    labels: tuple[str, ...]
    final: str | None = None
    status: str = SAMPLED


@dataclass(frozen=True)
class Pooled:
    """A pooled label with how it came about, or None with why not.

    `basis`: `unanimous`, `adjudicated`, `single`, `open` (no label), and for P2 and P3 `majority` and `lowest`.
    `null_reason`: None exactly where a label stands.
    """

    label: str | None
    basis: str
    null_reason: str | None = None


def state(ballot: Ballot) -> str:
    """Return the one of `STATES` a claim is in; every claim is in exactly one, whatever policy is primary.

    Equal labels of two or more raters are `agreed` even where an adjudicator looked at them (an audit): what
    adjudication says of an agreement is an error estimate, not a correction.
    """
    if ballot.status != SAMPLED:
        return ballot.status
    if not ballot.labels:
        return "open"
    if len(ballot.labels) == 1:
        return "single_coded"
    if len(set(ballot.labels)) == 1:
        return "agreed"
    return "open" if ballot.final is None else "adjudicated"


def pool(policy: str, ballot: Ballot, ordinal: Sequence[str]) -> Pooled:
    """Return what `policy` makes of a claim; `ordinal` is the codebook's ordered subset of labels, lowest first.

    P1 unanimous, else adjudicated (a single coding stands alone). P2 more than half of the raters, else null
    (`no_majority`). P3 the lowest label of the order, null (`undecided`) when any label stands outside it. P5 only what
    two or more raters agree on (`no_agreement`, `single`). P6 as P1, but the adjudicator's label wins wherever there is
    one. P4 is each rater alone and has no consolidated label. Raises `BadInput` for any other name.
    """
    rule = _RULES.get(policy)
    if rule is None:
        raise BadInput(f"pooling policy {policy!r} has no consolidated label; choose one of {', '.join(_RULES)}")
    if ballot.status != SAMPLED:
        return Pooled(None, "open", ballot.status)
    if not ballot.labels:
        return Pooled(None, "open", "open")
    return rule(ballot, ordinal)


def _p1(ballot: Ballot, ordinal: Sequence[str]) -> Pooled:
    if len(ballot.labels) == 1:
        return Pooled(ballot.labels[0], "single")
    if len(set(ballot.labels)) == 1:
        return Pooled(ballot.labels[0], "unanimous")
    return Pooled(None, "open", "open") if ballot.final is None else Pooled(ballot.final, "adjudicated")


def _p2(ballot: Ballot, ordinal: Sequence[str]) -> Pooled:
    label, votes = Counter(ballot.labels).most_common(1)[0]
    if 2 * votes <= len(ballot.labels):
        return Pooled(None, "open", "no_majority")
    return Pooled(label, _basis(ballot, "majority"))


def _p3(ballot: Ballot, ordinal: Sequence[str]) -> Pooled:
    if any(label not in ordinal for label in ballot.labels):
        return Pooled(None, "open", "undecided")
    return Pooled(min(ballot.labels, key=list(ordinal).index), _basis(ballot, "lowest"))


def _p5(ballot: Ballot, ordinal: Sequence[str]) -> Pooled:
    if len(ballot.labels) == 1:
        return Pooled(None, "open", "single")
    if len(set(ballot.labels)) == 1:
        return Pooled(ballot.labels[0], "unanimous")
    return Pooled(None, "open", "no_agreement")


def _p6(ballot: Ballot, ordinal: Sequence[str]) -> Pooled:
    return _p1(ballot, ordinal) if ballot.final is None else Pooled(ballot.final, "adjudicated")


def _basis(ballot: Ballot, otherwise: str) -> str:
    if len(ballot.labels) == 1:
        return "single"
    return "unanimous" if len(set(ballot.labels)) == 1 else otherwise


_RULES: dict[str, Callable[[Ballot, Sequence[str]], Pooled]] = {"P1": _p1, "P2": _p2, "P3": _p3, "P5": _p5, "P6": _p6}

CONSOLIDATING = tuple(_RULES)
"""The policies that give one label a claim (P4, each rater alone, does not)."""
