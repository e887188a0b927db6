"""The other ways a served text may spell the same words: escapes and encodings, undone.

Used by the leak scan only. It does not search, and it does not undo compression or encryption.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

_JSON = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\([nrtbf\"'\\/])")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " "}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{6,}(?:[ \t]*\r?\n[ \t]*[A-Za-z0-9+/_-]{6,})*")
# Three bytes of ASCII text, none below "-", become a group whose first three characters can only be these.
_TEXT_GROUP = re.compile(r"[L-Za-e][C-HS-Xi-nyz0-3][ABEFIJMNQRUVYZcdghklopstwx014589]")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){4,}")
# Four or more characters of printable ASCII or well-formed UTF-8.
_READABLE = re.compile(
    rb"(?:[\t\n\r\x20-\x7e]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}){4,}"
)
_DEEPEST = 4
_ALIGNMENTS = range(4)


def readings(text: str) -> Iterator[tuple[str, str]]:
    """Yield (how, text): the text as it is (`plain`), then each different reading of it.

    HTML entities, JSON and source escapes and percent escapes are undone in every order, up to four deep. In each of
    those, stretches of base64 (both alphabets, any alignment) and of hex digits are decoded; they are read once more
    the same way, since a name may be encoded twice.
    """
    seen = {text}
    front = [("plain", text)]
    for _ in range(_DEEPEST):
        yield from front
        front = list(_fresh(front, seen, (("html", html.unescape), ("json", _unescape), ("percent", unquote))))
    encoded = list(_fresh([("plain", one) for one in sorted(seen)], seen, _ENCODINGS))
    yield from encoded
    yield from _fresh(encoded, seen, _ENCODINGS)


def unescaped(text: str) -> str:
    """Return the text with HTML, source and percent escapes undone, up to four deep."""
    for _ in range(_DEEPEST):
        other = unquote(_unescape(html.unescape(text)))
        if other == text:
            break
        text = other
    return text


def is_encoded(how: str) -> bool:
    """Return whether a reading is of decoded stretches alone (base64, hex), not of the whole text."""
    return any(name in how for name, _ in _ENCODINGS)


def _fresh(
    front: list[tuple[str, str]], seen: set[str], undo: tuple[tuple[str, Callable[[str], str]], ...]
) -> Iterator[tuple[str, str]]:
    for how, text in front:
        for name, function in undo:
            other = function(text)
            if other and other not in seen:
                seen.add(other)
                yield (name if how == "plain" else f"{how}, {name}"), other


def _unescape(text: str) -> str:
    return _JSON.sub(_unescaped, text) if "\\" in text else text


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _SHORT.get(match[3], match[3])


def _from_base64(text: str) -> str:
    """Return what the base64 stretches of a text hold, one a line; each is tried from its first four characters on."""
    stretches = (match.group() for match in _BASE64.finditer(text) if _TEXT_GROUP.search(match.group()))
    return "\n".join(_printable(plain) for stretch in stretches for plain in _decoded(stretch))


def _decoded(stretch: str) -> Iterator[bytes]:
    packed = "".join(stretch.split()).replace("-", "+").replace("_", "/")
    for shift in _ALIGNMENTS:
        piece = packed[shift:]
        piece = piece[: len(piece) - (len(piece) % 4 == 1)]
        yield base64.b64decode(piece + "=" * (-len(piece) % 4))


def _from_hex(text: str) -> str:
    return "\n".join(_printable(binascii.unhexlify(re.sub(r"[ :]", "", m.group()))) for m in _HEX.finditer(text))


def _printable(raw: bytes) -> str:
    """Return what reads as text in decoded bytes, a stretch a line; noise is left out."""
    return "\n".join(match.group().decode("utf-8", "replace") for match in _READABLE.finditer(raw))


_ENCODINGS: tuple[tuple[str, Callable[[str], str]], ...] = (("base64", _from_base64), ("hex", _from_hex))
