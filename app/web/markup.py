"""Text from a log as inert HTML: everything escaped, everything invisible made visible, spans cut by code points.

It decides how characters and marked stretches look. It knows nothing of turns, claims or pages.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

from markupsafe import Markup, escape

# Controls, soft hyphens, zero-width and bidirectional characters, tag characters, lone surrogates: what a reader
# cannot see, what would reorder the line, or what UTF-8 cannot carry. Tab and line feed stay what they are.
_SPECIAL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)

_NAMES = {
    0x061C: "ALM",
    0x200B: "ZWSP",
    0x200E: "LRM",
    0x200F: "RLM",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0x00AD: "SHY",
    0xFEFF: "BOM",
    0x2028: "LSEP",
    0x2029: "PSEP",
}


@dataclass(frozen=True)
class Stretch:
    """A marked stretch `[start, end)` in code points; `mark` draws it with `<mark>`, `anchor` is its id if any."""

    start: int
    end: int
    css: str
    mark: bool = False
    anchor: str | None = None


@lru_cache(maxsize=512)
def _picture(char: str) -> str:
    point = ord(char)
    if point < 0x20:
        shown = chr(0x2400 + point)
    elif point == 0x7F:
        shown = "\u2421"
    else:
        shown = f"\u27e8{_NAMES.get(point, f'U+{point:04X}')}\u27e9"
    return f'<span class="ctl" data-u="{point:x}" title="character U+{point:04X}">{shown}</span>'


def visible(text: str) -> Markup:
    """Return `text` as escaped markup; each invisible or reordering character becomes a small visible label.

    The label carries the code point in `data-u`, so the source text can be told from what is shown; the character
    itself is never in the markup. Linear in the text's length.

    >>> visible("a<b")
    Markup('a&lt;b')
    >>> "RLO" in visible("a\\u202eb")
    True
    """
    escaped = str(escape(text))
    if _SPECIAL.search(escaped) is None:
        return Markup(escaped)  # noqa: S704 - escaped on the line above
    return Markup(_SPECIAL.sub(lambda found: _picture(found.group()), escaped))  # noqa: S704 - escaped, then our own spans


def _within(layer: Sequence[Stretch], start: int, end: int) -> list[Stretch]:
    """Return the stretches of a sorted, non-overlapping layer that touch `[start, end)`: two binary searches."""
    first = bisect_right(layer, start, key=lambda stretch: stretch.end)
    last = bisect_left(layer, end, lo=first, key=lambda stretch: stretch.start)
    return list(layer[first:last])


def _covering(layer: Sequence[Stretch], at: int, position: int) -> tuple[int, Stretch | None]:
    """Advance `position` in a sorted layer to the first stretch ending after `at`; return it if it covers `at`."""
    while position < len(layer) and layer[position].end <= at:
        position += 1
    found = layer[position] if position < len(layer) and layer[position].start <= at else None
    return position, found


def _wrap(inner: Markup, active: Iterable[Stretch], at: int) -> Markup:
    for stretch in active:
        tag = "mark" if stretch.mark else "span"
        anchor = f' id="{escape(stretch.anchor)}"' if stretch.anchor and stretch.start == at else ""
        inner = Markup(f'<{tag} class="{escape(stretch.css)}"{anchor}>{inner}</{tag}>')  # noqa: S704 - inner is Markup
    return inner


def paint(text: str, start: int, end: int, layers: Sequence[Sequence[Stretch]] = ()) -> Markup:
    """Return `text[start:end]` as inert markup with every layer's stretches drawn, the last layer outermost.

    A layer is sorted and its stretches do not overlap each other; stretches of different layers may. Offsets count
    code points of `text`. Linear in the text plus the stretches.
    """
    near = [_within(layer, start, end) for layer in layers]
    near = [layer for layer in near if layer]
    if not near:
        return visible(text[start:end])
    points = {start, end}
    for stretch in chain.from_iterable(near):
        points.update((max(stretch.start, start), min(stretch.end, end)))
    cuts = sorted(points)
    pieces: list[Markup] = []
    positions = [0] * len(near)
    for left, right in pairwise(cuts):
        active: list[Stretch] = []
        for number, layer in enumerate(near):
            positions[number], found = _covering(layer, left, positions[number])
            if found is not None:
                active.append(found)
        piece = visible(text[left:right])
        pieces.append(_wrap(piece, active, left) if active else piece)
    return Markup("").join(pieces)
