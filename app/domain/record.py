"""A study as recorded: everything exports, agreement and verification need, as plain immutable values.

Storage fills it, the pure parts compute from it. It knows claims and runs by their blind ids only, so whatever is made
from it is blind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.rater_standing import QualificationRecord
from app.domain.tally import RuleCount
from app.domain.work import Save


@dataclass(frozen=True)
class ClaimRecord:
    """One sampled claim under its blind id. `status`: `sampled`, `paused` or `withdrawn`."""

    blind_claim_id: str
    blind_run_id: str
    claim_source: str
    claim_turn: int
    unit_parts: int
    text: str
    repeat_of: str | None = None
    status: str = "sampled"


@dataclass(frozen=True)
class CodingRecord:
    """One locked coding: slot `R1`.. and its kind (`human` or `machine`), the answer as stored, and its provenance.

    `answer` is the canonical coding (field → value; absent keys are null). `purpose` is `main`, `repeat`, `control` or
    `calibration`. `created_seconds` counts from the publication of the packets. Citations in `answer["evidence"]`
    carry `derived_tier` only in `derived_tiers`, parallel to it. `origin` is `crosswalk` for a coding carried over from
    another codebook, and `needs` names what it lacks (`needs_…`).
    """

    blind_claim_id: str
    slot: str
    kind: str
    answer: Mapping[str, Any]
    codebook_version: str
    codebook_sha256: str
    packet_sha256: str
    position: int
    session: int
    seconds_on_item: float | None
    revisions: int
    warnings_shown: tuple[str, ...]
    warnings_confirmed: tuple[str, ...]
    created_seconds: float
    lock_id: str
    derived_tiers: tuple[str, ...] = ()
    origin: str = "human"
    purpose: str = "main"
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class DecisionRecord:
    """One adjudicator's row. `stage`: `provisional` (before the codings are shown) or `final`.

    `selected_by` names the queue rules that sent the claim here (`audit` among them for a plain agreement);
    `derived_tiers` stand beside the citations of the answer as in a coding.
    """

    blind_claim_id: str
    stage: str
    answer: Mapping[str, Any]
    rule: str
    reason: str
    cause: str
    created_seconds: float
    selected_by: tuple[str, ...] = ()
    derived_tiers: tuple[str, ...] = ()


@dataclass(frozen=True)
class LockRecord:
    """One packet's lock: what was hashed and when."""

    lock_id: str
    slot: str
    packet_sha256: str
    rows_sha256: str
    n_rows: int
    locked_at: str


@dataclass(frozen=True)
class StudyRecord:
    """The whole study. `slots` maps R1.. to `human` or `machine`; `registration` is the parsed registration.

    `qualification` says where its raters stand; no answer of practice is in any record. `crosswalks` are those whose
    codings were taken in: id, hash, the two codebooks, the rules their codings need not keep. `work` holds every
    save in the locked packets, in order; `controls` maps blind ids of claims with a known answer to that answer.
    `rule_counts` is what every rule did at the study's saves, refused ones too: counts that no coding gives again.
    """

    study_id: str
    title: str
    codebook: Codebook
    registration_text: str
    registration_sha256: str
    registration: Mapping[str, Any]
    inputs: tuple[Mapping[str, Any], ...]
    slots: Mapping[str, str]
    seed: int
    claims: tuple[ClaimRecord, ...]
    codings: tuple[CodingRecord, ...]
    decisions: tuple[DecisionRecord, ...]
    locks: tuple[LockRecord, ...]
    queued: Mapping[str, tuple[str, ...]]
    written_at: str
    qualification: QualificationRecord = field(default=QualificationRecord())
    crosswalks: tuple[Mapping[str, Any], ...] = ()
    work: tuple[Save, ...] = ()
    controls: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rule_counts: tuple[RuleCount, ...] = ()
