"""What parameters predicates take: each function returns what is wrong with one under a codebook, or None.

Only parameters are checked here; conditions (`when`) are checked where rules are (`integrity`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.codebook.model import EVIDENCE_TYPES, Codebook, Field
from app.domain.codebook.subject import ANY


def takes_true(_: Codebook, value: Any) -> str | None:
    """The parameter is `true`: the predicate needs no more."""
    return None if value is True else "takes true"


def takes_field(codebook: Codebook, value: Any) -> str | None:
    """The parameter is the name of a field."""
    return None if isinstance(value, str) and codebook.field(value) else f"names no field of this codebook: {value}"


def takes_field_of(*types: str) -> Any:
    """Return the check for the name of a field of one of these types."""

    def check(codebook: Codebook, value: Any) -> str | None:
        field = codebook.field(value) if isinstance(value, str) else None
        return None if field and field.type in types else f"names no field of type {' or '.join(types)}: {value}"

    return check


def takes_fields_listed(key: str) -> Any:
    """Return the check for `true`, or a mapping of `key` to a list of field names."""

    def check(codebook: Codebook, value: Any) -> str | None:
        if value is True:
            return None
        if not isinstance(value, Mapping) or set(value) != {key} or not isinstance(value[key], list):
            return f"takes true or {{{key}: [field, …]}}"
        return next((fault for name in value[key] if (fault := takes_field(codebook, name))), None)

    return check


def takes_note_length(codebook: Codebook, value: Any) -> str | None:
    """The parameter is a number of characters; the codebook has a text field named `note`."""
    note = codebook.field("note")
    if note is None or note.type != "text":
        return "needs a text field named note; length_min names another one"
    return _whole(value, "takes a number of characters")


def takes_length(codebook: Codebook, value: Any) -> str | None:
    """The parameter is `{field: a text field, n: characters}`."""
    if not isinstance(value, Mapping) or set(value) != {"field", "n"}:
        return "takes {field: …, n: …}"
    return takes_field_of("text")(codebook, value["field"]) or _whole(value["n"], "takes a number for n")


def takes_one_value(codebook: Codebook, value: Any) -> str | None:
    """The parameter maps fields to one of their values each."""
    if not isinstance(value, Mapping) or not value:
        return "takes {field: value}"
    return next((fault for name, code in value.items() if (fault := value_fault(codebook, name, code))), None)


def takes_values(codebook: Codebook, value: Any) -> str | None:
    """The parameter maps fields to lists of their values."""
    if not isinstance(value, Mapping) or not value or not all(isinstance(v, list | tuple) for v in value.values()):
        return "takes {field: [value, …]}"
    faults = (value_fault(codebook, name, code) for name, codes in value.items() for code in codes)
    return next((fault for fault in faults if fault), None)


def value_fault(codebook: Codebook, name: str, code: Any) -> str | None:
    """Return what is wrong with `code` as a value of the field `name`; None where it is one of its options."""
    field = codebook.field(name)
    if field is None:
        return f"names no field of this codebook: {name}"
    return None if code in field.codes else f"{code} is no value of {name}"


def takes_flag(codebook: Codebook, value: Any) -> str | None:
    """The parameter is a flag of this codebook."""
    field = codebook.first_of("flags")
    return None if field and value in field.codes else f"is no flag of this codebook: {value}"


def takes_role(codebook: Codebook, value: Any) -> str | None:
    """The parameter is a citation role, or `any`."""
    field = _evidence(codebook)
    if field is None:
        return "needs a field that holds citations"
    return None if value == ANY or value in field.roles else f"is no citation role of this codebook: {value}"


def takes_roles(codebook: Codebook, value: Any) -> str | None:
    """The parameter is a list of citation roles."""
    if not isinstance(value, list) or not value:
        return "takes a list of citation roles"
    return next((fault for role in value if (fault := takes_role(codebook, role))), None)


def takes_count(codebook: Codebook, value: Any) -> str | None:
    """The parameter is `{role, n, tier_max}`; `tier_max` may be absent."""
    if not isinstance(value, Mapping) or not {"role", "n"} <= set(value) <= {"role", "n", "tier_max"}:
        return "takes {role: …, n: …, tier_max: …}"
    fault = takes_role(codebook, value["role"]) or _whole(value["n"], "takes a number for n")
    return fault or (takes_tier(codebook, value["tier_max"]) if "tier_max" in value else None)


def takes_tier(codebook: Codebook, value: Any) -> str | None:
    """The parameter is a tier of the codebook's citations."""
    field = _evidence(codebook)
    return None if field and value in field.tiers else f"is no evidence tier of this codebook: {value}"


def takes_keys_of_citation(_: Codebook, value: Any) -> str | None:
    """The parameter lists keys every citation must carry."""
    sound = isinstance(value, list) and value and all(key in ("role", "tier", "part", "quote") for key in value)
    return None if sound else "takes a list of role, tier, part, quote"


def takes_role_and_words(key: str) -> Any:
    """Return the check for `{role: …, key: [word, …]}`, the words lower case."""

    def check(codebook: Codebook, value: Any) -> str | None:
        if not isinstance(value, Mapping) or set(value) != {"role", key}:
            return f"takes {{role: …, {key}: [word, …]}}"
        return takes_role(codebook, value["role"]) or words_fault(value[key], key)

    return check


def takes_cues(codebook: Codebook, value: Any) -> str | None:
    """The parameter maps claim kinds to lists of cue words."""
    kinds = codebook.field("claim_kind")
    if kinds is None or not isinstance(value, Mapping) or not value:
        return "takes {claim kind: [word, …]} and needs the field claim_kind"
    unknown = next((kind for kind in value if kind not in kinds.codes), None)
    if unknown is not None:
        return f"{unknown} is no claim kind of this codebook"
    return next((fault for words in value.values() if (fault := words_fault(words, "each kind"))), None)


def words_fault(value: Any, key: str) -> str | None:
    """Return what is wrong with a list of lower-case words; None where it is one."""
    sound = isinstance(value, list) and value and all(isinstance(w, str) and w and w == w.lower() for w in value)
    return None if sound else f"takes a list of lower-case words for {key}"


def _evidence(codebook: Codebook) -> Field | None:
    return codebook.first_of(*EVIDENCE_TYPES)


def _whole(value: Any, sentence: str) -> str | None:
    return None if type(value) is int and value >= 0 else sentence
