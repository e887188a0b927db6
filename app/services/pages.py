"""What each page is given: one frozen value a page, filled by a service that has already decided what may be seen.

A template never receives what its reader may not see, so nothing needs hiding there. No template, no HTTP here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.errors import Violation


@dataclass(frozen=True)
class Person:
    """Who is signed in: the name, and the site roles that decide which links stand in the header."""

    name: str
    roles: tuple[str, ...]


@dataclass(frozen=True)
class PacketLine:
    """One packet on a rater's home page. `continue_id` is the next uncoded assignment, None when all are coded."""

    packet_id: str
    study_title: str
    codebook_version: str
    n_assigned: int
    n_coded: int
    n_drafts: int
    continue_id: str | None
    locked_at: str | None
    lock_id: str | None


@dataclass(frozen=True)
class RaterHome:
    """`/rate`: what is left, one button."""

    packets: tuple[PacketLine, ...]


@dataclass(frozen=True)
class ClaimLine:
    """One assignment in a packet's own list: `state` is `open`, `draft` or `coded`."""

    assignment_id: str
    position: int
    text: str
    state: str


@dataclass(frozen=True)
class LockPage:
    """`/rate/packets/{packet_id}`: the list of claims with their state, and the lock with its attestations."""

    packet: PacketLine
    claims: tuple[ClaimLine, ...]
    attestations: Mapping[str, str]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Workbench:
    """What the transcript pane shows, for rater and adjudicator alike.

    `turns` are `BlindTurn.as_dict()` values in log order; `claim` a `BlindClaim` as a dict. `tiers` maps a turn
    to the derived tier of its parts (`{"call": "T3", "text": "T4"}` or `{"result": "T1"}`, …), so that a citation can be
    filled in. `window` is the intent window `{"from_turn", "to_turn", "closed_by"}` or None for backward claims; the
    screen draws it once the kind chosen is an intent.
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


@dataclass(frozen=True)
class FormState:
    """What the form pane shows.

    `answer` holds what this person has entered so far (a draft, a stored coding, or what was just refused): never
    anything else. `violations` are the hard rules broken by it, `warnings` the soft ones awaiting confirmation.
    `revision` is the number of the stored coding this form started from (0: none); `client_token` makes a double send
    one save.
    """

    answer: Mapping[str, Any]
    revision: int
    client_token: str
    violations: tuple[Violation, ...] = ()
    warnings: tuple[Violation, ...] = ()
    status: str = "new"
    saved_at: str | None = None
    message: str | None = None


@dataclass(frozen=True)
class RatingPage:
    """`/rate/{assignment_id}`: one claim to code."""

    assignment_id: str
    packet_id: str
    position: int
    n_assigned: int
    n_coded: int
    previous_id: str | None
    next_id: str | None
    locked: bool
    bench: Workbench
    form: FormState


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


@dataclass(frozen=True)
class GateLine:
    """One gate of a phase: what was planned, what is, whether it is met (None: not applicable yet), and the evidence."""

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
class FindingLine:
    """One leak-scan finding: where, kind, a masked excerpt, and the waiver's reason if it was waived."""

    finding_id: int
    where: str
    kind: str
    excerpt: str
    waived_reason: str | None


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


@dataclass(frozen=True)
class CustodyPage:
    """`/custody/{study_id}`: the leak scan's findings, the terms not searched, and the claims paused by a leak flag.

    `paused` holds `blind_claim_id` and `text`; POST `/custody/{study_id}/settle` with `claim`, `what` (resume or
    withdraw) and `reason`.
    """

    study_id: str
    title: str
    scanned_at: str | None
    findings: tuple[FindingLine, ...]
    unsearched: tuple[Mapping[str, str], ...]
    n_replacements: int
    paused: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class PeoplePage:
    """`/people`: users and roles; `link` is a fresh one-time sign-in link, shown once."""

    people: tuple[Person, ...]
    link: str | None = None
    link_for: str | None = None


@dataclass(frozen=True)
class CodebookPage:
    """`/codebook/{version}`: the codebook as raters read it."""

    codebook: Codebook
    versions: tuple[str, ...]


@dataclass(frozen=True)
class ErrorPage:
    """Every error page: what happened, what to do, and a reference for a fault of ours."""

    status: int
    title: str
    sentence: str
    reference: str | None = None
