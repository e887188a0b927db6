"""Moments in one written form: ISO 8601, UTC, microseconds, `Z`. The clock itself is always passed in."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(moment: datetime) -> str:
    """Return an aware moment as `2026-07-25T09:00:00.000000Z`; a naive one raises `ValueError`.

    >>> iso(datetime(2026, 7, 25, 9, tzinfo=UTC))
    '2026-07-25T09:00:00.000000Z'
    """
    if moment.tzinfo is None:
        raise ValueError("a moment needs its time zone")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse(text: str) -> datetime:
    """Return the aware moment that `iso` wrote."""
    return datetime.fromisoformat(text)


def seconds_between(earlier: str, later: str) -> float:
    """Return the seconds from one written moment to another (negative when the order is reversed)."""
    return (parse(later) - parse(earlier)).total_seconds()


def to_the_minute(text: str) -> str:
    """Return a written moment as it stands in a sentence, UTC.

    >>> to_the_minute("2026-07-25T09:00:00.000000Z")
    '2026-07-25 09:00'
    """
    return text[:16].replace("T", " ")
