"""Where a text is cut into lines for the screen, and which of them are folded.

Lines are cuts into the text (`start`, `end`, `indent`), never copies: joined, they are the text again, so nothing can
be lost by laying out or folding. No markup here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

LONGEST = 2000  # characters; a longer line is cut for the screen (only there)
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_JSON_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|[^"{}\[\],]+', re.DOTALL)
_JSON_LIMIT = 300_000
_INLINE = 72


class Line(NamedTuple):
    """One line on the screen: `text[start:end]`, its line feed included, drawn `indent` steps in."""

    start: int
    end: int
    indent: int = 0


class Fold(NamedTuple):
    """Lines `[first, last)`: shown at once, or folded."""

    first: int
    last: int
    folded: bool


def count_lines(text: str) -> int:
    """Return how many lines the text has, as an editor counts: a final line feed opens no further line.

    >>> count_lines(""), count_lines("a"), count_lines("a\\n"), count_lines("a\\nb")
    (0, 1, 1, 2)
    """
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def cut_lines(text: str) -> list[Line]:
    """Return the text's lines; one longer than `LONGEST` characters becomes several, so that it can be folded."""
    lines: list[Line] = []
    for found in _LINES.finditer(text):
        start, end = found.span()
        while end - start > LONGEST:
            lines.append(Line(start, start + LONGEST))
            start += LONGEST
        lines.append(Line(start, end))
    return lines


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _JSON_LIMIT or text.count("\n") > 2:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _ends(tokens: Sequence[re.Match[str]]) -> dict[int, int]:
    """Return, for each opening bracket's offset, the offset just after its closing one."""
    open_at: list[int] = []
    ends: dict[int, int] = {}
    for token in tokens:
        if token.group() in "{[":
            open_at.append(token.start())
        elif token.group() in "}]":
            ends[open_at.pop()] = token.end()
    return ends


def _breaks(tokens: Sequence[re.Match[str]], ends: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Yield where a line of laid-out JSON ends, and how many steps in the next one stands from there."""
    inline_until = 0
    for token in tokens:
        sign, at = token.group(), token.start()
        if at < inline_until:
            continue
        if sign in "{[" and ends[at] - at <= _INLINE:
            inline_until = ends[at]
        elif sign in "{[":
            yield token.end(), 1
        elif sign in "}]":
            yield at, -1
        elif sign == ",":
            yield token.end(), 0


def cut_json(text: str) -> list[Line] | None:
    """Return the lines of a JSON text laid out by its structure, or None when it is no JSON on one line.

    Not one character is added, dropped or changed: numbers, escapes and the order of keys stay as the log had them.
    Containers of up to 72 characters stay on one line.
    """
    if len(text) < _INLINE or not _is_json(text):
        return None
    tokens = list(_JSON_TOKENS.finditer(text))
    lines: list[Line] = []
    start, depth = 0, 0
    for at, step in [*_breaks(tokens, _ends(tokens)), (len(text), 0)]:
        end = at
        while end < len(text) and text[end].isspace():
            end += 1
        if end > start:
            lines.append(Line(start, end, depth))
        start, depth = end, depth + step
    return lines


def _merged(ranges: Sequence[tuple[int, int]], n: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted((max(0, a), min(n, b)) for a, b in ranges if b > a):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        elif last > first:
            merged.append((first, last))
    return merged


def plan_folds(n: int, kept: Sequence[tuple[int, int]], least: int) -> list[Fold]:
    """Return the folds over `n` lines: the `kept` ranges stay open, what lies between is folded.

    A stretch of fewer than `least` lines is not worth a fold and stays open. A long one is cut into at most ten like
    parts of some 200 lines or more, so that a part can be opened alone.

    >>> plan_folds(100, [(0, 10), (95, 100)], 5)
    [Fold(first=0, last=10, folded=False), Fold(first=10, last=95, folded=True), Fold(first=95, last=100, folded=False)]
    """
    folds: list[Fold] = []
    at = 0
    for first, last in [*_merged(kept, n), (n, n)]:
        if first - at >= least:
            folds.extend(_parts(at, first))
        elif first > at:
            folds.append(Fold(at, first, False))
        if last > first:
            folds.append(Fold(first, last, False))
        at = last
    return _joined(folds)


def _parts(first: int, last: int) -> list[Fold]:
    """Return the folds of one hidden stretch: one, or up to ten of like size."""
    n_parts = min(10, max(1, round((last - first) / 200)))
    edges = [first + (last - first) * part // n_parts for part in range(n_parts + 1)]
    return [Fold(start, end, True) for start, end in pairwise(edges)]


def _joined(folds: Sequence[Fold]) -> list[Fold]:
    """Return the folds with neighbouring open ones made one."""
    joined: list[Fold] = []
    for fold in folds:
        if joined and not fold.folded and not joined[-1].folded:
            joined[-1] = Fold(joined[-1].first, fold.last, False)
        else:
            joined.append(fold)
    return joined
