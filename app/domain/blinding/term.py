"""What one thing that blinding hides is: its text, its kind, what stands in its place, how it is looked for.

It holds no list of terms (`names`, `patterns`, `terms`) and does not search (`find`).
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass

LABELS = {
    "model": "MODEL",
    "arm": "ARM",
    "agent": "AGENT",
    "task": "TASK",
    "run": "RUN",
    "file": "FILE",
    "person": "PERSON",
    "term": "TERM",
    "family": "FAMILY",
    "vendor": "VENDOR",
    "product": "PRODUCT",
    "host": "HOST",
    "mail": "MAIL",
    "key": "KEY",
    "id": "ID",
    "time": "TIME",
}
"""Kind → the word in its placeholder."""

PLACEHOLDER = re.compile(rf"⟨(?:(?:{'|'.join(LABELS.values())})-(?:\d+|[0-9a-f]{{8}})|T[+-]\d+:\d\d:\d\d|DAY[+-]\d+)⟩")
"""Every placeholder there is: numbered for what the study knows, eight hex digits for what a pattern finds."""


@dataclass(frozen=True)
class Term:
    """One thing to hide.

    `mode`: `anywhere` (a substring), `word` (a plain word between boundaries), `code` (a short mixed value, no letter
    or digit beside it), `pattern` (`text` is a regular expression; its group `hit`, if any, is what is replaced).
    `origin`: `study` (a value of this study) or `dictionary`. A pattern is tried only where one of its `gates`, if
    any, stands in the folded text. `placeholder` of a pattern is its label; each value found gets its own number,
    keyed by `salt`.
    """

    text: str
    kind: str
    placeholder: str
    mode: str = "anywhere"
    origin: str = "study"
    gates: tuple[str, ...] = ()
    salt: str = ""

    def placeholder_for(self, found: str) -> str:
        """Return what stands in place of the folded text `found`: the same for the same text all over the study."""
        if self.mode != "pattern":
            return self.placeholder
        digest = hmac.new(self.salt.encode(), f"{self.kind}\x1f{found}".encode(), hashlib.sha256).hexdigest()
        return f"⟨{self.placeholder}-{digest[:8]}⟩"


@dataclass(frozen=True)
class Unsearched:
    """A value of the study that is not looked for in texts, and why; for the custodian's eyes."""

    column: str
    value: str
    reason: str
