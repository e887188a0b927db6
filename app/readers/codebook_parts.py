"""From the tree of a codebook file to the codebook's plain values.

Responsible for keys and types: every unknown or missing key and every value of a wrong type is an error that names
file, line and key. Whether names refer to anything is asked afterwards (`app.domain.codebook.integrity`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from app.domain.canonical import canonical_json, sha256_hex
from app.domain.codebook.model import Codebook, Field, Option, Rule
from app.domain.codebook.shapes import FIELD_TYPES
from app.readers.located_yaml import Located, condition

_REQUIRED = ("id", "version", "origin", "title", "fields", "decision_order")
_OPTIONAL = (
    "supersedes",
    "text",
    "kinds",
    "decision_steps",
    "window",
    "gap_policies",
    "primary_gap",
    "ordinal",
    "critical_pairs",
    "pooled_fields",
    "rules",
)
_FIELD_OPTIONAL = ("title", "help", "when", "ordinal", "options", "max_length", "roles", "tiers", "quote_max")
_OPTION_TEXTS = ("title", "key", "shape", "letter", "definition")
_OPTION_OPTIONAL = (*_OPTION_TEXTS, "include", "exclude", "examples", "counter_examples", "kinds", "decided", "credit")
_EXAMPLE_REQUIRED = ("claim", "label", "why")
_EXAMPLE_OPTIONAL = ("case", "log", "kind")
# A label: words as people write them, but nothing that a list in a table (;) or a spreadsheet (= + - @ first) would
# take apart.
_MAX_CODE = 80
# Many times what people can choose from or keep in mind; what is compared with each other stays within bounds.
_MAX_FIELDS, _MAX_OPTIONS, _MAX_RULES, _MAX_LISTED = 100, 500, 500, 2_000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*\Z")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]*\Z")


def build_codebook(root: Located) -> Codebook:
    """Return the codebook a file's tree says; `sha256` is over the canonical JSON of what stands under `codebook`."""
    node = root.mapping(("codebook",))["codebook"]
    keys = node.mapping(_REQUIRED, _OPTIONAL)
    kinds = keys["kinds"].mapping((), ("backward", "forward")) if "kinds" in keys else {}
    return Codebook(
        id=_matching(keys["id"], _NAME, "begins with a letter and holds letters, digits, dots, dashes"),
        version=_matching(keys["version"], _VERSION, "holds letters, digits, dots, dashes"),
        origin=keys["origin"].text(),
        title=keys["title"].text(),
        sha256=sha256_hex(canonical_json(node.plain())),
        fields=tuple(_field(entry) for entry in _at_most(keys["fields"], _MAX_FIELDS, "fields")),
        rules=tuple(_rule(entry) for entry in _at_most(keys["rules"], _MAX_RULES, "rules")) if "rules" in keys else (),
        window=keys["window"].plain() if "window" in keys and keys["window"].entries() else {},
        backward_kinds=_texts(kinds, "backward"),
        forward_kinds=_texts(kinds, "forward"),
        decision_order=_texts(keys, "decision_order"),
        gap_policies=_policies(keys.get("gap_policies")),
        primary_gap=keys["primary_gap"].text() if "primary_gap" in keys else "",
        ordinal=_texts(keys, "ordinal"),
        critical_pairs=_pairs(keys.get("critical_pairs")),
        pooled_fields=_texts(keys, "pooled_fields"),
        supersedes=keys["supersedes"].text() if "supersedes" in keys else None,
        text=keys["text"].text() if "text" in keys else "",
        decision_steps=_texts(keys, "decision_steps"),
    )


def _matching(node: Located, pattern: re.Pattern[str], sentence: str) -> str:
    text = node.text()
    if not pattern.match(text):
        raise node.fault(sentence)
    return text


def _code(node: Located) -> str:
    text = node.text()
    sound = text[0].isalnum() and text.isprintable() and text == text.strip() and ";" not in text
    if not sound or len(text) > _MAX_CODE or text != unicodedata.normalize("NFC", text):
        raise node.fault(
            f"begins with a letter or digit, holds no semicolon, and is one line of at most {_MAX_CODE} signs (NFC)"
        )
    return text


def _at_most(node: Located, limit: int, what: str) -> list[Located]:
    items = node.items()
    if len(items) > limit:
        raise node.fault(f"holds {len(items)} {what}; a codebook has at most {limit}")
    return items


def _texts(keys: Mapping[str, Located], name: str) -> tuple[str, ...]:
    if name not in keys:
        return ()
    _at_most(keys[name], _MAX_LISTED, "entries")
    return keys[name].texts()


def _policies(node: Located | None) -> dict[str, tuple[str, ...]]:
    return {name: entry.texts() for name, entry in node.entries().items()} if node else {}


def _pairs(node: Located | None) -> tuple[tuple[str, str], ...]:
    pairs = []
    for entry in _at_most(node, _MAX_LISTED, "pairs") if node else ():
        pair = entry.texts()
        if len(pair) != 2:
            raise entry.fault("takes two labels: the right one and the one coded")
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)


def _field(node: Located) -> Field:
    keys = node.mapping(("name", "type"), _FIELD_OPTIONAL)
    kind = keys["type"].text()
    if kind not in FIELD_TYPES:
        raise keys["type"].fault(f"{kind} is no field type; known are {', '.join(FIELD_TYPES)}")
    roles, tiers = _notes(keys.get("roles")), _notes(keys.get("tiers"))
    return Field(
        name=_matching(keys["name"], _NAME, "begins with a letter and holds letters, digits and underscores"),
        type=kind,
        title=keys["title"].text() if "title" in keys else "",
        help=keys["help"].text() if "help" in keys else "",
        options=tuple(map(_option, _at_most(keys["options"], _MAX_OPTIONS, "options"))) if "options" in keys else (),
        when=condition(keys["when"]) if "when" in keys else {},
        ordinal="ordinal" in keys and keys["ordinal"].truth(),
        max_length=keys["max_length"].whole() if "max_length" in keys else None,
        roles=tuple(roles),
        tiers=tuple(tiers),
        quote_max=keys["quote_max"].whole() if "quote_max" in keys else None,
        role_notes=roles,
        tier_notes=tiers,
    )


def _notes(node: Located | None) -> dict[str, str]:
    return {name: entry.text() for name, entry in node.entries().items()} if node else {}


def _option(node: Located) -> Option:
    keys = node.mapping(("code",), _OPTION_OPTIONAL)
    texts = {name: keys[name].text() for name in _OPTION_TEXTS if name in keys}
    return Option(
        code=_code(keys["code"]),
        **texts,
        include=_texts(keys, "include"),
        exclude=_texts(keys, "exclude"),
        examples=_examples(keys.get("examples")),
        counter_examples=_examples(keys.get("counter_examples")),
        kinds=keys["kinds"].texts() if "kinds" in keys else None,
        decided="decided" in keys and keys["decided"].truth(),
        credit=keys["credit"].number_or_null() if "credit" in keys else None,
    )


def _examples(node: Located | None) -> tuple[dict[str, str], ...]:
    if node is None:
        return ()
    rows = [entry.mapping(_EXAMPLE_REQUIRED, _EXAMPLE_OPTIONAL) for entry in node.items()]
    return tuple({name: entry.text() for name, entry in row.items()} for row in rows)


def _rule(node: Located) -> Rule:
    keys = node.mapping(("id", "level", "require", "message", "field"), ("when",))
    level = keys["level"].text()
    if level not in ("hard", "soft"):
        raise keys["level"].fault(f"{level} is no level; a rule is hard or soft")
    requirements = keys["require"].items()
    if not requirements:
        raise keys["require"].fault("takes at least one requirement")
    return Rule(
        id=_matching(keys["id"], _NAME, "begins with a letter and holds letters, digits, dots, dashes"),
        level=level,
        when=condition(keys["when"]) if "when" in keys else {},
        require=tuple(_requirement(entry) for entry in requirements),
        message=keys["message"].text(),
        field=keys["field"].text(),
    )


def _requirement(node: Located) -> Mapping[str, Any]:
    node.entries()
    plain: dict[str, Any] = node.plain()
    return plain
