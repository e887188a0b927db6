"""Looking for words in a codebook's document: which entries hold all of them, and how often they stand there.

Letters are compared without case. The page marks what is found here; its script does the same while one types.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.domain.codebook.document import Entry, Line, Section

LONGEST = 200
"""Characters of a query that are looked at."""


@dataclass(frozen=True)
class Found:
    """What a query found. `hits` maps the anchor of each entry that holds every word to how often one stands in it.

    Without words (`words` empty) nothing was looked for and every entry stays in sight.
    """

    query: str = ""
    words: tuple[str, ...] = ()
    hits: dict[str, int] = field(default_factory=dict)

    @property
    def n_hits(self) -> int:
        """How often the words stand in the entries found."""
        return sum(self.hits.values())

    def shows(self, anchor: str) -> bool:
        """Return whether an entry stays in sight."""
        return not self.words or anchor in self.hits

    def shows_section(self, section: Section) -> bool:
        """Return whether anything of a section stays in sight."""
        return any(self.shows(entry.anchor) for entry in section.all_entries)


NOT_ASKED = Found()
"""Nothing was looked for."""


def words_of(query: str) -> tuple[str, ...]:
    """Return the words of a query, each once, longest first; what stands between quotes is one word.

    >>> words_of('Tier "search span" tier T1')
    ('search span', 'Tier', 'T1')
    """
    parts = [
        " ".join((quoted or plain).split()) for quoted, plain in re.findall(r'"([^"]+)"|([^\s"]+)', query[:LONGEST])
    ]
    kept = {part.lower(): part for part in reversed(parts) if part}
    return tuple(sorted(kept.values(), key=lambda word: (-len(word), parts.index(word))))


def pattern_of(words: Sequence[str]) -> re.Pattern[str] | None:
    """Return the pattern that matches any of the words, the longest first; None without a word."""
    return re.compile("|".join(re.escape(word) for word in words), re.IGNORECASE) if words else None


def texts_of(entry: Entry) -> tuple[str, ...]:
    """Return the texts of an entry that are searched and marked: title, code, and each line or part of a line."""
    lines = (text for line in entry.lines for text in _texts(line))
    codes = (line.parts["code"] for line in entry.lines if "code" in line.parts)
    return tuple(text for text in (entry.title, entry.shown_code, *codes, *lines) if text)


def _texts(line: Line) -> tuple[str, ...]:
    """An example's parts; its case number is left out, which nobody looks for and which reads like a rater's slot."""
    if line.kind not in ("example", "near miss"):
        return (line.text,)
    return tuple(text for name, text in line.parts.items() if name != "case")


def find(sections: Sequence[Section], query: str) -> Found:
    """Return the entries that hold every word of the query, in whatever text; none where the query has no word."""
    words = words_of(query)
    if not words:
        return Found(query)
    hits: dict[str, int] = {}
    for section in sections:
        for entry in section.all_entries:
            texts = texts_of(entry)
            whole = "\n".join(texts).lower()
            if all(word.lower() in whole for word in words):
                pattern = pattern_of(words)
                assert pattern is not None, "there is a word"
                hits[entry.anchor] = sum(len(pattern.findall(text)) for text in texts)
    return Found(query, words, hits)
