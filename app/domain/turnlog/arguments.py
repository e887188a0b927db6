"""The map between a call's argument JSON as the source wrote it and the readable text inside it.

Claims may be marked inside tool arguments (a finish message, a to-do item). Their spans are code-point offsets into the
source string, escapes and all; people read the decoded value. This module says where each decoded character stands in
the source. It does not render anything and does not judge whether the arguments suit the tool.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

_TOKEN = re.compile(
    r'[ \t\n\r]*(?:(?P<string>"[^"\\]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*)*")'
    r"|(?P<scalar>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|NaN|-?Infinity)"
    r"|(?P<mark>[\[\]{},:]))"
)
_PIECE = re.compile(r"[^\\]+|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL)
_DEEPEST = 200  # beyond it nobody reads the leaves apart, and paths would grow without bound
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


@dataclass(frozen=True)
class ArgumentPart:
    """One leaf of the arguments.

    `path` says where it stands (`todos[0].content`; empty for the whole). `text` is what a person reads. `offsets` has
    one entry a code point of `text` and a last one for its end: the place in the source string. `raw_start` and
    `raw_end` bound the leaf's content in the source, quotes left out.
    """

    path: str
    text: str
    raw_start: int
    raw_end: int
    offsets: tuple[int, ...]

    def readable_span(self, raw_start: int, raw_end: int) -> tuple[int, int] | None:
        """Return the part of `text` that the raw span covers (an escape cut in the middle counts whole), or None."""
        start, end = max(raw_start, self.raw_start), min(raw_end, self.raw_end)
        if start >= end:
            return None
        return bisect_right(self.offsets, start) - 1, bisect_left(self.offsets, end)

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source string that `text[start:end]` was decoded from."""
        return self.offsets[start], self.offsets[end]


@dataclass
class _Level:
    """One open object or array while reading: what may follow and the key or index under way."""

    is_object: bool
    path: str
    expect: str
    key: str = ""
    index: int = 0


def argument_parts(args_json: str) -> list[ArgumentPart]:
    """Return the leaves of the arguments in source order; what is not JSON is one part with the raw text.

    Strings are decoded (raw control characters inside them are tolerated, as sources write them; half a surrogate pair
    reads as U+FFFD); numbers, true, false and null read as they stand. Keys are part of `path`, not leaves. Empty
    objects and arrays have no leaf.

    >>> [(p.path, p.text, p.raw_start) for p in argument_parts('{"a": ["x\\\\ny", 2]}')]
    [('a[0]', 'x\\ny', 8), ('a[1]', '2', 15)]
    """
    parts = _read(args_json)
    if parts is None:
        return [ArgumentPart("", args_json, 0, len(args_json), tuple(range(len(args_json) + 1)))]
    return parts


def decode_span(args_json: str, start: int, end: int) -> str:
    """Return the readable text of `args_json[start:end]`.

    Inside one leaf: the decoded characters. Across several: `key: text` of each, joined by `; `. A span that touches
    no leaf (keys, punctuation) reads as it stands in the source.

    >>> decode_span('{"content": "Test it", "status": "done"}', 1, 38)
    'content: Test it; status: done'
    """
    touched = [(part, span) for part in argument_parts(args_json) if (span := part.readable_span(start, end))]
    if not touched:
        return args_json[start:end]
    texts = [part.text[span[0] : span[1]] for part, span in touched]
    if len(touched) == 1 and touched[0][0].raw_start <= start and end <= touched[0][0].raw_end:
        return texts[0]
    names = [_last_key(part.path) for part, _ in touched]
    return "; ".join(f"{name}: {text}" if name else text for name, text in zip(names, texts, strict=True))


def find_readable(args_json: str, text: str) -> list[tuple[int, int]]:
    """Return every raw span at which `text` stands, as written in the source or as read inside one leaf, in order."""
    if not text:
        return []
    found = {(at, at + len(text)) for at in _occurrences(args_json, text)}
    for part in argument_parts(args_json):
        found.update(part.raw_span(at, at + len(text)) for at in _occurrences(part.text, text))
    return sorted(found)


def _occurrences(text: str, wanted: str) -> list[int]:
    places = []
    at = text.find(wanted)
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + 1)
    return places


def _last_key(path: str) -> str:
    return re.sub(r"(\[\d+\])+\Z", "", path).rpartition(".")[2]


def _read(source: str) -> list[ArgumentPart] | None:
    """Return the leaves, or None where the source is not one JSON value. Not recursive: depth costs no stack."""
    parts: list[ArgumentPart] = []
    levels: list[_Level] = []
    at, done = 0, False
    while not done:
        token = _TOKEN.match(source, at)
        if token is None:
            return None
        at = token.end()
        accepted = _mark(token.group("mark"), levels) if token.group("mark") else _leaf(token, levels, parts)
        if not accepted:
            return None
        done = not levels
    return None if source[at:].strip(" \t\n\r") else parts


def _mark(mark: str, levels: list[_Level]) -> bool:
    """Take one punctuation mark; return whether the grammar allows it here."""
    if mark in "{[":
        if len(levels) == _DEEPEST or (levels and not levels[-1].expect.startswith("value")):
            return False
        path = _place(levels[-1]) if levels else ""
        levels.append(_Level(mark == "{", path, "key or }" if mark == "{" else "value or ]"))
        return True
    return bool(levels) and _inside(mark, levels)


def _inside(mark: str, levels: list[_Level]) -> bool:
    level = levels[-1]
    if mark in "}]":
        if level.is_object != (mark == "}") or level.expect not in ("comma", "key or }", "value or ]"):
            return False
        levels.pop()
        _value_done(levels)
        return True
    if mark == ",":
        allowed, level.expect = level.expect == "comma", "key" if level.is_object else "value"
        return allowed
    allowed, level.expect = level.expect == "colon", "value"
    return allowed


def _leaf(token: re.Match[str], levels: list[_Level], parts: list[ArgumentPart]) -> bool:
    """Take one string or scalar, as a key or as a value; return whether the grammar allows it here."""
    level = levels[-1] if levels else None
    string = token.group("string")
    if level is not None and level.expect.startswith("key"):
        if string is None:
            return False
        level.key, level.expect = _decode(token.start("string") + 1, string[1:-1])[0], "colon"
        return True
    if level is not None and not level.expect.startswith("value"):
        return False
    path = _place(level) if level else ""
    if string is not None:
        start = token.start("string") + 1
        text, offsets = _decode(start, string[1:-1])
        parts.append(ArgumentPart(path, text, start, start + len(string) - 2, offsets))
    else:
        start, end = token.span("scalar")
        parts.append(ArgumentPart(path, token.group("scalar"), start, end, tuple(range(start, end + 1))))
    _value_done(levels)
    return True


def _value_done(levels: list[_Level]) -> None:
    if levels:
        levels[-1].expect = "comma"
        levels[-1].index += 1


def _place(level: _Level) -> str:
    if not level.is_object:
        return f"{level.path}[{level.index}]"
    key = level.key if _PLAIN_KEY.match(level.key) else json.dumps(level.key, ensure_ascii=False)
    return f"{level.path}.{key}" if level.path else key


def _decode(start: int, content: str) -> tuple[str, tuple[int, ...]]:
    """Return the decoded text of a JSON string's content and the source place of each of its code points."""
    texts: list[str] = []
    offsets: list[int] = []
    at = start
    pieces = _PIECE.findall(content)
    position = 0
    while position < len(pieces):
        piece = pieces[position]
        low = pieces[position + 1] if position + 1 < len(pieces) else ""
        if _is_pair(piece, low):
            text, width, position = json.loads(f'"{piece}{low}"'), len(piece) + len(low), position + 1
        elif piece.startswith("\\"):
            text, width = json.loads(f'"{piece}"'), len(piece)
        else:
            text, width = piece, len(piece)
        offsets.extend(range(at, at + width) if text is piece else (at,))
        texts.append("\ufffd" if "\ud800" <= text[:1] <= "\udfff" and len(text) == 1 else text)
        at += width
        position += 1
    return "".join(texts), (*offsets, at)


def _is_pair(piece: str, low: str) -> bool:
    if not (piece.startswith("\\u") and low.startswith("\\u")):
        return False
    return 0xD800 <= int(piece[2:], 16) < 0xDC00 <= int(low[2:], 16) < 0xE000
