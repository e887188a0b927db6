"""What one answer is, in its one canonical form, and what the form and the tables derive from it.

The same answer may come from a form, the JSON API, a CSV row or a case file; here they become one mapping. Whether it
is allowed is the rule engine's question (`app.domain.codebook.rules`), not this module's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.codebook.model import Codebook, Field
from app.domain.errors import BadInput
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit, Run
from app.domain.turnlog.tiers import derived_tier, list_tiers
from app.domain.turnlog.windows import Window, due_turn, find_window

__all__ = [
    "NOT_CODABLE",
    "derived_tier",
    "drop_hidden",
    "due_point",
    "intent_window",
    "kind_class",
    "label_of",
    "list_tiers",
    "normalise",
    "shown_fields",
]

NOT_CODABLE = "not_codable"
_SORTED_BY = ("role", "part", "tier", "quote")


def normalise(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the canonical form of an answer: absent values gone, keys sorted, lists in one order.

    null, the empty text, the empty list and the empty mapping are absent, also inside a citation or a span. A bare turn
    number in a list becomes `{"turn": n}`; citations stand by turn, role, part and tier; flags alphabetically, each
    once. Values of a wrong shape are kept as sent, for the rules to refuse. Normalising twice changes nothing.

    >>> normalise({"note": "", "flags": ["other", "hedged"], "evidence": [9, 4]})
    {'evidence': [{'turn': 4}, {'turn': 9}], 'flags': ['hedged', 'other']}
    """
    cleaned = {str(name): _cleaned(value) for name, value in answer.items()}
    return {name: cleaned[name] for name in sorted(cleaned) if not _absent(cleaned[name])}


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | tuple | dict) and len(value) == 0)


def _cleaned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): value[key] for key in sorted(value, key=str) if not _absent(value[key])}
    if isinstance(value, list | tuple):
        return _ordered([_cited(item) for item in value])
    return value


def _cited(item: Any) -> Any:
    if isinstance(item, int) and not isinstance(item, bool):
        return {"turn": item}
    return _cleaned(item) if isinstance(item, Mapping) else item


def _ordered(items: list[Any]) -> list[Any]:
    if items and all(isinstance(item, str) for item in items):
        return sorted(set(items))
    if items and all(_sortable(item) for item in items):
        return sorted(items, key=lambda item: (item["turn"], *(item.get(key, "") for key in _SORTED_BY)))
    return items


def _sortable(item: Any) -> bool:
    if not isinstance(item, dict) or type(item.get("turn")) is not int:
        return False
    return all(isinstance(item.get(key, ""), str) for key in _SORTED_BY)


def shown_fields(codebook: Codebook, answer: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the fields that belong to this answer: every condition holds, and so for what it names.

    A condition on a field that does not itself belong, or that has no value, does not hold.
    """
    shown: dict[str, bool] = {}
    for field in codebook.fields:
        _is_shown(codebook, field, answer, shown)
    return frozenset(name for name, belongs in shown.items() if belongs)


def _is_shown(codebook: Codebook, field: Field, answer: Mapping[str, Any], shown: dict[str, bool]) -> bool:
    if field.name not in shown:
        shown[field.name] = False  # a condition that leads back to its own field never holds
        shown[field.name] = _all_hold(codebook, field, answer, shown)
    return shown[field.name]


def _all_hold(codebook: Codebook, field: Field, answer: Mapping[str, Any], shown: dict[str, bool]) -> bool:
    for name, allowed in field.when.items():
        asked = codebook.field(name)
        if asked is None or not _allows(answer.get(name), allowed) or not _is_shown(codebook, asked, answer, shown):
            return False
    return True


def _allows(value: Any, allowed: tuple[str, ...]) -> bool:
    if isinstance(value, list | tuple):
        return any(item in allowed for item in value)
    return value in allowed


def drop_hidden(codebook: Codebook, answer: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the answer without the fields its own conditions hide, and the names dropped, in form order.

    For the HTML form only: everything else is judged as sent. Names the codebook does not have stay, and are refused.
    """
    kept = normalise(answer)
    shown = shown_fields(codebook, kept)
    dropped = tuple(field.name for field in codebook.fields if field.name in kept and field.name not in shown)
    return {name: value for name, value in kept.items() if name not in dropped}, dropped


def label_of(answer: Mapping[str, Any]) -> str:
    """Return the main label of an answer: its verdict, or `not_codable`. Raises `BadInput` where there is neither."""
    if answer.get("codability") == NOT_CODABLE:
        return NOT_CODABLE
    verdict = answer.get("verdict")
    if not isinstance(verdict, str) or not verdict:
        raise BadInput("this coding has no verdict and is not marked not_codable: give it one of the two")
    return verdict


def kind_class(codebook: Codebook, kind: Any) -> str | None:
    """Return `backward` or `intent` for a claim kind; None for a kind this codebook does not have.

    A codebook without claim kinds treats every claim as looking back.
    """
    if kind in codebook.forward_kinds:
        return "intent"
    if kind in codebook.backward_kinds:
        return "backward"
    return None if codebook.field("claim_kind") else "backward"


def intent_window(codebook: Codebook, run: Run, claim: ClaimUnit) -> Window:
    """Return where evidence about this claim may lie if it is an intent, by the codebook's window parameters."""
    return find_window(codebook.window, RunView(run), claim)


def due_point(codebook: Codebook, run: Run, claim: ClaimUnit, kind: str | None) -> int:
    """Return the position a recorded search must reach for a claim of this kind."""
    window = intent_window(codebook, run, claim) if kind_class(codebook, kind) == "intent" else None
    return due_turn(window, claim)
