"""A claim as it was handed in, before it has been held against the log, and what can be wrong with it.

Responsible for the typed row of a claims file and for the form of a fault. It does not open files
(`readers.claims_file`) and does not know the log (`check`).
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.claims.claim import OPTIONAL, REQUIRED

# Written by `saydo claims propose` for the lead, and kept in the file; they never reach a packet.
FOR_THE_LEAD = ("kind_guess", "cue")
COLUMNS = (*REQUIRED, "text_sha256", *OPTIONAL, *FOR_THE_LEAD)
SPAN = ("span_start", "span_end")


@dataclass(frozen=True)
class RawClaim:
    """One row of a claims file, its types settled and nothing else.

    `row` counts claims from 1 (a header is not counted). `span_start`/`span_end` are None where the file leaves the
    span to be found from `text`. `unguarded_text` is the text without a spreadsheet's leading apostrophe, where a CSV
    cell looks guarded.
    """

    row: int
    claim_id: str | None = None
    session_id: str | None = None
    turn_index: int | None = None
    target: str | None = None
    span_start: int | None = None
    span_end: int | None = None
    text: str | None = None
    text_sha256: str | None = None
    unit_parts: int | None = None
    repeat_of: str | None = None
    resolved_text: str | None = None
    polarity: str | None = None
    scope_end_turn: int | None = None
    conditional: bool | None = None
    condition_turn: int | None = None
    claim_source: str | None = None
    kind_guess: str | None = None
    cue: str | None = None
    unguarded_text: str | None = None


@dataclass(frozen=True)
class ClaimFault:
    """One thing wrong with one row of a claims file: where it stands and one plain sentence."""

    row: int
    column: str
    message: str
    claim_id: str | None = None

    def sentence(self, source: str) -> str:
        """Return the fault with its place in the file named `source`.

        >>> ClaimFault(3, "turn_index", "run a has no turn 9").sentence("claims.csv")
        'claims.csv, row 3, column turn_index: run a has no turn 9'
        """
        return f"{source}, row {self.row}, column {self.column}: {self.message}"
