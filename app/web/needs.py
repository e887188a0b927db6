"""What an answer still asks for, read off the codebook's own rules: needed fields, the role a citation would need.

The form shows a needed field open and an optional one folded; it never decides anything: the rule engine judges.
Nothing here names a label, a kind or a field of any particular codebook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.domain.codebook.model import EVIDENCE_TYPES, Codebook, Field
from app.domain.coding import kind_class, shown_fields

# Predicates whose parameter names the field(s) they look at, and those that look at the evidence or the note.
_NAMING = ("present", "equals", "one_of")
Condition = dict[str, list[Any]]


def evidence_field(codebook: Codebook) -> Field | None:
    """Return the field that holds citations, or None where the codebook has none."""
    return codebook.first_of(*EVIDENCE_TYPES)


def _leaves(requirement: Mapping[str, Any]) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Yield each predicate of a requirement with its parameter and its own `when`; of alternatives only the first."""
    own = requirement.get("when") or {}
    for name, parameter in requirement.items():
        if name in ("any_of", "all_of"):
            for inner in parameter[:1] if name == "any_of" else parameter:
                for leaf_name, leaf, when in _leaves(inner):
                    yield leaf_name, leaf, {**own, **when}
        elif name not in ("when", "unless", "message", "soften"):
            yield name, parameter, own


def _fields_named(codebook: Codebook, predicate: str, parameter: Any) -> list[str]:
    if predicate in _NAMING:
        return [parameter] if isinstance(parameter, str) else list(parameter)
    if predicate == "note_min":
        return [field.name for field in codebook.fields if field.name == "note"]
    if predicate == "length_min":
        return [parameter["field"]]
    evidence = evidence_field(codebook)
    return (
        [evidence.name]
        if evidence and predicate in ("cites_min", "cites_at_or_before_claim", "cites_in_window")
        else []
    )


def _condition(*parts: Mapping[str, Sequence[Any]]) -> Condition:
    merged: Condition = {}
    for part in parts:
        for name, values in part.items():
            wanted = list(values) if isinstance(values, list | tuple) else [values]
            merged[name] = [v for v in merged[name] if v in wanted] if name in merged else wanted
    return merged


def list_needs(codebook: Codebook) -> dict[str, list[Condition]]:
    """Return field → the conditions under which some hard rule asks for it: one suffices, if all its parts hold.

    A condition names fields of the answer or `kind_class`; one that names what only the server can compute never makes
    a field needed.
    """
    known = {field.name for field in codebook.fields} | {"kind_class"}
    needs: dict[str, list[Condition]] = {}
    for rule in codebook.rules:
        if rule.level != "hard":
            continue
        for requirement in rule.require:
            for predicate, parameter, own in _leaves(requirement):
                condition = _condition(rule.when, own)
                for name in _fields_named(codebook, predicate, parameter) if condition.keys() <= known else ():
                    if condition not in needs.setdefault(name, []):
                        needs[name].append(condition)
    return needs


def is_foldable(field: Field, conditions: Sequence[Condition]) -> bool:
    """Return whether only some of the answers a field belongs to need it: such a field is folded until one does.

    False for a field no rule asks for, and for one that is needed wherever it belongs.
    """
    if field.type not in ("enum", "span") or not conditions:
        return False
    always = any(
        all(name in field.when and set(field.when[name]) <= set(allowed) for name, allowed in condition.items())
        for condition in conditions
    )
    return not always


def list_role_hints(codebook: Codebook) -> list[dict[str, Any]]:
    """Return `{"when", "role"}` for each hard rule that wants a citation of one role: what `e` fills in."""
    hints: list[dict[str, Any]] = []
    for rule in codebook.rules:
        for requirement in rule.require if rule.level == "hard" else ():
            for predicate, parameter, own in _leaves(requirement):
                role = parameter.get("role") if predicate == "cites_min" and isinstance(parameter, Mapping) else None
                if role and role != "any":
                    hints.append({"when": _condition(rule.when, own), "role": role})
    return hints


def holds(codebook: Codebook, answer: Mapping[str, Any], condition: Mapping[str, Sequence[Any]]) -> bool:
    """Return whether a condition holds for an answer; `kind_class` is computed from its kind."""
    for name, allowed in condition.items():
        value = kind_class(codebook, answer.get("claim_kind")) if name == "kind_class" else answer.get(name)
        if value not in allowed:
            return False
    return True


def needed_fields(codebook: Codebook, answer: Mapping[str, Any]) -> frozenset[str]:
    """Return the shown fields that a hard rule asks for as the answer stands."""
    needs = list_needs(codebook)
    return frozenset(
        name
        for name in shown_fields(codebook, answer)
        if any(holds(codebook, answer, condition) for condition in needs.get(name, ()))
    )


def role_for(codebook: Codebook, answer: Mapping[str, Any]) -> str | None:
    """Return the role a new citation would need as the answer stands; None when no rule, or more than one, says."""
    roles = {hint["role"] for hint in list_role_hints(codebook) if holds(codebook, answer, hint["when"])}
    return roles.pop() if len(roles) == 1 else None
