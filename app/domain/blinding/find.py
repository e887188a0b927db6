"""Where terms stand in a text: one search tree for all literal terms, then the patterns. Linear in the text.

It finds and merges; what stands in the place of a hit is decided by the term, what happens to it by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.domain.blinding.fold import WALL, Folded
from app.domain.blinding.term import PLACEHOLDER, Term

_ESCAPES = re.compile(r"\\[ntrbfv0]$|\\u[0-9a-fA-F]{4}$|\\x[0-9a-fA-F]{2}$|%[0-9a-fA-F]{2}$")
_LONGEST_ESCAPE = 6

Found = tuple[int, int, Term]
"""A stretch of a folded text and the term that stands there."""

_Candidate = tuple[int, int, Term, bool, bool]


@dataclass(frozen=True)
class Hit:
    """One stretch of the source text to hide; `found` is its folded text. Where terms overlap, the union is one hit."""

    start: int
    end: int
    term: Term
    found: str


class Finder:
    """Finds a fixed set of terms; `strict` finds plain words of the study inside other words too (the leak scan)."""

    def __init__(self, terms: Sequence[Term], *, strict: bool = False) -> None:
        self._literals = {term.text: term for term in terms if term.mode != "pattern" and term.text}
        self._patterns = [(re.compile(term.text), term) for term in terms if term.mode == "pattern"]
        self._strict = strict
        self._tree = re.compile(_expression(sorted(self._literals))) if self._literals else None
        self._shorter = {text: [p for p in _prefixes(text) if p in self._literals] for text in self._literals}

    def find(self, text: str, folded: Folded, also: Iterable[Found] = ()) -> list[Hit]:
        """Return the hits in `text`, disjoint and in order. `folded` is its folded form (`fold` or `fold_json`).

        `also` are hits found by others in the folded text. Placeholders that stand in the text already are left alone.
        Where hits overlap they become one: study terms go before dictionary ones, longer hits before shorter ones.
        """
        found = [*self._pattern_hits(folded), *also]
        found += _freed(list(self._candidates(folded)), found)
        if not found:
            return []
        spans = ((*folded.origin(start, end), term, folded.lower[start:end]) for start, end, term in found)
        return _merged(sorted((Hit(*span) for span in spans), key=_position), _placeholders(text))

    def _candidates(self, folded: Folded) -> Iterator[_Candidate]:
        """Yield where literals stand and which of their edges are free; at each place the longest free one is last."""
        at, search = 0, self._tree.search if self._tree else None
        while search and (match := search(folded.lower, at)):
            start, at = match.start(), match.start() + 1
            for text in self._shorter[match.group()]:
                term, end = self._literals[text], start + len(text)
                left, right = self._free_edges(term, folded.cased, start, end)
                yield start, end, term, left, right
                if left and right:
                    break

    def _free_edges(self, term: Term, cased: str, start: int, end: int) -> tuple[bool, bool]:
        if term.mode == "anywhere" or (self._strict and term.origin == "study" and term.mode == "word"):
            return True, True
        if term.mode == "code":
            return _coded_left(cased, start), _coded_right(cased, end)
        return _free_left(cased, start), _free_right(cased, end)

    def _pattern_hits(self, folded: Folded) -> Iterator[Found]:
        for pattern, term in self._patterns:
            if term.gates and not any(gate in folded.lower for gate in term.gates):
                continue
            group: int | str = "hit" if "hit" in pattern.groupindex else 0
            for match in pattern.finditer(folded.cased):
                start, end = match.span(group)
                wall = folded.cased.find(WALL, start, end)
                end = end if wall < 0 else wall
                if start < end:
                    yield start, end, term


def _freed(candidates: list[_Candidate], found: list[Found]) -> list[Found]:
    """Return the candidates with both edges free; what is found right beside a word frees its edge there."""
    freed: list[Found] = []
    starts, ends = {start for start, _, _ in found}, {end for _, end, _ in found}
    waiting, before = candidates, -1
    while len(freed) > before:
        before, rest = len(freed), []
        for start, end, term, left, right in waiting:
            if (left or start in ends) and (right or end in starts):
                freed.append((start, end, term))
                starts.add(start)
                ends.add(end)
            else:
                rest.append((start, end, term, left, right))
        waiting = rest
    return freed


def _position(hit: Hit) -> tuple[int, int]:
    return hit.start, -hit.end


def _rank(hit: Hit) -> tuple[bool, int, int]:
    """Which of several overlapping hits names the union: smaller first."""
    return hit.term.origin != "study", hit.start - hit.end, hit.start


def _placeholders(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in PLACEHOLDER.finditer(text)] if "⟨" in text else []


def _merged(hits: list[Hit], kept: list[tuple[int, int]]) -> list[Hit]:
    merged: list[Hit] = []
    for hit in _outside(hits, kept):
        if merged and hit.start < merged[-1].end:
            last = merged[-1]
            best = min(last, hit, key=_rank)
            merged[-1] = Hit(last.start, max(last.end, hit.end), best.term, best.found)
        else:
            merged.append(hit)
    return merged


def _outside(hits: list[Hit], kept: list[tuple[int, int]]) -> Iterator[Hit]:
    """Yield the hits that do not lie wholly inside a placeholder; both lists are in order of their starts."""
    at = 0
    for hit in hits:
        while at < len(kept) and kept[at][1] <= hit.start:
            at += 1
        if not (at < len(kept) and kept[at][0] <= hit.start and hit.end <= kept[at][1]):
            yield hit


def _prefixes(text: str) -> Iterator[str]:
    """Yield the text and its prefixes, longest first."""
    for length in range(len(text), 0, -1):
        yield text[:length]


def _expression(texts: Sequence[str]) -> str:
    """Return the regular expression that matches the longest of the texts (sorted, distinct, none empty).

    What texts share at their start stands once, so that a place is left at the first character that fits none.
    """
    rests: list[str] = []
    for _, same_start in groupby(texts, key=lambda text: text[:1]):
        group = list(same_start)
        shared = _shared_start(group[0], group[-1])
        longer = [text[len(shared) :] for text in group if text != shared]
        rest = _expression(longer) if longer else ""
        rests.append(re.escape(shared) + (f"(?:{rest})?" if shared == group[0] and longer else rest))
    return rests[0] if len(rests) == 1 else f"(?:{'|'.join(rests)})"


def _shared_start(first: str, last: str) -> str:
    differs = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(differs, min(len(first), len(last)))]


def _free_left(cased: str, start: int) -> bool:
    """Whether a plain word may begin here: not after a letter, unless the case changes or an escape ends there."""
    if start == 0 or not cased[start - 1].isalpha() or not cased[start].isalpha():
        return True
    before, first, following = cased[start - 1], cased[start], cased[start + 1 : start + 2]
    if first.isupper() and (before.islower() or following.islower()):
        return True
    return _ESCAPES.search(cased, max(0, start - _LONGEST_ESCAPE), start) is not None


def _free_right(cased: str, end: int) -> bool:
    """Whether a plain word may end here: not before a letter, unless the case changes or only a plural s follows."""
    after = cased[end : end + 1]
    if not after.isalpha() or not cased[end - 1].isalpha():
        return True
    if after.isupper() and (cased[end - 1].islower() or cased[end + 1 : end + 2].islower()):
        return True
    return after == "s" and not cased[end + 1 : end + 2].isalpha()


def _coded_left(cased: str, start: int) -> bool:
    """Whether a short mixed value may begin here: after no letter or digit, unless the case changes."""
    if start == 0 or not cased[start - 1].isalnum():
        return True
    if cased[start].isupper() and cased[start - 1].islower():
        return True
    return _ESCAPES.search(cased, max(0, start - _LONGEST_ESCAPE), start) is not None


def _coded_right(cased: str, end: int) -> bool:
    """Whether a short mixed value may end here: before no letter or digit, unless a capital begins a new word."""
    after = cased[end : end + 1]
    return not after.isalnum() or (after.isupper() and not cased[end - 1].isupper())
