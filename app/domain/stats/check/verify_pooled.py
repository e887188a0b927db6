"""`rater_pooled.csv` again, cell by cell, from `rater_long.csv`: codes, agreement, pooling, gaps, credit, evidence.

Plain loops over the definitions in the export documentation. Whether a claim is paused or withdrawn cannot follow from
codings, so that much is read from the pooled table itself.
"""

from __future__ import annotations

from app.domain.stats.check.pooling_plain import NOT_CODABLE, all_equal, pooled
from app.domain.stats.check.verify_coders import CodedClaim, Facts, Row, cited, label_of, parts
from app.domain.stats.check.verify_ledger import Ledger

Cells = dict[str, str]


def status_of(row: Row) -> str:
    """Return `paused`, `withdrawn` or `sampled`, as the pooled table gives it."""
    reason = row["pooled_null_reason"]
    return reason if reason in ("paused", "withdrawn") else "sampled"


def check_pooled(name: str, rows: list[Row], claims: dict[str, CodedClaim], facts: Facts, ledger: Ledger) -> None:
    """Compare every row of the consolidated table with what the codings give, and the two tables' claims."""
    ids = [row["blind_claim_id"] for row in rows]
    listed = set(ids)
    ledger.same((name, None, "row order"), sorted(listed), ids)
    for key in claims:
        if key not in listed:
            ledger.fault((name, None, "blind_claim_id"), f"a row for claim {key}", "none")
    for number, row in enumerate(rows, start=2):
        claim = claims[row["blind_claim_id"]]
        for column, expected in expected_cells(claim, status_of(row), facts).items():
            ledger.same((name, str(number), column), expected, row.get(column))
        allowed = _adjudication_statuses(claim, facts)
        if row["adj_status"] not in allowed:
            ledger.fault((name, str(number), "adj_status"), " or ".join(allowed), row["adj_status"])


def expected_cells(claim: CodedClaim, status: str, facts: Facts) -> Cells:
    """Return the cells of one claim's row that follow from its codings, as CSV texts."""
    cells = {
        "schema_version": "rater_pooled/1",
        "study_id": facts.study,
        "blind_run_id": claim.run,
        "codebook_version": facts.version,
        "codebook_sha256": facts.codebook_sha256,
        "n_raters": str(len(claim.own())),
    }
    cells.update(_rater_cells(claim, facts))
    cells.update(_agreement_cells(claim))
    cells.update(_adjudicator_cells(claim))
    cells.update(_policy_cells(claim, status, facts))
    cells.update(_pooled_cells(claim, status, facts))
    cells.update(_provenance_cells(claim, facts))
    return cells


def _rater_cells(claim: CodedClaim, facts: Facts) -> Cells:
    cells: Cells = {}
    for place, slot in enumerate(facts.slots, start=1):
        row = claim.human.get(slot, {})
        for column in ("codability", "claim_kind", "verdict", "confidence", "row_sha256"):
            cells[f"r{place}_{column}"] = row.get(column, "")
        cells[f"r{place}_materiality"] = row.get("materiality") or row.get("severity") or ""
    return cells


def _agreement_cells(claim: CodedClaim) -> Cells:
    cells: Cells = {}
    for column, source in (
        ("agree_codability", "codability"),
        ("agree_kind", "claim_kind"),
        ("agree_verdict", "verdict"),
    ):
        values = [row[source] for row in claim.own()]
        cells[column] = "" if len(values) < 2 else _bool(all_equal(values))
    return cells


def _adjudicator_cells(claim: CodedClaim) -> Cells:
    final: Row = claim.final or {}
    names = {"adj_codability": "codability", "adj_verdict": "verdict", "adj_kind": "claim_kind"}
    return {column: final.get(source, "") for column, source in names.items()}


def _adjudication_statuses(claim: CodedClaim, facts: Facts) -> list[str]:
    """What the status may be: why a claim was drawn does not follow from codings, that it was decided does."""
    label = claim.final_label()
    if label is not None:
        return ["undetermined" if label in facts.undetermined else "decided", "audit"]
    compared = [[row[name] for row in claim.human.values()] for name in ("codability", "claim_kind", "verdict")]
    differs = not all(all_equal(values) for values in compared)
    return ["none"] if differs or not claim.human else ["not_needed", "none"]


def _policy_cells(claim: CodedClaim, status: str, facts: Facts) -> Cells:
    cells: Cells = {}
    for policy in ("P2", "P3", "P5", "P6"):
        label, _, reason = pooled(policy, claim.labels(), claim.final_label(), status, facts.ordinal)
        cells[f"pooled_{policy.lower()}"] = label or ""
        if policy in ("P2", "P3"):
            cells[f"pooled_{policy.lower()}_null_reason"] = reason or ""
    return cells


def _pooled_cells(claim: CodedClaim, status: str, facts: Facts) -> Cells:
    policy = facts.primary["pooling"]
    label, basis, reason = pooled(policy, claim.labels(), claim.final_label(), status, facts.ordinal)
    behind = rows_behind(claim, label, basis)
    verdict = "" if label in (None, NOT_CODABLE) else str(label)
    cells = {
        "pooled_codability": _codability(label, behind, facts),
        "pooled_not_codable_reason": _reason(claim, behind) if label == NOT_CODABLE else "",
        "pooled_kind": pooled_kind(claim, status, facts),
        "pooled_verdict": verdict,
        "pooled_materiality": _materiality(claim, basis, facts) if verdict else "",
        "pooled_basis": basis,
        "pooled_null_reason": reason or "",
        "decided": _bool(verdict in facts.decided),
        "credit": _number(facts.credit.get(verdict)),
        "flags": ";".join(_flags(claim, basis)),
    }
    for name, gap in facts.gaps.items():
        cells[f"gap_{name.lower()}"] = _bool(verdict in gap) if verdict in facts.decided else ""
    for field in facts.pooled_fields:
        cells[field] = _common([row[field] for row in behind]) if all(field in row for row in behind) else ""
    cells["evidence_turns"] = ";".join(str(turn) for turn in _turns(behind))
    cells["best_tier"] = _best_tier(behind, facts)
    return cells


def rows_behind(claim: CodedClaim, label: str | None, basis: str) -> list[Row]:
    """Return the rows a pooled label rests on: the adjudicator's, else those that carry it."""
    if label is None:
        return []
    if basis == "adjudicated" and claim.final is not None:
        return [claim.final]
    return [row for row in claim.human.values() if label_of(row) == label]


def pooled_kind(claim: CodedClaim, status: str, facts: Facts) -> str:
    """Return the pooled kind under the primary policy, empty for none."""
    labels, final = claim.labels(), claim.final_label()
    label, basis, _ = pooled(facts.primary["pooling"], labels, final, status, facts.ordinal)
    if label in (None, NOT_CODABLE):
        return ""
    behind = rows_behind(claim, label, basis)
    if basis == "adjudicated" and behind[0]["claim_kind"] == "":
        return _common([row["claim_kind"] for row in claim.human.values()])
    kind = _common([row["claim_kind"] for row in behind])
    return kind or (claim.final["claim_kind"] if claim.final is not None else "")


def _codability(label: str | None, behind: list[Row], facts: Facts) -> str:
    """Return the codebook's own word, empty under one that does not ask."""
    words = [word for word in facts.categories.get("codability", []) if word != NOT_CODABLE]
    if label is None or "codability" not in facts.categories:
        return ""
    return NOT_CODABLE if label == NOT_CODABLE else _common([row["codability"] for row in behind]) or words[0]


def _reason(claim: CodedClaim, behind: list[Row]) -> str:
    reason = _common([row["not_codable_reason"] for row in behind])
    return reason or (claim.final["not_codable_reason"] if claim.final is not None else "")


def _materiality(claim: CodedClaim, basis: str, facts: Facts) -> str:
    given = [row["materiality"] or row["severity"] for row in claim.human.values()]
    given = [value for value in given if value]
    decided = (claim.final["materiality"] or claim.final["severity"]) if claim.final is not None else ""
    if decided and (basis == "adjudicated" or not given or not all_equal(given)):
        return decided
    highest = ""
    for value in facts.materiality:
        if value in given:
            highest = value
    return highest or (given[0] if given else "")


def _flags(claim: CodedClaim, basis: str) -> list[str]:
    rows = list(claim.human.values())
    if basis == "adjudicated" and claim.final is not None:
        rows.append(claim.final)
    return sorted({flag for row in rows for flag in parts(row["flags"])})


def _turns(rows: list[Row]) -> list[int]:
    return sorted({int(str(citation["turn"])) for row in rows for citation in cited(row)})


def _best_tier(rows: list[Row], facts: Facts) -> str:
    """The tiers the raters coded; only a codebook that declares none is read by the tiers derived from the log."""
    order = facts.tiers or ["T1", "T2", "T3", "T4", "T5"]
    best: tuple[int, int, str] | None = None
    for row in rows:
        for citation in cited(row):
            tier = str(citation.get("tier" if facts.tiers else "derived_tier") or "")
            if citation.get("role") == "context" or not tier:
                continue
            number = int("0" + "".join(c for c in tier if c in "0123456789"))
            ranked = (order.index(tier) if tier in order else len(order), number, tier)
            best = ranked if best is None or ranked < best else best
    return best[2] if best else ""


def _provenance_cells(claim: CodedClaim, facts: Facts) -> Cells:
    rows = list(claim.human.values())
    origins = sorted({row["origin"] for row in rows})
    return {
        "origin": "" if not origins else (origins[0] if len(origins) == 1 else "mixed"),
        "warnings_overridden": str(sum(len(parts(row["warnings_overridden"])) for row in rows)),
        "lock_ids": ";".join(sorted({row["lock_id"] for row in rows})),
        "packet_sha256": ";".join(sorted({facts.packet_of_lock.get(row["lock_id"], "") for row in rows})),
    }


def _common(values: list[str]) -> str:
    return values[0] if values and all_equal(values) else ""


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _number(value: float | None) -> str:
    return "" if value is None else repr(float(value))
