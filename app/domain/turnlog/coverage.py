"""The channel coverage map of one run: which kinds of act its log records, and where it does not.

Responsible for a first map, derived from the log alone and to be confirmed by the lead before freezing. It is careful
both ways: `full` needs a log that records calls with their results; a gap needs a record that is really missing, since
no absence can be coded across a gap. It reads no words and knows no harness beyond its tools' names (`channels`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.turnlog.channels import BEYOND, CALLED, CHANNELS, TOOL, channels_of
from app.domain.turnlog.run import Gap
from app.domain.turnlog.turns import ToolCall, Turn

_ACTING = (
    "shell",
    "sub_agents",
)  # beside every `tool:`: what these print is the outcome of an act, not a copy of a file
_WORDS = ("messages_to_user", "reasoning")  # tools that only carry the agent's words: nothing is missing without result
_REGISTRY_KEYS = ("tools", "tool_definitions")
_REGISTRY_ROWS = 3


@dataclass(frozen=True)
class Coverage:
    """Channel → `full`, `gapped` or `none` (fixed ones first, then `tool:<name>` by name), and the gaps in order."""

    channels: Mapping[str, str]
    gaps: tuple[Gap, ...] = ()


def derive_coverage(turns: Sequence[Turn]) -> Coverage:
    """Return the map of one run's turns (codebook 4.2, channel coverage map).

    - Calls (shell, files, browser, sub-agents, each API tool): `none` where the log shows neither a call nor a tool
      registry, for then nothing says that calls would be recorded; else `full`, or `gapped` with its gaps.
    - Gaps, each of one turn unless said otherwise: a call without a result that was not the agent's last act; a result
      cut by the import; a result cut by the source where it is the outcome of an act (shell, sub-agents, API tools),
      not where it copies a file or page; the delegation from call to result where the sub-agent's own turns are not in
      the log; a log that begins with a summary of earlier turns, up to that turn.
    - Words: `messages_to_user` full where assistant text is kept, `messages_from_user` where user rows are, `reasoning`
      full, gapped (without gaps: thoughts are no acts) or none by how many assistant rows carry it.
    - `outside` and `after_end` are never recorded.
    """
    registry = _registry(turns)
    called = {channel for turn in turns for call in turn.tool_calls for channel in channels_of(call.name)}
    records_calls = bool(called) or bool(registry) or any(turn.tool_results for turn in turns)
    registered = {channel for name in registry for channel in channels_of(name)}
    gaps = sorted(
        {*_call_gaps(turns), *_opening_gaps(turns)}, key=lambda gap: (gap.from_turn, gap.to_turn, gap.channel)
    )
    gapped = {gap.channel for gap in gaps}
    levels = {channel: "gapped" if channel in gapped else "full" for channel in CALLED}
    if not records_calls:
        levels = dict.fromkeys(CALLED, "none")
    elif _delegations(turns) and not _threads(turns):
        levels["sub_agents"] = "none"
    levels.update(_spoken(turns), **dict.fromkeys(BEYOND, "none"))
    tools = sorted(channel for channel in called | registered if channel.startswith(TOOL))
    channels = {channel: levels[channel] for channel in CHANNELS}
    channels.update({tool: "gapped" if tool in gapped else "full" for tool in tools})
    return Coverage(channels, tuple(gaps))


def _registry(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the names of the tools the log says were offered, where a first row keeps the source's own list."""
    for turn in turns[:_REGISTRY_ROWS]:
        extra = turn.extra_json or ""
        if not any(f'"{key}"' in extra for key in _REGISTRY_KEYS):
            continue
        try:
            held = json.loads(extra)
        except (ValueError, RecursionError):
            continue
        names = sorted(set(_tool_names(held)))
        if names:
            return tuple(names)
    return ()


def _tool_names(held: Any) -> Iterator[str]:
    """Yield the names in a list of tools, at the top or one level down, plain or as function definitions."""
    if not isinstance(held, dict):
        return
    for level in (held, *(value for value in held.values() if isinstance(value, dict))):
        for key in _REGISTRY_KEYS:
            tools = level.get(key)
            for tool in tools if isinstance(tools, list) else ():
                name = _tool_name(tool)
                if name:
                    yield name


def _tool_name(tool: Any) -> str | None:
    if isinstance(tool, dict):
        inner = tool.get("function")
        tool = (inner if isinstance(inner, dict) else tool).get("name")
    return tool if isinstance(tool, str) and tool else None


def _call_gaps(turns: Sequence[Turn]) -> Iterator[Gap]:
    names: dict[str, str] = {}
    answered: dict[str, int] = {}
    orphans: set[int] = set()
    for turn in turns:
        names.update((call.call_key, call.name) for call in turn.tool_calls)
        for result in turn.tool_results:
            if result.call_key is None:
                orphans.add(turn.turn_index)
            else:
                answered.setdefault(result.call_key, turn.turn_index)
            if result.truncated:
                name = names.get(result.call_key or "", result.name or "")
                yield from _cut(turn.turn_index, name, by_import=result.truncated_by == "importer")
    yield from _open_calls(turns, answered, orphans)
    yield from _unseen_work(turns, answered)


def _cut(turn: int, name: str, *, by_import: bool) -> Iterator[Gap]:
    for channel in channels_of(name) if name else ():
        acting = channel in _ACTING or channel.startswith(TOOL)
        if channel not in _WORDS and (by_import or acting):
            yield Gap(channel, turn, turn)


def _open_calls(turns: Sequence[Turn], answered: Mapping[str, int], orphans: set[int]) -> Iterator[Gap]:
    """Yield a gap for a call without a result, save a thread's last ones and those an unlinked row may answer."""
    last_of_thread = {turn.thread_id: turn.turn_index for turn in turns if turn.role == "assistant"}
    for position, turn in enumerate(turns):
        if turn.turn_index == last_of_thread.get(turn.thread_id):
            continue
        n_unlinked = _unlinked_after(turns, position, orphans)
        missing = [call for call in turn.tool_calls if call.call_key not in answered]
        for call in missing[n_unlinked:]:
            for channel in channels_of(call.name):
                if channel not in _WORDS:
                    yield Gap(channel, turn.turn_index, turn.turn_index)


def _unlinked_after(turns: Sequence[Turn], position: int, orphans: set[int]) -> int:
    """Return how many rows with an unlinked result follow before the agent's next row."""
    count = 0
    for turn in turns[position + 1 :]:
        if turn.role == "assistant":
            break
        count += turn.turn_index in orphans
    return count


def _delegations(turns: Sequence[Turn]) -> list[tuple[Turn, ToolCall]]:
    found = ((turn, call) for turn in turns for call in turn.tool_calls)
    return [(turn, call) for turn, call in found if "sub_agents" in channels_of(call.name)]


def _threads(turns: Sequence[Turn]) -> set[str]:
    return {turn.thread_id for turn in turns if turn.thread_id != "main"}


def _unseen_work(turns: Sequence[Turn], answered: Mapping[str, int]) -> Iterator[Gap]:
    """Yield a gap for every delegation, where fewer threads than delegations are in the log."""
    delegations = _delegations(turns)
    if len(_threads(turns)) >= len(delegations):
        return
    for turn, call in delegations:
        yield Gap("sub_agents", turn.turn_index, answered.get(call.call_key, turn.turn_index))


def _opening_gaps(turns: Sequence[Turn]) -> Iterator[Gap]:
    """Yield gaps for a log whose first spoken row is a summary: what it sums up happened before the log."""
    first = next(
        (turn for turn in turns if turn.role in ("user", "assistant") or turn.kind in ("summary", "copied")), None
    )
    if first is None or first.kind not in ("summary", "copied"):
        return
    for channel in CALLED:
        yield Gap(channel, turns[0].turn_index, first.turn_index)


def _spoken(turns: Sequence[Turn]) -> dict[str, str]:
    agent = [turn for turn in turns if turn.role == "assistant"]
    n_thoughts = sum(1 for turn in agent if turn.reasoning)
    thoughts = "none" if n_thoughts == 0 else "full" if n_thoughts == len(agent) else "gapped"
    return {
        "messages_to_user": "full" if any(turn.text for turn in agent) else "none",
        "messages_from_user": "full" if any(turn.role == "user" for turn in turns) else "none",
        "reasoning": thoughts,
    }
