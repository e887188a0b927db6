"""Which values a field takes: an option's code, a citation list, a span, a text, flags.

Responsible for the shape of one value against its field. What values of several fields mean together is for the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.domain.codebook.model import Field
from app.domain.codebook.subject import is_turn
from app.domain.turnlog.positions import PARTS

FIELD_TYPES = ("enum", "turn_list", "citation_list", "span", "text", "flags")
SPAN_KEYS = ("from_turn", "looked_for", "to_turn")
_SHOWN = 40


def quoted(value: Any) -> str:
    """Return a short, one-line form of a sent value for a message.

    >>> quoted("FOO"), quoted(7), quoted([1])
    ('“FOO”', '7', 'a list')
    """
    if isinstance(value, str):
        line = " ".join(value.split())
        return f"“{line[:_SHOWN]}…”" if len(line) > _SHOWN else f"“{line}”"
    if isinstance(value, list | tuple):
        return "a list"
    return "a mapping" if isinstance(value, dict) else str(value)[:_SHOWN]


def is_complete_span(value: Any) -> bool:
    """Return whether a value is a whole search span: two positions in order and the words of what was looked for."""
    if not isinstance(value, dict) or tuple(sorted(value)) != SPAN_KEYS:
        return False
    first, last = value["from_turn"], value["to_turn"]
    sought = value["looked_for"]
    return is_turn(first) and is_turn(last) and 0 <= first <= last and isinstance(sought, str) and bool(sought.strip())


def shape_faults(field: Field, value: Any) -> list[str]:
    """Return what of a value the field does not take, as words for a message; nothing for a value it takes."""
    return _CHECKS[field.type](field, value)


def _enum(field: Field, value: Any) -> list[str]:
    return [] if isinstance(value, str) and value in field.codes else [f"{quoted(value)} for {field.name}"]


def _flags(field: Field, value: Any) -> list[str]:
    if not isinstance(value, list):
        return [f"{quoted(value)} for {field.name} (it takes a list)"]
    return [fault for item in value for fault in _enum(field, item)]


def _text(field: Field, value: Any) -> list[str]:
    if not isinstance(value, str):
        return [f"{quoted(value)} for {field.name} (it takes a text)"]
    if field.max_length is not None and len(value) > field.max_length:
        return [f"a {field.name} of {len(value)} characters where {field.max_length} are the most"]
    return []


def _span(field: Field, value: Any) -> list[str]:
    if is_complete_span(value):
        return []
    return [
        f"a {field.name} without its first turn (from_turn), its last (to_turn, not before it) and the words of what "
        "was looked for (looked_for)"
    ]


def _citations(field: Field, value: Any) -> list[str]:
    if not isinstance(value, list):
        return [f"{quoted(value)} for {field.name} (it takes a list)"]
    return [fault for item in value for fault in _citation(field, item)]


def _citation(field: Field, item: Any) -> list[str]:
    if not isinstance(item, dict) or not is_turn(item.get("turn")):
        return [f"an entry of {field.name} without a turn number"]
    where = f"of the citation of turn {item['turn']}"
    faults = [f"the key {quoted(key)} {where}" for key in item if key not in _citation_keys(field)]
    allowed = {"role": field.roles, "tier": field.tiers, "part": PARTS}
    faults += [
        f"the {key} {quoted(item[key])} {where}"
        for key, codes in allowed.items()
        if key in item and item[key] not in codes
    ]
    return faults + _quote(field, item.get("quote"), where)


def _citation_keys(field: Field) -> tuple[str, ...]:
    return ("turn", "part") if field.type == "turn_list" else ("turn", "part", "role", "tier", "quote")


def _quote(field: Field, quote: Any, where: str) -> list[str]:
    if quote is None or field.type == "turn_list":
        return []
    if not isinstance(quote, str):
        return [f"a quote that is not a text {where}"]
    if field.quote_max is not None and len(quote) > field.quote_max:
        return [f"a quote of {len(quote)} characters {where}, where {field.quote_max} are the most"]
    return []


_CHECKS: dict[str, Callable[[Field, Any], list[str]]] = {
    "enum": _enum,
    "flags": _flags,
    "text": _text,
    "span": _span,
    "turn_list": _citations,
    "citation_list": _citations,
}
