"""Hold the claims that were handed in against the log: the turn is there, the span cuts exactly the text.

Responsible for turning raw rows into frozen claims, or into faults that name row and column. It does not read files and
does not judge whether a text is a good unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.canonical import sha256_hex
from app.domain.claims.claim import Claim
from app.domain.claims.raw import ClaimFault, RawClaim
from app.domain.errors import BadInput
from app.domain.turnlog.arguments import find_readable
from app.domain.turnlog.turns import Turn

POLARITIES = ("do", "not_do")
SOURCES = ("transcript", "report")
_NEEDED = ("claim_id", "session_id", "turn_index", "target", "text")
_SHOWN = 60  # characters of a text that a sentence quotes


def resolve_claims(
    raw: Sequence[RawClaim], turns_by_session: Mapping[str, Sequence[Turn]]
) -> tuple[tuple[Claim, ...], tuple[ClaimFault, ...]]:
    """Return the claims that hold and the faults of those that do not, both in file order.

    A claim holds when its run and turn exist, its target exists (`text`, `reasoning` or `args:<call_key>` of that
    turn), its span cuts exactly `text` out of the stored target (code points), or, without a span, `text` stands there
    exactly once (as stored, or as read inside a JSON argument; the stored form is then kept). Ids are unique,
    `repeat_of` names another claim of the file and the same run, turn numbers exist. `text_sha256` is the SHA-256 of
    `text`; where the file brings one, it must be that. Defaults: unit_parts 1, conditional false, claim_source
    `report` for rows of kind final, else `transcript`.
    """
    faults: list[ClaimFault] = []
    claims: list[Claim] = []
    first_row, by_id = _index(raw)
    for item in raw:
        claim, problem = _resolve(item, turns_by_session)
        problem = problem or _id_problem(item, first_row, by_id)
        if problem is not None or claim is None:
            column, message = problem or ("claim_id", "cannot be read")
            faults.append(ClaimFault(item.row, column, message, item.claim_id))
        else:
            claims.append(claim)
    return tuple(claims), tuple(faults)


def require_claims(
    raw: Sequence[RawClaim], turns_by_session: Mapping[str, Sequence[Turn]], source: str
) -> tuple[Claim, ...]:
    """Return all claims of the file named `source`, or raise `BadInput` with its first fault: all or nothing."""
    claims, faults = resolve_claims(raw, turns_by_session)
    if faults:
        more = f" (and {len(faults) - 1} more faults; `saydo claims check` lists them)" if len(faults) > 1 else ""
        raise BadInput(faults[0].sentence(source) + more)
    return claims


def _index(raw: Sequence[RawClaim]) -> tuple[dict[str, int], dict[str, RawClaim]]:
    first_row: dict[str, int] = {}
    by_id: dict[str, RawClaim] = {}
    for item in raw:
        if item.claim_id is not None and item.claim_id not in first_row:
            first_row[item.claim_id] = item.row
            by_id[item.claim_id] = item
    return first_row, by_id


_Problem = tuple[str, str] | None


def _id_problem(item: RawClaim, first_row: Mapping[str, int], by_id: Mapping[str, RawClaim]) -> _Problem:
    claim_id = item.claim_id or ""
    if first_row[claim_id] != item.row:
        return "claim_id", f'"{claim_id}" already stands in row {first_row[claim_id]}; give every claim its own id'
    if item.repeat_of is None:
        return None
    earlier = by_id.get(item.repeat_of)
    if earlier is None or item.repeat_of == claim_id:
        return "repeat_of", f'"{item.repeat_of}" is not the id of another claim in this file'
    if earlier.session_id != item.session_id:
        return "repeat_of", f'"{item.repeat_of}" is a claim of another run ({earlier.session_id})'
    return None


def _resolve(item: RawClaim, turns_by_session: Mapping[str, Sequence[Turn]]) -> tuple[Claim | None, _Problem]:
    missing = next((name for name in _NEEDED if getattr(item, name) in (None, "")), None)
    if missing:
        return None, (missing, "is empty; every claim needs it")
    turns = turns_by_session.get(item.session_id or "")
    if turns is None:
        return None, ("session_id", f'the log has no run "{item.session_id}"')
    turn = _turn_at(turns, item.turn_index)
    if turn is None:
        return None, ("turn_index", f"{_extent(item.session_id, turns)}; there is no turn {item.turn_index}")
    stored, problem = _target(turn, item.target or "")
    if stored is None:
        return None, problem
    span, problem = _span(item, stored)
    problem = problem or _value_problem(item, turns)
    if span is None or problem is not None:
        return None, problem
    return _claim(item, turn, stored[span[0] : span[1]], span), None


def _turn_at(turns: Sequence[Turn], index: int | None) -> Turn | None:
    """Return the turn of that index; the position in the sequence is tried first, since logs are sorted."""
    if index is None:
        return None
    if 0 <= index < len(turns) and turns[index].turn_index == index:
        return turns[index]
    return next((turn for turn in turns if turn.turn_index == index), None)


def _extent(session_id: str | None, turns: Sequence[Turn]) -> str:
    if not turns:
        return f'run "{session_id}" has no turns'
    return f'run "{session_id}" has turns {turns[0].turn_index} to {turns[-1].turn_index}'


def _target(turn: Turn, target: str) -> tuple[str | None, _Problem]:
    """Return the stored text that `target` names in this turn, or the problem."""
    if target in ("text", "reasoning"):
        stored = turn.text if target == "text" else turn.reasoning
        return (stored, None) if stored is not None else (None, ("target", f"turn {turn.turn_index} has no {target}"))
    if not target.startswith("args:"):
        return None, ("target", f'"{target}" is not a target; use text, reasoning or args:<call_key>')
    key = target.removeprefix("args:")
    call = next((call for call in turn.tool_calls if call.call_key == key), None)
    if call is None:
        keys = ", ".join(f"args:{call.call_key}" for call in turn.tool_calls) or "no call at all"
        return None, ("target", f'turn {turn.turn_index} has no call "{key}"; it has {keys}')
    if call.args_json is None:
        return None, ("target", f'call "{key}" of turn {turn.turn_index} has no arguments')
    return call.args_json, None


def _span(item: RawClaim, stored: str) -> tuple[tuple[int, int] | None, _Problem]:
    if item.span_start is None and item.span_end is None:
        return _found_span(item, stored)
    if item.span_start is None or item.span_end is None:
        column = "span_start" if item.span_start is None else "span_end"
        return None, (column, "is empty while the other end is given; give both ends or neither")
    start, end = item.span_start, item.span_end
    if not 0 <= start < end <= len(stored):
        column = "span_start" if not 0 <= start < len(stored) else "span_end"
        return None, (column, f"span {start} to {end} does not lie in the target, which has {len(stored)} characters")
    cut = stored[start:end]
    if cut in (item.text, item.unguarded_text):
        return (start, end), None
    return None, ("span_start", _cut_message(item, stored))


def _cut_message(item: RawClaim, stored: str) -> str:
    """Say what the span really cuts and, where the text stands once in the target, which span would cut it."""
    start, end, text = item.span_start or 0, item.span_end or 0, item.text or ""
    message = f"span {start} to {end} cuts {_quote(stored[start:end])}, not {_quote(text)}"
    places = _places(stored, text, item.target or "")
    if len(places) == 1:
        right_start, right_end = places[0]
        return f"{message}; the text stands at {right_start} to {right_end}"
    return f"{message}; the text stands {len(places)} times in the target"


def _found_span(item: RawClaim, stored: str) -> tuple[tuple[int, int] | None, _Problem]:
    places = _places(stored, item.text or "", item.target or "")
    if not places and item.unguarded_text:
        places = _places(stored, item.unguarded_text, item.target or "")
    if len(places) == 1:
        return places[0], None
    how_often = "does not stand" if not places else f"stands {len(places)} times"
    advice = "copy it exactly" if not places else "give span_start and span_end"
    return None, ("text", f"{_quote(item.text or '')} {how_often} in {item.target} of turn {item.turn_index}; {advice}")


def _places(stored: str, text: str, target: str) -> list[tuple[int, int]]:
    if target.startswith("args:"):
        return find_readable(stored, text)
    places = []
    at = stored.find(text)
    while at >= 0:
        places.append((at, at + len(text)))
        at = stored.find(text, at + 1)
    return places


def _quote(text: str) -> str:
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return '"' + shown.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'


def _value_problem(item: RawClaim, turns: Sequence[Turn]) -> _Problem:
    """Return what is wrong with the optional columns, the first one in column order."""
    if item.unit_parts is not None and item.unit_parts < 1:
        return "unit_parts", f"{item.unit_parts} is not a number of parts; use 1 or more"
    if item.polarity not in (None, *POLARITIES):
        return "polarity", f'"{item.polarity}" is not one of {", ".join(POLARITIES)}'
    for column in ("scope_end_turn", "condition_turn"):
        index = getattr(item, column)
        if index is not None and _turn_at(turns, index) is None:
            return column, f"{_extent(item.session_id, turns)}; there is no turn {index}"
    if item.claim_source not in (None, *SOURCES):
        return "claim_source", f'"{item.claim_source}" is not one of {", ".join(SOURCES)}'
    if item.text_sha256 is not None and item.text_sha256 not in _hashes(item):
        return "text_sha256", "is not the SHA-256 of the text; the text has changed since it was hashed"
    return None


def _hashes(item: RawClaim) -> tuple[str, ...]:
    return tuple(sha256_hex(text) for text in (item.text, item.unguarded_text) if text is not None)


def _claim(item: RawClaim, turn: Turn, text: str, span: tuple[int, int]) -> Claim:
    return Claim(
        claim_id=item.claim_id or "",
        session_id=turn.session_id,
        turn_index=turn.turn_index,
        target=item.target or "",
        span_start=span[0],
        span_end=span[1],
        text=text,
        text_sha256=sha256_hex(text),
        unit_parts=item.unit_parts or 1,
        repeat_of=item.repeat_of,
        resolved_text=item.resolved_text,
        polarity=item.polarity,
        scope_end_turn=item.scope_end_turn,
        conditional=bool(item.conditional),
        condition_turn=item.condition_turn,
        claim_source=item.claim_source or ("report" if turn.kind == "final" else "transcript"),
    )
