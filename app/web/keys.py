"""The keyboard map of the coding page: which key picks which option, and which keys the page keeps for itself.

Digits pick by position; a field whose own keys are all free uses those. No key means two things.
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
    ("/", "find in the transcript; Enter leaves the box for n and N"),
    ("n", "next hit"),
    ("N", "previous hit"),
    ("e", "cite the focused turn; again: take the citation back"),
    ("r", "role of the focused turn's citation, one after the other"),
    ("s", "mark the search span: first press its start, second its end, then write what was looked for"),
    ("d", "definition and near misses of the question at hand"),
    ("m", "note"),
    ("f", "flags"),
    ("t", "transcript or form (narrow windows)"),
    ("[", "previous claim"),
    ("]", "next claim"),
    ("p", "back to the question before; a key then changes its answer"),
    ("u", "take back the last answer"),
    ("?", "this map"),
)
RESERVED = frozenset(key for key, _ in COMMANDS)


def option_keys(field: Field) -> dict[str, str]:
    """Return option → the key shown beside it: the codebook's own keys where all of them are free, else digits.

    Within one field no key stands twice, and none is a command's. A tenth option of a field without own keys has "".
    """
    own = [option.key for option in field.options]
    if all(len(key) == 1 and key not in RESERVED for key in own) and len(set(own)) == len(own):
        return {option.code: option.key for option in field.options}
    return {option.code: str(place) if place <= 9 else "" for place, option in enumerate(field.options, start=1)}
