"""The pieces every format's rows are made of: a call, a result, a time, the left-over fields.

Responsible for the same treatment everywhere: arguments as they stood, outputs capped with their full size told, the
source's own truncation marks noticed, times without a zone kept as text. Which record holds what each format knows.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any

from app.domain.errors import BadInput
from app.domain.turnlog.turns import ToolCall, ToolResult
from app.readers.media import without_media
from app.readers.source import parse_json

OUTPUT_CAP = 256 * 1024  # bytes of UTF-8; longer outputs keep head and tail
_MARKS = re.compile(
    r"<response clipped>"
    r"|\[\.\.\. Observation truncated due to length \.\.\.\]"
    r"|\[\d+ lines truncated\]"
    r"|<START_TOOL_OUTPUT>"
    r"|<elided_chars>"
    r"|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]"
    r"|…\d+ (?:tokens|chars|lines) truncated…"
    r"|\(Results are truncated\b"
)


def tool_call(name: Any, arguments: Any, call_id: Any = None, requestor: str | None = None) -> ToolCall:
    """Return a call. Arguments that are text stay as they stood, an object becomes JSON with default separators.

    `args_ok` says whether the stored text is valid JSON (no arguments at all are fine). The key is given later.
    """
    text = arguments if isinstance(arguments, str) or arguments is None else as_json(arguments)
    return ToolCall(
        call_key="",
        name=name if isinstance(name, str) and name else "unknown",
        args_json=text,
        args_ok=text is None or not isinstance(arguments, str) or _is_json(text),
        call_id=call_id if isinstance(call_id, str) else None,
        requestor=requestor,
    )


def _is_json(text: str) -> bool:
    try:
        parse_json(text, "arguments")
    except BadInput:
        return False
    return True


def tool_result(output: str | None, **fields: Any) -> ToolResult:
    """Return a result, capped at `OUTPUT_CAP` bytes; `fields` are `ToolResult`'s (its match is found later).

    `bytes` is the full UTF-8 size. `truncated_by` is `importer` where the cap cut, else `source` where the text carries
    a mark that whoever recorded it had cut it already.
    """
    size = len(output.encode("utf-8", "replace")) if output is not None else 0
    by = "source" if is_cut(output) else None
    if output is not None and size > OUTPUT_CAP:
        output, by = _head_and_tail(output, size), "importer"
    given = {"match": "none", **fields}
    return ToolResult(output=output, bytes=size, truncated=by is not None, truncated_by=by, **given)


def is_cut(output: str | None) -> bool:
    """Return whether the text carries a mark that whoever recorded it had cut it already."""
    return output is not None and _MARKS.search(output) is not None


def _head_and_tail(output: str, size: int) -> str:
    raw = output.encode("utf-8", "replace")
    half = OUTPUT_CAP // 2
    head, tail = raw[:half].decode("utf-8", "ignore"), raw[-half:].decode("utf-8", "ignore")
    return f"{head}\n[... {size - 2 * half} bytes left out at import ...]\n{tail}"


def time_columns(value: Any) -> dict[str, Any]:
    """Return the columns `ts` and `ts_raw` of a source time: ISO text or Unix seconds (milliseconds past 1e11).

    `ts` is null where the text has no zone or is no time; `ts_raw` keeps what stood there.
    """
    if value is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return {}
    if isinstance(value, str):
        return {"ts": _from_iso(value), "ts_raw": value}
    seconds = value / 1000 if abs(value) > 1e11 else value
    try:
        return {"ts": datetime.fromtimestamp(seconds, tz=UTC), "ts_raw": repr(value)}
    except (OverflowError, ValueError, OSError):
        return {"ts_raw": repr(value)}


def _from_iso(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def as_json(value: Any) -> str:
    """Return the JSON text of a source value, in its own key order, raw UTF-8, default separators."""
    return json.dumps(value, ensure_ascii=False)


def json_value(value: Any) -> Any:
    """Return a value from a typed file as JSON can hold it: times in ISO form, bytes as text, NaN null."""
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def extra_json(fields: Mapping[str, Any]) -> str | None:
    """Return the left-over fields of a record as JSON, nulls and base64 left out; None where nothing is left."""
    kept = {key: without_media(value) for key, value in fields.items() if value is not None}
    return as_json(kept) if kept else None


def int32_or_none(value: Any) -> int | None:
    """Return `value` if it is a whole number that fits the log's columns, else None (true and false are no numbers)."""
    fits = isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31
    return value if fits else None


def inside(record: Any, *path: str) -> Any:
    """Return the value at a path of keys, None where any of them is missing."""
    value = record
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def text_or_none(value: Any) -> str | None:
    """Return `value` if it is text, the decimal text of a number, else None."""
    if isinstance(value, bool) or value is None:
        return None
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else None
