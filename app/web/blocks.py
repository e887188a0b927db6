"""One piece of a turn as a block of the transcript: words, arguments, an output; long ones folded with their true size.

Markup is joined from escaped pieces only. Nothing is cut away: the text of a block, folds opened, is the text it was
given (invisible characters as labels, colour sequences as colours).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from markupsafe import Markup

from app.web.ansi import read_ansi
from app.web.diffs import line_classes, looks_like_diff
from app.web.layout import Fold, Line, count_lines, cut_json, cut_lines, plan_folds
from app.web.markup import Stretch, paint

_TROUBLE = re.compile(r"\b(?:error|errors|failed|failure|exception|traceback|denied|fatal)\b", re.IGNORECASE)
_FENCE = re.compile(r"^```.*?(?:^```[^\n]*$|\Z)|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_WORTH_KEEPING = 20_000  # characters; a longer text is drawn afresh each time
_WORTH_FOLDING = 1500  # characters; a text of fewer, on few lines, is shown whole


@dataclass(frozen=True)
class Shape:
    """How a block folds: how many lines stay open at its head and tail, and from how many hidden lines a fold pays."""

    head: int
    tail: int
    least: int = 8


WORDS = Shape(head=40, tail=12)
POLICY = Shape(head=4, tail=0, least=6)
OUTPUT = Shape(head=6, tail=6)
ARGUMENT = Shape(head=12, tail=4)
TROUBLED = Shape(head=12, tail=24)


@dataclass(frozen=True)
class Source:
    """A text to draw: the text, its layers of marked stretches, stretches no fold may hide, one class for each line."""

    text: str
    layers: tuple[Sequence[Stretch], ...] = ()
    keep: tuple[Stretch, ...] = ()
    sign: str = ""
    classify: bool = field(default=True)


def human_size(n: int) -> str:
    """Return a byte count as people read it, by thousands: `640 B`, `9.8 kB`, `2.1 MB`."""
    if n < 1000:
        return f"{n} B"
    return f"{n / 1000:.1f} kB" if n < 999_950 else f"{n / 1_000_000:.1f} MB"


def counted(n: int, noun: str) -> str:
    """Return `1 line`, `214 lines`, `2,113 lines`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def byte_length(text: str) -> int:
    """Return the UTF-8 length of a text, lone surrogates counted as the three bytes they would be."""
    return len(text.encode("utf-8", "surrogatepass"))


def _kept_lines(lines: Sequence[Line], keep: Sequence[Stretch], around: int = 6) -> list[tuple[int, int]]:
    """Return the line ranges around each stretch that must stay in sight."""
    ranges = []
    for stretch in keep:
        touched = [n for n, line in enumerate(lines) if line.end > stretch.start and line.start < stretch.end]
        if touched:
            ranges.append((touched[0] - around, touched[-1] + 1 + around))
    return ranges


def _count_troubled(text: str) -> int:
    """Return how many lines hold an error word."""
    return len({text.count("\n", 0, found.start()) for found in islice(_TROUBLE.finditer(text), 100)})


def _fold_summary(text: str, number: tuple[int, int, int], hidden: str) -> str:
    first, last, total = number
    facts = [f"lines {first:,}–{last:,} of {total:,}" if last > first else f"line {first:,} of {total:,}"]
    facts.append(human_size(byte_length(hidden)))
    troubled = _count_troubled(hidden)
    if troubled:
        facts.append(f"{counted(troubled, 'line') if troubled < 100 else '100 or more lines'} with an error word")
    return f"<summary>{' · '.join(facts)}</summary>"


def _draw_lines(source: Source, lines: Sequence[Line], classes: Sequence[str]) -> str:
    """Return lines that have a look of their own, each in its span."""
    drawn = []
    for line, css in zip(lines, classes, strict=True):
        names = "l" + (f" {css}" if css else "") + (f" in{min(line.indent, 9)}" if line.indent else "")
        drawn.append(f'<span class="{names}">{paint(source.text, line.start, line.end, source.layers)}</span>')
    return "".join(drawn)


def _drawer(source: Source, lines: Sequence[Line]) -> Callable[[int, int], str]:
    """Return what draws lines `[first, last)`: as one run of text, or line by line where lines have their own look."""
    classes = _classes(source, lines)
    if any(classes) or any(line.indent for line in lines):
        return lambda first, last: _draw_lines(source, lines[first:last], classes[first:last])
    return lambda first, last: paint(source.text, lines[first].start, lines[last - 1].end, source.layers)


def _classes(source: Source, lines: Sequence[Line]) -> list[str]:
    if source.sign:
        return [source.sign] * len(lines)
    if source.classify and looks_like_diff(source.text):
        return line_classes([source.text[line.start : line.end] for line in lines])
    return [""] * len(lines)


def _numbers(text: str, lines: Sequence[Line], fold: Fold) -> tuple[int, int, int]:
    """Return the fold's first and last line and the total, counted in the text's own lines, not the screen's."""
    start, end = lines[fold.first].start, lines[fold.last - 1].end
    before = text.count("\n", 0, start)
    within = count_lines(text[start:end])
    return before + 1, before + max(within, 1), max(count_lines(text), 1)


def draw(source: Source, shape: Shape) -> Markup:
    """Return the source as preformatted pieces and `<details>` folds, in order.

    (`<div>`, not `<pre>`: HTML drops a `<pre>`'s first line feed.) JSON on one line is laid out by its structure; diffs
    get a class a line. A stretch in `source.keep` is never folded.
    """
    text = source.text
    plain = text.count("\n") <= shape.head + shape.tail and len(text) <= _WORTH_FOLDING
    if plain and not source.sign and not looks_like_diff(text) and text.lstrip()[:1] not in ("{", "["):
        return Markup(f'<div class="pre">{paint(text, 0, len(text), source.layers)}</div>')  # noqa: S704 - paint escapes
    lines = cut_json(text) or cut_lines(text)
    kept = [(0, shape.head), (len(lines) - shape.tail, len(lines)), *_kept_lines(lines, source.keep)]
    draw_part = _drawer(source, lines)
    pieces = []
    for fold in plan_folds(len(lines), kept, shape.least):
        piece = f'<div class="pre">{draw_part(fold.first, fold.last)}</div>'
        if fold.folded:
            hidden = text[lines[fold.first].start : lines[fold.last - 1].end]
            summary = _fold_summary(text, _numbers(text, lines, fold), hidden)
            piece = f'<details class="fold">{summary}{piece}</details>'
        pieces.append(piece)
    return Markup("".join(pieces))  # noqa: S704 - every piece is painted, so escaped


def _code_stretch(found: re.Match[str]) -> Stretch:
    return Stretch(found.start(), found.end(), "fence" if "\n" in found.group() else "code")


def draw_words(text: str, claim: tuple[Stretch, ...] = (), shape: Shape = WORDS) -> Markup:
    """Return what somebody said: as written, code stretches in the log's typeface, the claim marked."""
    return _words(text, claim, shape) if len(text) > _WORTH_KEEPING else _kept_words(text, claim, shape)


def _words(text: str, claim: tuple[Stretch, ...], shape: Shape) -> Markup:
    code = [_code_stretch(found) for found in _FENCE.finditer(text)] if "`" in text else []
    return draw(Source(text, (code, claim), claim, classify=False), shape)


def draw_output(output: str, shape: Shape) -> Markup:
    """Return a tool's output: colours drawn, diffs and JSON laid out, the rest as it came."""
    return _output(output, shape) if len(output) > _WORTH_KEEPING else _kept_output(output, shape)


def _output(output: str, shape: Shape) -> Markup:
    text, colours = read_ansi(output)
    return draw(Source(text, (colours,)), shape)


# One run is drawn anew for each of its claims: what is drawn is kept, bounded in number and in size of each.
_kept_words = lru_cache(maxsize=16_384)(_words)
_kept_output = lru_cache(maxsize=16_384)(_output)


def facts_of(text: str, n_bytes: int) -> tuple[str, str]:
    """Return the true size of a text as two facts: its lines, and its bytes in the source."""
    return counted(count_lines(text), "line"), human_size(n_bytes)
