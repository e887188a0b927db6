"""A text as it reads, and where each read character stands in the text as stored.

Names hide behind colour codes, zero-width characters, look-alike letters and escapes. `fold` takes those away for
searching only; a found stretch is mapped back to the stored text. It does not search and changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache

WALL = "\ue000"
"""Stands in a folded JSON text for everything outside its string literals; nothing found may cross it."""

# Cyrillic and Greek letters that look like Latin ones (small forms; capitals follow by upper()). Compatibility forms
# (full width, bold, accents) need no entry: NFKD takes them apart.
_TWINS = dict(zip("аеорсухіјѕԁһӏԛԝкαορνικυχ", "aeopcyxijsdhlqwkaopvikux", strict=True))
_TWINS |= {"А": "A", "В": "B", "Е": "E", "К": "K", "М": "M", "Н": "H", "О": "O", "Р": "P", "С": "C", "Т": "T"}
_TWINS |= {"Х": "X", "У": "Y", "І": "I", "Ј": "J", "Ѕ": "S", "Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z", "Η": "H"}
_TWINS |= {"Ι": "I", "Κ": "K", "Μ": "M", "Ν": "N", "Ο": "O", "Ρ": "P", "Τ": "T", "Υ": "Y", "Χ": "X", "ı": "i"}
_TWINS |= {"‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-", "⁄": "/", "∕": "/", "․": "."}

_UNIT = re.compile(
    r"(?P<drop>\x1b\[[0-?]*[ -/]*[@-~]"  # a colour or cursor code
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # an operating-system command: title, link
    r"|\x1b[@-Z\\-_]|\x9b[0-?]*[ -/]*[@-~]"
    r"|(?:\\u001[bB]|\\x1[bB]|\\033|\\e)\[[0-9;]*[A-Za-z]"  # the same, written out
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+)"
    r"|\\u(?P<wide>[0-9a-fA-F]{4})|\\x(?P<narrow>[2-7][0-9a-fA-F])|%(?P<percent>[2-7][0-9a-fA-F])"
    r"|(?P<foreign>[^\x00-\x7f]+)"
)
_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)
_JSON_ESCAPE = re.compile(
    r"\\u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u(?P<wide>[0-9a-fA-F]{4})|\\(?P<short>.)",
    re.DOTALL,
)
_BLANKS = "\t\n\r"
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


@dataclass
class _Map:
    """Stretches of a derived text and where they come from; a stretch of equal length maps place by place."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    starts: list[int] = field(default_factory=list)
    origins: list[tuple[int, int, bool]] = field(default_factory=list)

    def add(self, piece: str, start: int, end: int, *, even: bool) -> None:
        if piece:
            self.pieces.append(piece)
            self.starts.append(self.length)
            self.origins.append((start, end, even))
            self.length += len(piece)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        at, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1) - 1
        first_start, _, first_even = self.origins[at]
        last_start, last_end, last_even = self.origins[last]
        return (
            first_start + (start - self.starts[at] if first_even else 0),
            last_start + (end - self.starts[last]) if last_even else last_end,
        )


@dataclass(frozen=True)
class Folded:
    """`cased` and `lower` are the text as it reads, equal in length; `origin` maps a stretch of it to the source."""

    cased: str
    lower: str
    _maps: tuple[_Map, ...] = ()

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the code-point span of the source text that the non-empty stretch `[start, end)` was read from."""
        for one in self._maps:
            start, end = one.origin(start, end)
        return start, end


def fold(text: str) -> Folded:
    """Return the text as it reads, in linear time.

    Dropped: colour and control codes (real or written out), zero-width and combining characters. Replaced: look-alike
    and compatibility characters (NFKD), `\\uXXXX`, `\\xXX` and `%XX` escapes. Everything else stands as it is.
    """
    if text.isascii() and _UNIT.search(text) is None:
        return Folded(text, text.lower())
    read = _read(text)
    return _folded("".join(read.pieces), (read,))


def fold_json(text: str) -> Folded:
    """Return the contents of a valid JSON text's string literals (keys too) as they read, one `WALL` between them.

    A stretch that holds no `WALL` maps to whole escapes inside one literal, so replacing it keeps the JSON valid.
    """
    inside = _Map()
    at = 0
    for literal in _STRING.finditer(text):
        inside.add(WALL, at, literal.start() + 1, even=False)
        _unescape(text, literal.start(1), literal.end(1), inside)
        at = literal.end(1)
    inside.add(WALL, at, len(text), even=False)
    read = _read("".join(inside.pieces))
    return _folded("".join(read.pieces), (read, inside))


def fold_plain(text: str) -> str:
    """Return the lower-case folded form alone: the form terms are compared in."""
    return fold(text).lower


def _folded(cased: str, maps: tuple[_Map, ...]) -> Folded:
    lower = cased.lower()
    if len(lower) != len(cased):  # no letter is known to do this after NFKD; a map must never slip
        lower = "".join(char.lower()[:1] for char in cased)
    return Folded(cased, lower, maps)


def _read(text: str) -> _Map:
    read = _Map()
    at = 0
    for unit in _UNIT.finditer(text):
        read.add(text[at : unit.start()], at, unit.start(), even=True)
        at = unit.end()
        if unit.lastgroup == "foreign":
            _add_foreign(unit.group(), unit.start(), read)
        elif unit.lastgroup != "drop":
            code = int(unit.group(unit.lastgroup or 0), 16)
            read.add(_fold_char(chr(code)), unit.start(), unit.end(), even=False)
    read.add(text[at:], at, len(text), even=True)
    return read


def _add_foreign(run: str, start: int, read: _Map) -> None:
    if all(len(_fold_char(char)) == 1 for char in set(run)):
        read.add("".join(map(_fold_char, run)), start, start + len(run), even=True)
        return
    for at, char in enumerate(run, start):
        read.add(_fold_char(char), at, at + 1, even=False)


@lru_cache(maxsize=65536)
def _fold_char(char: str) -> str:
    """Return what one character reads as: nothing for an invisible or combining one, else its plain form."""
    if char == WALL:
        return char
    plain = unicodedata.normalize("NFKD", char)
    kept = (c for c in plain if c in _BLANKS or unicodedata.category(c) not in {"Mn", "Cf", "Me", "Cs", "Cc"})
    return "".join(_TWINS.get(c, c) for c in kept)


def _unescape(text: str, start: int, end: int, inside: _Map) -> None:
    at = start
    for escape in _JSON_ESCAPE.finditer(text, start, end):
        inside.add(text[at : escape.start()], at, escape.start(), even=True)
        at = escape.end()
        inside.add(_escaped(escape), escape.start(), escape.end(), even=False)
    inside.add(text[at:end], at, end, even=True)


def _escaped(escape: re.Match[str]) -> str:
    if escape["pair"]:
        high, low = escape["pair"][:4], escape["pair"][-4:]
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    if escape["wide"]:
        return chr(int(escape["wide"], 16))
    return _SHORT.get(escape["short"], escape["short"])
