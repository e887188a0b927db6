"""The soft rules that look at a rater's own history: time on the claim, repeated notes, open labels, revisions.

Pure: the facts are handed in. They are the rater's own and of this study alone; nothing here knows another rater, an
automatic label, or what this rater said of the same claim before (that would tell a hidden repeat).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.codebook.workflow import workflow_rules
from app.domain.errors import Violation

SHORTEST, LONGEST = 5.0, 1800.0
"""Seconds on a claim under and over which W08 asks."""
N_NOTES, N_CODINGS, N_REVISIONS = 3, 20, 3
"""How many notes W09 and codings W10 look back at, this coding included in the latter; revisions W12 lets pass."""
DEFAULT_SHARE = 0.40
SHARES: Mapping[tuple[str, str], Mapping[str, float]] = {
    ("saydo", "0.4"): {"UNVERIFIABLE": 0.40, "UNDETERMINED": 0.25},
    ("saydo", "0.5"): {"UNVERIFIABLE": 0.40, "UNDETERMINED": 0.25},
}
"""Codebook (id, version) → label → the share of the last codings above which W10 shows its definition.

The released files do not state it, and they do not change. Any other codebook gets `DEFAULT_SHARE` for each verdict
that is neither decided nor credited and may be given to every kind of claim.
"""


@dataclass(frozen=True)
class Past:
    """One earlier coding of another claim: what it said, and the soft rules it confirmed."""

    answer: Mapping[str, Any]
    confirmed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class History:
    """What is known of a rater at a save. `past` is newest first, each claim once, the claim at hand left out.

    `seconds_on_item` is the time on this claim, None where nobody measured it; `revision` the number this save gets.
    """

    seconds_on_item: float | None
    revision: int
    past: tuple[Past, ...] = ()


@dataclass(frozen=True)
class Heard:
    """What the history says: which of its rules could be judged at all, and what they ask."""

    applied: tuple[str, ...]
    violations: tuple[Violation, ...]


def shares_of(codebook: Codebook) -> Mapping[str, float]:
    """Return label → the share above which W10 asks, for every label that is watched."""
    named = SHARES.get((codebook.id, codebook.version))
    if named is not None:
        return named
    return {o.code: DEFAULT_SHARE for o in codebook.verdicts if not o.decided and o.credit is None and o.kinds is None}


def hear(codebook: Codebook, answer: Mapping[str, Any], history: History) -> Heard:
    """Return what a rater's history asks about a normalised answer; a rule without its facts stays silent.

    A rule of the codebook's own under one of these ids stands in place of the server's.
    """
    known = {rule.id for rule in workflow_rules(codebook)}
    tests = {"W08": _time, "W09": _note, "W10": _label, "W12": _revisions}
    found = {rule: test(codebook, answer, history) for rule, test in tests.items() if rule in known}
    applied = tuple(rule for rule, told in found.items() if told is not None)
    violations = tuple(v for told in found.values() if told is not None for v in told)
    return Heard(applied, violations)


Told = Sequence[Violation] | None
"""None: the rule does not apply here; otherwise what it asks, often nothing."""


def _time(_: Codebook, __: Mapping[str, Any], history: History) -> Told:
    seconds = history.seconds_on_item
    if seconds is None:
        return None
    if seconds < SHORTEST:
        return [Violation("W08", "soft", "", "Less than 5 seconds were spent on this claim; look at it once more.")]
    if seconds > LONGEST:
        return [Violation("W08", "soft", "", "More than 30 minutes were spent on this claim; look at it once more.")]
    return []


def _note(codebook: Codebook, answer: Mapping[str, Any], history: History) -> Told:
    field = codebook.field("note")
    note = _note_of(answer)
    if field is None or field.type != "text" or not note:
        return None
    last = [words for past in history.past if (words := _note_of(past.answer))][:N_NOTES]
    if note not in last:
        return []
    message = "This note equals one of your last three notes; say what is so of this claim."
    return [Violation("W09", "soft", "note", message)]


def _note_of(answer: Mapping[str, Any]) -> str:
    note = answer.get("note")
    return " ".join(note.split()) if isinstance(note, str) else ""


def _label(codebook: Codebook, answer: Mapping[str, Any], history: History) -> Told:
    label = answer.get("verdict")
    limit = shares_of(codebook).get(label) if isinstance(label, str) else None
    before = history.past[: N_CODINGS - 1]
    if limit is None or len(before) < N_CODINGS - 1:
        return None
    same = [past for past in before if past.answer.get("verdict") == label]
    reminded = any("W10" in past.confirmed for past in same)
    if reminded or (len(same) + 1) / N_CODINGS <= limit:
        return []
    return list(_reminders(codebook, str(label), limit))


def _reminders(codebook: Codebook, label: str, limit: float) -> Iterator[Violation]:
    option = next(option for option in codebook.verdicts if option.code == label)
    name = option.title or label.replace("_", " ").lower()
    share = f"{100 * limit:.0f} % of your last {N_CODINGS} codings"
    told = f"More than {share} say “{name}”; this is shown to you alone."
    yield Violation("W10", "soft", "verdict", f"{told} It means: {option.definition}" if option.definition else told)


def _revisions(_: Codebook, __: Mapping[str, Any], history: History) -> Told:
    if history.revision == 1:
        return None
    if history.revision <= N_REVISIONS:
        return []
    return [Violation("W12", "soft", "", "This coding has more than three revisions; read the claim afresh.")]
