"""One run as the rules see it: positions, roles, calls, results, coverage. What `judge` and the packets both build.

A *run* is one session of the turn log, the cluster unit. A position is `turn`; the words and the calls of an assistant
row share it. Nothing here knows models, arms or tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RunTurn:
    """One part at one position.

    `call` marks an assistant row that makes a call (its `text` is the words said beside it, `name`/`args` the call);
    a row with several calls is several `RunTurn`s of one `turn`. `matched` says whether a tool row's result belongs to
    a call (None on rows that are not tool rows: not applicable).
    """

    turn: int
    role: str
    kind: str = "message"
    text: str | None = None
    is_error: bool = False
    call: bool = False
    call_id: str | None = None
    name: str | None = None
    args: str | None = None
    exit_code: int | None = None
    truncated: bool = False
    matched: bool | None = None


@dataclass(frozen=True)
class Gap:
    """A stretch of turns, both ends included, in which one channel was not recorded."""

    channel: str
    from_turn: int
    to_turn: int


@dataclass(frozen=True)
class Run:
    """A run's parts in log order, and its channel coverage map (None: no map was made, so UNBACKED cannot be coded)."""

    turns: tuple[RunTurn, ...]
    coverage: Mapping[str, str] | None = None
    gaps: tuple[Gap, ...] = field(default=())


@dataclass(frozen=True)
class ClaimUnit:
    """The claim a coding is about, as far as the rules need it."""

    turn: int
    text: str
    unit_parts: int = 1
    polarity: str | None = None
    scope_end_turn: int | None = None
    conditional: bool = False
    condition_turn: int | None = None
    target: str = "text"
