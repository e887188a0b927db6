"""How a reconciliation's numbers are written in its reports: six decimals at most, an undefined one in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.domain.canonical import round_half_even


def figure(value: Any) -> str:
    """Return a value as a report writes it: floats at six decimals at most, half to even, without trailing zeros.

    >>> figure(0.1234567), figure(34.0), figure(None), figure(True), figure("x")
    ('0.123457', '34', '–', 'yes', 'x')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        rounded = round_half_even(value, 6)
        return f"{rounded if rounded else 0.0:.6f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) else str(value)


def row_of(line: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, ...]:
    """Return the named values of a line as a report writes them."""
    return tuple(figure(line[key]) for key in keys)


def listed(names: Iterable[str], none: str = "none", most: int = 40) -> str:
    """Return names one after another; beyond `most` the number of the others.

    >>> listed(["a", "b"]), listed([])
    ('a, b', 'none')
    """
    known = list(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return ", ".join(known[:most]) + more if known else none


def added_up(classes: Mapping[str, int], total: int) -> str:
    """Return the class counts as the sum they make.

    >>> added_up({"structural": 2, "divergent": 1}, 3)
    'structural 2 + divergent 1 = 3'
    """
    return " + ".join(f"{name} {n:,}" for name, n in classes.items()) + f" = {total:,}"
