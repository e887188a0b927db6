"""`manifest.json`: what was exported from what, under which policies, with the hash of every file and of itself.

It names nothing the study hides: no rater, no native id, no model. Its own hash is taken last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.accounting import slot_order
from app.domain.adjudication import undetermined_labels
from app.domain.canonical import canonical_file, sha256_hex
from app.domain.codebook.model import Codebook
from app.domain.export.consolidated import coded_tiers, materiality_order, pooled_field_names
from app.domain.export.policies import Policies
from app.domain.export.registration import withheld
from app.domain.export.study_agreement import study_bootstrap
from app.domain.record import LockRecord, StudyRecord
from app.domain.stats.gaps import credit_of, decided_labels, gap_names, released_labels

SCHEMA = "manifest/1"
SELF = "manifest_sha256"


@dataclass(frozen=True)
class Artifact:
    """One exported file: its name, its bytes, and for a table its columns and number of rows."""

    path: str
    data: bytes
    columns: tuple[str, ...] | None = None
    rows: int | None = None

    def entry(self) -> dict[str, Any]:
        """Return the file's line in the manifest."""
        columns = None if self.columns is None else list(self.columns)
        return {
            "path": self.path,
            "bytes": len(self.data),
            "sha256": sha256_hex(self.data),
            "rows": self.rows,
            "columns": columns,
        }


@dataclass(frozen=True)
class Findings:
    """The computed parts a manifest repeats: accounting, the primary gap rates, how the bundle was asked for."""

    policies: Policies
    accounting: Mapping[str, Any]
    gaps_primary: Sequence[Mapping[str, Any]]
    grain: str
    notes: bool


def manifest_bytes(record: StudyRecord, files: Sequence[Artifact], findings: Findings) -> bytes:
    """Return the canonical bytes of the manifest.

    `manifest_sha256` is the SHA-256 over the canonical bytes of the same document without that key.
    """
    content = {
        "schema": SCHEMA,
        "study_id": record.study_id,
        "written_at": record.written_at,
        "tz": "UTC",
        "state_at_writing": _state_at_writing(record),
        "registration_sha256": record.registration_sha256,
        "codebook": codebook_facts(record.codebook),
        "inputs": [dict(entry) for entry in record.inputs],
        "slots": {slot: record.slots[slot] for slot in sorted(record.slots, key=slot_order)},
        "locks": [_lock(lock) for lock in sorted(record.locks, key=lambda lock: (lock.slot, lock.lock_id))],
        "crosswalks": [dict(facts) for facts in record.crosswalks],
        "packets": sorted({lock.packet_sha256 for lock in record.locks} | {c.packet_sha256 for c in record.codings}),
        "policies": findings.policies.as_dict(),
        "seeds": _seeds(record.seed),
        "grain": findings.grain,
        "notes": findings.notes,
        "accounting": dict(findings.accounting),
        "gaps_primary": [_rate(row) for row in findings.gaps_primary],
        "files": [artifact.entry() for artifact in sorted(files, key=lambda a: a.path)],
    }
    return canonical_file({**content, SELF: sha256_hex(canonical_file(content))})


def codebook_facts(codebook: Codebook) -> dict[str, Any]:
    """Return what a reader needs of the codebook to recompute every pooled value and rate."""
    return {
        "id": codebook.id,
        "version": codebook.version,
        "origin": codebook.origin,
        "title": codebook.title,
        "sha256": codebook.sha256,
        "labels": list(codebook.labels),
        "decided": sorted(decided_labels(codebook)),
        "released": sorted(released_labels(codebook)),
        "credit": {option.code: credit_of(codebook, option.code) for option in codebook.verdicts},
        "backward_kinds": list(codebook.backward_kinds),
        "forward_kinds": list(codebook.forward_kinds),
        "gap_policies": {name: sorted(codebook.gap_policies[name]) for name in gap_names(codebook)},
        "primary_gap": codebook.primary_gap,
        "ordinal": list(codebook.ordinal),
        "undetermined": sorted(undetermined_labels(codebook)),
        "materiality": list(materiality_order(codebook)),
        "tiers": list(coded_tiers(codebook)),
        "pooled_fields": list(pooled_field_names(codebook)),
        "categories": {f.name: list(f.codes) for f in codebook.fields if f.type == "enum" and f.name != "verdict"},
    }


def _state_at_writing(record: StudyRecord) -> str | None:
    said = record.registration.get("state_at_writing")
    return None if said is None else withheld(record, str(said))


def _seeds(study_seed: int) -> dict[str, Any]:
    done = study_bootstrap(study_seed)
    return {"study": study_seed, "bootstrap": done.stated_seed, "permutation": done.stated_null_seed}


def _lock(lock: LockRecord) -> dict[str, Any]:
    return {
        "lock_id": lock.lock_id,
        "slot": lock.slot,
        "packet_sha256": lock.packet_sha256,
        "rows_sha256": lock.rows_sha256,
        "n_rows": lock.n_rows,
        "locked_at": lock.locked_at,
    }


def _rate(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = ["pooling", "claims", "repeats_of", "gap", "denominator", "num", "den", "value", "undefined_reason"]
    return {name: row.get(name) for name in kept}
