"""What a study file may not declare: values outside their lists, people in two roles, policies that do not fit.

Responsible for finding the first such declaration and saying why. It knows neither files nor lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.domain.study import DENOMINATORS, DESIGNS, ORDERS, POOLING, REPEATS_OF, STRATA, StudySpec

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_LARGEST_SEED = 2**63 - 1
_SHORTEST_REASON = 20  # characters: what a waiver says is printed in the report


@dataclass(frozen=True)
class StudyFault:
    """One declaration that cannot stand: the path of the key and the sentence."""

    path: tuple[str | int, ...]
    message: str


def find_fault(spec: StudySpec) -> StudyFault | None:
    """Return the first declaration that cannot stand, or None."""
    for check in (_identity, _people, _sampling, _overlap, _policies, _numbers, _qualification):
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
    if not spec.adjudicators:
        yield StudyFault(("adjudicators",), "is empty; a study needs someone who settles disagreements")
    coding: dict[str, str] = {}
    for path, name in _named(spec, "raters", "machine_raters"):
        if name in coding:
            yield StudyFault(path, f'"{name}" is already a {coding[name]}; name everybody once')
        coding[name] = "rater" if path[0] == "raters" else "machine rater"
    yield from _settling(spec, coding)


def _settling(spec: StudySpec, coding: Mapping[str, str]) -> Iterator[StudyFault]:
    settling: set[str] = set()
    for path, name in _named(spec, "adjudicators"):
        if name in settling:
            yield StudyFault(path, f'"{name}" is already an adjudicator; name everybody once')
        if name in coding:
            yield StudyFault(path, f'"{name}" is also a {coding[name]}; nobody settles own codings')
        settling.add(name)
    if spec.lead in spec.adjudicators:
        yield StudyFault(("lead",), f'"{spec.lead}" is also an adjudicator, and the lead reads disagreements first')
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
    if overlap.design == "partial" and not 0.25 <= (overlap.share or 0) <= 1:
        yield StudyFault(
            ("overlap", "share"), "takes a share from 0.25 to 1, such as 0.3; less says too little of agreement"
        )
    if overlap.design == "partial" and (overlap.min_claims or 0) < 100:
        yield StudyFault(
            ("overlap", "min_claims"), "takes a whole number from 100 on; all claims where there are fewer"
        )
    if overlap.design == "k_of_n" and not 1 <= (overlap.k or 0) <= len(spec.raters):
        yield StudyFault(("overlap", "k"), f"takes a whole number from 1 to the number of raters ({len(spec.raters)})")


def _policies(spec: StudySpec) -> Iterator[StudyFault]:
    policies = spec.policies
    known = {"pooling": POOLING, "denominators": DENOMINATORS, "repeats_of": REPEATS_OF}
    for name, allowed in known.items():
        declared = getattr(policies, name)
        for index, policy in enumerate(declared):
            if policy not in allowed or policy in declared[:index]:
                yield StudyFault(("policies", name, index), f'"{policy}" is not one of {", ".join(allowed)}, each once')
    if policies.primary.pooling == "P4":
        yield StudyFault(("policies", "primary", "pooling"), "P4 is each rater alone and pools nothing; choose another")
    for primary, name in (
        ("pooling", "pooling"),
        ("denominator", "denominators"),
        ("repeats_of",) * 2,
    ):
        chosen = getattr(policies.primary, primary)
        if chosen not in getattr(policies, name):
            yield StudyFault(("policies", "primary", primary), f'"{chosen}" is not among the declared {name}')


def find_gap_fault(spec: StudySpec, measures: Sequence[str]) -> StudyFault | None:
    """Return the first gap policy of a study, its codebook's spelled out, that the codebook does not have, or None."""
    declared = spec.policies.gaps
    for index, name in enumerate(declared):
        if name not in measures or name in declared[:index]:
            told = ", ".join(measures) or "none"
            return StudyFault(("policies", "gaps", index), f'"{name}" is not one of {told}, each once')
    first = spec.policies.primary.gap
    if first and first not in declared:
        return StudyFault(("policies", "primary", "gap"), f'"{first}" is not among the declared gaps')
    return None


def _numbers(spec: StudySpec) -> Iterator[StudyFault]:
    if not 0 <= spec.seed <= _LARGEST_SEED:
        yield StudyFault(("seed",), "takes a whole number from 0 to 2^63 - 1")
    if not 0 <= spec.repeats <= 0.5:
        yield StudyFault(("repeats",), "takes a share from 0 to 0.5, such as 0.05")
    for name in ("kappa", "kappa_lower", "codability", "intra_rater"):
        if not -1 <= getattr(spec.thresholds, name) <= 1:
            yield StudyFault(("thresholds", name), "takes a number from -1 to 1")


def _qualification(spec: StudySpec) -> Iterator[StudyFault]:
    reason = spec.qualification.waived
    if reason is not None and len(reason.strip()) < _SHORTEST_REASON:
        yield StudyFault(
            ("qualification", "waived"),
            f"takes the reason, in {_SHORTEST_REASON} characters at least; the report prints it",
        )
