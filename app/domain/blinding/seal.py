"""The seal: opaque ids under a study's key. Whoever has no key cannot go from an id to what it stands for.

It does not keep keys or mappings; the custodian's tables do.
"""

from __future__ import annotations

import hashlib
import hmac

KEY_BYTES = 32
"""The length of a study key in bytes."""

_SEPARATOR = b"\x1f"


def blind_id(key: bytes, native: str) -> str:
    """Return the blind id of a native run or claim id: the full lower-case hex HMAC-SHA256 under the study key.

    RFC 2104 with SHA-256. Raises `ValueError` for an empty key: an unkeyed id could be found by trying names.
    """
    return _digest(key, native.encode("utf-8"))


def derived_id(key: bytes, *parts: str | int) -> str:
    """Return an opaque id for a thing that has no native id (an assignment, a packet, a queue item, a lock).

    The parts name it within the study, e.g. `derived_id(key, "assignment", "R1", blind_claim_id)`. Parts are set apart
    by length, so ("ab", "c") and ("a", "bc") differ, and no derived id equals the blind id of a native id without
    U+001F. Looks like any blind id: 64 hex digits.
    """
    if not parts:
        raise ValueError("a derived id needs at least one part")
    pieces = [str(part).encode("utf-8") for part in parts]
    return _digest(key, _SEPARATOR.join([b"", *(b"%d:%s" % (len(piece), piece) for piece in pieces)]))


def _digest(key: bytes, message: bytes) -> str:
    if not key:
        raise ValueError("the study key is empty")
    return hmac.new(key, message, hashlib.sha256).hexdigest()
