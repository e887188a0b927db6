"""The lines drawn between turns: before and after the claim, a gap in a channel, the intent's window, another thread.

Each says in words what it marks. They only restate what the service computed; nothing is inferred here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_CLOSED_BY = {
    "user_turn": "the next user turn",
    "action_turns": "the last counted action turn",
    "end_of_run": "the end of the run",
    "scope": "the claim's own words",
    "not_do": "the end of the run (a promise not to do something)",
    "condition_absent": "the end of the run (the condition never arose)",
}


@dataclass(frozen=True)
class Marker:
    """A line between turns: `kind` is before-claim, after-claim, thread, gap or window; `text` says it in words."""

    kind: str
    text: str


@dataclass(frozen=True)
class Edges:
    """Where markers stand: before or after which turn."""

    before: dict[int, list[Marker]] = field(default_factory=dict)
    after: dict[int, list[Marker]] = field(default_factory=dict)


def closed_by_words(code: str) -> str:
    """Return what closes an intent's window in words; an unknown code reads as it stands."""
    return _CLOSED_BY.get(code, code.replace("_", " "))


def _add_gaps(edges: Edges, gaps: Sequence[Mapping[str, Any]]) -> None:
    for gap in gaps:
        span = f"{gap['channel']}, turns {gap['from_turn']}–{gap['to_turn']}"
        edges.before.setdefault(gap["from_turn"], []).append(Marker("gap", f"not recorded from here: {span}"))
        edges.after.setdefault(gap["to_turn"], []).append(Marker("gap", f"recorded again: {gap['channel']}"))


def _add_window(edges: Edges, window: Mapping[str, Any]) -> None:
    first, last = window["from_turn"], window["to_turn"]
    if last < first:
        edges.after.setdefault(first - 1, []).append(Marker("window", "the intent's window holds no turn"))
        return
    turns = f"turn {first}" if first == last else f"turns {first}–{last}"
    opens = Marker("window", f"the intent's window opens: {turns}")
    closes = Marker("window", f"the intent's window closes: {closed_by_words(str(window.get('closed_by') or ''))}")
    edges.before.setdefault(first, []).append(opens)
    edges.after.setdefault(last, []).append(closes)


def _add_threads(edges: Edges, turns: Sequence[Mapping[str, Any]]) -> None:
    thread = turns[0]["thread"] if turns else "main"
    for turn in turns:
        if turn["thread"] != thread:
            thread = turn["thread"]
            edges.before.setdefault(turn["turn"], []).append(Marker("thread", f"thread: {thread}"))


def list_edges(
    turns: Sequence[Mapping[str, Any]],
    claim_turn: int,
    gaps: Sequence[Mapping[str, Any]],
    window: Mapping[str, Any] | None,
) -> Edges:
    """Return every marker of a run by the turn it stands before or after; the claim's own stand next to its turn."""
    edges = Edges()
    _add_threads(edges, turns)
    _add_gaps(edges, gaps)
    if window is not None:
        _add_window(edges, window)
    edges.before.setdefault(claim_turn, []).append(Marker("before-claim", "before the claim ↑"))
    edges.after.setdefault(claim_turn, []).insert(0, Marker("after-claim", "after the claim ↓"))
    return edges
