"""What a scorecard is computed from: questions, gold facts, parties, answers, grade sheets, calls, entities.

Responsible for naming the raw records and handing them on as plain rows to the second implementation. Nothing is
computed, cleaned or averaged here; a sheet holds its entries as the judge returned them, doubled and foreign ones too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

LABELS = ("stated", "partial", "absent", "contradicted")
CREDIT: Mapping[str, float] = {"stated": 1.0, "partial": 0.5, "absent": 0.0, "contradicted": 0.0}
OFFICIAL_REPEAT = 1
"""A judge's first grade of an answer is the one that scores; later ones only say how far the judge repeats itself."""


@dataclass(frozen=True)
class Question:
    """One question, and the attributes slices and inventories are taken from."""

    question_id: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fact:
    """One gold fact: its salience, and how many gold contributors named it (None where that is not recorded)."""

    question_id: str
    fact_id: str
    salience: str
    contributors: int | None = None


@dataclass(frozen=True)
class Party:
    """A contestant, judge or gold contributor. Display name, namespace and hosting provider are three things.

    `official` is false for a judge whose grades serve calibration only; `settings` are the actual run headers.
    """

    party_id: str
    display_name: str
    namespace: str
    host: str
    official: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What one model made of one question: a valid generation or a failure; its length and what rules it keeps."""

    model_id: str
    question_id: str
    valid: bool
    length: float | None = None
    rules: Mapping[str, bool | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Sheet:
    """One judge's grade of one answer. `entries` are (fact id, label) as returned; `quality` one score a language."""

    model_id: str
    question_id: str
    judge_id: str
    repeat: int
    valid: bool
    unsupported: int | None
    quality: tuple[float | None, ...]
    entries: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Call:
    """One saved call of one phase. `replaced`: a later retry stands in its place. A null cost or latency is None."""

    phase: str
    actor_id: str
    replaced: bool
    cost: float | None
    latency_seconds: float | None


@dataclass(frozen=True)
class Entity:
    """One gold entity of a question: its type, its surface and its aliases."""

    question_id: str
    entity_id: str
    kind: str
    surfaces: tuple[str, ...]


@dataclass(frozen=True)
class Mention:
    """One entity that an answer names."""

    model_id: str
    question_id: str
    kind: str
    surface: str


@dataclass(frozen=True)
class Source:
    """One source text of a question and who published it."""

    question_id: str
    publisher: str


@dataclass(frozen=True)
class Review:
    """One grade sheet picked for human review, and whether somebody reviewed it."""

    model_id: str
    question_id: str
    judge_id: str
    reviewed: bool


@dataclass(frozen=True)
class SavedScore:
    """A score as published earlier, to be compared with the one computed now."""

    model_id: str
    metric: str
    value: float


@dataclass(frozen=True)
class CopiedInterval:
    """An interval computed earlier, shown only where the manifest of its inputs holds."""

    analysis: str
    first: str
    second: str
    lo: float
    hi: float
    draws: int
    seed: int | None


@dataclass(frozen=True)
class PinnedFile:
    """One line of the input manifest: the hash it states and the one the file has (None: there is no such file)."""

    path: str
    stated: str
    found: str | None


@dataclass(frozen=True)
class Input:
    """One file that was read, with its hash."""

    role: str
    path: str
    sha256: str
    rows: int | None


@dataclass(frozen=True)
class ScoreData:
    """Every record of one scorecard. None: that table was not supplied."""

    questions: tuple[Question, ...]
    facts: tuple[Fact, ...]
    models: tuple[Party, ...]
    judges: tuple[Party, ...]
    answers: tuple[Answer, ...]
    sheets: tuple[Sheet, ...]
    contributors: tuple[Party, ...] | None = None
    calls: tuple[Call, ...] | None = None
    entities: tuple[Entity, ...] | None = None
    mentions: tuple[Mention, ...] | None = None
    sources: tuple[Source, ...] | None = None
    reviews: tuple[Review, ...] | None = None
    saved: tuple[SavedScore, ...] | None = None
    copied: tuple[CopiedInterval, ...] | None = None
    manifest: tuple[PinnedFile, ...] | None = None
    artefacts: Mapping[str, bool] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()

    def plain(self) -> dict[str, list[dict[str, Any]] | None]:
        """Return every table as rows of plain values, for whoever must not know these types."""
        tables = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "artefacts"}
        return {name: _rows(table) for name, table in tables.items()}


def _rows(table: Sequence[object] | None) -> list[dict[str, Any]] | None:
    return None if table is None else [dict(vars(record)) for record in table]
