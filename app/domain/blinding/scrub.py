"""Scrubbing: a text with every term replaced by its placeholder, and how spans of it moved.

What comes out may be served; what went in may not. A record of each replacement is kept without the replaced words. It
does not judge whether what is left still gives something away: `leaks` scans, the custodian signs.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime

from app.domain.blinding.dates import Period
from app.domain.blinding.find import Finder, Hit
from app.domain.blinding.fold import Folded, fold, fold_json
from app.domain.blinding.term import Term
from app.domain.canonical import sha256_hex


@dataclass(frozen=True)
class Replacement:
    """One ledger entry: where it was, what kind of thing, what stands there now, the SHA-256 of what stood there.

    `start` and `end` are code-point offsets in the text that `where` names, before scrubbing.
    """

    where: str
    start: int
    end: int
    kind: str
    placeholder: str
    original_sha256: str


@dataclass(frozen=True)
class Scrubbed:
    """A scrubbed text with its ledger entries, in order."""

    text: str
    replacements: tuple[Replacement, ...]

    def map_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the code-point span of the scrubbed text that `[start, end)` of the original became.

        A replacement that overlaps an edge of the span is included whole. An empty span stays empty unless it lies
        inside a replacement. Raises `ValueError` when the span is not one (start after end, or negative).
        """
        if not 0 <= start <= end:
            raise ValueError(f"[{start}, {end}) is not a span")
        return self._moved(start, closing=False), self._moved(end, closing=True)

    def _moved(self, offset: int, *, closing: bool) -> int:
        """Return where an offset went; inside a replacement it goes to the edge that includes it."""
        starts = [one.start for one in self.replacements]
        at = bisect_left(starts, offset) if closing else bisect_right(starts, offset)
        shift = sum(len(one.placeholder) - (one.end - one.start) for one in self.replacements[: at - 1]) if at else 0
        if at == 0:
            return offset
        last = self.replacements[at - 1]
        placed = last.start + shift
        if offset >= last.end:
            return placed + len(last.placeholder) + offset - last.end
        return placed + (len(last.placeholder) if closing else 0)


class Scrubber:
    """Replaces a study's terms. Build it once (`terms.study_terms`), use it for every text of the study."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._finder = Finder(terms)
        self._period: Period | None = None

    def of_run(self, moments: Iterable[datetime | None]) -> Scrubber:
        """Return this scrubber for one run: dates and times near the run's own become offsets from its start.

        `moments` are the times of its rows in log order, aware or None; without any, no date is touched. Use the same
        one for the run's turns and its claims, or their spans will not meet.
        """
        known = [moment for moment in moments if moment is not None]
        other = copy(self)
        other._period = Period(known[0], max(known)) if known else None
        return other

    def scrub(self, text: str, where: str = "") -> Scrubbed:
        """Return the text with every term replaced. Scrubbing a scrubbed text changes nothing.

        `where` names the text in the ledger (`run/turn/field`); it is not looked at.
        """
        return self._scrub(text, fold(text), where)

    def scrub_json(self, text: str, where: str = "") -> Scrubbed:
        """Return a JSON text with the terms in its keys and strings replaced: it stays valid JSON of the same shape.

        Escapes are read, so a term written with them is found. A text that is not JSON is scrubbed as plain text.
        """
        if not _is_json(text):
            return self.scrub(text, where)
        return self._scrub(text, fold_json(text), where)

    def _scrub(self, text: str, folded: Folded, where: str) -> Scrubbed:
        dates = self._period.find(folded.cased) if self._period else ()
        return _replaced(text, self._finder.find(text, folded, dates), where)


def _replaced(text: str, hits: Sequence[Hit], where: str) -> Scrubbed:
    pieces, entries, at = [], [], 0
    known: dict[tuple[str, str, str], tuple[str, str]] = {}
    for hit in hits:
        original = text[hit.start : hit.end]
        seen = original, hit.term.text, hit.term.kind
        if seen not in known:
            known[seen] = hit.term.placeholder_for(hit.found), sha256_hex(original)
        placeholder, digest = known[seen]
        pieces += [text[at : hit.start], placeholder]
        entries.append(Replacement(where, hit.start, hit.end, hit.term.kind, placeholder, digest))
        at = hit.end
    pieces.append(text[at:])
    return Scrubbed("".join(pieces), tuple(entries))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
