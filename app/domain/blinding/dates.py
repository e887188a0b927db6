"""Dates and times that tell when a run took place, shown as offsets from its start instead.

Only those near the run's own time are touched: they give away which model it can have been. A date of the matter at
hand (a fixture, an old commit, a report) is evidence and stays. It does not know zones: a time without one is read as
UTC, so offsets of such times may be shifted by whole hours, all alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cached_property

from app.domain.blinding.term import Term

_NEAR = timedelta(days=2)
_FINEST = 800  # up to so many days are looked at one by one, of longer runs every second, third, …
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(name.title() for name in _MONTHS)})[a-z]{{0,6}}"
_CLOCK = r"(?P<hour>[0-2]\d):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?"
_ZONE = r"(?:[ ]?(?P<zone>Z|UTC|GMT|[+-][01]\d:?[0-5]\d)(?![\w:]))?"
_YEAR = r"(?P<year>20\d\d)"

_FORMS = (
    # 2026-07-25, 2026-07-25T09:00:00.123Z, 2026/07/25 09:00
    rf"(?<![\w.-]){_YEAR}(?P<sep>[-/])(?P<number>[01]\d)(?P=sep)(?P<day>[0-3]\d)(?:[T ]{_CLOCK}{_ZONE})?(?![\w:])",
    # 20260725T090000Z, 20260725_090000, 20260725-090000, 20260725
    rf"(?<![\w.]){_YEAR}(?P<number>[01]\d)(?P<day>[0-3]\d)"
    r"(?:[T_-]?(?P<hour>[0-2]\d)(?P<minute>[0-5]\d)(?P<second>[0-5]\d)(?P<zone>Z)?)?(?!\w)",
    # Sat Jul 25 09:00:00 2026 +0200, Sat Jul 25 09:00:00 UTC 2026, Jul 25 09:00, Jul 25 2026
    rf"(?<!\w)(?:[A-Z][a-z]{{2}},? )?{_MONTH} {{1,2}}(?P<day>[0-3]?\d),? "
    rf"(?:{_CLOCK}(?: (?:UTC|GMT))?(?: {_YEAR}(?!\w))?{_ZONE}|(?P<only>20\d\d)(?!\w))",
    # Sat, 25 Jul 2026 09:00:00 +0000, 25 Jul 2026
    rf"(?<!\w)(?:[A-Z][a-z]{{2}}, )?(?P<day>[0-3]?\d) {_MONTH} {_YEAR}(?: {_CLOCK}{_ZONE})?(?![\w:])",
    # seconds and milliseconds since 1970
    r"(?<![\w.])(?P<epoch>1[6-9]\d{8})(?:\d{3}|\.\d{1,9})?(?![\w.])",
)
_PATTERNS = tuple(re.compile(form) for form in _FORMS)


@dataclass(frozen=True)
class Period:
    """When a run took place: its first and last time, both aware."""

    first: datetime
    last: datetime

    def find(self, text: str) -> Iterator[tuple[int, int, Term]]:
        """Yield (start, end, term) for each date or time of the (folded, cased) text within two days of the run.

        The term's placeholder is `⟨T+h:mm:ss⟩` from the first time, or `⟨DAY+n⟩` from its day where only a day stands.
        """
        for pattern, gates in zip(_PATTERNS, self._gates, strict=True):
            if not any(gate in text for gate in gates):
                continue
            for match in pattern.finditer(text):
                placeholder = self._placeholder(match.groupdict())
                if placeholder:
                    found = match.group()
                    end = match.end() - (len(found) - len(found.rstrip()))
                    yield match.start(), end, Term(found, "time", placeholder, origin="dictionary")

    @cached_property
    def _gates(self) -> tuple[set[str], ...]:
        """The texts, for each form, of which one must occur for a date of this period to occur."""
        n_days = (self.last - self.first + 2 * _NEAR).days + 2
        days = [self.first - _NEAR + timedelta(days=n) for n in range(-1, n_days + 1, 1 + n_days // _FINEST)]
        years, months = {str(day.year) for day in days}, {_MONTHS[day.month - 1].title() for day in days}
        return years, years, months, months, {str(int(day.timestamp()))[:4] for day in days}

    def _placeholder(self, parts: dict[str, str | None]) -> str | None:
        moment = next((one for one in self._moments(parts) if self._is_near(one)), None)
        if moment is None:
            return None
        if parts.get("hour") is None and parts.get("epoch") is None:
            days = (moment.date() - self.first.astimezone(UTC).date()).days
            return f"⟨DAY{days:+d}⟩"
        seconds = int((moment - self.first).total_seconds() // 1)
        sign, seconds = ("-" if seconds < 0 else "+"), abs(seconds)
        return f"⟨T{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}⟩"

    def _is_near(self, moment: datetime) -> bool:
        return self.first - _NEAR <= moment <= self.last + _NEAR

    def _moments(self, parts: dict[str, str | None]) -> Iterator[datetime]:
        """Yield the moments that may be meant: none for what is no date, several where no year stands."""
        if parts.get("epoch"):
            yield datetime.fromtimestamp(int(parts["epoch"] or 0), UTC)
            return
        year = parts.get("year") or parts.get("only")
        month = parts.get("number") or _MONTHS.index((parts.get("month") or "jan").lower()) + 1
        hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
        zone = _zone(parts.get("zone"))
        for one in [int(year)] if year else range(self.first.year - 1, self.last.year + 2):
            with suppress(ValueError):
                yield datetime(one, int(month), int(parts["day"] or 0), hour, minute, second, 0, zone)


def _zone(zone: str | None) -> timezone:
    if zone is None or zone in ("Z", "UTC", "GMT"):
        return UTC
    digits = zone[1:].replace(":", "")
    shift = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-shift if zone.startswith("-") else shift)
