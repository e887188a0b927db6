"""The declarations of a scorecard: scenarios, resampling, slices, thresholds, plan, and what is asked beside them.

Responsible for the types, the constants of the method and its defaults. What a file may not declare is in
`spec_faults`; reading the file is the reader's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ORIGINAL = "original"
LANGUAGES = ("ne", "en")
BEST_QUALITY = 10.0
LEAST_QUALITY = 1.0
FULL_SCORE = 100.0

REQUIRED_TABLES = ("questions", "facts", "models", "judges", "answers", "sheets")
OPTIONAL_TABLES = (
    "grades",
    "contributors",
    "calls",
    "gold_entities",
    "answer_entities",
    "sources",
    "reviews",
    "saved_scores",
    "copied_intervals",
    "manifest",
)
RESAMPLINGS = ("primary", "original", "ranks", "focus")
AUXILIARY = ("core_recall", "supporting_recall", "coverage", "precision_proxy")
LENGTH_METRICS = ("coverage", "core_recall", "supporting_recall")
PRECISION_OF_NOTHING = ("undefined", "zero")


@dataclass(frozen=True)
class Weights:
    """Points of a composite: for a core recall of 1, a precision proxy of 1, and each point of language quality."""

    core: float
    precision: float
    languages: tuple[float, float]

    @property
    def best(self) -> float:
        """Return the composite of a faultless answer."""
        return self.core + self.precision + BEST_QUALITY * sum(self.languages)


THE_ORIGINAL = Weights(40.0, 30.0, (1.5, 1.5))


@dataclass(frozen=True)
class Resampling:
    """How many bootstrap draws, from which seed of `numpy.random.default_rng`."""

    draws: int
    seed: int


DEFAULT_RESAMPLINGS: Mapping[str, Resampling] = {
    "primary": Resampling(5000, 20260917),
    "original": Resampling(1000, 20260917),
    "ranks": Resampling(2000, 20260919),
    "focus": Resampling(5000, 20260918),
}


@dataclass(frozen=True)
class Salience:
    """Which salience values of the facts table are core, supporting, and neither."""

    core: str = "core"
    supporting: str = "supporting"
    other: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Return every declared salience."""
        return (self.core, self.supporting, *self.other)


@dataclass(frozen=True)
class Slice:
    """The questions whose attribute has one value."""

    name: str
    column: str
    value: str


@dataclass(frozen=True)
class Focus:
    """Models compared criterion by criterion."""

    name: str
    models: tuple[str, ...]
    criteria: tuple[str, ...] = ()


@dataclass(frozen=True)
class Length:
    """Columns of the answers whose sum is an answer's length, and the unit they count."""

    columns: tuple[str, ...]
    unit: str


@dataclass(frozen=True)
class Thresholds:
    """The calibration gates: agreement of a judge with its own repeat, rank correlation between judges."""

    intra_label_agreement: float = 0.80
    inter_rank_correlation: float = 0.70


@dataclass(frozen=True)
class Rule:
    """A rule of generation whose keeping a true/false column of the answers records; `enforced` or only planned."""

    name: str
    column: str
    enforced: bool


@dataclass(frozen=True)
class Step:
    """A planned step that leaves a file behind."""

    name: str
    file: str


@dataclass(frozen=True)
class Planned:
    """What was planned, in numbers; None where the plan is silent."""

    models: int | None = None
    questions: int | None = None
    judges: int | None = None
    repeats: int | None = None
    reviews: int | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Disclosure:
    """A difference between plan and execution that no record of ours can show; printed as declared."""

    concern: str
    planned: str
    completed: str


@dataclass(frozen=True)
class ScorecardSpec:
    """Everything a scorecard file declares."""

    id: str
    state_at_writing: str
    tables: Mapping[str, str]
    title: str = ""
    prior_inspection: str | None = None
    public_registration: str | None = None
    languages: tuple[str, str] = LANGUAGES
    salience: Salience = Salience()
    scenarios: Mapping[str, Weights] = field(default_factory=lambda: {ORIGINAL: THE_ORIGINAL})
    precision_of_nothing: str = "undefined"
    resampling: Mapping[str, Resampling] = field(default_factory=lambda: dict(DEFAULT_RESAMPLINGS))
    slices: tuple[Slice, ...] = ()
    focus: Focus | None = None
    length: Length | None = None
    consensus_of: int | None = None
    thresholds: Thresholds = Thresholds()
    currency: str = "USD"
    stated_settings: Mapping[str, str] = field(default_factory=dict)
    inventory: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    saved_tolerance: float = 1e-9
    planned: Planned = Planned()
    disclosures: tuple[Disclosure, ...] = ()
    ignored_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    text: str = ""

    @property
    def qualities(self) -> tuple[str, str]:
        """Return the names of the two language scores, as columns and metrics."""
        first, second = self.languages
        return (f"{first}_quality", f"{second}_quality")

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the names of the metrics beside the composite, in the order they are shown."""
        return (*AUXILIARY, *self.qualities)

    def plain(self) -> dict[str, Any]:
        """Return what the second implementation needs, as plain values."""
        focus = None if self.focus is None else {"models": self.focus.models, "criteria": self.focus.criteria}
        return {
            "qualities": self.qualities,
            "salience": {"core": self.salience.core, "supporting": self.salience.supporting},
            "saliences": self.salience.all,
            "scenarios": {name: (w.core, w.precision, *w.languages) for name, w in self.scenarios.items()},
            "precision_of_nothing": self.precision_of_nothing,
            "resampling": {name: (how.draws, how.seed) for name, how in self.resampling.items()},
            "slices": {entry.name: (entry.column, entry.value) for entry in self.slices},
            "focus": focus,
            "has_length": self.length is not None,
            "consensus_of": self.consensus_of,
            "thresholds": (self.thresholds.intra_label_agreement, self.thresholds.inter_rank_correlation),
            "stated_settings": dict(self.stated_settings),
            "inventory": self.inventory,
            "rules": {rule.name: rule.enforced for rule in self.rules},
            "planned_reviews": self.planned.reviews,
            "saved_tolerance": self.saved_tolerance,
        }
