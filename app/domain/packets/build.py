"""From a run and its claims to what a rater is given: copied field by field from the allow-list, every text scrubbed.

Nothing is taken over that `packet` does not name. What the rules see is made from the same blinded values (`facts`,
whose functions can be had from here too). It does not deal claims to raters (`assignment`) and does not store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.domain.blinding.scrub import Replacement, Scrubbed, Scrubber
from app.domain.blinding.seal import blind_id
from app.domain.claims.claim import Claim
from app.domain.errors import BadInput
from app.domain.packets.facts import packet_sha256, run_from_dicts, run_of, run_sha256, turn_from_dict, unit_of
from app.domain.packets.packet import BlindCall, BlindClaim, BlindResult, BlindTurn
from app.domain.turnlog.run import Gap
from app.domain.turnlog.turns import KINDS, MATCHES, Attachment, ToolCall, ToolResult, Turn

__all__ = [
    "SPEAKERS",
    "blind_claim",
    "blind_coverage",
    "blind_turns",
    "packet_sha256",
    "run_from_dicts",
    "run_of",
    "run_sha256",
    "turn_from_dict",
    "unit_of",
]

SPEAKERS = {"system": "system", "user": "user", "assistant": "agent", "tool": "tool", "event": "harness"}
"""Role → who is said to speak. A row's author, a name, is never shown."""

_ARGS = "args:"
_TRUNCATED_BY = ("source", "importer")


class _Desk:
    """A scrubber with the ledger its replacements go to."""

    def __init__(self, scrubber: Scrubber, ledger: list[Replacement] | None, place: str) -> None:
        self._scrubber = scrubber
        self._ledger = ledger
        self._place = place

    def text(self, text: str | None, where: str) -> str | None:
        return None if text is None else self.words(text, where)

    def words(self, text: str, where: str) -> str:
        return self._kept(self._scrubber.scrub(text, self._place + where))

    def json(self, text: str | None, where: str) -> str | None:
        return None if text is None else self._kept(self._scrubber.scrub_json(text, self._place + where))

    def output(self, text: str | None, where: str) -> str | None:
        """Scrub a result; one that is JSON stays JSON."""
        structured = text is not None and text.lstrip()[:1] in ("{", "[")
        return self.json(text, where) if structured else self.text(text, where)

    def _kept(self, scrubbed: Scrubbed) -> str:
        if self._ledger is not None:
            self._ledger.extend(scrubbed.replacements)
        return scrubbed.text


def blind_turns(
    turns: Sequence[Turn], scrubber: Scrubber, ledger: list[Replacement] | None = None, *, place: str = ""
) -> list[BlindTurn]:
    """Return one run's turns as raters see them, in log order.

    Threads become `main`, `thread-1`, … in order of appearance; the speaker follows from the role; times become seconds
    since the run's first time (None where a row has none); call keys are rebuilt from positions. `ledger`, if given,
    receives an entry per replacement, its `where` being `place` (say a blind run id and a blank) and then
    `t<turn>.text`, `t<turn>.c<n>.args`, `t<turn>.r<n>.output`, ….
    Raises `ValueError` when the turns are of several runs.
    """
    rows = sorted(turns, key=lambda turn: turn.turn_index)
    if len({turn.session_id for turn in rows}) > 1:
        raise ValueError("turns of several runs cannot be one run")
    desk = _Desk(scrubber, ledger, place)
    threads, keys = _thread_aliases(rows), _call_keys(rows)
    begin = next((turn.ts for turn in rows if turn.ts is not None), None)
    return [
        BlindTurn(
            turn=row.turn_index,
            role=row.role if row.role in SPEAKERS else "event",
            kind=row.kind if row.kind in KINDS else "other",
            thread=threads[row.thread_id],
            speaker=SPEAKERS.get(row.role, "harness"),
            text=desk.text(row.text, f"t{row.turn_index}.text"),
            reasoning=desk.text(row.reasoning, f"t{row.turn_index}.reasoning"),
            calls=_blind_calls(row, desk),
            results=_blind_results(row, keys, desk),
            attachments=_blind_attachments(row, desk),
            offset_seconds=(row.ts - begin).total_seconds() if row.ts is not None and begin is not None else None,
            in_context=bool(row.in_context),
        )
        for row in rows
    ]


def _thread_aliases(rows: Iterable[Turn]) -> dict[str, str]:
    aliases = {"main": "main"}
    for row in rows:
        aliases.setdefault(row.thread_id, f"thread-{len(aliases)}")
    return aliases


def _call_keys(rows: Iterable[Turn]) -> dict[str, str]:
    """Return native call key → the key shown, which is made of positions alone."""
    return {call.call_key: f"t{row.turn_index}.c{n}" for row in rows for n, call in enumerate(row.tool_calls)}


def _blind_calls(row: Turn, desk: _Desk) -> tuple[BlindCall, ...]:
    def blind(n: int, call: ToolCall) -> BlindCall:
        where = f"t{row.turn_index}.c{n}"
        return BlindCall(
            key=where,
            name=desk.words(call.name, f"{where}.name"),
            args=desk.json(call.args_json, f"{where}.args"),
            args_ok=call.args_ok,
        )

    return tuple(blind(n, call) for n, call in enumerate(row.tool_calls))


def _blind_results(row: Turn, keys: Mapping[str, str], desk: _Desk) -> tuple[BlindResult, ...]:
    def blind(n: int, result: ToolResult) -> BlindResult:
        where = f"t{row.turn_index}.r{n}"
        return BlindResult(
            key=keys.get(result.call_key) if result.call_key is not None else None,
            name=desk.text(result.name, f"{where}.name"),
            output=desk.output(result.output, f"{where}.output"),
            match=result.match if result.match in MATCHES else "none",
            bytes=result.bytes,
            is_error=result.is_error,
            error_kind=desk.text(result.error_kind, f"{where}.error_kind"),
            exit_code=result.exit_code,
            truncated=result.truncated,
            truncated_by=result.truncated_by if result.truncated_by in _TRUNCATED_BY else None,
        )

    return tuple(blind(n, result) for n, result in enumerate(row.tool_results))


def _blind_attachments(row: Turn, desk: _Desk) -> tuple[dict[str, Any], ...]:
    def blind(n: int, one: Attachment) -> dict[str, Any]:
        where = f"t{row.turn_index}.a{n}"
        return {"kind": desk.words(one.kind, where), "mime": desk.text(one.mime, where), "bytes": one.bytes}

    return tuple(blind(n, one) for n, one in enumerate(row.attachments))


def blind_claim(claim: Claim, turn: Turn, scrubber: Scrubber, key: bytes) -> BlindClaim:
    """Return a claim as raters see it: blind ids, and its span moved into the scrubbed text it stands in.

    `text` is what the moved span cuts there; a replacement over an edge of the span is included whole. Raises
    `BadInput`, naming the claim, when the target does not exist in the turn or the span does not cut the claim's text.
    """
    target, before, after = _target(claim, turn, scrubber)
    if before[claim.span_start : claim.span_end] != claim.text or not claim.text:
        raise BadInput(
            f"claim {claim.claim_id}: span {claim.span_start}-{claim.span_end} of turn {claim.turn_index}"
            f" ({claim.target}) does not cut the claim's text; freeze the claims again on this log"
        )
    start, end = after.map_span(claim.span_start, claim.span_end)
    resolved = None if claim.resolved_text is None else scrubber.scrub(claim.resolved_text).text
    return BlindClaim(
        blind_claim_id=blind_id(key, claim.claim_id),
        blind_run_id=blind_id(key, claim.session_id),
        turn=claim.turn_index,
        target=target,
        span_start=start,
        span_end=end,
        text=after.text[start:end],
        resolved_text=resolved,
        unit_parts=claim.unit_parts,
        repeat_of=None if claim.repeat_of is None else blind_id(key, claim.repeat_of),
        polarity=claim.polarity,
        scope_end_turn=claim.scope_end_turn,
        conditional=claim.conditional,
        condition_turn=claim.condition_turn,
        claim_source=scrubber.scrub(claim.claim_source).text,
    )


def _target(claim: Claim, turn: Turn, scrubber: Scrubber) -> tuple[str, str, Scrubbed]:
    """Return the target as shown, the stored text it names, and that text scrubbed just as the turn's was."""
    if (turn.session_id, turn.turn_index) != (claim.session_id, claim.turn_index):
        raise BadInput(f"claim {claim.claim_id} is on turn {claim.turn_index} of another row than the one given")
    if claim.target.startswith(_ARGS):
        native = claim.target.removeprefix(_ARGS)
        for n, call in enumerate(turn.tool_calls):
            if call.call_key == native and call.args_json is not None:
                return f"{_ARGS}t{turn.turn_index}.c{n}", call.args_json, scrubber.scrub_json(call.args_json)
    text = {"text": turn.text, "reasoning": turn.reasoning}.get(claim.target)
    if text is None:
        raise BadInput(f"claim {claim.claim_id}: turn {claim.turn_index} has no {claim.target}; correct its target")
    return claim.target, text, scrubber.scrub(text)


def blind_coverage(
    coverage: Mapping[str, str], gaps: Sequence[Gap], scrubber: Scrubber
) -> tuple[dict[str, str], tuple[Gap, ...]]:
    """Return a run's channel coverage map and gaps as raters see them: tool names in channels scrubbed like calls."""
    shown = {channel: scrubber.scrub(channel).text for channel in {*coverage, *(gap.channel for gap in gaps)}}
    return (
        {shown[channel]: state for channel, state in sorted(coverage.items())},
        tuple(Gap(shown[gap.channel], gap.from_turn, gap.to_turn) for gap in gaps),
    )
