"""A table of the scorecard as people read it: text cells, the plan line, the boundaries, and perhaps a figure.

Responsible for the forms of a cell: three decimals, n/N beside every rate, the reason beside what is undefined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.stats.statistic import REASONS
from app.services.report_numbers import number

Stat = Mapping[str, Any]


@dataclass(frozen=True)
class ScoreTable:
    """One table: `head` names the columns, a column in `numbers` is set flush right. `rows` are as wide as `head`."""

    name: str
    title: str
    mark: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int]
    planned: str
    completed: str
    boundaries: tuple[str, ...]
    note: str = ""
    figure: str | None = None


@dataclass(frozen=True)
class Body:
    """The part of a table that its figures decide."""

    head: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    words: int = 1
    note: str = ""


def out_of(stat: Stat) -> str:
    """Return `value (n/N)`, with the reason where the value is undefined."""
    pair = f"({stat['n']}/{stat['N']})"
    if stat["value"] is None:
        return f"undefined {pair}: {REASONS[stat['undefined_reason']]}"
    return f"{number(stat['value'])} {pair}"


def fraction(stat: Stat) -> str:
    """Return `value (num/den)` of one fraction."""
    pair = f"({_count(stat['num'])}/{_count(stat['den'])})"
    if stat["value"] is None:
        return f"undefined {pair}: {REASONS[stat['undefined_reason']]}"
    return f"{number(stat['value'])} {pair}"


def over(stat: Stat, what: str = "n") -> str:
    """Return `value (n = …)` of a coefficient, with the reason where it is undefined."""
    if stat["value"] is None:
        return f"undefined ({what} = {stat['n']}): {REASONS[stat['undefined_reason']]}"
    return f"{number(stat['value'])} ({what} = {stat['n']})"


def limits(interval: Mapping[str, Any] | None) -> str:
    """Return `[lo, hi]`, or that there is none."""
    if interval is None or interval["lo"] is None:
        return "undefined"
    return f"[{number(interval['lo'])}, {number(interval['hi'])}]"


def signed(value: float | None) -> str:
    """Return a difference with its sign.

    >>> signed(0.5), signed(-0.5), signed(None)
    ('+0.500', '−0.500', 'undefined')
    """
    if value is None:
        return "undefined"
    text = number(abs(value))
    return text if float(text) == 0 else f"{'+' if value > 0 else '−'}{text}"


def place(rank: int | None) -> str:
    """Return a rank, or that there is none."""
    return "none" if rank is None else str(rank)


def _count(number_of: float) -> str:
    return f"{number_of:g}"
