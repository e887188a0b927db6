"""Where the prose of a message stands: its paragraphs, list items and sentences, as exact code-point ranges.

Responsible for leaving out what is not prose (headings, code, diffs, markup of calls, quotes), and for sentences' ends.
The one place that splits sentences: a library could stand behind `split_sentences` (pysbd cuts URLs, syntok gives no
offsets, sentencex misses the space after a back-tick). It changes no text and decides nothing about claims.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(\s|$)|[ \t]*[-=_*]{3,}[ \t]*$|[ \t]*(\*\*|__)[^*_]*:?(\*\*|__):?[ \t]*$")
_BOLD_STATEMENT = re.compile(r"[.!✓✅](\*\*|__)?[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣]|\d{1,3}[.)])[ \t]+(?P<box>\[[ xX✓✔]\][ \t]+)?")
_TICK = re.compile(r"[ \t]*[✅✓✔☑]\ufe0f?[ \t]*")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_RULER = re.compile(r"[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*$")
_DONE_CELL = re.compile(
    r"[✅✓✔☑]|\b(?:done|pass(?:ed|es|ing)?|completed?|fixed|added|updated|created|removed|yes)\b", re.I
)
_DIFF = re.compile(r"diff --git |@@ -|--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null)|index [0-9a-f]{6,}\.\.")
_DIFF_BODY = re.compile(r"[-+ @\\]|diff --git |index |new file|deleted file|similarity |rename |$")
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>function_calls|function|tool_call|invoke|execute_\w+|thinking|think|system-reminder|observation)\b"
    r"[^<>]{0,300}>",
    re.I,
)
_OUTPUT_FOLLOWS = re.compile(
    r"\b(?:outputs?|results?|returned|prints?|printed|shows?|showed|logs?|gave|says?)\b[^\n]*:\**\s*$", re.I
)

_CODE_SPAN = re.compile(r"(`+)(?!`).{1,500}?(?<!`)\1(?!`)", re.DOTALL)
_END_OR_LINE = re.compile(r"""[.!?…]+["'”’)\]*_`]*(?=\s)|\n""")
_FOLLOWER = re.compile(r"\s*(\S)")
_NEW_LINE = re.compile(r"\s*[A-Z*✅✓`\d]")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|excl|fig|figs|eq|no|nr|vol|sec|ch|dr|mr|mrs|ms|prof|st|inc|ltd|dept|est|"
    r"min|max|avg|misc|ref|refs|ver|al|pp|ca|viz)|(?<![^\s(])[A-Za-z])\.\Z",
    re.I,
)
_SHORT_LINE = 60  # a line that ends earlier was not wrapped: its end is an end


@dataclass(frozen=True)
class Block:
    """One stretch of prose. `kind`: `prose`, `item` (list item), `ticked`, `unticked`, `row` (ticked table row) or
    `output` (quoted output that the text before presents as such)."""

    start: int
    end: int
    kind: str


def prose_blocks(text: str) -> list[Block]:
    """Return the blocks of `text` in order; they do not overlap, and none is empty."""
    lines = list(_lines(text))
    masked = _marked_up(text)
    blocks: list[Block] = []
    at = 0
    while at < len(lines):
        start, end = lines[at]
        while masked and masked[0][1] <= start:
            masked.pop(0)
        if masked and masked[0][0] < end:
            at = _after(lines, at, masked[0][1])
        elif (skipped := _skipped(text, lines, at, blocks)) > at:
            at = skipped
        else:
            at = _block(text, lines, at, blocks)
    return blocks


def split_sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the sentences of `text[start:end]` as ranges without surrounding white space, in order.

    Code spans, URLs, paths, version numbers and abbreviations are not cut; a line break after a short line ends a
    sentence.

    >>> [ "See v1.2.3 at a.b/c. Done!"[a:b] for a, b in split_sentences("See v1.2.3 at a.b/c. Done!", 0, 26)]
    ['See v1.2.3 at a.b/c.', 'Done!']
    """
    cuts = [start, *_cuts(text, start, end), end]
    ranges = []
    for left, right in pairwise(cuts):
        piece = text[left:right]
        if piece.strip():
            ranges.append((left + len(piece) - len(piece.lstrip()), right - (len(piece) - len(piece.rstrip()))))
    return ranges


def code_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the ranges of back-ticked code in `text[start:end]`."""
    return [match.span() for match in _CODE_SPAN.finditer(text, start, end)]


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.split("\n"):
        yield at, at + len(line)
        at += len(line) + 1


def _marked_up(text: str) -> list[tuple[int, int]]:
    """Return the ranges between an opening tag of a call and its closing tag, outermost ones, in order."""
    ranges: list[tuple[int, int]] = []
    opened: tuple[str, int] | None = None
    for tag in _TAG.finditer(text):
        name = tag.group("name").lower()
        if opened is None and not tag.group("close"):
            opened = (name, tag.start())
        elif opened is not None and tag.group("close") and name == opened[0]:
            ranges.append((opened[1], tag.end()))
            opened = None
    return ranges


def _after(lines: list[tuple[int, int]], at: int, position: int) -> int:
    """Return the first line after `at` that starts at or behind `position`."""
    at += 1
    while at < len(lines) and lines[at][0] < position:
        at += 1
    return at


def _skipped(text: str, lines: list[tuple[int, int]], at: int, blocks: list[Block]) -> int:
    """Return the line after a stretch that is not prose and starts here, or `at` where prose starts."""
    line = text[slice(*lines[at])]
    fence = _FENCE.match(line)
    if fence:
        return _fenced(text, lines, at, blocks, fence.group(1))
    if _DIFF.match(line):
        while at < len(lines) and _DIFF_BODY.match(text[slice(*lines[at])]):
            at += 1
        return at
    code_end = _indented(text, lines, at, blocks)
    if code_end > at:
        return code_end
    heading = _HEADING.match(line) is not None and not (line.lstrip().startswith("*") and _BOLD_STATEMENT.search(line))
    quote = line.lstrip().startswith(">")
    return at + 1 if not line.strip() or heading or quote or _RULER.match(line) else at


def _fenced(text: str, lines: list[tuple[int, int]], at: int, blocks: list[Block], fence: str) -> int:
    """Step over a code block; what the text before announces as output becomes an `output` block."""
    close = at + 1
    while close < len(lines) and not text[slice(*lines[close])].strip().startswith(fence):
        close += 1
    inside = lines[at + 1 : close]
    before = text[: lines[at][0]].rstrip()[-200:]
    if inside and close < len(lines) and len(inside) <= 40 and _OUTPUT_FOLLOWS.search(before):
        start, end = inside[0][0], inside[-1][1]
        if text[start:end].strip():
            blocks.append(Block(start, end, "output"))
    return close + 1


def _indented(text: str, lines: list[tuple[int, int]], at: int, blocks: list[Block]) -> int:
    """Return the line after indented code (four spaces or a tab after a blank line, outside a list), else `at`."""
    after_blank = at == 0 or not text[slice(*lines[at - 1])].strip()
    if not after_blank or (blocks and blocks[-1].kind in ("item", "ticked", "unticked")):
        return at
    while at < len(lines) and text[slice(*lines[at])].startswith(("    ", "\t")):
        at += 1
    return at


def _block(text: str, lines: list[tuple[int, int]], at: int, blocks: list[Block]) -> int:
    """Take the block that starts at this line; return the line after it."""
    start, end = lines[at]
    line = text[start:end]
    if _ROW.match(line):
        is_header = at + 1 < len(lines) and _RULER.match(text[slice(*lines[at + 1])])
        if _DONE_CELL.search(line) and not is_header:
            blocks.append(Block(start, end, "row"))
        return at + 1
    kind, content = _opening(line)
    last = at
    while last + 1 < len(lines) and _continues(text, lines, last + 1):
        last += 1
    if text[start + content : lines[last][1]].strip():
        blocks.append(Block(start + content, lines[last][1], kind))
    return last + 1


def _opening(line: str) -> tuple[str, int]:
    """Return the kind of block a line opens and where its content starts (a list mark is left out)."""
    item = _ITEM.match(line)
    if item and item.group("box"):
        return ("unticked" if item.group("box")[1] == " " else "ticked"), item.end()
    start = item.end() if item else 0
    if _TICK.match(line, start):
        return "ticked", start
    return ("item" if item else "prose"), start


def _continues(text: str, lines: list[tuple[int, int]], at: int) -> bool:
    line = text[slice(*lines[at])]
    opens = _ITEM.match(line) or _FENCE.match(line) or _ROW.match(line) or _TICK.match(line) or _DIFF.match(line)
    return bool(line.strip()) and not opens and not _HEADING.match(line) and not line.lstrip().startswith((">", "<"))


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the places between two sentences."""
    code = code_spans(text, start, end)
    last = line_start = start
    for match in _END_OR_LINE.finditer(text, start, end):
        a, b = match.span()
        if _inside(code, a):
            continue
        if match.group() == "\n":
            ends = a - line_start < _SHORT_LINE and _NEW_LINE.match(text, b, end) is not None
            line_start = b
        else:
            ends = _ends(text, last, (a, b), end)
        if ends:
            yield b
            last = b


def _inside(ranges: list[tuple[int, int]], at: int) -> bool:
    """Say whether `at` lies inside one of the sorted ranges."""
    before = bisect_right(ranges, (at, at)) - 1
    return before >= 0 and at < ranges[before][1]


def _ends(text: str, last: int, mark: tuple[int, int], end: int) -> bool:
    """Say whether the mark ends a sentence that began at `last`."""
    a, b = mark
    signs = text[a:b]
    found = _FOLLOWER.match(text, b, end)
    follower = found.group(1) if found else ""
    if signs[0] in "!?":
        return not (follower.islower() and signs[-1] in "\"'”’)")
    if signs.startswith(("..", "…")):
        return not follower.islower()
    before = text[max(last, a - 20) : a + 1]
    if _ABBREVIATION.search(before) and not (signs != "." and follower.isupper()):
        return False
    if before.strip().rstrip(".").isdigit() and a - last < 6:
        return False
    word = before[:-1].split()[-1:] or [""]
    return not follower.islower() or len(word[0]) >= 4 or not word[0].isalpha()
