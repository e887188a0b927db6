"""What a study file declares, as one immutable value, and the order of a study's phases.

Responsible for the meaning of the declarations: defaults, allowed values, who may be what. It opens no file (which line
a fault stands on is `readers.study_file`'s business) and does not know whether users, inputs or codebooks exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
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
    "amendments",
)
FILES = ("log", "claims", "coverage", "calibration", "controls")
POOLING = ("P1", "P2", "P3", "P4", "P5", "P6")
GAPS = ("G1", "G2", "G3", "G4")
DENOMINATORS = ("decided", "codable", "sampled")
REPEATS_OF = ("all", "first")
ORDERS = ("random_within_run", "log_order")
DESIGNS = ("full", "partial", "k_of_n")
STRATA = ("session_id", "claim_source")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_LARGEST_SEED = 2**63 - 1


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
    """The one policy of each sort that the headline numbers use."""

    pooling: str = "P1"
    gap: str = "G2"
    denominator: str = "decided"
    repeats_of: str = "all"


@dataclass(frozen=True)
class Policies:
    """Every declared policy; all are reported, one combination is primary."""

    pooling: tuple[str, ...] = POOLING
    gaps: tuple[str, ...] = GAPS
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


@dataclass(frozen=True)
class StudyFault:
    """One declaration that cannot stand: the path of the key and the sentence."""

    path: tuple[str | int, ...]
    message: str


def find_fault(spec: StudySpec) -> StudyFault | None:
    """Return the first declaration that cannot stand, or None."""
    for check in (_identity, _people, _sampling, _overlap, _policies, _numbers):
        for fault in check(spec):
            return fault
    return None


def _identity(spec: StudySpec) -> Iterator[StudyFault]:
    if not _ID.match(spec.id):
        yield StudyFault(
            ("id",), "takes letters, digits, dot, dash and underscore, at most 64, a letter or digit first"
        )
    if spec.order not in ORDERS:
        yield StudyFault(("order",), f'"{spec.order}" is not one of {", ".join(ORDERS)}')


def _people(spec: StudySpec) -> Iterator[StudyFault]:
    """Nobody twice in a list, and nobody who codes also adjudicates or holds the seal."""
    if not spec.raters:
        yield StudyFault(("raters",), "is empty; a study needs a rater")
    coding: dict[str, str] = {}
    for path, name in _named(spec, "raters", "machine_raters"):
        if name in coding:
            yield StudyFault(path, f'"{name}" is already a {coding[name]}; name everybody once')
        coding[name] = "rater" if path[0] == "raters" else "machine rater"
    settling: set[str] = set()
    for path, name in _named(spec, "adjudicators"):
        if name in settling:
            yield StudyFault(path, f'"{name}" is already an adjudicator; name everybody once')
        if name in coding:
            yield StudyFault(path, f'"{name}" is also a {coding[name]}; nobody settles own codings')
        settling.add(name)
    if spec.custodian in coding:
        yield StudyFault(
            ("custodian",), f'"{spec.custodian}" is also a {coding[spec.custodian]}; the seal codes nothing'
        )
    if spec.custodian in settling:
        yield StudyFault(("custodian",), f'"{spec.custodian}" is also an adjudicator; the seal settles nothing')


def _named(spec: StudySpec, *roles: str) -> Iterator[tuple[tuple[str, int], str]]:
    for role in roles:
        for index, name in enumerate(getattr(spec, role)):
            yield (role, index), name


def _sampling(spec: StudySpec) -> Iterator[StudyFault]:
    sampling = spec.sampling
    if (sampling.frame is None) == (sampling.n is None):
        yield StudyFault(("sampling",), "takes either frame: all or n with the number of claims")
    if sampling.frame not in (None, "all"):
        yield StudyFault(("sampling", "frame"), f'"{sampling.frame}" is not a frame; the one there is, is all')
    if sampling.n is not None and sampling.n < 1:
        yield StudyFault(("sampling", "n"), "takes a whole number from 1 on")
    for index, column in enumerate(sampling.by):
        if column not in STRATA:
            yield StudyFault(("sampling", "by", index), f'"{column}" is not one of {", ".join(STRATA)}')


def _overlap(spec: StudySpec) -> Iterator[StudyFault]:
    overlap = spec.overlap
    if overlap.design not in DESIGNS:
        yield StudyFault(("overlap", "design"), f'"{overlap.design}" is not one of {", ".join(DESIGNS)}')
        return
    belongs = {"full": (), "partial": ("share", "min_claims"), "k_of_n": ("k",)}[overlap.design]
    for name in ("share", "min_claims", "k"):
        if getattr(overlap, name) is not None and name not in belongs:
            yield StudyFault(("overlap", name), f"does not belong to the design {overlap.design}; leave it out")
    if overlap.design == "partial" and not 0 < (overlap.share or 0) <= 1:
        yield StudyFault(("overlap", "share"), "takes a share above 0 and at most 1, such as 0.3")
    if overlap.design == "k_of_n" and not 1 <= (overlap.k or 0) <= len(spec.raters):
        yield StudyFault(("overlap", "k"), f"takes a whole number from 1 to the number of raters ({len(spec.raters)})")


def _policies(spec: StudySpec) -> Iterator[StudyFault]:
    policies = spec.policies
    known = {"pooling": POOLING, "gaps": GAPS, "denominators": DENOMINATORS, "repeats_of": REPEATS_OF}
    for name, allowed in known.items():
        declared = getattr(policies, name)
        for index, policy in enumerate(declared):
            if policy not in allowed or policy in declared[:index]:
                yield StudyFault(("policies", name, index), f'"{policy}" is not one of {", ".join(allowed)}, each once')
    for primary, name in (
        ("pooling", "pooling"),
        ("gap", "gaps"),
        ("denominator", "denominators"),
        ("repeats_of",) * 2,
    ):
        chosen = getattr(policies.primary, primary)
        if chosen not in getattr(policies, name):
            yield StudyFault(("policies", "primary", primary), f'"{chosen}" is not among the declared {name}')


def _numbers(spec: StudySpec) -> Iterator[StudyFault]:
    if not 0 <= spec.seed <= _LARGEST_SEED:
        yield StudyFault(("seed",), "takes a whole number from 0 to 2^63 - 1")
    if not 0 <= spec.repeats <= 0.5:
        yield StudyFault(("repeats",), "takes a share from 0 to 0.5, such as 0.05")
    for name in ("kappa", "kappa_lower", "codability", "intra_rater"):
        if not -1 <= getattr(spec.thresholds, name) <= 1:
            yield StudyFault(("thresholds", name), "takes a number from -1 to 1")
