"""The demo study as recorded: where its files are, who said what, and the clock, key and tokens a replay needs."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from app.config import examples_dir
from app.domain.codebook.model import Codebook
from app.readers.codings_file import RawCoding, load_codings

PEOPLE = (
    ("l.one", "lead"),
    ("r.one", "rater"),
    ("r.two", "rater"),
    ("a.one", "adjudicator"),
    ("c.one", "custodian"),
    ("o.one", "administrator"),
)
FILES = ("claims.csv", "coverage.yaml", "study.yaml")
LOG = "runs.parquet"


class DemoClock:
    """The recorded clock: it stands where it is put."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def put(self, moment: datetime) -> None:
        """Set the clock, never back: what comes later in the record happened later."""
        self.now = max(self.now, moment)

    def advance(self, seconds: float) -> None:
        """Let so many seconds pass."""
        self.now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Decision:
    """What the recorded adjudicator says of one claim: the two codings, the rule, the cause and the reason."""

    provisional: RawCoding
    final: RawCoding
    rule: str
    cause: str
    reason: str


@dataclass(frozen=True)
class Recording:
    """Everything recorded of the demo study beside its log and claims."""

    folder: Path
    codings: dict[str, dict[str, RawCoding]]
    again: dict[str, dict[str, RawCoding]]
    decisions: dict[str, Decision]
    clock: dict[str, Any]

    @property
    def key(self) -> bytes:
        """The study key, so that a replay gets the same blind ids."""
        return bytes.fromhex(self.clock["study_key_hex"])

    def coding(self, person: str, claim_id: str, *, seen: bool) -> RawCoding:
        """Return what a person says of a claim: the first time, or (`seen`) when it comes back as a hidden repeat."""
        return (self.again if seen else self.codings)[person][claim_id]

    def moment(self, name: str, of: str | None = None) -> datetime:
        """Return a recorded moment, or a person's among several."""
        value = self.clock[name] if of is None else self.clock[name][of]
        return datetime.fromisoformat(value)

    def seconds(self, person: str, claim_id: str) -> int:
        """Return how long a person took over a claim."""
        return int(self.clock["seconds_on_item"][person][claim_id])

    def token(self, person: str, claim_id: str) -> str:
        """Return the client token of a person's save."""
        return str(self.clock["client_tokens"][person][claim_id])


def load_recording(codebook: Codebook) -> Recording:
    """Return the recorded demo study that travels with the code."""
    folder = examples_dir() / "demo"
    gold = _by_claim(folder / "gold.csv", codebook)
    codings = {
        "r.one": _by_claim(folder / "codings-r1.csv", codebook),
        "r.two": _by_claim(folder / "codings-r2.csv", codebook),
    }
    sources = {"gold": gold, "r1": codings["r.one"], "r2": codings["r.two"]}
    decisions = {}
    with (folder / "adjudication.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            claim_id = row["claim_id"]
            provisional, final = sources[row["provisional"]][claim_id], sources[row["decision"]][claim_id]
            decisions[claim_id] = Decision(provisional, final, row["rule"], row["cause"], row["reason"])
    clock = json.loads((folder / "clock.json").read_text(encoding="utf-8"))
    again = {
        "r.one": _by_claim(folder / "again-r1.csv", codebook),
        "r.two": _by_claim(folder / "again-r2.csv", codebook),
    }
    return Recording(folder, codings, again, decisions, clock)


def _by_claim(path: Path, codebook: Codebook) -> dict[str, RawCoding]:
    return {coding.claim_id: coding for coding in load_codings(path, codebook)}
