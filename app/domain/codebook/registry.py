"""The list of predicates a rule can require, and how one requirement is asked.

A predicate is a function of a subject and its parameter that returns what it finds wrong. Each says what parameter it
takes, so that a codebook file is checked before any coding is judged. The predicates stand in `predicates/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.codebook.subject import Subject

RESERVED = ("when", "unless", "message", "soften")


@dataclass(frozen=True)
class Finding:
    """One thing wrong: the field to look at (empty: the rule's own) and the words a message puts for `{what}`."""

    field: str = ""
    what: str = ""


Findings = tuple[Finding, ...]
NOTHING: Findings = ()

Test = Callable[[Subject, Any], Findings]
Takes = Callable[[Codebook, Any], str | None]


@dataclass(frozen=True)
class Predicate:
    """`takes` returns a sentence on what is wrong with a parameter under a codebook, or None."""

    name: str
    test: Test
    takes: Takes


PREDICATES: dict[str, Predicate] = {}


def predicate(takes: Takes) -> Callable[[Test], Test]:
    """Register the function under its own name as a predicate whose parameter `takes` checks."""

    def register(test: Test) -> Test:
        PREDICATES[test.__name__] = Predicate(test.__name__, test, takes)
        return test

    return register


def predicate_names(requirement: Mapping[str, Any]) -> list[str]:
    """Return the keys of a requirement that name predicates; a sound requirement has exactly one."""
    return [key for key in requirement if key not in RESERVED]


def is_asked(subject: Subject, requirement: Mapping[str, Any]) -> bool:
    """Return whether a requirement is asked of a subject at all: its `when` holds, its `unless` does not."""
    if "when" in requirement and not subject.meets(requirement["when"]):
        return False
    return not ("unless" in requirement and subject.meets(requirement["unless"]))


def unmet(subject: Subject, requirement: Mapping[str, Any]) -> Findings:
    """Return what is wrong with a subject under one requirement; nothing where its `when` or `unless` excuses it."""
    if not is_asked(subject, requirement):
        return NOTHING
    name = next(key for key in requirement if key not in RESERVED)
    return PREDICATES[name].test(subject, requirement[name])
