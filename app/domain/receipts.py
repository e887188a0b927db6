"""What a lock's receipt covers: the current answers of a packet, with the codebook and what was shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.domain.canonical import canonical_json, sha256_hex


def locked_rows_sha256(
    codebook_sha256: str, packet_sha256: str, rows: Iterable[tuple[str, Mapping[str, Any], int]]
) -> str:
    """Return the hash of a packet's locked rows; each row is blind claim id, answer and revision, in any order."""
    canonical = sorted(
        canonical_json({"blind_claim_id": claim_id, "answer": answer, "revision": revision})
        for claim_id, answer, revision in rows
    )
    return sha256_hex("\n".join([codebook_sha256, packet_sha256, *canonical]) + "\n")
