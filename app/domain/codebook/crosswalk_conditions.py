"""The conditions a crosswalk row can name, one function each, and what parameter each takes.

A condition looks at one old coding in its run and returns why it does not hold, in words for the reason of a re-coding,
or None where it holds. The words, tiers and flags they ask for stand in the crosswalk file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from app.domain.codebook.crosswalk_model import Crosswalk
from app.domain.codebook.subject import Citation, Subject
from app.domain.coding import normalise
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit
from app.domain.turnlog.tiers import TIERS
from app.domain.turnlog.windows import Window, find_window


class OldCoding:
    """One coding under the old codebook, beside its claim and run, and what the run says of its citations.

    `words` is every text in which the claim may be read: its own, and the one it stands for where it has one.
    """

    def __init__(
        self, crosswalk: Crosswalk, view: RunView, claim: ClaimUnit, answer: Mapping[str, Any], words: str = ""
    ) -> None:
        self.crosswalk = crosswalk
        self.subject = Subject(crosswalk.old, view, claim, normalise(answer))
        self.view = view
        self.claim = claim
        self.words = words or claim.text

    @property
    def answer(self) -> Mapping[str, Any]:
        """The old answer, normalised."""
        return self.subject.answer

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of the old answer."""
        return self.subject.citations

    @cached_property
    def window(self) -> Window:
        """The window the new codebook gives the claim if it is an intent."""
        return find_window(self.crosswalk.new.window, self.view, self.claim)

    @property
    def is_intent(self) -> bool:
        """Whether the old coding says that the claim looks ahead."""
        return self.subject.kind_class == "intent"

    def is_early(self, citation: Citation) -> bool:
        """Return whether a citation lies before the claim, or is the call made in the claim's own row."""
        return citation.turn < self.claim.turn or self.subject.is_own_call(citation)

    def lies(self, citation: Citation, where: str) -> bool:
        """Return whether a citation lies where a row says (`PLACES`)."""
        return PLACES[where](self, citation)


PLACES: Mapping[str, Callable[[OldCoding, Citation], bool]] = {
    "at_or_before_claim": lambda coding, citation: coding.is_early(citation),
    "in_window": lambda coding, citation: coding.window.holds(citation.turn),
    "anywhere": lambda coding, citation: True,
}


@dataclass(frozen=True)
class Condition:
    """`test` returns why the condition does not hold, or None; `takes` what is wrong with a parameter, or None."""

    name: str
    test: Callable[[OldCoding, Any], str | None]
    takes: Callable[[Crosswalk, Any], str | None]


CONDITIONS: dict[str, Condition] = {}


def condition(
    takes: Callable[[Crosswalk, Any], str | None],
) -> Callable[[Callable[[OldCoding, Any], str | None]], Callable[[OldCoding, Any], str | None]]:
    """Register the function under its own name as a condition whose parameter `takes` checks."""

    def register(test: Callable[[OldCoding, Any], str | None]) -> Callable[[OldCoding, Any], str | None]:
        CONDITIONS[test.__name__] = Condition(test.__name__, test, takes)
        return test

    return register


def why_not(coding: OldCoding, requirement: Mapping[str, Any]) -> str | None:
    """Return why one requirement (one condition and its parameter) does not hold, or None."""
    ((name, parameter),) = requirement.items()
    return CONDITIONS[name].test(coding, parameter)


def _takes_true(_: Crosswalk, value: Any) -> str | None:
    return None if value is True else "takes true"


def _takes_tier(_: Crosswalk, value: Any) -> str | None:
    return None if value in TIERS else f"takes one of {', '.join(TIERS)}"


def _takes_flags(crosswalk: Crosswalk, value: Any) -> str | None:
    field = next((field for field in crosswalk.old.fields if field.type == "flags"), None)
    if not isinstance(value, list) or not value:
        return "takes a list of flags"
    unknown = next((flag for flag in value if field is None or flag not in field.codes), None)
    return None if unknown is None else f"{unknown} is no flag of {crosswalk.old.version}"


def _takes_cues(crosswalk: Crosswalk, value: Any) -> str | None:
    if not isinstance(value, list) or not value:
        return "takes a list of names under cue_words"
    unknown = next((name for name in value if name not in crosswalk.cue_words), None)
    return None if unknown is None else f"{unknown} stands not under cue_words"


def _takes_count(_: Crosswalk, value: Any) -> str | None:
    return None if type(value) is int and value > 0 else "takes a whole number from 1 on"


@condition(_takes_tier)
def cites_before_claim_within(coding: OldCoding, weakest: str) -> str | None:
    """At least one citation at or before the claim is, by the log, of this tier or a stronger one."""
    tiers = [coding.subject.derived_tier(citation) for citation in coding.citations if coding.is_early(citation)]
    if any(tier is not None and tier <= weakest for tier in tiers):
        return None
    return f"no citation at or before the claim is of tier T1 to {weakest}"


@condition(_takes_tier)
def cites_none_or_within(coding: OldCoding, weakest: str) -> str | None:
    """Nothing is cited, or at least one citation is, by the log, of this tier or a stronger one, wherever it lies."""
    tiers = [coding.subject.derived_tier(citation) for citation in coding.citations]
    if not tiers or any(tier is not None and tier <= weakest for tier in tiers):
        return None
    return f"what is cited is weaker than {weakest} throughout"


@condition(_takes_true)
def cites_in_window(coding: OldCoding, _: Any) -> str | None:
    """At least one citation lies inside the window that the new codebook gives the intent."""
    if any(coding.window.holds(citation.turn) for citation in coding.citations):
        return None
    first, last = coding.window.first, coding.window.last
    reach = f"turns {first} to {last}" if first <= last else "which is empty"
    return f"no citation lies in the window of version {coding.crosswalk.new.version}, {reach}"


@condition(_takes_flags)
def no_flag(coding: OldCoding, flags: Sequence[str]) -> str | None:
    """None of the flags is set."""
    found = [flag for flag in flags if flag in coding.subject.flags]
    return f"the flag {' and '.join(found)} is set" if found else None


@condition(_takes_cues)
def no_cue_word(coding: OldCoding, names: Sequence[str]) -> str | None:
    """No cue word of these lists stands in the claim: its kind cannot be taken over unread."""
    words = list(cue_words_in(coding.words, {name: coding.crosswalk.cue_words[name] for name in names}))
    told = ", ".join(f"“{word}” ({name})" for name, word in words)
    return f"the claim says {told}" if told else None


def cue_words_in(text: str, cues: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield name and word for every cue word that stands in a text as a word of its own, whatever its case.

    >>> list(cue_words_in("All overall", {"coverage": ["all", "every"]}))
    [('coverage', 'all')]
    """
    plain = " ".join(text.lower().replace("’", "'").split())
    for name, words in cues.items():
        for word in words:
            if word in plain and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", plain):
                yield name, word


@condition(_takes_count)
def parts_at_most(coding: OldCoding, most: int) -> str | None:
    """The claim has no more parts than this."""
    n_parts = coding.claim.unit_parts
    return None if n_parts <= most else f"the claim has {n_parts} parts"


@condition(_takes_true)
def gap_where_due(coding: OldCoding, _: Any) -> str | None:
    """The run's coverage map has a gap where the basis of the claim would lie.

    For a claim that looks back that is up to its own turn, for an intent its window; any channel counts.
    """
    first, last = (coding.window.first, coding.window.last) if coding.is_intent else (0, coding.claim.turn)
    if any(gap.from_turn <= last and gap.to_turn >= first for gap in coding.view.run.gaps):
        return None
    return f"the coverage map has no gap in turns {first} to {last}"
