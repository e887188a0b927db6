"""The custodian's page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class FindingLine:
    """One leak-scan finding: where, kind, a masked excerpt, and the waiver's reason if it was waived."""

    finding_id: int
    where: str
    kind: str
    excerpt: str
    waived_reason: str | None


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
