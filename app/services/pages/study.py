"""The lead's pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class GateLine:
    """One gate of a phase: what was planned, what is, whether it is met (None: not yet applicable), the evidence."""

    name: str
    planned: str
    actual: str
    met: bool | None
    evidence: str


@dataclass(frozen=True)
class StudyLine:
    """One study in the list."""

    study_id: str
    title: str
    phase: str
    codebook_version: str
    n_claims: int
    n_runs: int


@dataclass(frozen=True)
class StudyList:
    """`/studies`."""

    studies: tuple[StudyLine, ...]


@dataclass(frozen=True)
class NewStudyPage:
    """`/studies/new`: the form, what was entered, and what was wrong with it (field → sentence; `""` for the whole)."""

    codebooks: tuple[tuple[str, str], ...]
    people: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Any] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RaterProgress:
    """One rater's progress, without verdicts: slot, name, counts, lock."""

    slot: str
    name: str
    n_assigned: int
    n_coded: int
    n_drafts: int
    locked_at: str | None


@dataclass(frozen=True)
class StandingLine:
    """Where one human rater stands before coding: slot, name, the step in words, each finished round's figures.

    `qualified` says whether the claims are open to this rater.
    """

    slot: str
    name: str
    step: str
    rounds: tuple[str, ...]
    qualified: bool = False


@dataclass(frozen=True)
class NextStep:
    """The one thing to do next: a POST action with its label and why; `action` None when someone else must act."""

    label: str
    why: str
    action: str | None


@dataclass(frozen=True)
class StudyPage:
    """`/studies/{study_id}`: one study, its phases with gates, the next step first."""

    study_id: str
    title: str
    phase: str
    phases: tuple[str, ...]
    codebook_version: str
    codebook_sha256: str
    codebook_origin: str
    registration_sha256: str
    registration_text: str
    inputs: tuple[Mapping[str, Any], ...]
    n_claims: int
    n_runs: int
    gates: tuple[tuple[str, tuple[GateLine, ...]], ...]
    next_step: NextStep
    progress: tuple[RaterProgress, ...]
    n_findings: int
    n_unwaived: int
    adjudication: tuple[int, int] | None
    can_read_agreement: bool
    exports: tuple[Mapping[str, Any], ...]
    standings: tuple[StandingLine, ...] = ()


@dataclass(frozen=True)
class AgreementPage:
    """`/studies/{study_id}/agreement`: the `agreement/1` document per field, labels in declared order."""

    study_id: str
    title: str
    documents: Mapping[str, Mapping[str, Any]]
    accounting: Mapping[str, Any]


@dataclass(frozen=True)
class DisagreementLine:
    """One disagreement, in blind-id order: the two labels (by slot order), kinds, and the final decision if any."""

    blind_claim_id: str
    text: str
    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    rule: str
    final: str | None
    cause: str | None


@dataclass(frozen=True)
class DisagreementPage:
    """`/studies/{study_id}/disagreements`: top confused pairs (with ties) and every disagreement; no rater is named."""

    study_id: str
    title: str
    pairs: tuple[tuple[str, str, int], ...]
    lines: tuple[DisagreementLine, ...]
    n_compared: int
