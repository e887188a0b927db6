"""Text from a log as inert HTML: everything escaped, everything invisible made visible, spans cut by code points.

It decides how characters and marked stretches look. It knows nothing of turns, claims or pages.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from operator import attrgetter

from markupsafe import Markup

# Controls, soft hyphens, zero-width and bidirectional characters, tag characters, lone surrogates: what a reader
# cannot see, what would reorder the line, or what UTF-8 cannot carry. Tab and line feed stay what they are.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_SPECIAL = re.compile(f"[{_HIDDEN}]")
_ATTENTION = re.compile(f"[&<>\"'{_HIDDEN}]")
_start_of = attrgetter("start")
_end_of = attrgetter("end")

_C0 = "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC"
_CONTROLS = (*_C0.split(" "), "FS", "GS", "RS", "US")
_NAMES = {
    0x7F: "DEL",
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
    shown = f"\u27e8{_CONTROLS[point] if point < 0x20 else _NAMES.get(point, f'U+{point:04X}')}\u27e9"
    return f'<span class="ctl" data-u="{point:x}" title="character U+{point:04X}">{shown}</span>'


def html(text: str) -> str:
    """Return `text` as HTML source: escaped, each invisible or reordering character a small visible label.

    The label carries the code point in `data-u`, so the source text can be told from what is shown; the character
    itself is never in the source. Linear in the text's length. A plain `str`: `visible` is the form for templates.
    """
    if _ATTENTION.search(text) is None:
        return text
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&#34;")
    return _SPECIAL.sub(lambda found: _picture(found.group()), escaped.replace("'", "&#39;"))


def visible(text: str) -> Markup:
    """Return `text` as inert markup for a template (`html`, marked as escaped).

    >>> visible("a<b")
    Markup('a&lt;b')
    >>> "RLO" in visible("a\\u202eb")
    True
    """
    return Markup(html(text))  # noqa: S704 - `html` escapes


def _within(layer: Sequence[Stretch], start: int, end: int) -> list[Stretch]:
    """Return the stretches of a sorted, non-overlapping layer that touch `[start, end)`: two binary searches."""
    first = bisect_right(layer, start, key=_end_of)
    last = bisect_left(layer, end, lo=first, key=_start_of)
    return list(layer[first:last])


def _covering(layer: Sequence[Stretch], at: int, position: int) -> tuple[int, Stretch | None]:
    """Advance `position` in a sorted layer to the first stretch ending after `at`; return it if it covers `at`."""
    while position < len(layer) and layer[position].end <= at:
        position += 1
    found = layer[position] if position < len(layer) and layer[position].start <= at else None
    return position, found


def _wrap(inner: str, stretch: Stretch, at: int) -> str:
    tag = "mark" if stretch.mark else "span"
    anchor = f' id="{stretch.anchor}"' if stretch.anchor and stretch.start == at else ""
    return f'<{tag} class="{stretch.css}"{anchor}>{inner}</{tag}>'


def paint(text: str, start: int, end: int, layers: Sequence[Sequence[Stretch]] = ()) -> str:
    """Return `text[start:end]` as HTML source with every layer's stretches drawn, the last layer outermost.

    A layer is sorted and its stretches do not overlap each other; stretches of different layers may. Offsets count
    code points of `text`. Class names and anchors are ours, never from a log. Linear in the text plus the stretches.
    """
    near = [touching for layer in layers if layer and (touching := _within(layer, start, end))]
    if not near:
        return html(text[start:end])
    points = {start, end}
    for stretch in chain.from_iterable(near):
        points.update((max(stretch.start, start), min(stretch.end, end)))
    pieces: list[str] = []
    positions = [0] * len(near)
    for left, right in pairwise(sorted(points)):
        piece = html(text[left:right])
        for number, layer in enumerate(near):
            positions[number], found = _covering(layer, left, positions[number])
            if found is not None:
                piece = _wrap(piece, found, left)
        pieces.append(piece)
    return "".join(pieces)
