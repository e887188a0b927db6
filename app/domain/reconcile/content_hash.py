"""The publisher's content hash, rebuilt with the publisher's own serializer: pandas.

SHA-256 over the tables as CSV with sorted columns, floats in the declared format, joined by the declared text. It
tests whether the tables serialize to the same bytes, nothing more, and exists in this implementation alone: a second
CSV writer would test itself. The order of rows belongs to what is hashed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.canonical import sha256_hex
from app.domain.reconcile.spec import ContentHash


def rebuild_content_hash(rule: ContentHash, frames: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{computed, shipped, equal, implementation}`; `frames`: role → a frame as pandas reads it by default."""
    parts = [
        frames[role][sorted(frames[role].columns)].to_csv(index=False, float_format=rule.float_format)
        for role in rule.tables
    ]
    computed = sha256_hex(rule.joined_by.join(parts))
    return {
        "computed": computed,
        "shipped": rule.shipped,
        "equal": computed == rule.shipped,
        "implementation": "A alone; outside the gate",
    }
