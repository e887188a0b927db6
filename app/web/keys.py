"""The keyboard map of the coding page: which key picks which option, and which keys the page keeps for itself.

Digits always pick by position; a codebook's own key is honoured unless the page keeps it. No key means two things.
"""

from __future__ import annotations

from app.domain.codebook.model import Field

COMMANDS: tuple[tuple[str, str], ...] = (
    ("j", "next turn"),
    ("k", "previous turn"),
    ("h", "fold the turn's outputs"),
    ("l", "unfold the turn's outputs"),
    ("g", "go to a turn by number"),
    ("b", "back to the claim"),
    ("/", "find in the transcript"),
    ("n", "next hit"),
    ("N", "previous hit"),
    ("e", "cite the focused turn; again: take the citation back"),
    ("s", "mark the search span: first press its start, second its end"),
    ("d", "definition and near misses of the question at hand"),
    ("m", "note"),
    ("f", "flags"),
    ("t", "transcript or form (narrow windows)"),
    ("[", "previous claim"),
    ("]", "next claim"),
    ("u", "take back the last answer"),
    ("?", "this map"),
)
RESERVED = frozenset(key for key, _ in COMMANDS)


def option_keys(field: Field) -> dict[str, str]:
    """Return option → the key shown beside it: the codebook's, or its position's digit where that key is taken.

    Within one field no key stands twice, and none is a command's. Options beyond the ninth without a free key have "".
    """
    keys: dict[str, str] = {}
    taken = set(RESERVED)
    for option in field.options:
        if len(option.key) == 1 and option.key not in taken:
            keys[option.code] = option.key
            taken.add(option.key)
    for position, option in enumerate(field.options, start=1):
        if option.code not in keys:
            digit = str(position) if position <= 9 and str(position) not in taken else ""
            keys[option.code] = digit
            taken.add(digit)
    return keys
