"""A tool call's arguments as the transcript shows them: one named part a leaf, edits as removed and added lines.

Reads the argument text as the log had it and never changes it. A claim marked inside the arguments is drawn where its
raw span falls in what people read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from app.domain.turnlog.arguments import argument_parts
from app.web.blocks import ARGUMENT, Shape, Source, counted, draw
from app.web.layout import count_lines
from app.web.markup import Stretch, html

_OLD = re.compile(r"(?:^|[.\]])(?:old|old_str|old_string|old_text|search|before)$")
_NEW = re.compile(r"(?:^|[.\]])(?:new|new_str|new_string|new_text|replace|replacement|after)$")
_SHORT = 160


@dataclass(frozen=True)
class Leaf:
    """One readable leaf: its path, its text, and the claim's stretches inside it."""

    path: str
    text: str
    claim: tuple[Stretch, ...] = ()


def _simple_leaves(args: str) -> list[Leaf] | None:
    """Return the leaves of a flat object of strings and scalars, the commonest case, without offsets; else None."""
    try:
        pairs = json.loads(args, object_pairs_hook=tuple, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    if not isinstance(pairs, tuple) or not all(isinstance(v, str | bool | None) for _, v in pairs):
        return None
    words = {None: "null", True: "true", False: "false"}
    leaves = [Leaf(str(k), v if isinstance(v, str) else words[v]) for k, v in pairs]
    return leaves if all(re.fullmatch(r"[A-Za-z_][\w-]*", leaf.path) for leaf in leaves) else None


def _marked_leaves(args: str, claim: Sequence[Stretch]) -> list[Leaf]:
    """Return the leaves with the claim's raw span mapped into each; a span that touches no leaf shows the raw text."""
    leaves: list[Leaf] = []
    anchor = claim[0].anchor if claim else None
    touched = False
    for part in argument_parts(args):
        marks = []
        for stretch in claim:
            span = part.readable_span(stretch.start, stretch.end)
            if span is not None:
                marks.append(Stretch(*span, stretch.css, mark=True, anchor=None if touched else anchor))
                touched = True
        leaves.append(Leaf(part.path, part.text, tuple(marks)))
    if claim and not touched:
        return [Leaf("", args, tuple(claim))]
    return leaves


def read_leaves(args: str, claim: Sequence[Stretch]) -> tuple[Leaf, ...]:
    """Return the argument leaves as people read them, in the log's order."""
    simple = None if claim else _simple_leaves(args)
    return tuple(simple if simple is not None else _marked_leaves(args, claim))


def _sign(path: str, paths: Sequence[str]) -> str:
    """Return `del` or `add` for the two sides of an edit, when both are there."""
    if _OLD.search(path) and any(_NEW.search(other) for other in paths):
        return "del"
    return "add" if _NEW.search(path) and any(_OLD.search(other) for other in paths) else ""


def edit_size(leaves: Sequence[Leaf]) -> str | None:
    """Return `+3 −1` for an edit that names what it replaces, else None."""
    paths = [leaf.path for leaf in leaves]
    signs = {leaf.path: _sign(leaf.path, paths) for leaf in leaves}
    if not any(signs.values()):
        return None
    counts = {sign: sum(count_lines(x.text) for x in leaves if signs[x.path] == sign) for sign in ("add", "del")}
    return f"+{counts['add']} −{counts['del']}"


def _draw_leaf(leaf: Leaf, sign: str, shape: Shape) -> str:
    if not sign and not leaf.claim and len(leaf.text) <= _SHORT and "\n" not in leaf.text:
        body = f'<code class="arg">{html(leaf.text)}</code>'
    else:
        body = str(draw(Source(leaf.text, (leaf.claim,), leaf.claim, sign), shape))
    return f'<div class="part"><span class="key">{html(leaf.path)}</span>{body}</div>' if leaf.path else body


@lru_cache(maxsize=16_384)
def draw_arguments(leaves: tuple[Leaf, ...], shape: Shape = ARGUMENT) -> Markup:
    """Return the leaves as named parts: short ones on one line, long ones as blocks, edits signed line by line.

    What is drawn is kept, for a run is drawn anew for each of its claims.
    """
    paths = [leaf.path for leaf in leaves]
    drawn = "".join(_draw_leaf(leaf, _sign(leaf.path, paths), shape) for leaf in leaves)
    return Markup(drawn)  # noqa: S704 - every piece passed `html` or `draw`


def call_facts(call: Mapping[str, object], leaves: Sequence[Leaf], answered: bool) -> tuple[str, ...]:
    """Return what stands beside a call's name: the size of an edit, unreadable arguments, a missing result."""
    facts = []
    size = edit_size(leaves)
    if size is not None:
        facts.append(size)
    if not call.get("args_ok", True):
        facts.append("arguments are not valid JSON")
    if not answered:
        facts.append("no result in this log")
    if len(leaves) > 12:
        facts.append(counted(len(leaves), "argument"))
    return tuple(facts)
