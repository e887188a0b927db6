"""Calls written into an assistant's text, and the user messages that hold their results.

Some data sets carry no structured calls: a fenced block or `<function=...>` in the words is the call, the next user
message the result. A message counts as a result only if it looks like one of the known harnesses' outputs, so that code
in an ordinary conversation is never taken for an act. The full text stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from app.domain.turnlog.turns import ToolCall, ToolResult, Turn
from app.readers.pieces import as_json, tool_call, tool_result
from app.readers.source import parse_json

_BLOCK = re.compile(r"```[\w-]*\n(.*?)\n?```", re.DOTALL)
_FUNCTION = re.compile(r"<function=([\w.-]+)>(.*?)</function>", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_RESULT = re.compile(
    r"\A(?:OBSERVATION:|EXECUTION RESULT of \[(?P<name>[^\]]+)\]:|Your command ran successfully)"
    r"|\(Open file: [^\n]*\)\r?\n\(Current directory: [^\n]*\)\r?\nbash-\$\s*\Z"
)
_EXIT_CODE = re.compile(r"\[(?:Command finished|The command completed) with exit code (-?\d{1,9})\.?\]\s*\Z")
_SWE_AGENT = (
    *("open", "goto", "scroll_up", "scroll_down", "create", "edit", "search_dir", "search_file", "find_file"),
    *("submit", "str_replace_editor", "filemap", "exit_forfeit", "exit_cost", "exit_context", "skip"),
)


def command_name(command: str | None) -> str:
    """Return the tool a command line calls: a known interface command by its name, anything else `bash`."""
    first = (command or "").split(maxsplit=1)[:1]
    return first[0] if first and first[0] in _SWE_AGENT else "bash"


def with_text_calls(turns: Sequence[Turn]) -> list[Turn]:
    """Return a session's rows with calls found in texts and their results made tool rows.

    Nothing changes where a call is structured already or no user message is a known harness's output.
    """
    rows = [_with_exit_codes(turn) for turn in turns]
    if any(turn.tool_calls or turn.tool_results for turn in rows):
        return rows
    answered = {n for n in range(len(rows) - 1) if _answers(rows[n], rows[n + 1])}
    if not answered:
        return rows
    for n, turn in enumerate(rows):
        if n in answered or (turn.role == "assistant" and n == len(rows) - 1):
            rows[n] = replace(turn, tool_calls=calls_in(turn.text or ""))
        elif n - 1 in answered:
            rows[n] = _as_result(turn)
    return rows


def _answers(turn: Turn, following: Turn) -> bool:
    made = turn.role == "assistant" and bool(calls_in(turn.text or ""))
    return made and following.role in ("user", "tool") and _RESULT.search(following.text or "") is not None


def calls_in(text: str) -> tuple[ToolCall, ...]:
    """Return the calls a text makes: every `<function=...>`, else the last fenced block.

    >>> [(c.name, c.args_json) for c in calls_in("I look.\\n```\\nls -a\\n```")]
    [('bash', '{"command": "ls -a"}')]
    """
    functions = _FUNCTION.findall(text)
    if functions:
        return tuple(tool_call(name, dict(_PARAMETER.findall(body))) for name, body in functions)
    blocks = _BLOCK.findall(text)
    return (tool_call(command_name(blocks[-1]), {"command": blocks[-1]}),) if blocks else ()


def _as_result(turn: Turn) -> Turn:
    found = _RESULT.search(turn.text or "")
    result = _with_exit_code(tool_result(turn.text, name=found["name"] if found else None))
    told = parse_json(turn.extra_json, "extra") if turn.extra_json else {}
    extra = as_json({**told, "source_role": told.get("source_role", turn.role)})
    return replace(turn, role="tool", kind="tool_result", text=None, tool_results=(result,), extra_json=extra)


def _with_exit_codes(turn: Turn) -> Turn:
    return (
        replace(turn, tool_results=tuple(_with_exit_code(r) for r in turn.tool_results)) if turn.tool_results else turn
    )


def _with_exit_code(result: ToolResult) -> ToolResult:
    """The result with the exit code its harness wrote at the end of the output, unless it has one already."""
    found = _EXIT_CODE.search((result.output or "")[-200:])
    return replace(result, exit_code=int(found[1])) if found and result.exit_code is None else result
