"""`disagreements.csv` again: which claims must stand in it, and that the codings beside each other are the raw ones."""

from __future__ import annotations

from app.domain.stats.check.pooling_plain import all_equal
from app.domain.stats.check.verify_coders import CodedClaim, Facts, Row, label_of
from app.domain.stats.check.verify_ledger import Ledger

COMPARED = ("codability", "claim_kind", "verdict")
SHOWN = ("codability", "claim_kind", "verdict", "confidence", "materiality", "flags", "evidence", "note")


def check_disagreements(
    name: str, rows: list[Row], claims: dict[str, CodedClaim], facts: Facts, ledger: Ledger
) -> None:
    """Compare the listed claims, what they differ in, the codings (in any order) and the decisions."""
    expected = [key for key in sorted(claims) if differing(claims[key])]
    ledger.same((name, None, "blind_claim_id"), expected, [row["blind_claim_id"] for row in rows])
    for number, row in enumerate(rows, start=2):
        claim = claims.get(row["blind_claim_id"])
        if claim is None:
            continue
        where = str(number)
        ledger.same((name, where, "blind_run_id"), claim.run, row["blind_run_id"])
        ledger.same((name, where, "differs_in"), ";".join(differing(claim)), row["differs_in"])
        ledger.same(
            (name, where, "codings"), sorted(_raw(r) for r in claim.human.values()), sorted(_listed(row, facts))
        )
        for column, value in _decisions(claim, row, facts).items():
            ledger.same((name, where, column), value, row.get(column))


def differing(claim: CodedClaim) -> list[str]:
    """Return the compared fields in which the codings that humans made themselves differ."""
    return [field for field in COMPARED if not all_equal([row[field] for row in claim.own()])]


def _raw(row: Row) -> tuple[str, ...]:
    plain = {**row, "materiality": row["materiality"] or row["severity"]}
    return tuple(plain[column] for column in SHOWN)


def _listed(row: Row, facts: Facts) -> list[tuple[str, ...]]:
    found = []
    for place in range(1, len(facts.slots) + 1):
        coding = tuple(row.get(f"coding_{place}_{column}", "") for column in SHOWN)
        if any(coding):
            found.append(coding)
    return found


def _decisions(claim: CodedClaim, row: Row, facts: Facts) -> dict[str, str]:
    cells: dict[str, str] = {}
    for stage, decision in (("provisional", claim.provisional), ("final", claim.final)):
        given: Row = decision or {}
        cells[f"{stage}_codability"] = given.get("codability", "")
        cells[f"{stage}_kind"] = given.get("claim_kind", "")
        cells[f"{stage}_verdict"] = given.get("verdict", "")
    cells["final_evidence"] = claim.final["evidence"] if claim.final is not None else ""
    cells["final_equals"] = _equals(claim, row, facts)
    return cells


def _equals(claim: CodedClaim, row: Row, facts: Facts) -> str:
    if claim.final is None:
        return ""
    same = []
    for place in range(1, len(facts.slots) + 1):
        listed = {name: row.get(f"coding_{place}_{name}", "") for name in COMPARED}
        if any(listed.values()) and _decided_so(claim.final, listed):
            same.append(f"coding_{place}")
    if claim.provisional is not None and _decided_so(claim.final, claim.provisional):
        same.append("provisional")
    return ";".join(same or ["neither"])


def _decided_so(final: Row, other: Row) -> bool:
    return label_of(final) == label_of(other) and final["claim_kind"] in ("", other["claim_kind"])
