"""One Codex response item → calls, words, results: the shapes an item takes, whatever file it stands in.

Outputs come as plain text, as JSON text {"output", "metadata"}, or as content parts; they are tried in that order of
meaning, so that an output which merely looks like JSON stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.errors import BadInput
from app.domain.turnlog.turns import ToolCall, ToolResult
from app.readers.chat import read_content
from app.readers.pieces import as_json, int32_or_none, text_or_none, tool_call, tool_result
from app.readers.source import parse_json

CALLS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")
RESULTS = ("function_call_output", "custom_tool_call_output")


def call_of(item: Mapping[str, Any]) -> ToolCall:
    """Return the call an item makes; its arguments as they stood, or the action of a built-in tool."""
    kind = str(item.get("type"))
    arguments = next((item[k] for k in ("arguments", "input", "action") if item.get(k) is not None), None)
    name = item.get("name") or kind.removesuffix("_call")
    return tool_call(name, arguments, text_or_none(item.get("call_id")) or text_or_none(item.get("id")))


def reasoning_of(item: Mapping[str, Any]) -> list[str]:
    """Return the readable thinking of a reasoning item: its summary, then its content; encrypted parts are not read."""
    texts: list[str] = []
    for name in ("summary", "content"):
        parts = item.get(name)
        for part in parts if isinstance(parts, list) else []:
            words = part.get("text") if isinstance(part, Mapping) else None
            texts.extend([words] if isinstance(words, str) else [])
    return texts


def result_of(item: Mapping[str, Any]) -> tuple[ToolResult, dict[str, Any]]:
    """Return an item's result, and what its wrapped form says beside output and exit code."""
    output, metadata = _unwrapped(item.get("output"))
    code = int32_or_none(metadata.get("exit_code"))
    result = tool_result(output, call_id=text_or_none(item.get("call_id")), exit_code=code, match="id")
    return result, {key: value for key, value in metadata.items() if key != "exit_code" or code is None}


def _unwrapped(output: Any) -> tuple[str | None, Mapping[str, Any]]:
    if isinstance(output, str) and output.startswith("{"):
        value = _parsed(output)
        if (
            isinstance(value, Mapping)
            and isinstance(value.get("output"), str)
            and isinstance(value.get("metadata"), dict)
        ):
            return value["output"], value["metadata"]
    if isinstance(output, str) or output is None:
        return output, {}
    content = read_content(output)
    return (content.text if not content.rest else as_json(output)), {}


def _parsed(text: str) -> Any:
    try:
        return parse_json(text, "output")
    except BadInput:
        return None
