"""Which lines of a text are a diff's: added, removed, a hunk's head, a file's head.

Recognises unified diffs by their hunk headers' own line counts, and the `*** Begin Patch` form. It names lines; drawing
them is `blocks.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_LOOKS_LIKE = re.compile(r"^(?:@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|\*\*\* Begin Patch)", re.MULTILINE)
_FILE_HEADS = ("diff --git ", "--- ", "+++ ", "index ", "*** ")
_SIGNS = {"+": "add", "-": "del"}


def looks_like_diff(text: str) -> bool:
    """Return whether the text holds a unified hunk header or a patch envelope at a line's start."""
    return _LOOKS_LIKE.search(text) is not None


def _hunk_sizes(line: str) -> tuple[int, int] | None:
    found = _HUNK.match(line)
    return (int(found.group(1) or 1), int(found.group(2) or 1)) if found else None


def _in_hunk(line: str, old: int, new: int) -> tuple[str, int, int]:
    """Return the class of a line inside a hunk, and how many old and new lines the hunk still expects."""
    sign = line[:1]
    if sign == "\\":
        return "meta", old, new
    return _SIGNS.get(sign, ""), old - (sign != "+"), new - (sign != "-")


def line_classes(lines: Sequence[str]) -> list[str]:
    """Return one class a line: `add`, `del`, `hunk`, `file`, `meta`, or "" for a line that is not the diff's.

    >>> line_classes(["@@ -1,2 +1,2 @@", " a", "-b", "+c", "-- not a removal"])
    ['hunk', '', 'del', 'add', '']
    """
    classes: list[str] = []
    old = new = 0
    envelope = False
    for line in lines:
        envelope = line.startswith("*** Begin Patch") or (envelope and not line.startswith("*** End Patch"))
        sizes = _hunk_sizes(line)
        if sizes is not None:
            old, new = sizes
            classes.append("hunk")
        elif old > 0 or new > 0:
            css, old, new = _in_hunk(line, old, new)
            classes.append(css)
        elif line.startswith(_FILE_HEADS):
            classes.append("file")
        elif envelope:
            classes.append("hunk" if line.startswith("@@") else _SIGNS.get(line[:1], ""))
        else:
            classes.append("")
    return classes
