"""What a crosswalk carried over, and hidden repeats: that neither stands where it may not, and what they lack is empty.

Both are in no coefficient; that they are left out of those is `verify_agreement`'s matter.
"""

from __future__ import annotations

from app.domain.stats.check.verify_coders import CodedClaim, Facts, Row, label_of, parts
from app.domain.stats.check.verify_ledger import Ledger

ORIGINS = ("human", "crosswalk", "machine")
NEEDS = "needs_"


def check_origins(name: str, rows: list[Row], ledger: Ledger) -> None:
    """Every row says who coded it, and only what was carried over lacks anything, which then is an empty cell."""
    for number, row in enumerate(rows, start=2):
        if row["origin"] not in ORIGINS:
            ledger.fault((name, str(number), "origin"), " or ".join(ORIGINS), row["origin"])
        for need in parts(row.get("needs", "")):
            cell = row.get(need.removeprefix(NEEDS), "")
            told = (row["origin"], need.startswith(NEEDS), cell == "")
            ledger.same((name, str(number), "needs"), ("crosswalk", True, True), told)


def check_crosswalks(given: object, facts: Facts, ledger: Ledger) -> None:
    """Every crosswalk that the manifest names leads to the study's codebook."""
    for number, crosswalk in enumerate(given if isinstance(given, list) else []):
        leads = crosswalk.get("to") if isinstance(crosswalk, dict) else None
        found = leads.get("sha256") if isinstance(leads, dict) else None
        ledger.same(("manifest.json", None, f"crosswalks.{number}.to.sha256"), facts.codebook_sha256, found)


def check_repeats(name: str, rows: list[Row], claims: dict[str, CodedClaim], ledger: Ledger) -> None:
    """The first coding of every hidden repeat is the rater's own, as `rater_long.csv` has it."""
    for number, row in enumerate(rows, start=2):
        claim = claims.get(row["blind_claim_id"])
        first = claim.human.get(row["coder_slot"]) if claim is not None else None
        own = first is not None and first["origin"] == "human"
        ledger.same((name, str(number), "coder_slot"), True, own)
        if first is not None:
            ledger.same((name, str(number), "first_label"), label_of(first), row["first_label"])
            ledger.same((name, str(number), "first_claim_kind"), first["claim_kind"], row["first_claim_kind"])
        agrees = "true" if row["first_label"] == row["repeat_label"] else "false"
        ledger.same((name, str(number), "agree_label"), agrees, row["agree_label"])
