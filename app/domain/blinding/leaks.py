"""The leak scan: what of a study's terms is left in the very bytes that will be served.

Stricter than scrubbing: plain words of the study are found inside other words too, and through escapes and encodings
(`decode`). It reports, never repairs; whether a finding is a leak is the custodian's to sign. Fails closed: what cannot
be read is a finding.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.domain.blinding.decode import is_encoded, readings, unescaped
from app.domain.blinding.find import Finder, Hit
from app.domain.blinding.fold import fold
from app.domain.blinding.term import PLACEHOLDER, Term
from app.domain.errors import BadInput

_AROUND = 30
_CONTEXT = 4 * _AROUND
_UNREADABLE = "\ufffd"
# A placeholder as JSON, HTML and addresses write its brackets, escaped any number of times.
_OPENING = r"(?:⟨|\\+u27e8|%(?:25)*E2%(?:25)*9F%(?:25)*A8|&(?:amp;)*(?:lang|#10216|#x27e8);)"
_CLOSING = r"(?:⟩|\\+u27e9|%(?:25)*E2%(?:25)*9F%(?:25)*A9|&(?:amp;)*(?:rang|#10217|#x27e9);)"
_ESCAPED_PLACEHOLDER = re.compile(PLACEHOLDER.pattern.replace("⟨", _OPENING).replace("⟩", _CLOSING), re.IGNORECASE)


@dataclass(frozen=True)
class Finding:
    """One leak that may be: where, what kind of thing, the words around it with every term masked.

    `placeholder` says which thing it is, `reading` how it was written (`plain`, `html`, `json`, `percent`, `base64`,
    `hex`, or several), `n` how often this thing stands there so.
    """

    where: str
    kind: str
    excerpt: str
    placeholder: str = ""
    reading: str = "plain"
    n: int = 1


def scan(served: Iterable[tuple[str, str | bytes]], terms: Sequence[Term]) -> list[Finding]:
    """Return what is left of the terms in what will be served, in the order served.

    `served` yields (where, content): JSON, HTML, header lines, file names; bytes must be UTF-8. One finding per place,
    thing and reading, with a count; `where` is scanned too, and it and `excerpt` are masked, so that findings can be
    shown. An unreadable content is a finding of kind `unreadable`. Placeholders are not findings. Raises `BadInput`
    without any term: a scan that looks for nothing would pass everything.
    """
    if not terms:
        raise BadInput("there are no terms to scan for: name the identity columns or blinding.terms")
    finder = Finder(terms, strict=True)
    return [finding for where, content in served for finding in _scan_one(where, content, finder)]


def _scan_one(where: str, content: str | bytes, finder: Finder) -> Iterator[Finding]:
    masked_where = _masked(where, finder)
    yield from _findings(masked_where, where, finder)
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8")
        except UnicodeDecodeError as error:
            yield Finding(masked_where, "unreadable", f"not UTF-8 text at byte {error.start}")
            return
    yield from _findings(masked_where, content, finder)


def _findings(where: str, content: str, finder: Finder) -> Iterator[Finding]:
    """Yield what each reading of a text shows beyond the readings before it, one finding a thing and reading."""
    known: Counter[str] = Counter()
    shown: dict[tuple[str, str], Finding] = {}
    for reading, text in readings(content):
        neutral = _ESCAPED_PLACEHOLDER.sub("⟨⟩", text)
        hits = finder.find(neutral, fold(neutral))
        things = Counter(_thing(hit) for hit in hits)
        for thing, n in things.items():
            more = n if is_encoded(reading) else n - known[thing]
            if more > 0 and ((thing, reading) not in shown or shown[thing, reading].n < more):
                shown[thing, reading] = _finding(where, neutral, hits, finder, (thing, reading, more))
        if not is_encoded(reading):
            known |= things
    yield from shown.values()


def _finding(where: str, text: str, hits: Sequence[Hit], finder: Finder, seen: tuple[str, str, int]) -> Finding:
    thing, reading, n = seen
    hit = next(one for one in hits if _thing(one) == thing)
    before = _shown(text[max(0, hit.start - _CONTEXT) : hit.start], finder)[-_AROUND:]
    after = _shown(text[hit.end : hit.end + _CONTEXT], finder)[:_AROUND]
    return Finding(where, hit.term.kind, f"{before}{thing}{after}", thing, reading, n)


def _thing(hit: Hit) -> str:
    return hit.term.placeholder_for(hit.found)


def _masked(text: str, finder: Finder) -> str:
    pieces, at = [], 0
    for hit in finder.find(text, fold(text)):
        pieces += [text[at : hit.start], _thing(hit)]
        at = hit.end
    return "".join([*pieces, text[at:]])


def _shown(context: str, finder: Finder) -> str:
    """Return words beside a hit fit to be shown: escapes undone, terms masked, what cannot be printed left out."""
    masked = _masked(unescaped(context), finder)
    return "".join(char for char in masked.replace("\n", " ") if char.isprintable() and char != _UNREADABLE)
