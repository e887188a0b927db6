"""The adjudicator's pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.services.pages.bench import FormState, Workbench


@dataclass(frozen=True)
class QueueLine:
    """One claim in the adjudicator's queue: `state` is `open`, `provisional` or `decided`."""

    item_id: str
    position: int
    study_title: str
    text: str
    state: str


@dataclass(frozen=True)
class AdjudicatorHome:
    """`/adjudicate`: the queue in its seeded order."""

    items: tuple[QueueLine, ...]
    n_decided: int
    continue_id: str | None


@dataclass(frozen=True)
class ShownCoding:
    """One of the two (or more) codings as the adjudicator sees it: a number, the answer, where it differs."""

    number: int
    answer: Mapping[str, Any]
    differs_in: tuple[str, ...]


@dataclass(frozen=True)
class AdjudicationPage:
    """`/adjudicate/{item_id}`: stage `provisional` (codings not shown), `decide` (shown) or `decided` (read only)."""

    item_id: str
    position: int
    n_items: int
    n_decided: int
    stage: str
    bench: Workbench
    form: FormState
    codings: tuple[ShownCoding, ...]
    provisional: Mapping[str, Any] | None
    causes: tuple[str, ...]
    rules: tuple[tuple[str, str], ...]
    reason: str = ""
    rule: str = ""
    cause: str = ""
