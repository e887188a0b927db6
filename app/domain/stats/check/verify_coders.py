"""The raw codings of an exported folder as plain claims, and the facts of the manifest they are judged by.

Gathers; computes no statistic. What it cannot read is an `UnreadableError` with the row in its message.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.stats.check.verify_csv import UnreadableError

PROVISIONAL = "ADJ_PROV"
FINAL = "ADJ"
Row = dict[str, str]


@dataclass
class CodedClaim:
    """One claim's rows: human codings by slot in slot order, machine rows left out, and the adjudicator's two."""

    claim: str
    run: str
    human: dict[str, Row] = field(default_factory=dict)
    provisional: Row | None = None
    final: Row | None = None

    def labels(self) -> list[str]:
        """Return the human labels in slot order."""
        return [label_of(row) for row in self.human.values()]

    def own(self) -> list[Row]:
        """Return the rows that humans coded themselves under this codebook, in slot order."""
        return [row for row in self.human.values() if row["origin"] == "human"]

    def final_label(self) -> str | None:
        """Return the adjudicator's label, or None."""
        return None if self.final is None else label_of(self.final)


@dataclass(frozen=True)
class Facts:
    """What the manifest says of the codebook and of who coded; every part has its declared type."""

    study: str
    version: str
    codebook_sha256: str
    slots: list[str]
    labels: list[str]
    decided: set[str]
    released: set[str]
    credit: dict[str, float | None]
    backward: list[str]
    forward: list[str]
    gaps: dict[str, list[str]]
    primary_gap: str
    ordinal: list[str]
    materiality: list[str]
    tiers: list[str]
    pooled_fields: list[str]
    categories: dict[str, list[str]]
    undetermined: set[str]
    primary: dict[str, str]
    declared: dict[str, list[str]]
    seed: int
    packet_of_lock: dict[str, str]

    def measures(self) -> list[str]:
        """Return the gap policies, and the credit mean where a verdict has credit."""
        return [*self.gaps, *(["G4"] if any(value is not None for value in self.credit.values()) else [])]

    def side(self, kind: str) -> str:
        """Return `intents`, `backward` or `kind_open`; under a codebook without kinds every claim looks back."""
        if kind == "":
            return "kind_open" if self.backward or self.forward else "backward"
        return "intents" if kind in self.forward else "backward"


def read_facts(manifest: Mapping[str, object]) -> Facts:
    """Return the manifest's facts; raises `UnreadableError` naming the part that is missing or of another kind."""
    try:
        return _facts(manifest)
    except (KeyError, TypeError, AttributeError, ValueError) as broken:
        raise UnreadableError(
            f"the manifest lacks what is needed to recompute, or has it in another form: {broken}"
        ) from broken


def _facts(manifest: Mapping[str, object]) -> Facts:
    document = json.loads(json.dumps(manifest))  # plain dictionaries and lists, whatever was handed in
    book, policies = document["codebook"], document["policies"]
    people = document["slots"]
    return Facts(
        study=str(document["study_id"]),
        version=str(book["version"]),
        codebook_sha256=str(book["sha256"]),
        slots=sorted((s for s in people if people[s] == "human"), key=lambda s: (len(s), s)),
        labels=_texts(book["labels"]),
        decided=set(_texts(book["decided"])),
        released=set(_texts(book["released"])),
        credit={str(k): None if v is None else float(v) for k, v in book["credit"].items()},
        backward=_texts(book["backward_kinds"]),
        forward=_texts(book["forward_kinds"]),
        gaps={str(k): _texts(v) for k, v in book["gap_policies"].items()},
        primary_gap=str(book["primary_gap"]),
        ordinal=_texts(book["ordinal"]),
        materiality=_texts(book["materiality"]),
        tiers=_texts(book["tiers"]),
        pooled_fields=_texts(book["pooled_fields"]),
        categories={str(k): _texts(v) for k, v in book["categories"].items()},
        undetermined=set(_texts(book["undetermined"])),
        primary={str(k): str(v) for k, v in policies["primary"].items()},
        declared={k: _texts(policies[k]) for k in ("pooling", "gaps", "denominators", "repeats_of")},
        seed=int(document["seeds"]["study"]),
        packet_of_lock={str(lock["lock_id"]): str(lock["packet_sha256"]) for lock in document["locks"]},
    )


def _texts(values: object) -> list[str]:
    if not isinstance(values, list):
        raise TypeError(f"{values!r} is not a list")
    return [str(value) for value in values]


def label_of(row: Row) -> str:
    """Return a row's label: its verdict, or `not_codable`."""
    return "not_codable" if row["codability"] == "not_codable" else row["verdict"]


def gather(rows: list[Row], table: list[Row], slots: list[str]) -> dict[str, CodedClaim]:
    """Return every claim by blind id: the coded ones from `rater_long.csv`, the rest from the consolidated `table`.

    Raises `UnreadableError` for a second row of one coder or a claim in two runs.
    """
    claims = {row["blind_claim_id"]: CodedClaim(row["blind_claim_id"], row["blind_run_id"]) for row in table}
    coders: dict[str, dict[str, Row]] = {}
    for number, row in enumerate(rows, start=2):
        claim = claims.setdefault(row["blind_claim_id"], CodedClaim(row["blind_claim_id"], row["blind_run_id"]))
        by_slot = coders.setdefault(claim.claim, {})
        if row["coder_slot"] in by_slot:
            raise UnreadableError(f"row {number}: {row['coder_slot']} codes claim {claim.claim} a second time")
        if row["blind_run_id"] != claim.run:
            raise UnreadableError(
                f"row {number}: claim {claim.claim} is in run {row['blind_run_id']} and in run {claim.run}"
            )
        by_slot[row["coder_slot"]] = row
    for key, by_slot in coders.items():
        claims[key].human = {slot: by_slot[slot] for slot in slots if slot in by_slot}
        claims[key].provisional, claims[key].final = by_slot.get(PROVISIONAL), by_slot.get(FINAL)
    return claims


def cited(row: Row) -> list[dict[str, object]]:
    """Return a row's citations; raises `UnreadableError` when the cell is no list of objects with a whole `turn`."""
    if row["evidence"] == "":
        return []
    try:
        found = json.loads(row["evidence"])
        fine = all(isinstance(c, dict) and type(c["turn"]) is int for c in found)
    except (ValueError, KeyError, TypeError, RecursionError) as broken:
        raise UnreadableError(
            f"evidence of claim {row['blind_claim_id']} by {row['coder_slot']} is not a list of citations"
        ) from broken
    if not isinstance(found, list) or not fine:
        raise UnreadableError(
            f"evidence of claim {row['blind_claim_id']} by {row['coder_slot']} is not a list of citations"
        )
    return found


def parts(cell: str) -> list[str]:
    """Return the entries of a `;` list cell."""
    return [] if cell == "" else cell.split(";")
