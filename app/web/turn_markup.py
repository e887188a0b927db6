"""Turns as HTML source: the list of the transcript pane, joined in one pass because a run may hold thousands.

Everything that comes from a log passes `html`, which escapes; block bodies were escaped when they were drawn. The frame
around the list (toolbar, coverage, scroll area) is the template `_transcript.html`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from app.web.markers import Marker
from app.web.markup import html
from app.web.transcript import BlockView, TranscriptView, TurnView

_LONG = 300  # turns; a longer run is laid out only where it is in sight
# In a longer run the number is a plain button that the script answers to: browsers look through the whole page for a
# form's first submit button each time one is added: minutes at 7,000. Without scripts its number is typed instead.
_SUBMITTING = 300


def _marker(marker: Marker) -> str:
    window = " data-window" if marker.kind == "window" else ""
    return f'<li class="marker marker-{marker.kind}"{window}><span>{html(marker.text)}</span></li>'


def _facts(block: BlockView) -> str:
    pieces = []
    for fact in block.facts:
        bad = " bad" if block.troubled and fact.startswith(("exit", "error")) else ""
        pieces.append(f' <span class="fact{bad}">{html(fact)}</span>')
    return "".join(pieces)


def _pair(block: BlockView, word: str) -> str:
    return "" if block.link is None else f' <a class="pair" href="#t{block.link}">{word} {block.link}</a>'


def _head(block: BlockView) -> str:
    """Return the line above a block: what it is, its true size, the turn it pairs with."""
    tool = f' <b class="tool">{html(block.name)}</b>' if block.name else ""
    if block.kind == "call":
        calls = '<span class="sign" aria-hidden="true">▸</span><span class="sr"> calls</span>'
        return f'<p class="head">{calls}{tool}{_facts(block)}{_pair(block, "result")}</p>'
    if block.kind == "output":
        sign = '<span class="sign" aria-hidden="true">◂</span>'
        return f'<p class="head">{sign}{_pair(block, "call")}{tool}{_facts(block)}</p>'
    if block.kind == "attachment":
        return f'<p class="head"><span class="sign" aria-hidden="true">▣</span>{tool}{_facts(block)}</p>'
    return '<p class="head"><span class="fact">private reasoning</span></p>' if block.kind == "reasoning" else ""


def _block(block: BlockView) -> str:
    troubled = " troubled" if block.troubled else ""
    return f'<div class="block block-{block.kind}{troubled}">{_head(block)}{block.body}</div>'


def _number(turn: int, citing: str) -> str:
    """Return a turn's number: `submit`, a button of the form; `plain`, one for the script; else just the number."""
    if not citing:
        return f"<span>{turn}</span>"
    kind = 'type="submit" form="form" name="cite"' if citing == "submit" else 'type="button"'
    return f'<button {kind} value="{turn}" aria-label="cite turn {turn}">{turn}</button>'


def _who(view: TurnView, role: str) -> str:
    tags = [tag for tag in (view.thread, view.what, "not shown to the agent" if view.unseen else "") if tag]
    drawn = "".join(f'<span class="tag">{html(tag)}</span>' for tag in tags)
    title = f' title="{html(view.seconds)}"' if view.seconds else ""
    when = f'<span class="when"{title}>{view.time}</span>' if view.time else ""
    return f'<div class="who">{html(view.who)}{when}{drawn}<span class="role">{html(role)}</span></div>'


def _data(view: TurnView) -> str:
    tools = f' data-tools="{html(chr(10).join(view.tools))}"' if view.tools else ""
    parts = f' data-parts="{html(json.dumps(dict(view.parts), separators=(",", ":")))}"' if view.parts else ""
    return f' data-turn="{view.turn}"{tools}{parts}'


def draw_turn(view: TurnView, role: str | None, citing: str) -> str:
    """Return one turn with the markers around it; `role` is what the form cites it as, None where it does not."""
    cited = "" if role is None else " is-cited"
    body = "".join(map(_block, view.blocks)) or '<p class="none">no words</p>'
    return (
        f"{''.join(map(_marker, view.before))}"
        f'<li class="turn {view.css}{cited}" id="t{view.turn}"{_data(view)}>'
        f'<div class="no">{_number(view.turn, citing)}</div>'
        f'{_who(view, role or "")}<div class="body">{body}</div></li>\n'
        f"{''.join(map(_marker, view.after))}"
    )


def draw_turns(view: TranscriptView, roles: Mapping[int, str], citing: bool) -> Markup:
    """Return the whole list of turns. With `citing` each number is a button that cites its turn."""
    turns: Sequence[TurnView] = view.turns
    long = " is-long" if len(turns) > _LONG else ""
    how = ("submit" if len(turns) <= _SUBMITTING else "plain") if citing else ""
    drawn = "".join(draw_turn(turn, roles.get(turn.turn), how) for turn in turns)
    return Markup(f'<ol class="turns{long}">{drawn}</ol>')  # noqa: S704 - every piece from a log passed `html`
