"""Same inputs, same bytes: the one JSON form, the one form of a CSV cell, the one float form and rounding helper.

Everything that is hashed, signed or compared byte by byte goes through here. No I/O.
"""

from __future__ import annotations

import hashlib
import json
import math
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

_EVERY_DIGIT = Context(prec=400)  # the largest float has 309 digits before the point
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def canonical_json(value: Any) -> str:
    """Return `value` as JSON with sorted keys, no spaces, raw UTF-8 and `repr` floats.

    >>> canonical_json({"b": 1, "a": [0.1, None, "é"]})
    '{"a":[0.1,null,"é"],"b":1}'

    Raises `ValueError` for NaN and infinities: an undefined number is null with a reason, never NaN.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_file(value: Any) -> bytes:
    """Return the bytes of a canonical JSON file: sorted keys, two-space indent, UTF-8, LF at the end."""
    text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8")


def sha256_hex(data: str | bytes) -> str:
    """Return the lower-case hex SHA-256 of bytes, or of a text's UTF-8 form."""
    return hashlib.sha256(data.encode("utf-8") if isinstance(data, str) else data).hexdigest()


def round_half_even(value: float, digits: int) -> float:
    """Return `value` rounded half to even at `digits` decimals, judged on the shortest decimal form of the float.

    >>> round_half_even(0.125, 2), round_half_even(2.675, 2)
    (0.12, 2.68)
    """
    if not math.isfinite(value):
        raise ValueError("only finite numbers are rounded")
    quantum = Decimal(1).scaleb(-digits)
    return float(Decimal(repr(value)).quantize(quantum, rounding=ROUND_HALF_EVEN, context=_EVERY_DIGIT))


def cell(value: Any) -> str:
    """Return the CSV text of one value: null empty, true/false, `repr` floats, lists joined by `;`, text guarded.

    A text that a spreadsheet would run as a formula gets an apostrophe in front. NUL cannot stand in CSV and
    becomes the visible U+2400.

    >>> [cell(v) for v in (None, True, 0.5, [3, 1], "=1+1", "a")]
    ['', 'true', '0.5', '3;1', "'=1+1", 'a']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("only finite numbers are exported")
        return repr(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (list, tuple)):
        return _guard(";".join(_bare(v) for v in value))
    return _guard(str(value))


def _bare(value: Any) -> str:
    return value if isinstance(value, str) else cell(value)


def _guard(text: str) -> str:
    text = text.replace("\x00", "\u2400")
    return "'" + text if text.startswith(_FORMULA_STARTS) else text
