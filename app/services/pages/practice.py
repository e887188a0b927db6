"""The pages of training and qualification.

Nothing here can hold what a qualification item's answer should be: gold and its reason reach a page as `Feedback`
alone, which a service makes for a training item after the rater's own answer is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.services.pages.bench import FormState, Workbench


@dataclass(frozen=True)
class Figures:
    """What is told of a finished qualification round: three figures with n and N, passed or not and why not."""

    round: int
    macro_f1: str
    n_labels: int
    n_critical: int
    n_codability: int
    n_items: int
    passed: bool
    why_not: tuple[str, ...]


@dataclass(frozen=True)
class PracticeStep:
    """One line of the way to the first claim: `state` is `done`, `failed` (a round not passed), `now` or `later`."""

    name: str
    state: str
    sentence: str


@dataclass(frozen=True)
class PracticeLine:
    """One codebook of the rater's studies.

    `next` is the one thing to do: `read`, `train`, `qualify`, `retrain`, `retry`, `excluded` or `qualified`; `offer`
    what can be opened now (`training`, `qualification` or "") with its button's words. `may_train` says that training
    can be repeated beside it. The codebook is read as registered with the study `study_id`.
    """

    codebook_sha256: str
    codebook_version: str
    codebook_title: str
    study_id: str
    studies: tuple[str, ...]
    asked: bool
    next: str
    steps: tuple[PracticeStep, ...]
    rounds: tuple[Figures, ...]
    offer: str = ""
    button: str = ""
    may_train: bool = False


@dataclass(frozen=True)
class PracticeHome:
    """`/practice`: each codebook of the rater's studies that has practice sets, and what comes next under it."""

    lines: tuple[PracticeLine, ...]


@dataclass(frozen=True)
class QualificationNotice:
    """What stands first on a rater's home page while claims are refused: under which codebook, and what comes next."""

    codebook_version: str
    studies: tuple[str, ...]
    next: str


@dataclass(frozen=True)
class ItemLine:
    """One item in an attempt's list: `state` is `open`, `draft` or `answered`.

    `label` is the rater's own; `same` says in training whether it is the reference's, and is None elsewhere.
    """

    number: int
    text: str
    state: str
    label: str = ""
    same: bool | None = None


@dataclass(frozen=True)
class AttemptPage:
    """`/practice/{attempt_id}`: the items with their state; for a qualification the button that hands it in."""

    attempt_id: str
    title: str
    purpose: str
    round: int
    codebook_version: str
    items: tuple[ItemLine, ...]
    n_answered: int
    next_number: int | None
    finished: bool
    figures: Figures | None = None
    n_same: int | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Feedback:
    """What a training item teaches, once it is answered: the reference's label and whole coding, and why."""

    label: str
    own_label: str
    same: bool
    text: str
    teaches: str
    coding: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PracticeItemPage:
    """`/practice/{attempt_id}/{number}`: one item on the workbench. `closed`: it takes no answer any more."""

    attempt_id: str
    number: int
    n_items: int
    n_answered: int
    purpose: str
    closed: bool
    next_open: int | None
    bench: Workbench
    form: FormState
    feedback: Feedback | None = None
