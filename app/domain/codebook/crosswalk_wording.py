"""A crosswalk's rows in words: which codings a row takes, and what becomes of them. Every condition has its phrase."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.domain.codebook.crosswalk_model import AUTO, Crosswalk, CrosswalkRow
from app.domain.codebook.wording import condition_words, listed, option_title

_PHRASES: dict[str, Callable[[Any], str]] = {
    "cites_before_claim_within": lambda tier: f"a citation at or before the claim is, by the log, of tier T1 to {tier}",
    "cites_none_or_within": lambda tier: f"nothing is cited, or something that is, by the log, of tier T1 to {tier}",
    "cites_in_window": lambda _: "a citation lies in the window that the new codebook gives the intent",
    "no_flag": lambda flags: f"none of the flags {listed([flag.replace('_', ' ') for flag in flags], 'and')} is set",
    "no_cue_word": lambda names: f"no cue word of {listed(list(names), 'or')} stands in the claim",
    "parts_at_most": lambda most: f"the claim has no more than {most} {'part' if most == 1 else 'parts'}",
    "gap_where_due": lambda _: "the coverage map has a gap where the basis would lie",
}


def row_condition(crosswalk: Crosswalk, row: CrosswalkRow) -> str:
    """Return which codings of its label a row takes, as a phrase; `any` for a row without a condition."""
    parts = [condition_words(crosswalk.old, row.when)] if row.when else []
    parts += [_phrase(asked) for asked in row.require]
    parts += [f"not: {_phrase(asked)}" for asked in row.unless]
    if row.otherwise:
        parts.append("no other row takes it")
    return "; ".join(parts) or "any"


def row_target(crosswalk: Crosswalk, row: CrosswalkRow) -> str:
    """Return what becomes of a coding the row takes: the new label and what is set beside it, or `coded again`."""
    if row.how != AUTO or row.to is None:
        return "coded again"
    sets = [
        f"{name.replace('_', ' ')} {option_title(crosswalk.new.field(name), code)}" for name, code in row.sets.items()
    ]
    title = option_title(crosswalk.new.field("verdict"), row.to)
    return f"{title} ({', '.join(sets)})" if sets else title


def _phrase(requirement: Mapping[str, Any]) -> str:
    ((name, parameter),) = requirement.items()
    return _PHRASES[name](parameter)


def spoken_conditions() -> frozenset[str]:
    """Return the names of the conditions that have a phrase; a test holds them to those there are."""
    return frozenset(_PHRASES)
