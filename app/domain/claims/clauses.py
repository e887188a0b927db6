"""Cut one sentence into units: one predicate, one target, one outcome each (rules SP1 to SP6 of the codebook).

Responsible for where a unit begins and ends inside a sentence, and for the words a cut unit borrows from its neighbour.
It does not decide what is a claim (`cues`) and never cuts inside code, quotes or brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.claims.cues import INTENT, guess_kind, starts_with_base_verb
from app.domain.claims.lexicon import ADVERBS, BASE, CHECKED, FOUND, NUMBERS, OUTCOME, PAST

MOST_TARGETS = 5  # SP4: up to five named targets are split, more stay one unit

_JOINT = re.compile(
    r"(?P<semicolon>;\s+)|(?P<and>,?\s+(?:and then|and also|and|but|then)\s+|,\s+then\s+)"
    r"|(?P<comma>,\s+|\s+[—–]\s+|:\s+)"
)
_CLOSED = re.compile(r"(`+)(?!`).{1,500}?(?<!`)\1(?!`)|\([^()]{0,300}\)|\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”", re.DOTALL)
_DEED = re.compile(
    rf"(?:(?:I|we)(?:[’']ve|\s+have)?\s+)?{ADVERBS}[*_]*(?:{PAST}|{CHECKED}|{FOUND})\b(?!\s+(?:by|in|on|at|from|as)\b)"
    rf"|(?:[\w'’*`$.-]+\s+){{1,6}}(?:has|have|was|were)\s+{ADVERBS}(?:been\s+)?{ADVERBS}(?:{PAST}|{CHECKED})\b",
    re.I,
)
_RESULT = re.compile(
    r"(?:now )?(?:all|both|every\w*|each|none|no|\d+|the (?:tests?|suite|build|output|results?)|tests?|it|they)\b"
    rf"[^,;]{{0,80}}?\b(?:{OUTCOME}|errors?|warnings?|failures?|clean)\b",
    re.I,
)
_EFFECT = re.compile(
    r"which\s+(?:now\s+)?(?:fixe[sd]|resolve[sd]|solve[sd]|ma[dk]es?|will|means?|reduce[sd]|improve[sd]|gives?)\b", re.I
)
_NO_OBJECT = re.compile(rf"\b(?:{PAST}|{CHECKED}|{FOUND}|{BASE})\Z", re.I)
_PURPOSE = re.compile(r"\bto\s+\w+", re.I)
_TARGET = r"(?:`[^`\n]{1,200}`|(?<![\w/])[\w./-]{0,200}\w\.\w{1,5}(?!\w))"
_TARGETS = re.compile(rf"{_TARGET}(?:(?:,\s*(?:and\s+)?|\s+and\s+|\s*&\s*){_TARGET})+")
_ONE_TARGET = re.compile(_TARGET)
_ALL_N = re.compile(rf"\ball\s+(?:of\s+)?(?:the\s+|these\s+|those\s+)?(?P<n>\d{{1,4}}|{'|'.join(NUMBERS)})\b", re.I)


@dataclass(frozen=True)
class Unit:
    """One unit: its range in the text, how it reads in full where it borrows words, and its number of parts."""

    start: int
    end: int
    resolved: str | None = None
    parts: int = 1


def cut_units(text: str, start: int, end: int) -> list[Unit]:
    """Return the units of the sentence `text[start:end]` in order; a sentence without a cut is one unit.

    >>> sentence = "Ran the tests and updated the docs."
    >>> [sentence[u.start:u.end] for u in cut_units(sentence, 0, 35)]
    ['Ran the tests', 'updated the docs.']
    """
    return [unit for clause in _clauses(text, start, end) for unit in _by_target(text, clause)]


def _clauses(text: str, start: int, end: int) -> Iterator[Unit]:
    closed = [match.span() for match in _CLOSED.finditer(text, start, end)]
    left, borrowed = start, ""
    for joint in _JOINT.finditer(text, start, end):
        if any(a < joint.end() and joint.start() < b for a, b in closed) or joint.start() <= left:
            continue
        clause = text[left : joint.start()]
        right = text[joint.end() : min(end, joint.end() + 200)]
        lead = _may_cut(joint, borrowed + clause, right)
        if lead is None:
            continue
        yield _unit(text, left, joint.start(), borrowed)
        left, borrowed = joint.end(), lead
    yield _unit(text, left, end, borrowed)


def _unit(text: str, start: int, end: int, borrowed: str) -> Unit:
    end = start + len(text[start:end].rstrip())
    clause = text[start:end]
    match = _ALL_N.search(clause)
    parts = _number(match.group("n")) if match else 1
    return Unit(start, end, borrowed + clause if borrowed else None, parts)


def _number(word: str) -> int:
    return max(1, int(word)) if word.isdigit() else NUMBERS.index(word.lower()) + 2


def _may_cut(joint: re.Match[str], clause: str, right: str) -> str | None:
    """Return the words the right side borrows ("" for none) where the sentence may be cut here, else None."""
    if guess_kind(clause.rstrip(".:")) is None or _NO_OBJECT.search(clause):
        return None
    if _EFFECT.match(right) and joint.group("comma"):
        return ""
    intent = INTENT.search(clause)
    if joint.group("and") and intent is not None:
        cut = starts_with_base_verb(right) and not _PURPOSE.search(clause, intent.end())
        return clause[: intent.end()].lstrip() + " " if cut else None
    if joint.group("semicolon"):
        return "" if guess_kind(right) else None
    if _RESULT.match(right) or (joint.group("and") and _DEED.match(right)):
        return ""
    return None


def _by_target(text: str, clause: Unit) -> list[Unit]:
    """Cut a deed over two to five named targets into one unit a target; with more it stays one unit of N parts."""
    listed = _TARGETS.search(text, clause.start, clause.end)
    if listed is None or clause.resolved is not None:
        return [clause]
    targets = [match.span() for match in _ONE_TARGET.finditer(text, *listed.span())]
    before, after = text[clause.start : listed.start()], text[listed.end() : clause.end]
    guess = guess_kind(before + text[slice(*targets[0])])
    if guess is None or guess.kind not in ("action", "intent", "verification"):
        return [clause]
    if len(targets) > MOST_TARGETS:
        return [Unit(clause.start, clause.end, None, len(targets))]
    first, *others = targets
    units = [Unit(clause.start, first[1], before + text[slice(*first)] + after)]
    return units + [Unit(a, b, before + text[a:b] + after) for a, b in others]
