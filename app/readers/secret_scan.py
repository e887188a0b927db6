"""Whether a log seems to hold keys and passwords: told as warnings, by session and turn, never shown, never removed.

Raters, exports and servers will see these texts; whoever imports should know before they do. A pattern that matches
proves nothing, and none that does not.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.domain.turnlog.schema import list_rows
from app.readers.notes import Notes

PATTERNS = {
    "a private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
    "an API key": r"\bsk-(?:ant-|proj-|or-v1-)?[A-Za-z0-9_-]{32,}",
    "a GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})",
    "a cloud access key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}\b",
    "a chat token": r"\bxox[abprs]-[0-9A-Za-z-]{20,}",
    "a hub token": r"\bhf_[A-Za-z]{34}\b",
}
_ANY = "|".join(f"(?:{pattern})" for pattern in PATTERNS.values())


def warn_of_secrets(table: pa.Table, notes: Notes) -> None:
    """Record a warning for each turn whose words, arguments, outputs or left-over fields seem to hold a secret."""
    for column, rows, texts in _texts(table):
        suspect = np.asarray(pc.indices_nonzero(pc.match_substring_regex(texts, _ANY)), dtype=np.int64)
        for place in suspect.tolist():
            row = int(rows[place]) if rows is not None else place
            where = f"session {table.column('session_id')[row].as_py()} turn {table.column('turn_index')[row].as_py()}"
            notes.warn(f"{where}, {column}", f"holds what looks like {_kind(texts[place])}")


def _texts(table: pa.Table) -> list[tuple[str, np.ndarray | None, pa.ChunkedArray]]:
    """Each text column, and for texts inside lists the row each one stands in."""
    words = ("text", "reasoning", "extra_json")
    found: list[tuple[str, np.ndarray | None, pa.ChunkedArray]] = [(name, None, table.column(name)) for name in words]
    for name, inner in (("tool_calls", "args_json"), ("tool_results", "output")):
        items = table.column(name)
        found.append((f"{name}.{inner}", list_rows(items), pc.struct_field(pc.list_flatten(items), inner)))
    return found


def _kind(text: pa.Scalar) -> str:
    return next(kind for kind, pattern in PATTERNS.items() if pc.match_substring_regex(text, pattern).as_py())
