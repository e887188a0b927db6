"""What a practice set is: little authored runs, a claim each, with the coding held to be right and why.

Responsible for the values alone, and for the order in which one person meets them. It reads no file
(`readers.practice_file` does), grades nothing (`qualification` does) and decides nothing about who may see what.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.canonical import sha256_hex
from app.domain.coding import label_of
from app.domain.packets.packet import BlindClaim, BlindTurn
from app.domain.turnlog.run import Run

TRAINING, QUALIFICATION = "training", "qualification"
PURPOSES = (TRAINING, QUALIFICATION)
LEAST_PER_LABEL = 4
"""A qualification set asks every verdict, and `not_codable`, this often at least (protocol, phase 4)."""


@dataclass(frozen=True)
class PracticeItem:
    """One item: the run and claim as they are served, the coding held to be right, and why.

    `feedback` is shown in training after the rater's own answer; of a qualification set neither it nor `gold` is ever
    shown. `teaches` names the pair an item belongs to, `pattern` the boundary case it follows; both may be empty.
    """

    id: str
    run: Run
    turns: tuple[BlindTurn, ...]
    claim: BlindClaim
    gold: Mapping[str, Any]
    feedback: str
    teaches: str = ""
    pattern: str = ""

    @property
    def label(self) -> str:
        """The main label of the coding held to be right."""
        return label_of(self.gold)


@dataclass(frozen=True)
class PracticeSet:
    """One set of a codebook version. `round` is 1, or 2 for the retry of a qualification; `text` is the file as read.

    `sha256` is over the file's text, so that an attempt names the very set it was made on.
    """

    id: str
    codebook_id: str
    codebook_version: str
    purpose: str
    round: int
    title: str
    origin: str
    items: tuple[PracticeItem, ...]
    text: str
    sha256: str

    @property
    def name(self) -> str:
        """How people speak of it: `training`, `qualification 1`, `qualification 2`."""
        return self.purpose if self.purpose == TRAINING else f"{self.purpose} {self.round}"


def order_for(practice: PracticeSet, person: str, attempt: int) -> tuple[PracticeItem, ...]:
    """Return the items in the order one person meets them in one attempt.

    The order follows from the set, the person and the number of the attempt alone: by SHA-256 of these and the item's
    id, so it is the same at every visit and another for everybody else.
    """
    seed = f"{practice.sha256} {person} {attempt}"
    return tuple(sorted(practice.items, key=lambda item: sha256_hex(f"{seed} {item.id}")))
