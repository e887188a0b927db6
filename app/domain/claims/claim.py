"""What a frozen claim is: the unit raters code, tied to its text by code-point offsets and a hash."""

from __future__ import annotations

from dataclasses import dataclass

REQUIRED = ("claim_id", "session_id", "turn_index", "target", "span_start", "span_end", "text")
OPTIONAL = (
    "unit_parts",
    "repeat_of",
    "resolved_text",
    "polarity",
    "scope_end_turn",
    "conditional",
    "condition_turn",
    "claim_source",
)


@dataclass(frozen=True)
class Claim:
    """One claim. `target` is `text`, `reasoning` or `args:<call_key>`; the span cuts `text` out of that stored text."""

    claim_id: str
    session_id: str
    turn_index: int
    target: str
    span_start: int
    span_end: int
    text: str
    text_sha256: str = ""
    unit_parts: int = 1
    repeat_of: str | None = None
    resolved_text: str | None = None
    polarity: str | None = None
    scope_end_turn: int | None = None
    conditional: bool = False
    condition_turn: int | None = None
    claim_source: str = "transcript"
