"""The few named errors. Each carries one plain sentence; the edges (CLI, web, API) decide how it is told.

What each becomes: `BadInput` exit 2 / 422, `NotFound` exit 2 / 404, `Forbidden` exit 1 / 403, `Refused` exit 1 / 422,
`Conflict` exit 1 / 409. Anything else is a fault of ours and becomes 500 with a reference id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.domain.tally import Tally


class SaydoError(Exception):
    """Root of the named errors; `str()` of it is the sentence a person reads."""


class BadInput(SaydoError):
    """What was handed in cannot be read or does not mean anything; the sentence names file, row and column."""


class NotFound(SaydoError):
    """The thing named does not exist (or its existence must not be told to this reader)."""


class Forbidden(SaydoError):
    """This person may not do this here."""


class NotQualified(Forbidden):
    """This rater has not qualified for the codebook version of these claims (H25)."""


class Refused(SaydoError):
    """The request is well formed, and a rule or a gate says no."""


class Conflict(SaydoError):
    """The state has moved on: locked, another revision, another tab, a pinned file that changed."""


class AlreadyLocked(Conflict):
    """The packet is locked; nothing in it changes any more."""


@dataclass(frozen=True)
class Violation:
    """One broken rule: its id, `hard` or `soft`, the field it points at and the sentence to show."""

    rule: str
    level: str
    field: str
    message: str


class RulesBroken(Refused):
    """A coding breaks hard rules; nothing was stored as a verdict. `tally`: what its judgement counts, if any."""

    def __init__(self, violations: Sequence[Violation], tally: Tally | None = None) -> None:
        self.violations = tuple(violations)
        self.tally = tally
        super().__init__("; ".join(f"{v.rule} {v.field}: {v.message}" for v in self.violations))


class Unconfirmed(Conflict):
    """A coding raises soft warnings that were not confirmed by name; nothing was stored. `tally`: as above."""

    def __init__(self, warnings: Sequence[Violation], tally: Tally | None = None) -> None:
        self.warnings = tuple(warnings)
        self.tally = tally
        super().__init__("confirm or change: " + "; ".join(f"{v.rule} {v.message}" for v in self.warnings))
