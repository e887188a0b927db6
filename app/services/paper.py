"""A paper: headed sections of paragraphs, lists, tables and verbatim text, written once, told in Markdown and in HTML.

Responsible for form alone. Every text is plain text: what a table or a file brought in becomes neither markup nor a
link, and invisible direction marks are made visible. The HTML stands alone and loads nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_MARKUP = re.compile(r"[\\|<>*`\[\]#~]|(?<!\w)_|_(?!\w)")
_FENCE = re.compile(r"`{3,}")


@dataclass(frozen=True)
class Paragraph:
    """One paragraph."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """A table; `numeric` are the columns set to the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Verbatim:
    """A text exactly as it was written."""

    text: str


Block = Paragraph | Bullets | Grid | Verbatim


@dataclass(frozen=True)
class Section:
    """A headed part of a paper; `anchor` names it in the HTML."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Paper:
    """A whole paper. `lead` is the line under the title."""

    kicker: str
    title: str
    lead: str
    sections: tuple[Section, ...]


def kind_of(block: Block) -> str:
    """Return which block this is, for the template."""
    return type(block).__name__.lower()


def in_markdown(paper: Paper) -> bytes:
    """Return the paper as Markdown (CommonMark with tables), UTF-8, LF."""
    lines = [f"# {escaped(paper.title)}", "", escaped(paper.kicker), "", escaped(paper.lead), ""]
    for number, section in enumerate(paper.sections, start=1):
        lines += [f"## {number} {escaped(section.title)}", ""]
        for block in section.blocks:
            lines += [*_markdown(block), ""]
    return ("\n".join(lines).rstrip("\n") + "\n").encode("utf-8", "replace")


def escaped(text: str) -> str:
    """Return a text that Markdown prints as it stands, on one line.

    >>> escaped("a|b *c* snake_case _d_")
    'a\\\\|b \\\\*c\\\\* snake_case \\\\_d\\\\_'
    """
    return _MARKUP.sub(lambda found: "\\" + found.group(), " ".join(text.split()))


def _markdown(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield escaped(block.text)
    elif isinstance(block, Bullets):
        yield from (f"- {escaped(item)}" for item in block.items)
    elif isinstance(block, Verbatim):
        fence = "`" * max(3, 1 + max((len(found) for found in _FENCE.findall(block.text)), default=0))
        yield from (f"{fence}text", block.text.rstrip("\n"), fence)
    else:
        yield from _table(block)


def _table(grid: Grid) -> Iterator[str]:
    if grid.caption:
        yield from (escaped(grid.caption), "")
    yield _row(grid.columns)
    yield "|" + "|".join(" ---: " if i in grid.numeric else " --- " for i in range(len(grid.columns))) + "|"
    yield from (_row(row) for row in grid.rows)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"
