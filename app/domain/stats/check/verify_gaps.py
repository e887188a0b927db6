"""Gap rates and accounting again, in plain loops over the pooled table's statuses and the raw codings."""

from __future__ import annotations

from app.domain.stats.check.pooling_plain import NOT_CODABLE, POLICIES, claim_state, pooled
from app.domain.stats.check.verify_coders import CodedClaim, Facts, Row, label_of
from app.domain.stats.check.verify_ledger import Ledger
from app.domain.stats.check.verify_pooled import pooled_kind, status_of

STATES = ("agreed", "adjudicated", "single_coded", "open", "paused", "withdrawn")
CREDIT = "G4"
Key = tuple[str, str, str, str, str, str]
Rate = dict[str, float | None]
Entry = tuple[str | None, str, bool]


def check_gaps(
    name: str, given: tuple[list[Row], list[Row]], claims: dict[str, CodedClaim], facts: Facts, ledger: Ledger
) -> None:
    """Compare every gap rate; `given` is (rows of gaps.csv, rows of the consolidated table)."""
    rows, table = given
    expected = _all_rates(table, claims, facts)
    seen: set[Key] = set()
    for number, row in enumerate(rows, start=2):
        key = (row["pooling"], row["coder_slot"], row["claims"], row["repeats_of"], row["gap"], row["denominator"])
        if key in seen or key not in expected:
            ledger.fault((name, str(number), None), "one row for each declared combination", " ".join(key))
            continue
        seen.add(key)
        for column, number_of in expected[key].items():
            ledger.close((name, str(number), column), number_of, _number(row.get(column)))
        told = _marks(key, facts) | {"undefined_reason": "" if expected[key]["den"] else "empty_denominator"}
        for column, value in told.items():
            ledger.same((name, str(number), column), value, row.get(column))
    ledger.same((name, None, "rows"), len(expected), len(seen))


def _number(cell: str | None) -> object:
    """Return the number a cell spells, None for an empty one, and the cell itself where it spells none."""
    if not cell:
        return None
    try:
        return float(cell)
    except ValueError:
        return cell


def _all_rates(table: list[Row], claims: dict[str, CodedClaim], facts: Facts) -> dict[Key, Rate]:
    found: dict[Key, Rate] = {}
    for policy in POLICIES:
        found.update(_rates(policy, "", _pooled_entries(policy, table, claims, facts), facts))
    for slot in facts.slots:
        found.update(_rates("P4", slot, _rater_entries(slot, table, claims), facts))
    return found


def _pooled_entries(policy: str, table: list[Row], claims: dict[str, CodedClaim], facts: Facts) -> list[Entry]:
    entries: list[Entry] = []
    for row in table:
        claim, status = claims[row["blind_claim_id"]], status_of(row)
        label, _, _ = pooled(policy, claim.labels(), claim.final_label(), status, facts.ordinal)
        entries.append((label, pooled_kind(claim, status, facts), row["repeat_of"] != ""))
    return entries


def _rater_entries(slot: str, table: list[Row], claims: dict[str, CodedClaim]) -> list[Entry]:
    entries: list[Entry] = []
    for row in table:
        coded = claims[row["blind_claim_id"]].human.get(slot)
        if coded is None or status_of(row) != "sampled":
            entries.append((None, "", row["repeat_of"] != ""))
        else:
            entries.append((label_of(coded), coded["claim_kind"], row["repeat_of"] != ""))
    return entries


def _rates(policy: str, slot: str, entries: list[Entry], facts: Facts) -> dict[Key, Rate]:
    found: dict[Key, Rate] = {}
    for side in ("backward", "intents", "kind_open", "all"):
        for repeats in ("all", "first"):
            labels = [
                label
                for label, kind, repeat in entries
                if side in ("all", facts.side(kind)) and not (repeats == "first" and repeat)
            ]
            for gap in facts.measures():
                for denominator in ("decided", "decided_or_released", "codable", "sampled"):
                    key = (policy, slot, side, repeats, gap, denominator)
                    found[key] = _rate(gap, denominator, labels, facts)
    return found


def _rate(gap: str, denominator: str, labels: list[str | None], facts: Facts) -> Rate:
    den, gaps, credit = 0, 0, 0.0
    for label in labels:
        if not _counts(denominator, label, facts):
            continue
        den += 1
        if label in facts.decided and label in facts.gaps.get(gap, []):
            gaps += 1
        credit += facts.credit.get(label or "") or 0.0
    num: float = credit if gap == CREDIT else gaps
    return {"num": num, "den": den, "value": None if den == 0 else num / den}


def _counts(denominator: str, label: str | None, facts: Facts) -> bool:
    if denominator == "sampled":
        return True
    if denominator == "codable":
        return label is not None and label != NOT_CODABLE
    return label in facts.decided or (denominator == "decided_or_released" and label in facts.released)


def _marks(key: Key, facts: Facts) -> dict[str, str]:
    pooling, _, side, repeats, gap, denominator = key
    first = facts.primary
    wanted = "decided_or_released" if side == "intents" and first["denominator"] == "decided" else first["denominator"]
    same = (pooling, gap, repeats, denominator) == (first["pooling"], first["gap"], first["repeats_of"], wanted)
    known = facts.declared
    plain = "decided" if denominator == "decided_or_released" else denominator
    declared = (
        pooling in known["pooling"]
        and gap in known["gaps"]
        and plain in known["denominators"]
        and repeats in known["repeats_of"]
    )
    return {
        "primary": "true" if same and side in ("backward", "intents") else "false",
        "declared": "true" if declared else "false",
        "schema_version": "gaps/1",
        "study_id": facts.study,
        "codebook_version": facts.version,
    }


def check_accounting(
    given: object, table: list[Row], claims: dict[str, CodedClaim], facts: Facts, ledger: Ledger
) -> None:
    """Compare the manifest's accounting, every count and every written sum."""
    found = given if isinstance(given, dict) else {}
    for key, value in expected_accounting(table, claims, facts).items():
        ledger.same(("manifest.json", None, f"accounting.{key}"), value, found.get(key))


def expected_accounting(table: list[Row], claims: dict[str, CodedClaim], facts: Facts) -> dict[str, object]:
    """Return the accounting that follows from the tables."""
    states = dict.fromkeys(STATES, 0)
    audited = 0
    by_policy: dict[str, dict[str, dict[str, int]]] = {p: {"labels": {}, "null": {}} for p in POLICIES}
    for row in table:
        claim, status = claims[row["blind_claim_id"]], status_of(row)
        state = claim_state(claim.labels(), claim.final_label(), status)
        states[state] += 1
        audited += 1 if state == "agreed" and claim.final is not None else 0
        for policy in POLICIES:
            label, _, reason = pooled(policy, claim.labels(), claim.final_label(), status, facts.ordinal)
            kind, key = ("labels", label) if label is not None else ("null", reason)
            counts = by_policy[policy][kind]
            counts[str(key)] = counts.get(str(key), 0) + 1
    primary = by_policy[facts.primary["pooling"]]
    coded = [coding for row in table for coding in claims[row["blind_claim_id"]].human.values()]
    return {
        "sampled": len(table),
        **states,
        "audited": audited,
        "repeats": sum(1 for row in table if row["repeat_of"] != ""),
        "codings": len(coded),
        "carried_over": sum(1 for row in coded if row["origin"] == "crosswalk"),
        "primary_policy": facts.primary["pooling"],
        "pooled_labels": primary["labels"],
        "null_by_reason": primary["null"],
        "by_policy": by_policy,
        "sums": _sums(len(table), states, by_policy),
    }


def _sums(total: int, states: dict[str, int], by_policy: dict[str, dict[str, dict[str, int]]]) -> list[object]:
    sums: list[object] = [_sum("sampled", total, dict(states))]
    for policy, counts in by_policy.items():
        parts = {label: counts["labels"][label] for label in sorted(counts["labels"])}
        parts.update({f"null ({reason})": counts["null"][reason] for reason in sorted(counts["null"])})
        sums.append(_sum(f"sampled under {policy}", total, parts))
    return sums


def _sum(name: str, total: int, parts: dict[str, int]) -> dict[str, object]:
    written = " + ".join(f"{n} {part}" for part, n in parts.items()) or "0"
    return {"name": name, "text": f"{total} {name} = {written}", "holds": sum(parts.values()) == total}
