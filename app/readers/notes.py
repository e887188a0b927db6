"""What a reader had to repair or leave out, gathered while it reads and told at the end.

One warning a kind and place, not one a character; the reader goes on. What cannot be repaired is a `BadInput` instead.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

MOST_PER_KIND = 20


@dataclass
class Notes:
    """Warnings in the order they arose; past `MOST_PER_KIND` of a kind they are only counted."""

    _warnings: list[str] = field(default_factory=list)
    _kinds: Counter[str] = field(default_factory=Counter)

    def warn(self, where: str, what: str) -> None:
        """Record that `what` happened at `where` (a file, a line, a session); `what` is also the kind counted."""
        self._kinds[what] += 1
        if self._kinds[what] <= MOST_PER_KIND:
            self._warnings.append(f"{where}: {what}")

    def warnings(self) -> list[str]:
        """Return all warnings, and one closing line for each kind that came too often to list."""
        over = [(what, n - MOST_PER_KIND) for what, n in self._kinds.items() if n > MOST_PER_KIND]
        return [*self._warnings, *(f"{n} more places: {what}" for what, n in over)]
