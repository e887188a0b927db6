"""The verification of an exported folder: hashes first, then every number again from `rater_long.csv`.

Bytes in, a ledger out: it opens no file, needs no database, and imports nothing of what wrote the folder.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.stats.check.verify_agreement import Draws, check_agreement, study_seeds
from app.domain.stats.check.verify_carried import check_crosswalks, check_origins, check_repeats
from app.domain.stats.check.verify_coders import Facts, Row, gather, read_facts
from app.domain.stats.check.verify_csv import UnreadableError, as_dicts
from app.domain.stats.check.verify_disagreements import check_disagreements
from app.domain.stats.check.verify_files import MANIFEST, Table, check_files, read_document, read_manifest
from app.domain.stats.check.verify_further import Columnar, check_further, unread
from app.domain.stats.check.verify_gaps import check_accounting, check_gaps
from app.domain.stats.check.verify_ledger import Ledger
from app.domain.stats.check.verify_pooled import check_pooled

LONG, DISAGREEMENTS, GAPS, AGREEMENT = "rater_long.csv", "disagreements.csv", "gaps.csv", "agreement.json"
REPEATS = "intra_rater.csv"


def verify(
    files: Mapping[str, bytes], draws: Draws = lambda document: None, columnar: Columnar = unread
) -> dict[str, object]:
    """Return `{ok, checked, mismatches}` of a folder given as {name: bytes}; `manifest.json` must be among them.

    `draws` repeats random draws, `columnar` reads Parquet as cells; where they return None that much is not checked.

    `checked` counts compared values. Without a manifest that can be relied on nothing else is checked, and without
    readable tables nothing is recomputed; both are mismatches, never exceptions.
    """
    ledger = Ledger()
    manifest = read_manifest(files[MANIFEST], ledger)
    if manifest is None:
        return ledger.document()
    tables = check_files(manifest, files, ledger)
    wide = "claim_pooled.csv" if manifest.get("grain") == "long" else "rater_pooled.csv"
    needed = (LONG, wide, DISAGREEMENTS, GAPS)
    missing = [name for name in (*needed, AGREEMENT) if name not in files or (name not in tables and name != AGREEMENT)]
    for name in missing:
        ledger.fault((name, None, None), "a readable file, from which the numbers are recomputed", "none")
    if not missing:
        try:
            _recompute(manifest, files, (tables, wide), (draws, columnar), ledger)
        except (UnreadableError, KeyError) as broken:
            ledger.fault((LONG, None, None), "rows that can be recomputed", f"{broken}")
    return ledger.document()


def _recompute(
    manifest: Mapping[str, object],
    files: Mapping[str, bytes],
    found: tuple[dict[str, Table], str],
    readers: tuple[Draws, Columnar],
    ledger: Ledger,
) -> None:
    tables, wide = found
    facts = read_facts(manifest)
    long, table, listed, gaps = (as_dicts(*tables[name]) for name in (LONG, wide, DISAGREEMENTS, GAPS))
    claims = gather(long, table, facts.slots)
    _check_constants(long, facts, ledger)
    check_origins(LONG, long, ledger)
    check_crosswalks(manifest.get("crosswalks"), facts, ledger)
    if REPEATS in tables:
        check_repeats(REPEATS, as_dicts(*tables[REPEATS]), claims, ledger)
    _check_places(listed, table, ledger)
    check_pooled(wide, table, claims, facts, ledger)
    check_disagreements(DISAGREEMENTS, listed, claims, facts, ledger)
    check_gaps(GAPS, (gaps, table), claims, facts, ledger)
    check_accounting(manifest.get("accounting"), table, claims, facts, ledger)
    _check_primary(manifest, gaps, ledger)
    ledger.same((MANIFEST, None, "seeds"), study_seeds(facts.seed), manifest.get("seeds"))
    if manifest.get("grain") == "long":
        ledger.same(
            ("rater_pooled.csv", None, "the rows of rater_long.csv"), True, files.get("rater_pooled.csv") == files[LONG]
        )
    documents = read_document(AGREEMENT, files[AGREEMENT], ledger)
    if documents is not None:
        given = ([row["blind_claim_id"] for row in table], claims, facts)
        ledger.add(check_agreement(documents, given, readers[0]))
        check_further((files, tables), documents, given, readers[1], ledger)


def _check_constants(long: list[Row], facts: Facts, ledger: Ledger) -> None:
    """Cells of `rater_long.csv` that are the same in every row of one study."""
    same = {
        "schema_version": "rater_long/1",
        "study_id": facts.study,
        "phase": "main",
        "codebook_version": facts.version,
    }
    for number, row in enumerate(long, start=2):
        for column, expected in same.items():
            ledger.same((LONG, str(number), column), expected, row.get(column))


def _check_places(listed: list[Row], table: list[Row], ledger: Ledger) -> None:
    """Where a claim stands is in two tables; they must not differ."""
    by_claim = {row["blind_claim_id"]: row for row in table}
    for number, row in enumerate(listed, start=2):
        for column in ("claim_source", "claim_turn"):
            expected = by_claim.get(row["blind_claim_id"], {}).get(column)
            ledger.same((DISAGREEMENTS, str(number), column), expected, row.get(column))


def _check_primary(manifest: Mapping[str, object], gaps: list[Row], ledger: Ledger) -> None:
    """The rates that the manifest repeats must be those of `gaps.csv` marked primary, in its order."""
    told = manifest.get("gaps_primary")
    rates = [rate for rate in told if isinstance(rate, dict)] if isinstance(told, list) else []
    primary = [row for row in gaps if row["primary"] == "true"]
    ledger.same((MANIFEST, None, "gaps_primary"), len(primary), len(rates))
    for row, rate in zip(primary, rates, strict=False):
        for column, value in rate.items():
            written = "" if value is None else value if isinstance(value, str) else repr(value)
            ledger.same((MANIFEST, None, f"gaps_primary.{row['claims']}.{column}"), row.get(column), written)
