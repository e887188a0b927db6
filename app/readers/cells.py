"""What a hand-made file writes into one list cell: calls, results, attachments, as structs or as JSON text.

Accepts turnlog/1's own field names and the OpenAI ones. Keys and matches are found afterwards by linking.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from app.domain.errors import BadInput
from app.domain.turnlog.turns import Attachment, ToolResult
from app.readers.pieces import text_or_none, tool_call, tool_result
from app.readers.source import parse_json, repair


def list_of(value: Any, where: str) -> list[Any] | None:
    """Return a cell as a list (JSON text is parsed, one object is a list of one), None where it is empty."""
    if isinstance(value, str):
        value = repair(parse_json(value, where))[0] if value.strip() else None
    if value is None:
        return None
    if isinstance(value, Mapping):
        return [value]
    if not isinstance(value, list):
        raise BadInput(f"{where}: not a list; write a list, or a JSON list as text")
    return [repair(parse_json(item, where))[0] if isinstance(item, str) else item for item in value]


def items_of(column: str, cell: list[Any] | None, where: str) -> list[dict[str, Any]]:
    """Return the cell's items as turnlog/1 structs. Raises `BadInput` naming `where` for an item that is no object."""
    made = []
    for item in cell or []:
        if not isinstance(item, Mapping):
            raise BadInput(f"{where}, column {column}: an item is not an object with named fields")
        made.append(_MAKERS[column](item, f"{where}, column {column}"))
    return made


def _first(item: Mapping[str, Any], *names: str) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _call(item: Mapping[str, Any], where: str) -> dict[str, Any]:
    inner = item["function"] if isinstance(item.get("function"), Mapping) else item
    name = _first(inner, "name", "function", "tool")
    if not isinstance(name, str):
        raise BadInput(f"{where}: a call has no name; give each call a name")
    arguments = _first(inner, "args_json", "arguments", "args", "input")
    call_id, requestor = _first(item, "call_id", "id", "tool_call_id"), text_or_none(item.get("requestor"))
    return asdict(tool_call(name, arguments, text_or_none(call_id), requestor))


def _result(item: Mapping[str, Any], where: str) -> dict[str, Any]:
    flag, code, size = item.get("is_error"), _first(item, "exit_code", "returncode"), item.get("bytes")
    output = _first(item, "output", "content", "text", "result")
    if output is not None and not isinstance(output, str):
        raise BadInput(f"{where}: the output of a result is not text")
    result = tool_result(
        output,
        call_id=text_or_none(_first(item, "call_id", "tool_call_id", "id")),
        name=text_or_none(item.get("name")),
        is_error=flag if isinstance(flag, bool) else None,
        error_kind=text_or_none(item.get("error_kind")),
        exit_code=_small_int(code, where),
        match="inline" if item.get("match") == "inline" else "none",
    )
    if isinstance(size, int) and size > result.bytes:
        result = replace(result, bytes=size)
    return asdict(_marked_as_cut(result, item))


def _small_int(value: Any, where: str) -> int | None:
    if value is None or isinstance(value, bool) or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, int | float) and math.isfinite(value) and value == int(value) and -(2**31) <= value < 2**31:
        return int(value)
    raise BadInput(f"{where}: the exit code {value!r} is not a whole number of 32 bits")


def _marked_as_cut(result: ToolResult, item: Mapping[str, Any]) -> ToolResult:
    if item.get("truncated") is not True or result.truncated:
        return result
    by = item.get("truncated_by")
    return replace(result, truncated=True, truncated_by=by if by in ("source", "importer") else "source")


def _attachment(item: Mapping[str, Any], where: str) -> dict[str, Any]:
    kind, size = _first(item, "kind", "type"), item.get("bytes")
    if not isinstance(kind, str):
        raise BadInput(f"{where}: an attachment has no kind; name it image, file or the like")
    texts = {name: text_or_none(item.get(name)) for name in ("mime", "sha256", "ref")}
    return asdict(Attachment(kind=kind, bytes=size if isinstance(size, int) else None, **texts))


_MAKERS = {"tool_calls": _call, "tool_results": _result, "attachments": _attachment}
