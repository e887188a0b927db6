"""The workbench: what the transcript pane and the form pane show, for rater and adjudicator alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.errors import Violation


@dataclass(frozen=True)
class Person:
    """Who is signed in: the name, and the site roles that decide which links stand in the header."""

    name: str
    roles: tuple[str, ...]


@dataclass(frozen=True)
class Workbench:
    """What the transcript pane shows, for rater and adjudicator alike.

    `turns` are `BlindTurn.as_dict()` values in log order; `claim` a `BlindClaim` as a dict. `tiers` maps a turn to the
    derived tier of its parts (`{"call": "T3", "text": "T4"}` or `{"result": "T1"}`), so that a citation can be filled
    in. `window` is the intent window `{"from_turn", "to_turn", "closed_by"}` or None for backward claims; the
    screen draws it once the kind chosen is an intent. `study_id` leads to the registered codebook; "" outside a study.
    """

    study_title: str
    codebook: Codebook
    run_alias: str
    turns: tuple[Mapping[str, Any], ...]
    claim: Mapping[str, Any]
    claim_text: str
    coverage: Mapping[str, str]
    gaps: tuple[Mapping[str, Any], ...]
    window: Mapping[str, Any] | None
    tiers: Mapping[int, Mapping[str, str]]
    study_id: str = ""


@dataclass(frozen=True)
class FormState:
    """What the form pane shows.

    `answer` holds what this person has entered so far (a draft, a stored coding, or what was just refused): never
    anything else. `violations` are the hard rules broken by it, `warnings` the soft ones awaiting confirmation.
    `revision` is the number of the stored coding this form started from (0: none); `client_token` makes a double send
    one save. `seconds_active` is the time spent on it so far.
    """

    answer: Mapping[str, Any]
    revision: int
    client_token: str
    violations: tuple[Violation, ...] = ()
    warnings: tuple[Violation, ...] = ()
    status: str = "new"
    seconds_active: float | None = None
    saved_at: str | None = None
    message: str | None = None
