"""The hashes of an exported folder: the manifest's own, every file's, every row's; headers and row counts.

It trusts nothing that is not hashed and recomputes no statistic.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from app.domain.stats.check.verify_csv import ROW_HASH, UnreadableError, parse_table, row_hash
from app.domain.stats.check.verify_ledger import Ledger

MANIFEST = "manifest.json"
SELF = "manifest_sha256"
SCHEMA = "manifest/1"

Table = tuple[list[str], list[list[str]]]
Json = dict[str, object]


def canonical_bytes(document: object) -> bytes:
    """Return the canonical bytes of a JSON document: sorted keys, two spaces, UTF-8, LF. NaN raises `ValueError`."""
    text = json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8")


def read_document(name: str, data: bytes, ledger: Ledger) -> Json | None:
    """Return a canonical JSON object, or None after noting why the bytes are not one."""
    try:
        document = json.loads(data.decode("utf-8"))
        again = canonical_bytes(document)
    except (ValueError, RecursionError) as broken:
        ledger.fault((name, None, None), "canonical JSON", f"not JSON: {broken}")
        return None
    if not isinstance(document, dict):
        ledger.fault((name, None, None), "a JSON object", type(document).__name__)
        return None
    ledger.checked += 1
    if again != data:
        ledger.fault((name, None, None), "canonical bytes (sorted keys, two spaces, UTF-8, LF)", "other bytes")
    return document


def read_manifest(data: bytes, ledger: Ledger) -> Json | None:
    """Return the manifest, its own hash checked; None when it cannot be relied on (the reason is in the ledger)."""
    document = read_document(MANIFEST, data, ledger)
    if document is None:
        return None
    content = {key: value for key, value in document.items() if key != SELF}
    own = hashlib.sha256(canonical_bytes(content)).hexdigest()
    known = ledger.same((MANIFEST, None, "schema"), SCHEMA, document.get("schema"))
    return document if ledger.same((MANIFEST, None, SELF), own, document.get(SELF)) and known else None


def listed_files(manifest: Mapping[str, object]) -> list[Json]:
    """Return the manifest's file entries that have a plain name; anything else names no file of this folder."""
    entries = manifest.get("files")
    found = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [entry for entry in found if _plain_name(entry.get("path"))]


def _plain_name(path: object) -> bool:
    return isinstance(path, str) and bool(path) and not path.startswith(".") and not set(path) & set("/\\\x00")


def check_files(manifest: Mapping[str, object], files: Mapping[str, bytes], ledger: Ledger) -> dict[str, Table]:
    """Check every listed file and return the tables among them by name; what cannot be read is left out."""
    entries = manifest.get("files")
    ledger.same(
        (MANIFEST, None, "files"), len(listed_files(manifest)), len(entries) if isinstance(entries, list) else 0
    )
    tables: dict[str, Table] = {}
    for entry in listed_files(manifest):
        name = str(entry["path"])
        if name not in files:
            ledger.fault((name, None, None), "a file that the manifest names", "missing")
            continue
        _check_bytes(name, entry, files[name], ledger)
        table = _check_table(name, entry, files[name], ledger) if name.endswith(".csv") else None
        if table is not None:
            tables[name] = table
    return tables


def _check_bytes(name: str, entry: Json, data: bytes, ledger: Ledger) -> None:
    ledger.same((name, None, "bytes"), len(data), entry.get("bytes"))
    ledger.same((name, None, "sha256"), hashlib.sha256(data).hexdigest(), entry.get("sha256"))


def _check_table(name: str, entry: Json, data: bytes, ledger: Ledger) -> Table | None:
    try:
        header, rows = parse_table(data)
    except UnreadableError as broken:
        ledger.fault((name, None, None), "a table", str(broken))
        return None
    ledger.same((name, None, "columns"), header, entry.get("columns"))
    ledger.same((name, None, "rows"), len(rows), entry.get("rows"))
    ledger.same((name, None, "columns named once"), len(set(header)), len(header))
    if ROW_HASH in header:
        place = header.index(ROW_HASH)
        for number, cells in enumerate(rows, start=2):
            ledger.same((name, str(number), ROW_HASH), row_hash(header, cells), cells[place])
    return header, rows
