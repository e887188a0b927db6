"""What was looked for, marked in a text that a page shows. Everything is escaped; nothing is looked for here."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from markupsafe import Markup

from app.domain.codebook.search import Found, pattern_of
from app.web.markup import visible


def marked(text: str, found: Found) -> Markup:
    """Return a text as HTML, each place of a word of the search in `<mark>`; without a search, the text alone."""
    pattern = pattern_of(found.words)
    if pattern is None:
        return visible(text)
    return Markup("").join(_pieces(text, [match.span() for match in pattern.finditer(text)]))


def _pieces(text: str, spans: list[tuple[int, int]]) -> Iterator[Markup]:
    for (_, end), (start, stop) in pairwise([(0, 0), *spans, (len(text), len(text))]):
        yield visible(text[end:start])
        if stop > start:
            yield Markup("<mark>{}</mark>").format(visible(text[start:stop]))
