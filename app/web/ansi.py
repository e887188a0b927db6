"""Terminal colours: SGR escape sequences become class names; every other escape stays in the text, shown as text.

It parses; it renders nothing and never lets a sequence act.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from app.web.markup import Stretch

_SGR = re.compile("\x1b\\[([0-9;:]*)m")
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


@dataclass(frozen=True)
class _Pen:
    """What the terminal would draw with."""

    fore: str = ""
    back: str = ""
    style: frozenset[str] = frozenset()

    @cached_property
    def css(self) -> str:
        """The class names of this pen, empty for the plain one."""
        names = [self.fore, self.back, *(f"a-{word}" for word in sorted(self.style))]
        return " ".join(name for name in names if name)


_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse"}
_OFF = {22: {"bold", "dim"}, 23: {"italic"}, 24: {"underline"}, 27: {"inverse"}}


def _coloured(pen: _Pen, code: int) -> _Pen:
    """Return the pen after one colour code (30-37, 40-47, 90-97, 100-107, 39, 49); other codes change nothing."""
    if code == 39:
        return replace(pen, fore="")
    if code == 49:
        return replace(pen, back="")
    tens, colour = divmod(code, 10)
    if colour > 7 or tens not in (3, 4, 9, 10):
        return pen
    return replace(pen, fore=f"f-{_COLOURS[colour]}") if tens in (3, 9) else replace(pen, back=f"b-{_COLOURS[colour]}")


@lru_cache(maxsize=4096)
def _after(pen: _Pen, parameters: str) -> _Pen:
    """Return the pen after one SGR sequence; 256-colour and true-colour forms are consumed and not drawn."""
    codes = [int(part) if part else 0 for part in re.split("[;:]", parameters[:200])]
    at = 0
    while at < len(codes):
        code = codes[at]
        if code == 0:
            pen = _Pen()
        elif code in (38, 48):
            at += 2 if codes[at + 1 : at + 2] == [5] else 4
        elif code in _ON:
            pen = replace(pen, style=pen.style | {_ON[code]})
        elif code in _OFF:
            pen = replace(pen, style=pen.style - _OFF[code])
        else:
            pen = _coloured(pen, code)
        at += 1
    return pen


def read_ansi(text: str) -> tuple[str, list[Stretch]]:
    """Return the text without its SGR sequences, and the coloured stretches of what is left, sorted.

    >>> read_ansi("\\x1b[31mred\\x1b[0m plain")
    ('red plain', [Stretch(start=0, end=3, css='f-red', mark=False, anchor=None)])
    """
    if "\x1b[" not in text:
        return text, []
    plain: list[str] = []
    stretches: list[Stretch] = []
    pen, length, last = _Pen(), 0, 0
    for found in _SGR.finditer(text):
        piece = text[last : found.start()]
        if piece:
            if pen.css:
                stretches.append(Stretch(length, length + len(piece), pen.css))
            plain.append(piece)
            length += len(piece)
        pen, last = _after(pen, found.group(1)), found.end()
    tail = text[last:]
    if tail and pen.css:
        stretches.append(Stretch(length, length + len(tail), pen.css))
    plain.append(tail)
    return "".join(plain), stretches
