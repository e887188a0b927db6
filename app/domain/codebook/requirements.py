"""Whether a rule's conditions and requirements mean anything under a codebook, asked before any coding is judged.

Every field, value and predicate they name must exist. Whether the rules together make sense is `integrity`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.codebook.parameters import takes_role, value_fault
from app.domain.codebook.registry import PREDICATES, predicate_names
from app.domain.codebook.subject import COMPUTED

_SOFTEN_KEYS = {"when", "require"}


def condition_fault(codebook: Codebook, when: Any) -> str | None:
    """Return what is wrong with a condition (field → allowed values), or None."""
    if not isinstance(when, Mapping):
        return "takes {field: [value, …]}"
    return next((fault for name, allowed in when.items() if (fault := _one_condition(codebook, name, allowed))), None)


def _one_condition(codebook: Codebook, name: str, allowed: Any) -> str | None:
    if not isinstance(allowed, list | tuple) or not allowed:
        return f"{name}: takes a list of values"
    if name not in COMPUTED:
        fault = next((fault for code in allowed if (fault := value_fault(codebook, name, code))), None)
        return f"{name}: {fault}" if fault else None
    known = COMPUTED[name]
    if known is None:
        fault = next((fault for role in allowed if (fault := takes_role(codebook, role))), None)
        return f"{name}: {fault}" if fault else None
    wrong = next((value for value in allowed if value not in known), None)
    return None if wrong is None else f"{name}: {wrong} is none of {', '.join(str(k).lower() for k in known)}"


def requirement_fault(codebook: Codebook, requirement: Any) -> str | None:
    """Return what is wrong with one requirement of a rule, beginning with the key it is at, or None."""
    if not isinstance(requirement, Mapping):
        return "takes {predicate: parameter}"
    names = predicate_names(requirement)
    if len(names) != 1:
        return f"takes exactly one predicate, and has {', '.join(names) or 'none'}"
    found = PREDICATES.get(names[0])
    if found is None:
        return f"{names[0]}: there is no such predicate"
    fault = found.takes(codebook, requirement[names[0]])
    return f"{names[0]}: {fault}" if fault else _extras_fault(codebook, requirement)


def _extras_fault(codebook: Codebook, requirement: Mapping[str, Any]) -> str | None:
    for key in ("when", "unless"):
        fault = condition_fault(codebook, requirement[key]) if key in requirement else None
        if fault:
            return f"{key}: {fault}"
    message = requirement.get("message", "-")
    if not isinstance(message, str) or not message.strip():
        return "message: takes one sentence"
    return _soften_fault(codebook, requirement["soften"]) if "soften" in requirement else None


def _soften_fault(codebook: Codebook, soften: Any) -> str | None:
    if not isinstance(soften, Mapping) or set(soften) != _SOFTEN_KEYS or not isinstance(soften["require"], list):
        return "soften: takes {when: …, require: [ … ]}"
    fault = condition_fault(codebook, soften["when"])
    fault = fault or next((f for part in soften["require"] if (f := requirement_fault(codebook, part))), None)
    return f"soften: {fault}" if fault else None
