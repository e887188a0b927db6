"""What a rater attests at the lock: the exact wording, which is hashed into the lock.

A false or missing attestation blocks the lock, and nobody attests for another (protocol, "Attestations at lock").
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.canonical import canonical_json, sha256_hex

ATTESTATIONS: Mapping[str, str] = {
    "coded_by_me": "I coded these claims myself, and I am a human.",
    "alone": "I coded alone and did not discuss these claims with anyone.",
    "no_model": "I used no AI model or assistant for these codings.",
    "codebook_read": "I read the codebook of this version in full before coding.",
    "blind": "I know of no model, arm or run behind these transcripts beyond what I flagged.",
    "relations": "I have declared every relation I have to a vendor, author or run that could be behind them.",
    "not_author": "I am not the author of any of these runs.",
}


def wording_sha256() -> str:
    """Return the hash of the wording that was attested to."""
    return sha256_hex(canonical_json(dict(ATTESTATIONS)))
