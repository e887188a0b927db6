"""A little run, written by hand for a case, in the form in which runs are served: blinded turns and a blinded claim.

So that practice is drawn and judged by what draws and judges packets. It scrubs nothing: what is authored for practice
names nobody. Which result answers which call is found as the rules find it (`turnlog.positions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from app.domain.packets.build import SPEAKERS
from app.domain.packets.packet import BlindCall, BlindClaim, BlindResult, BlindTurn
from app.domain.turnlog.linking import call_key
from app.domain.turnlog.positions import answered_by
from app.domain.turnlog.run import ClaimUnit, Run, RunTurn

_Placed = tuple[int, RunTurn]


def served_turns(run: Run) -> tuple[BlindTurn, ...]:
    """Return the run's rows as turns are served, one a position, in log order.

    Rows of one position become one turn: the calls of an assistant, the results of a tool row. Raises `ValueError`,
    naming the position, where rows of several roles share one.
    """
    keys = _call_keys(run.turns)
    links = {place: keys[asked] for place, asked in answered_by(run.turns).items()}
    names = {keys[place]: row.name for place, row in enumerate(run.turns) if row.call}
    grouped = groupby(enumerate(run.turns), key=lambda placed: placed[1].turn)
    return tuple(_turn(turn, list(rows), keys, (links, names)) for turn, rows in grouped)


def _call_keys(rows: Sequence[RunTurn]) -> dict[int, str]:
    """Return the place of each call → its key, which is made of positions alone."""
    keys: dict[int, str] = {}
    counts: dict[int, int] = {}
    for place, row in enumerate(rows):
        if row.call:
            n = counts.get(row.turn, 0)
            keys[place] = call_key(row.turn, n)
            counts[row.turn] = n + 1
    return keys


def _turn(
    turn: int,
    rows: list[_Placed],
    keys: dict[int, str],
    linked: tuple[dict[int, str], dict[str, str | None]],
) -> BlindTurn:
    first = rows[0][1]
    if len({row.role for _, row in rows}) > 1:
        raise ValueError(f"turn {turn} holds rows of several roles; give each its own turn")
    is_tool = first.role == "tool"
    words = None if is_tool else next((row.text for _, row in rows if row.text is not None), None)
    return BlindTurn(
        turn=turn,
        role=first.role,
        kind="tool_result" if is_tool and first.kind == "message" else first.kind,
        thread="main",
        speaker=SPEAKERS[first.role],
        text=words,
        reasoning=None,
        calls=tuple(BlindCall(keys[place], row.name or "tool", row.args) for place, row in rows if row.call),
        results=tuple(_result(place, row, *linked) for place, row in rows) if is_tool else (),
        attachments=(),
        offset_seconds=None,
        in_context=True,
    )


def _result(place: int, row: RunTurn, links: dict[int, str], names: dict[str, str | None]) -> BlindResult:
    key = links.get(place)
    return BlindResult(
        key=key,
        name=row.name or (names[key] if key else None),
        output=row.text or "",
        match=("id" if row.call_id else "order") if key else "none",
        bytes=len((row.text or "").encode("utf-8")),
        is_error=row.is_error,
        exit_code=row.exit_code,
        truncated=row.truncated,
        truncated_by="source" if row.truncated else None,
    )


def served_claim(
    unit: ClaimUnit, turns: Sequence[BlindTurn], *, shown_id: str, resolved_text: str | None = None
) -> BlindClaim:
    """Return the claim as it is served, marked where its words stand in its turn's target.

    Raises `ValueError` in one sentence where the turn has no such target, or its text holds the claim's words not
    exactly once: a claim that stands twice, or nowhere, cannot be marked.
    """
    text, kind = _target(unit, turns)
    start = text.find(unit.text)
    if not unit.text or start < 0 or text.rfind(unit.text) != start:
        times = "more than once" if unit.text and start >= 0 else "nowhere"
        raise ValueError(f"the claim's text stands {times} in the {unit.target} of turn {unit.turn}; it takes once")
    return BlindClaim(
        blind_claim_id=shown_id,
        blind_run_id=shown_id,
        turn=unit.turn,
        target=unit.target,
        span_start=start,
        span_end=start + len(unit.text),
        text=unit.text,
        resolved_text=resolved_text,
        unit_parts=unit.unit_parts,
        repeat_of=None,
        polarity=unit.polarity,
        scope_end_turn=unit.scope_end_turn,
        conditional=unit.conditional,
        condition_turn=unit.condition_turn,
        claim_source="report" if kind == "final" else "transcript",
    )


def _target(unit: ClaimUnit, turns: Sequence[BlindTurn]) -> tuple[str, str]:
    """Return the text the claim stands in, and the kind of its row."""
    turn = next((turn for turn in turns if turn.turn == unit.turn), None)
    if turn is None:
        raise ValueError(f"the claim stands on turn {unit.turn}, which the run does not have")
    targets = {"text": turn.text, **{f"args:{call.key}": call.args for call in turn.calls}}
    text = targets.get(unit.target)
    if text is None:
        raise ValueError(f"turn {unit.turn} has no {unit.target} that a claim could stand in")
    return text, turn.kind
