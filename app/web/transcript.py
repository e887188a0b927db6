"""The transcript pane: from blinded turns and a claim's span to what the template draws, in one linear pass.

Pure: it is given only what its reader may see, adds nothing of its own judgement, and loses nothing (`n_shown` of
`n_turns`). Rating, adjudication and the codebook's practice all draw from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from app.web.blocks import OUTPUT, POLICY, TROUBLED, WORDS, draw_output, draw_words, facts_of, human_size
from app.web.calls import call_facts, draw_arguments, read_leaves
from app.web.markers import Marker, list_edges
from app.web.markup import Stretch

_ROLE_WORDS = {"system": "policy", "user": "user", "assistant": "agent", "tool": "result", "event": "harness"}
_KIND_WORDS = {
    "reasoning": "private reasoning",
    "final": "report",
    "summary": "summary",
    "copied": "copied from elsewhere",
    "meta": "note",
    "state": "state",
    "error": "error",
}


@dataclass(frozen=True)
class BlockView:
    """One block of a turn. `kind`: words, reasoning, call, output or attachment; `link` is the turn it pairs with."""

    kind: str
    name: str
    facts: tuple[str, ...]
    body: Markup
    link: int | None = None
    troubled: bool = False


@dataclass(frozen=True)
class TurnView:
    """One turn as drawn. `css` carries what colour alone must not; `parts` are the citable parts with derived tiers."""

    turn: int
    css: str
    who: str
    what: str
    time: str
    seconds: str
    thread: str
    blocks: tuple[BlockView, ...]
    tools: tuple[str, ...]
    troubled: bool
    parts: Mapping[str, str]
    unseen: bool = False
    before: tuple[Marker, ...] = ()
    after: tuple[Marker, ...] = ()


@dataclass(frozen=True)
class TranscriptView:
    """The pane: every turn of the run in log order, and what the toolbar needs."""

    turns: tuple[TurnView, ...]
    n_turns: int
    n_shown: int
    tools: tuple[str, ...]
    has_errors: bool
    claim_turn: int


def relative_time(seconds: float | None) -> str:
    """Return `+04:12` or `+1:02:07` from the run's start; empty where the log has no clock.

    >>> relative_time(252.4), relative_time(3727), relative_time(None)
    ('+04:12', '+1:02:07', '')
    """
    if seconds is None:
        return ""
    sign, whole = ("−", int(-seconds)) if seconds < 0 else ("+", int(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02d}:{rest:02d}" if hours else f"{sign}{minutes:02d}:{rest:02d}"


@dataclass(frozen=True)
class _Pairs:
    """Which turn answers a call, and which turn made it."""

    answered_at: Mapping[str, int]
    called_at: Mapping[str, int]


def _pair(turns: Iterable[Mapping[str, Any]]) -> _Pairs:
    answered: dict[str, int] = {}
    called: dict[str, int] = {}
    for turn in turns:
        for call in turn["calls"]:
            called[call["key"]] = turn["turn"]
        for result in turn["results"]:
            if result["key"]:
                answered.setdefault(result["key"], turn["turn"])
    return _Pairs(answered, called)


def _claim_stretches(claim: Mapping[str, Any]) -> tuple[Stretch, ...]:
    start, end = claim["span_start"], claim["span_end"]
    return (Stretch(start, end, "claim", mark=True, anchor="claim"),) if end > start else ()


def _words(turn: Mapping[str, Any], target: str | None, marks: tuple[Stretch, ...]) -> list[BlockView]:
    blocks = []
    if turn["reasoning"]:
        inside = marks if target == "reasoning" else ()
        body = draw_words(turn["reasoning"], inside, POLICY if not inside else WORDS)
        blocks.append(BlockView("reasoning", "private reasoning", (), body))
    if turn["text"]:
        shape = POLICY if turn["role"] == "system" else WORDS
        kind = "reasoning" if turn["kind"] == "reasoning" else "words"
        blocks.append(BlockView(kind, "", (), draw_words(turn["text"], marks if target == "text" else (), shape)))
    return blocks


def _call_block(call: Mapping[str, Any], target: str | None, marks: tuple[Stretch, ...], pairs: _Pairs) -> BlockView:
    inside = marks if target == f"args:{call['key']}" else ()
    leaves = read_leaves(call["args"], inside) if call["args"] else ()
    answer = pairs.answered_at.get(call["key"])
    facts = call_facts(call, leaves, answer is not None)
    return BlockView("call", call["name"], facts, draw_arguments(leaves), answer)


def _result_facts(result: Mapping[str, Any]) -> list[str]:
    facts = []
    if result["exit_code"] is not None:
        facts.append(f"exit {result['exit_code']}")
    if result["error_kind"] or (result["is_error"] and not result["exit_code"]):
        facts.append(f"error: {result['error_kind'].replace('_', ' ')}" if result["error_kind"] else "error")
    if result["output"] or result["bytes"]:
        facts.extend(facts_of(result["output"] or "", result["bytes"]))
    if result["truncated"]:
        held = human_size(len((result["output"] or "").encode("utf-8", "surrogatepass")))
        facts.append(f"cut by the {result['truncated_by'] or 'source'}: {held} of it held here")
    if result["match"] == "order":
        facts.append("paired by order")
    if result["match"] == "none":
        facts.append("no call in this log asked for it")
    return facts


def is_troubled(result: Mapping[str, Any]) -> bool:
    """Return whether the log itself marks this result as an error: its flag, or an exit code other than 0."""
    return bool(result["is_error"]) or bool(result["exit_code"])


def _result_block(result: Mapping[str, Any], pairs: _Pairs) -> BlockView:
    troubled = is_troubled(result)
    output = result["output"] or ""
    body = draw_output(output, TROUBLED if troubled else OUTPUT) if output else Markup('<p class="none">no output</p>')
    called = pairs.called_at.get(result["key"]) if result["key"] else None
    return BlockView("output", result["name"] or "", tuple(_result_facts(result)), body, called, troubled)


def _attachment_block(attachment: Mapping[str, Any]) -> BlockView:
    facts = [str(attachment[key]) for key in ("mime", "ref") if attachment.get(key)]
    if attachment.get("bytes") is not None:
        facts.append(human_size(int(attachment["bytes"])))
    return BlockView("attachment", str(attachment.get("kind") or "attachment"), tuple(facts), Markup(""))


def _blocks(
    turn: Mapping[str, Any], claim: Mapping[str, Any], marks: tuple[Stretch, ...], pairs: _Pairs
) -> list[BlockView]:
    target = str(claim["target"]) if turn["turn"] == claim["turn"] else None
    inside = marks if target else ()
    blocks = _words(turn, target, inside)
    blocks.extend(_call_block(call, target, inside, pairs) for call in turn["calls"])
    blocks.extend(_result_block(result, pairs) for result in turn["results"])
    blocks.extend(_attachment_block(attachment) for attachment in turn["attachments"])
    return blocks


def _what(turn: Mapping[str, Any]) -> str:
    return _KIND_WORDS.get(turn["kind"], "")


def _css(turn: Mapping[str, Any], claim_turn: int, troubled: bool, window: Mapping[str, Any] | None) -> str:
    names = [f"role-{turn['role']}", f"kind-{turn['kind']}"]
    place = "claim-turn" if turn["turn"] == claim_turn else ("is-before" if turn["turn"] < claim_turn else "is-after")
    names.append(place)
    if troubled:
        names.append("is-error")
    if not turn["in_context"]:
        names.append("is-unseen")
    if window is not None and window["from_turn"] <= turn["turn"] <= window["to_turn"]:
        names.append("in-window")
    return " ".join(names)


def _view(turn: Mapping[str, Any], blocks: Sequence[BlockView], css: str, parts: Mapping[str, str]) -> TurnView:
    names = [call["name"] for call in turn["calls"]] + [r["name"] for r in turn["results"] if r["name"]]
    seconds = turn["offset_seconds"]
    return TurnView(
        turn=turn["turn"],
        css=css,
        who=turn["speaker"] or _ROLE_WORDS.get(turn["role"], turn["role"]),
        what=_what(turn),
        time=relative_time(seconds),
        seconds="" if seconds is None else f"{seconds:g} s from the start of the run",
        thread="" if turn["thread"] == "main" else turn["thread"],
        blocks=tuple(blocks),
        tools=tuple(dict.fromkeys(names)),
        troubled="is-error" in css,
        parts=parts,
        unseen=not turn["in_context"],
    )


def _is_error_turn(turn: Mapping[str, Any], blocks: Sequence[BlockView]) -> bool:
    return turn["kind"] == "error" or any(block.troubled for block in blocks)


def read_transcript(
    turns: Sequence[Mapping[str, Any]],
    claim: Mapping[str, Any],
    *,
    tiers: Mapping[int, Mapping[str, str]],
    gaps: Sequence[Mapping[str, Any]] = (),
    window: Mapping[str, Any] | None = None,
) -> TranscriptView:
    """Return the pane for one claim.

    `turns` are `BlindTurn.as_dict()` values in log order, `claim` a `BlindClaim` as a dict, `tiers` the derived tier of
    each citable part by turn. Nothing is left out: `n_shown` counts the turns drawn, `n_turns` those given.
    """
    pairs = _pair(turns)
    marks = _claim_stretches(claim)
    edges = list_edges(turns, claim["turn"], gaps, window)
    views: list[TurnView] = []
    tools: dict[str, None] = {}
    for turn in turns:
        blocks = _blocks(turn, claim, marks, pairs)
        css = _css(turn, claim["turn"], _is_error_turn(turn, blocks), window)
        view = _view(turn, blocks, css, tiers.get(turn["turn"], {}))
        before, after = edges.before.get(view.turn), edges.after.get(view.turn)
        views.append(replace(view, before=tuple(before or ()), after=tuple(after or ())) if before or after else view)
        tools.update(dict.fromkeys(view.tools))
    return TranscriptView(
        turns=tuple(views),
        n_turns=len(turns),
        n_shown=len(views),
        tools=tuple(sorted(tools)),
        has_errors=any(view.troubled for view in views),
        claim_turn=claim["turn"],
    )
