"""What one row of the canonical turn log is, as plain values (the Arrow form is `schema.py`).

A *turn* is one row; `turn_index` is its position and what raters cite. Calls stay in the assistant's row, a result is
always a following row of role `tool`, so an evidence citation is one number.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

ROLES = ("system", "user", "assistant", "tool", "event")
KINDS = ("message", "tool_result", "reasoning", "final", "summary", "copied", "meta", "state", "error", "other")
MATCHES = ("id", "order", "inline", "none")


@dataclass(frozen=True)
class ToolCall:
    """One call an assistant row makes. `call_key` is `t<turn_index>.c<n>`, unique in the session."""

    call_key: str
    name: str
    args_json: str | None = None
    args_ok: bool = True
    call_id: str | None = None
    requestor: str | None = None


@dataclass(frozen=True)
class ToolResult:
    """One result a tool row holds. `match` says how it found its call; `bytes` is the full size in the source."""

    output: str | None
    match: str
    bytes: int
    call_key: str | None = None
    call_id: str | None = None
    name: str | None = None
    is_error: bool | None = None
    error_kind: str | None = None
    exit_code: int | None = None
    truncated: bool = False
    truncated_by: str | None = None


@dataclass(frozen=True)
class Attachment:
    """Something that is not text, kept outside by its hash."""

    kind: str
    mime: str | None = None
    sha256: str | None = None
    bytes: int | None = None
    ref: str | None = None


@dataclass(frozen=True)
class Turn:
    """One row of turnlog/1; the fields are its 26 columns, in order (`turnlog.schema`)."""

    session_id: str
    turn_index: int
    role: str
    text: str | None = None
    kind: str = "message"
    src_file: str | None = None
    src_index: tuple[int, ...] = ()
    turn_id: str | None = None
    parent_turn_id: str | None = None
    thread_id: str = "main"
    author: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    ts: datetime | None = None
    ts_raw: str | None = None
    model: str | None = None
    arm: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    repeat: int | None = None
    agent: str | None = None
    outcome_json: str | None = None
    in_context: bool = True
    extra_json: str | None = None
