"""What a reconciliation declares before anything is computed: tables, keys, mappings, policies, tiers, rules.

Plain values only. Reading them from YAML is the reader's business, what they may not say together is `faults`, and what
they mean in numbers is `engine`. Names in `<cat>_score` form stand for one column a category prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

KINDS = ("text", "number", "whole", "truth")
AGGREGATIONS = ("share", "mean", "median", "sum")
COUNTS = ("rows", "observed", "true")
NULL_BECOMES = ("false", "nothing", "zero")
TEXT_RULES = ("only_value", "most_frequent")
COUNT_RULES = ("rows", "observed")
OVER = ("present", "all")
CLASSES = ("no antecedent", "structural", "reconciled", "divergent")
TIERS = ("T0", "T1", "T2", "divergent")
STATISTICS = ("rows_at_T0", "mean_absolute_deviation", "matches")
QUANTILES = (5, 50, 95)
CATEGORY = "<cat>"

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Stated:
    """What was known of a table when the spec was written: reported beside what is found, never enforced."""

    rows: int | None = None
    columns: int | None = None
    nulls: Mapping[str, int] = field(default_factory=dict)
    decimals: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """One table: its file, the kind of each column in order, and the columns whose values name a row once."""

    role: str
    file: str
    columns: Mapping[str, str]
    unique: tuple[str, ...]
    stated: Stated = Stated()


@dataclass(frozen=True)
class KeyCandidate:
    """One way to join a target row to source rows: these columns equal those, capitals aside if `fold_case`."""

    id: str
    target: tuple[str, ...]
    source: tuple[str, ...]
    fold_case: bool = False


@dataclass(frozen=True)
class MappingCandidate:
    """One benchmark-to-category mapping; `pairs` None means: as observed in the source table."""

    id: str
    pairs: Mapping[str, str] | None
    origin: str


@dataclass(frozen=True)
class CategoryMapping:
    """How the source's benchmarks find the target's column prefixes."""

    benchmark: str
    category: str
    prefixes: tuple[str, ...]
    decides: str
    candidates: tuple[MappingCandidate, ...]


@dataclass(frozen=True)
class NoAntecedent:
    """Target columns that nothing in the source can give, and why."""

    columns: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Denominator:
    """What a denominator counts: all rows, the rows where `column` is not null, or those where it is true."""

    counts: str
    column: str | None = None


@dataclass(frozen=True)
class Formula:
    """A number from a set of rows: `aggregation` of the family's value under a missing and a denominator policy."""

    aggregation: str
    missing: str
    denominator: str | None = None
    scale: float = 1.0
    rounded_to: int | None = None


@dataclass(frozen=True)
class Policy:
    """One declared way to recompute a column.

    Exactly one of the four is set. `formula`: over the rows of the family's scope. `macro`: the mean over categories of
    a formula's values, over the categories `present` or `all` of them. `text_rule`: the value among the rows.
    `distinct_having`: how many benchmarks have a row (`rows`) or a row with a value (`observed`).
    """

    id: str
    formula: Formula | None = None
    macro: Formula | None = None
    over: str | None = None
    text_rule: str | None = None
    distinct_having: str | None = None


@dataclass(frozen=True)
class Pairing:
    """A combination that policies may use; a missing and a denominator policy are never paired freely."""

    aggregation: str
    missing: str
    denominator: str | None = None


@dataclass(frozen=True)
class Family:
    """Target columns that are recomputed alike. `scope` is `category` (row and category) or `row`."""

    id: str
    columns: tuple[str, ...]
    kind: str
    scope: str
    tolerance: str
    primary: str
    policies: tuple[Policy, ...]
    value: str | None = None
    decimals: int | None = None
    rounding: tuple[int | None, ...] = ()
    pairings: tuple[Pairing, ...] = ()
    structural_as_key: bool = False


@dataclass(frozen=True)
class TierRow:
    """One line of a tolerance table: T0 by equality, the others by `above < |Δ| ≤ up_to` in published units."""

    tier: str
    equal: str | None = None
    above: float | None = None
    up_to: float | None = None


@dataclass(frozen=True)
class Tolerance:
    """A tolerance table in its unit."""

    unit: str
    rows: tuple[TierRow, ...]

    def bounds(self) -> tuple[tuple[str, float], ...]:
        """Return the tiers above T0 with their inclusive upper bounds, narrowest first."""
        return tuple((row.tier, row.up_to) for row in self.rows if row.up_to is not None)


@dataclass(frozen=True)
class NullScheme:
    """The negative control: groups permuted over rows."""

    seed: int
    draws: int
    statistics: tuple[str, ...]
    quantiles: tuple[int, ...]


@dataclass(frozen=True)
class Executor:
    """Whose own rows are looked for: by exact model id with a fallback token, or by how the id begins."""

    id: str
    model: str | None = None
    fallback: str | None = None
    starts_with: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class RowRules:
    """Which rows are mentioned, ranked and looked for."""

    tie_decimals: int
    ranked_by: str
    executor_column: str
    executors: tuple[Executor, ...]


@dataclass(frozen=True)
class ContentHash:
    """How the publisher's hash over both tables is rebuilt."""

    tables: tuple[str, ...]
    float_format: str
    joined_by: str
    shipped: str


@dataclass(frozen=True)
class Addition:
    """Something added after the writing and before the measurement it governs."""

    id: str
    date: str
    text: str


@dataclass(frozen=True)
class Words:
    """What the report prints and no number depends on."""

    title: str
    written: str
    arm: str
    state_at_writing: str
    prior_inspection: tuple[str, ...]
    statements: tuple[str, ...]
    boundaries: tuple[str, ...]
    not_shown: tuple[str, ...]


@dataclass(frozen=True)
class Spec:
    """A whole reconciliation, as declared."""

    id: str
    target: Table
    source: Table
    keys: tuple[KeyCandidate, ...]
    mapping: CategoryMapping
    no_antecedent: tuple[NoAntecedent, ...]
    denominators: Mapping[str, Denominator]
    missing: Mapping[str, str]
    families: tuple[Family, ...]
    tolerances: Mapping[str, Tolerance]
    null: NullScheme
    precedence: tuple[str, ...]
    all_undefined_reason: str
    rows: RowRules
    content_hash: ContentHash
    gate: float
    additions: tuple[Addition, ...]
    words: Words

    def table(self, role: str) -> Table:
        """Return the table by its role, `target` or `source`."""
        return self.target if role == "target" else self.source


def expand(names: tuple[str, ...], prefixes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the column names with `<cat>` written out, in the order of the prefixes.

    >>> expand(("average_score", "<cat>_score"), ("a", "b"))
    ('average_score', 'a_score', 'b_score')
    """
    return tuple(
        name.replace(CATEGORY, prefix) for name in names for prefix in (prefixes if CATEGORY in name else (CATEGORY,))
    )


def category_of(column: str, family: Family, prefixes: tuple[str, ...]) -> str | None:
    """Return the category prefix a column of a category family belongs to; None for a family of whole rows."""
    if family.scope != "category":
        return None
    return next(p for p in prefixes for name in family.columns if name.replace(CATEGORY, p) == column)
