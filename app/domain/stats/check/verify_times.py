"""`timesheet.csv` and `controls.csv`: what of them follows from the codings, and that their cells fit one another.

How long a save that is no longer current took stands in no other file; that it was not less than what `rater_long.csv`
says of the same session is checked.
"""

from __future__ import annotations

from app.domain.stats.check.verify_coders import CodedClaim, Facts, Row
from app.domain.stats.check.verify_ledger import TOLERANCE, Ledger

NOT_MEASURED = "not_measured"


def check_timesheet(name: str, rows: list[Row], claims: dict[str, CodedClaim], facts: Facts, ledger: Ledger) -> None:
    """Compare claims and their seconds by rater and session with the codings, and each row with itself."""
    coded: dict[tuple[str, str], list[str]] = {}
    for claim in claims.values():
        for row in claim.own():
            coded.setdefault((row["coder_slot"], row["session"]), []).append(row["seconds_on_item"])
    keys = [(row["coder_slot"], row["session"]) for row in rows]
    ordered = sorted(set(keys) | set(coded), key=lambda key: (len(key[0]), key[0], _whole(key[1])))
    ledger.same((name, None, "coder_slot and session"), ordered, keys)
    for number, row in enumerate(rows, start=2):
        where = str(number)
        ledger.same((name, where, "schema_version"), "timesheet/1", row["schema_version"])
        ledger.same((name, where, "study_id"), facts.study, row["study_id"])
        ledger.same((name, where, "coder_slot"), True, row["coder_slot"] in facts.slots)
        seconds = coded.get((row["coder_slot"], row["session"]), [])
        ledger.same((name, where, "claims"), str(len(seconds)), row["claims"])
        known = [_number({"seconds": one}, "seconds") for one in seconds]
        measured = [one for one in known if one is not None]
        ledger.close(
            (name, where, "claims_seconds"), sum(measured) if measured else None, _number(row, "claims_seconds")
        )
        _check_sums(name, where, row, ledger)


def _check_sums(name: str, where: str, row: Row, ledger: Ledger) -> None:
    saves, unmeasured = _whole(row["saves"]), _whole(row["unmeasured_saves"])
    ordered = 0 <= _whole(row["claims"]) <= _whole(row["items"]) <= saves and 0 <= unmeasured <= saves
    ledger.same((name, where, "claims, items and saves"), True, ordered)
    active, idle, span = (_number(row, f"seconds_{part}") for part in ("active", "idle", "span"))
    first, last = _number(row, "first_rel"), _number(row, "last_rel")
    complete = saves > 0 and unmeasured == 0
    ledger.same((name, where, "undefined_reason"), "" if complete else NOT_MEASURED, row["undefined_reason"])
    ledger.same((name, where, "seconds_active"), saves > unmeasured, active is not None)
    ledger.same((name, where, "seconds_idle"), complete, idle is not None)
    if None not in (first, last):
        ledger.close((name, where, "seconds_span"), float(last or 0) - float(first or 0), span)
    if complete and active is not None:
        ledger.close((name, where, "seconds_idle"), max(0.0, float(span or 0) - active), idle)
    least = _number(row, "claims_seconds") or 0.0
    ledger.same((name, where, "seconds_active"), True, active is None or active >= least - TOLERANCE)


def check_controls(name: str, rows: list[Row], facts: Facts, ledger: Ledger) -> None:
    """Check that whether a control was met follows from the two codes beside each other, and the rows' order."""
    keys = [(row["blind_claim_id"], len(row["coder_slot"]), row["coder_slot"]) for row in rows]
    ledger.same((name, None, "row order"), sorted(set(keys)), keys)
    for number, row in enumerate(rows, start=2):
        where = str(number)
        ledger.same((name, where, "study_id"), facts.study, row["study_id"])
        ledger.same((name, where, "given_label"), True, row["given_label"] in facts.labels)
        same = "true" if row["known_label"] == row["given_label"] else "false"
        ledger.same((name, where, "agree_label"), same, row["agree_label"])
        kind = "true" if row["known_claim_kind"] == row["given_claim_kind"] else "false"
        ledger.same((name, where, "agree_kind"), kind if row["known_claim_kind"] else "", row["agree_kind"])


def _whole(cell: str) -> int:
    return int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 10 else -1


def _number(row: Row, column: str) -> float | None:
    """Return a cell's number; None where it is empty or none, which no exported row has."""
    try:
        return float(row[column]) if row[column] else None
    except ValueError:
        return None
