"""What a study file declares, as one immutable value, and the order of a study's phases.

Responsible for the declarations and their defaults. It opens no file (`readers.study_file` does), does not know whether
users, inputs or codebooks exist, and leaves what cannot stand to `study_faults`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePath
from typing import Any

PHASES = (
    "freeze",
    "scan",
    "train",
    "qualify",
    "calibrate",
    "code",
    "lock",
    "reliability",
    "adjudicate",
    "close",
    "unseal",
    "analyse",
)
REQUIRED = (
    "id",
    "codebook",
    "log",
    "claims",
    "lead",
    "raters",
    "adjudicators",
    "custodian",
    "seed",
    "state_at_writing",
    "prior_inspection",
)
OPTIONAL = (
    "title",
    "coverage",
    "machine_raters",
    "sampling",
    "overlap",
    "calibration",
    "repeats",
    "controls",
    "order",
    "policies",
    "thresholds",
    "blinding",
    "qualification",
    "amendments",
)
FILES = ("log", "claims", "coverage", "calibration", "controls")
POOLING = ("P1", "P2", "P3", "P4", "P5", "P6")
DENOMINATORS = ("decided", "codable", "sampled")
REPEATS_OF = ("all", "first")
ORDERS = ("random_within_run", "log_order")
DESIGNS = ("full", "partial", "k_of_n")
STRATA = ("session_id", "claim_source")


@dataclass(frozen=True)
class Sampling:
    """Which claims are coded: the whole frame, or `n` of it, stratified `by` claim columns."""

    frame: str | None = "all"
    n: int | None = None
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Overlap:
    """How many raters code a claim: all (`full`), a `share` of at least `min_claims` (`partial`), or `k` of them."""

    design: str = "full"
    share: float | None = None
    min_claims: int | None = None
    k: int | None = None


@dataclass(frozen=True)
class PrimaryPolicy:
    """The one policy of each sort that the headline numbers use. `gap` left out: the codebook's primary one."""

    pooling: str = "P1"
    gap: str = ""
    denominator: str = "decided"
    repeats_of: str = "all"


@dataclass(frozen=True)
class Policies:
    """Every declared policy; all are reported, one combination is primary. `gaps` left out: all of the codebook."""

    pooling: tuple[str, ...] = POOLING
    gaps: tuple[str, ...] = ()
    denominators: tuple[str, ...] = DENOMINATORS
    repeats_of: tuple[str, ...] = REPEATS_OF
    primary: PrimaryPolicy = field(default=PrimaryPolicy())


@dataclass(frozen=True)
class Thresholds:
    """Reliability gates, fixed before coding (shares and coefficients)."""

    kappa: float = 0.70
    kappa_lower: float = 0.60
    codability: float = 0.70
    intra_rater: float = 0.80


@dataclass(frozen=True)
class Blinding:
    """Words of this study to scrub, and the identity column that holds the experiment's arms."""

    terms: tuple[str, ...] = ()
    arms_column: str = "arm"


@dataclass(frozen=True)
class Qualification:
    """Human raters qualify for the codebook before they code, unless this is `waived`, with the reason."""

    waived: str | None = None


@dataclass(frozen=True)
class StudySpec:
    """One study file. Files stand as written; `path_of` places them beside the study file. `text` is the file verbatim.

    Raters fill the slots R1, R2, … in their order, machine raters those after them.
    """

    id: str
    codebook: str
    log: str
    claims: str
    lead: str
    raters: tuple[str, ...]
    adjudicators: tuple[str, ...]
    custodian: str
    seed: int
    state_at_writing: str
    prior_inspection: str
    title: str = ""
    coverage: str | None = None
    machine_raters: tuple[str, ...] = ()
    sampling: Sampling = field(default=Sampling())
    overlap: Overlap = field(default=Overlap())
    calibration: str | None = None
    repeats: float = 0.05
    controls: str | None = None
    order: str = "random_within_run"
    policies: Policies = field(default=Policies())
    thresholds: Thresholds = field(default=Thresholds())
    blinding: Blinding = field(default=Blinding())
    qualification: Qualification = field(default=Qualification())
    amendments: tuple[Any, ...] = ()
    text: str = ""
    folder: str = "."

    def path_of(self, name: str) -> PurePath | None:
        """Return where the input `name` (`log`, `claims`, `coverage`, `calibration`, `controls`) lies, or None.

        A relative path counts from the study file's folder.
        """
        if name not in FILES:
            raise KeyError(name)
        written = getattr(self, name)
        return PurePath(self.folder) / written if written is not None else None

    @property
    def slots(self) -> Mapping[str, str]:
        """Slot → rater name, human raters first: R1, R2, …"""
        return {f"R{i}": name for i, name in enumerate((*self.raters, *self.machine_raters), start=1)}


def with_gaps(spec: StudySpec, measures: tuple[str, ...], primary: str) -> StudySpec:
    """Return the study with the gap policies it left to its codebook spelled out: all of them, and the primary one."""
    given = spec.policies
    first = replace(given.primary, gap=given.primary.gap or primary)
    return replace(spec, policies=replace(given, gaps=given.gaps or measures, primary=first))


def spec_as_dict(spec: StudySpec) -> dict[str, Any]:
    """Return the declarations as plain JSON values with every default spelled out, for the registration.

    The verbatim text and the folder are left out: the one is kept beside it, the other is a place on a machine.
    """
    plain: dict[str, Any] = _plain(asdict(spec))
    return {name: value for name, value in plain.items() if name not in ("text", "folder")}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
