"""The rater's pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.services.pages.bench import FormState, Workbench
from app.services.pages.practice import QualificationNotice


@dataclass(frozen=True)
class PacketLine:
    """One packet on a rater's home page. `continue_id` is the next uncoded assignment, None when all are coded.

    `awaits_qualification`: its claims are refused until the rater is qualified for its codebook.
    """

    packet_id: str
    study_title: str
    codebook_version: str
    n_assigned: int
    n_coded: int
    n_drafts: int
    continue_id: str | None
    locked_at: str | None
    lock_id: str | None
    study_id: str = ""
    awaits_qualification: bool = False


@dataclass(frozen=True)
class RaterHome:
    """`/rate`: what is left, one button. `notices` say under which codebooks the rater must qualify first."""

    packets: tuple[PacketLine, ...]
    notices: tuple[QualificationNotice, ...] = ()


@dataclass(frozen=True)
class ClaimLine:
    """One assignment in a packet's own list: `state` is `open`, `draft`, `coded` or `carried` (over by a crosswalk).

    `label` is what the rater's own stored coding says: its verdict, or `not_codable`; "" where nothing is stored, or
    nothing that this rater coded under this codebook.
    """

    assignment_id: str
    position: int
    text: str
    state: str
    label: str = ""


@dataclass(frozen=True)
class LockPage:
    """`/rate/packets/{packet_id}`: the list of claims with their state, and the lock with its attestations."""

    packet: PacketLine
    claims: tuple[ClaimLine, ...]
    attestations: Mapping[str, str]
    problems: tuple[str, ...]


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
