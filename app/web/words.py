"""How values read on a page: numbers, times, labels, and the tone a verdict is drawn in. No HTML, no data access."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.codebook.model import Codebook, Field, Option
from app.domain.codebook.wording import option_title
from app.domain.stats.statistic import REASONS

_CLOCK = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?")


def tone(codebook: Codebook, code: str) -> str:
    """Return the tone a label is drawn in: `yes`, `part`, `absent`, `conflict` or `open`, from credit and gap policy.

    A decided label without credit is `conflict` where the strictest gap policy counts it, else `absent`.
    """
    option = next((option for option in codebook.verdicts if option.code == code), None)
    if option is None or option.credit is None:
        return "open"
    if option.credit >= 1:
        return "yes"
    if option.credit > 0:
        return "part"
    strictest = min(codebook.gap_policies.values(), key=len, default=())
    return "conflict" if code in strictest else "absent"


def letters(options: Sequence[Option]) -> dict[str, str]:
    """Return option → one capital that stands for it: the codebook's own, else its first letter nobody has taken.

    >>> letters([Option("UNBACKED"), Option("UNDETERMINED")])
    {'UNBACKED': 'U', 'UNDETERMINED': 'N'}
    """
    taken: dict[str, str] = {option.code: option.letter for option in options if option.letter}
    for option in options:
        if option.code not in taken:
            free = (char.upper() for char in option.code if char.isalnum() and char.upper() not in taken.values())
            taken[option.code] = next(free, "·")
    return {option.code: taken[option.code] for option in options}


def attribute_json(value: Any) -> str:
    """Return a value as compact JSON for a `data-` attribute; the template escapes it like any other text."""
    return json.dumps(value, separators=(",", ":"), default=dict)


def clock(moment: Any) -> str:
    """Return a stored moment as `2026-07-25 14:02` (UTC); what is no ISO time reads as it stands.

    >>> clock("2026-07-25T14:02:11+00:00"), clock(None), clock("soon")
    ('2026-07-25 14:02', '', 'soon')
    """
    if moment is None:
        return ""
    found = _CLOCK.match(str(moment))
    return f"{found.group(1)} {found.group(2)}" if found else str(moment)


def time_of_day(moment: Any) -> str:
    """Return only the time of a stored moment, with seconds: `14:02:11`.

    >>> time_of_day("2026-07-25T14:02:11+00:00")
    '14:02:11'
    """
    found = _CLOCK.match(str(moment))
    return f"{found.group(2)}{found.group(3) or ''}" if found else str(moment or "")


def number(value: Any) -> str:
    """Return an integer with thousands separated, as English prints it: `2,113`."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def fixed(value: Any, digits: int = 3) -> str:
    """Return a float with fixed decimals and a true minus; None reads `undefined`.

    >>> fixed(-0.02339), fixed(None)
    ('−0.023', 'undefined')
    """
    if value is None:
        return "undefined"
    return f"{value:.{digits}f}".replace("-", "−")


def share(part: int, whole: int) -> str:
    """Return a whole percentage, `28 %`; of nothing it is `–`."""
    return f"{100 * part / whole:.0f} %" if whole else "–"


def reason_words(code: Any) -> str:
    """Return why a statistic is undefined, in words."""
    return REASONS.get(str(code), str(code).replace("_", " "))


def heat(count: int, largest: int) -> int:
    """Return the shade 0..8 of a matrix cell: 0 for none, else by its share of the largest cell."""
    return 0 if not count or not largest else 1 + round(7 * count / largest)


def answer_lines(codebook: Codebook, answer: Mapping[str, Any]) -> list[tuple[Field, list[str]]]:
    """Return an answer as (field, readable values) in the codebook's order, absent fields left out."""
    lines = []
    for field in codebook.fields:
        value = answer.get(field.name)
        if value not in (None, "", [], (), {}):
            lines.append((field, readable(field, value)))
    return lines


def readable(field: Field, value: Any) -> list[str]:
    """Return one answer value as lines of words: an option's title, `turn 38 supports T1`, a span, flags, a text."""
    if field.type in ("citation_list", "turn_list"):
        return [_citation(row) for row in value]
    if field.type == "span":
        turns = f"turns {value.get('from_turn', '?')}–{value.get('to_turn', '?')}"
        return [turns, *([f"looked for: {value['looked_for']}"] if value.get("looked_for") else [])]
    if field.type == "flags":
        return [option_title(field, flag) for flag in value]
    return [option_title(field, value) if field.type == "enum" else str(value)]


def _citation(row: Any) -> str:
    if not isinstance(row, Mapping):
        return f"turn {row}"
    words = [f"turn {row.get('turn')}", *(str(row[key]) for key in ("part", "role", "tier") if row.get(key))]
    return " ".join(words) + (f" “{row['quote']}”" if row.get("quote") else "")


def group_coverage(coverage: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Return the channel coverage map by level, fullest first, channels in their given order."""
    order = ("full", "gapped", "none")
    levels = sorted(set(coverage.values()), key=lambda level: order.index(level) if level in order else len(order))
    return [(level, [name for name, found in coverage.items() if found == level]) for level in levels]
