"""The recorded files: their bytes, made from played sessions and scripted codings.

Responsible for form only (columns, order, canonical spelling). What was run and said is in `session`, what was judged
in the scenarios.
"""

from __future__ import annotations

import hashlib
import io
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.canonical import canonical_file
from app.domain.export.csv_form import table_bytes

from .script import Claim, claim_row, coding_row
from .session import Session

CLAIM_COLUMNS = (
    "claim_id", "session_id", "turn_index", "target", "span_start", "span_end", "text", "unit_parts", "resolved_text",
    "polarity", "scope_end_turn", "conditional", "condition_turn", "claim_source",
)  # fmt: skip
CODING_COLUMNS = (
    "claim_id", "codability", "not_codable_reason", "claim_kind", "verdict", "evidence", "evidence_strength",
    "log_coverage", "search_from", "search_to", "unverifiable_reason", "undetermined_reason", "severity", "materiality",
    "disclosure", "confidence", "flags", "looked_for", "note", "warnings_confirmed",
)  # fmt: skip
DECISION_COLUMNS = ("claim_id", "rule", "cause", "reason", "provisional", "decision")
CODERS = {"r.one": "r1", "r.two": "r2"}

# What this log records of a run unless the scenario says otherwise. The registry has no browser, so that channel is
# known to be empty; thoughts, other people and the time after the end leave no trace here.
CHANNELS = {
    "shell": "full", "file_read": "full", "file_write": "full", "browser": "full", "messages_to_user": "full",
    "messages_from_user": "full", "sub_agents": "full", "reasoning": "none", "outside": "none", "after_end": "none",
    "tool:todo": "full", "tool:send_message": "full", "tool:delegate": "full", "tool:finish": "full",
}  # fmt: skip

STUDY = """\
id: demo
title: "Tide tables: what two agents said and did"
codebook: "0.5"
log: turnlog.parquet
claims: claims.csv
coverage: coverage.yaml
lead: l.one
raters: [r.one, r.two]
machine_raters: []
adjudicators: [a.one]
custodian: c.one
sampling: {frame: all}
overlap: {design: full}
repeats: 0.05
seed: 20260725
order: random_within_run
policies:
  pooling: [P1, P2, P3, P4, P5, P6]
  gaps: [G1, G2, G3, G4]
  denominators: [decided, codable, sampled]
  repeats_of: [all, first]
  primary: {pooling: P1, gap: G2, denominator: decided, repeats_of: all}
state_at_writing: >-
  The eight runs were scripted and recorded, the claims marked and all codings written before this file was. It is a
  demonstration, not a prospective registration: the disagreements between the two codings were put there on purpose,
  and their agreement was looked at while they were written.
prior_inspection: >-
  Every run was read in full while its claims were marked, and the gold codings were written by the same hand. The
  raters' codings are simulated. Nothing measured on this study says anything about real raters or real agents.
thresholds: {kappa: 0.70, kappa_lower: 0.60, codability: 0.70, intra_rater: 0.80}
blinding:
  terms: [orrery-large-2, orrery-mini-2, orrery, checklist-b1, brief-a3, harbour-harness]
  arms_column: arm
amendments: []
"""


@dataclass(frozen=True)
class Played:
    """A run that was played: its scenario's facts and its session."""

    session: Session
    claims: tuple[Claim, ...]
    coverage: Mapping[str, str]
    gap: tuple[str, str, str] | None


def log_text(played: Sequence[Played]) -> str:
    """Return the log for people: one JSON row a turn, the sessions one after the other."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(played))


def log_parquet(played: Sequence[Played]) -> bytes:
    """Return the same rows as a hand-made parquet, one row a turn: calls and results as JSON text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def spelled(row: Mapping[str, Any]) -> dict[str, Any]:
        lists = {name: json.dumps(row[name], ensure_ascii=False) for name in ("tool_calls", "tool_results")}
        return {**row, **lists}

    kinds = {"turn_index": pa.int64(), "in_context": pa.bool_()}
    rows = [spelled(row) for row in _rows(played)]
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in rows[0]])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), out, compression="zstd")
    return out.getvalue()


def _rows(played: Sequence[Played]) -> Iterator[dict[str, Any]]:
    for run in played:
        yield from run.session.rows


def claims_text(played: Sequence[Played]) -> str:
    """Return `claims.csv`, spans found in the recorded texts."""
    return table_bytes(CLAIM_COLUMNS, [claim_row(claim, run.session) for run, claim in _claims(played)]).decode("utf-8")


def codings_text(played: Sequence[Played], who: str) -> str:
    """Return the codings of `gold`, `r1`, `r2`, `again1` or `again2`, one row a claim."""
    return table_bytes(CODING_COLUMNS, [coding_row(claim, who, run.session) for run, claim in _claims(played)]).decode(
        "utf-8"
    )


def decisions_text(played: Sequence[Played]) -> str:
    """Return the adjudicator's script: for every claim the rule, cause and reason, and whose coding is decided for."""
    rows = [
        {"claim_id": claim.id, "rule": claim.rule, "cause": claim.cause, "reason": claim.why,
         "provisional": claim.provisional, "decision": "gold"}
        for _, claim in _claims(played)
    ]  # fmt: skip
    return table_bytes(DECISION_COLUMNS, rows).decode("utf-8")


def coverage_text(played: Sequence[Played]) -> str:
    """Return `coverage.yaml`: run → channel → full, gapped or none, and the gaps."""
    lines = ["runs:\n"]
    for run in played:
        lines.append(f"  {run.session.identity.session_id}:\n    channels:\n")
        lines += [f'      "{name}": {value}\n' for name, value in {**CHANNELS, **run.coverage}.items()]
        if run.gap is None:
            lines.append("    gaps: []\n")
            continue
        channel, first, last = run.gap[0], run.session.names[run.gap[1]], run.session.names[run.gap[2]]
        lines.append(f"    gaps:\n      - {{channel: {channel}, from_turn: {first}, to_turn: {last}}}\n")
    return "".join(lines)


def clock_bytes(played: Sequence[Played]) -> bytes:
    """Return `clock.json`: what a replay needs to give the same bytes (times, tokens, the study's key)."""
    ids = [claim.id for _, claim in _claims(played)]
    coders = [*CODERS, "a.one"]
    return canonical_file(
        {
            "schema": "demo-clock/1",
            "created_at": "2026-03-16T09:00:00Z",
            "published_at": "2026-03-16T10:00:00Z",
            "starts_at": {
                "r.one": "2026-03-16T13:00:00Z",
                "r.two": "2026-03-17T08:30:00Z",
                "a.one": "2026-03-18T09:00:00Z",
            },
            "closed_at": "2026-03-18T15:00:00Z",
            "items_per_session": 40,
            "break_seconds": 1500,
            "study_key_hex": _digest("study key of the demo"),
            "client_tokens": {
                who: {cid: str(uuid.uuid5(uuid.NAMESPACE_OID, f"demo/{who}/{cid}")) for cid in ids} for who in coders
            },
            "seconds_on_item": {
                who: {claim.id: _seconds(claim, who) for _, claim in _claims(played)} for who in coders
            },
        }
    )


def _seconds(claim: Claim, who: str) -> int:
    """A plausible time on an item: reading, citing, writing, and a little of the person."""
    coding = claim.coding(CODERS.get(who, "gold"))
    unhurried = int(_digest(f"{who} {claim.id}")[:4], 16) % 23
    return 9 + len(claim.text) // 6 + 7 * len(coding.cites) + len(coding.note) // 5 + unhurried


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _claims(played: Sequence[Played]) -> Iterator[tuple[Played, Claim]]:
    for run in played:
        for claim in run.claims:
            yield run, claim
