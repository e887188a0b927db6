"""The ledger of a verification: how many values were compared, and which of them differ, where.

It compares and remembers; it knows nothing of what the values mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TOLERANCE = 1e-9


@dataclass
class Ledger:
    """Counts comparisons and collects mismatches, each `{file, row, column, expected, found}`.

    `expected` is what was recomputed, `found` what the folder says; `row`, `column` are null where they do not apply.
    """

    checked: int = 0
    mismatches: list[dict[str, object]] = field(default_factory=list)

    def same(self, where: tuple[str, str | None, str | None], expected: object, found: object) -> bool:
        """Compare one value; numbers may differ by 1e-9 (counts, which are whole, may not differ at all)."""
        self.checked += 1
        if _equal(expected, found):
            return True
        self.fault(where, expected, found)
        return False

    def close(self, where: tuple[str, str | None, str | None], expected: float | None, found: object) -> bool:
        """Compare a recomputed number with a stated one to 1e-9, whole or not; null equals null alone."""
        number = None if isinstance(found, bool) or not isinstance(found, int | float) else float(found)
        plain = number if number is not None else found
        return self.same(where, None if expected is None else float(expected), plain)

    def fault(self, where: tuple[str, str | None, str | None], expected: object, found: object) -> None:
        """Note a mismatch that needs no comparison."""
        file, row, column = where
        self.mismatches.append({"file": file, "row": row, "column": column, "expected": expected, "found": found})

    def add(self, other: Ledger) -> None:
        """Take over what another ledger holds."""
        self.checked += other.checked
        self.mismatches.extend(other.mismatches)

    def document(self) -> dict[str, object]:
        """Return `{ok, checked, mismatches}`."""
        return {"ok": not self.mismatches, "checked": self.checked, "mismatches": self.mismatches}


def _equal(expected: object, found: object) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, int) and isinstance(found, int):
        return expected == found
    if isinstance(expected, int | float) and isinstance(found, int | float):
        return abs(expected - found) <= TOLERANCE
    return type(expected) is type(found) and expected == found
