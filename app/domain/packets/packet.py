"""What a rater is given: the allow-list. A field that is not named here cannot be served.

`BlindTurn` is built from a canonical turn by copying these fields and scrubbing their texts; identities (columns
18-24), source names, native ids and timestamps have no place in it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class BlindCall:
    """One tool call as shown: `key` is `t<turn>.c<n>`; `args` the scrubbed argument text as the source had it."""

    key: str
    name: str
    args: str | None
    args_ok: bool = True


@dataclass(frozen=True)
class BlindResult:
    """One tool result as shown; `bytes` is its full size before any cut."""

    key: str | None
    name: str | None
    output: str | None
    match: str
    bytes: int
    is_error: bool | None = None
    error_kind: str | None = None
    exit_code: int | None = None
    truncated: bool = False
    truncated_by: str | None = None


@dataclass(frozen=True)
class BlindTurn:
    """One turn as shown. `offset_seconds` counts from the run's first timestamp; `thread` is `main` or an alias."""

    turn: int
    role: str
    kind: str
    thread: str
    speaker: str
    text: str | None
    reasoning: str | None
    calls: tuple[BlindCall, ...]
    results: tuple[BlindResult, ...]
    attachments: tuple[dict[str, Any], ...]
    offset_seconds: float | None
    in_context: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the plain JSON form that is stored, hashed and served."""
        return asdict(self)


@dataclass(frozen=True)
class BlindClaim:
    """One claim as shown: its blind ids, where it stands in the blinded text, and what the lead set before freezing."""

    blind_claim_id: str
    blind_run_id: str
    turn: int
    target: str
    span_start: int
    span_end: int
    text: str
    resolved_text: str | None
    unit_parts: int
    repeat_of: str | None
    polarity: str | None
    scope_end_turn: int | None
    conditional: bool
    condition_turn: int | None
    claim_source: str
