"""What the rules and the hashes see of a packet: a blinded run as positions, a blinded claim as a unit, one hash.

Made from blinded values only, so that what is judged and hashed is what was shown. It judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.domain.canonical import canonical_json, sha256_hex
from app.domain.packets.packet import BlindCall, BlindClaim, BlindResult, BlindTurn
from app.domain.turnlog.run import ClaimUnit, Gap, Run, RunTurn


def run_of(
    turns: Iterable[BlindTurn], coverage: Mapping[str, str] | None = None, gaps: Iterable[Gap | Mapping[str, Any]] = ()
) -> Run:
    """Return a blinded run as the rule engine wants it.

    An assistant row with n calls becomes n parts at one position, the row's words on the first; a tool row becomes a
    part a result, `matched` where the result found its call, `text` its output. `coverage` None or empty: no map was
    made. `gaps` may be plain mappings with `channel`, `from_turn`, `to_turn`.
    """
    parts = tuple(part for turn in turns for part in _parts(turn))
    return Run(parts, dict(coverage) if coverage else None, tuple(_gap(gap) for gap in gaps))


def run_from_dicts(
    turns: Iterable[Mapping[str, Any]], coverage: Mapping[str, str] | None, gaps: Iterable[Mapping[str, Any]]
) -> Run:
    """Return `run_of` of turns in their stored form (`BlindTurn.as_dict`)."""
    return run_of(map(turn_from_dict, turns), coverage, gaps)


def turn_from_dict(body: Mapping[str, Any]) -> BlindTurn:
    """Return the turn of which `body` is the stored form; the inverse of `BlindTurn.as_dict`."""
    lists = {
        "calls": tuple(BlindCall(**call) for call in body["calls"]),
        "results": tuple(BlindResult(**result) for result in body["results"]),
        "attachments": tuple(dict(one) for one in body["attachments"]),
    }
    return BlindTurn(**{**body, **lists})


def unit_of(claim: BlindClaim) -> ClaimUnit:
    """Return a blinded claim as the rule engine wants it."""
    return ClaimUnit(
        turn=claim.turn,
        text=claim.text,
        unit_parts=claim.unit_parts,
        polarity=claim.polarity,
        scope_end_turn=claim.scope_end_turn,
        conditional=claim.conditional,
        condition_turn=claim.condition_turn,
        target=claim.target,
    )


def run_sha256(turns: Iterable[BlindTurn]) -> str:
    """Return the hash of a run as shown: SHA-256 of the canonical JSON of its turns."""
    return sha256_hex(canonical_json([turn.as_dict() for turn in turns]))


def packet_sha256(
    claims: Sequence[BlindClaim], runs: Mapping[str, str], *, codebook_sha256: str, coverage: Mapping[str, Any]
) -> str:
    """Return the hash of one rater's packet: all that decides what is shown, in the order shown.

    `claims` in the packet's order, under the ids shown; `runs` maps a blind run id to its `run_sha256`; `coverage` maps
    it to the map shown. Runs without a claim in the packet do not count.
    """
    shown = {claim.blind_run_id for claim in claims}
    body = {
        "claims": [{name: getattr(claim, name) for name in BlindClaim.__dataclass_fields__} for claim in claims],
        "codebook": codebook_sha256,
        "coverage": {run: coverage[run] for run in coverage if run in shown},
        "runs": {run: runs[run] for run in shown},
    }
    return sha256_hex(canonical_json(body))


def _gap(gap: Gap | Mapping[str, Any]) -> Gap:
    return gap if isinstance(gap, Gap) else Gap(gap["channel"], int(gap["from_turn"]), int(gap["to_turn"]))


def _parts(turn: BlindTurn) -> Iterator[RunTurn]:
    if turn.role == "assistant" and turn.calls:
        yield from _call_parts(turn)
    elif turn.role == "tool":
        yield from _result_parts(turn)
    else:
        yield RunTurn(turn.turn, turn.role, turn.kind, turn.text)


def _call_parts(turn: BlindTurn) -> Iterator[RunTurn]:
    for n, call in enumerate(turn.calls):
        words = turn.text if n == 0 else None
        yield RunTurn(
            turn.turn, turn.role, turn.kind, words, call=True, call_id=call.key, name=call.name, args=call.args
        )


def _result_parts(turn: BlindTurn) -> Iterator[RunTurn]:
    """Yield a part a result; a tool row without one (hand-made logs have only text) is a result without a call."""
    for result in turn.results:
        yield RunTurn(
            turn.turn,
            turn.role,
            turn.kind,
            turn.text if result.output is None else result.output,
            is_error=bool(result.is_error),
            call_id=result.key,
            name=result.name,
            exit_code=result.exit_code,
            truncated=result.truncated,
            matched=result.match != "none",
        )
    if not turn.results:
        yield RunTurn(turn.turn, turn.role, turn.kind, turn.text, matched=False)
