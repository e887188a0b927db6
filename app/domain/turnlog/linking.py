"""Which call a result answers: the earliest one still open, never a plain id → call look-up.

Call ids repeat inside real sessions (the same id for two different calls), some are empty, some results carry none; a
dict from id to call links a result to the wrong act. Numbers rows, gives calls their keys, matches results. Nothing is
read or guessed from texts here.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace

from app.domain.turnlog.turns import ToolCall, ToolResult, Turn


def call_key(turn_index: int, n: int) -> str:
    """Return the key of the `n`-th call (0-based) of a row: unique in its session.

    >>> call_key(7, 0)
    't7.c0'
    """
    return f"t{turn_index}.c{n}"


@dataclass
class _Open:
    key: str
    call: ToolCall
    row: int
    answered: bool = False


@dataclass
class OpenCalls:
    """The calls of one session that no result has answered yet, in log order."""

    _queues: dict[Hashable, deque[_Open]] = field(default_factory=lambda: defaultdict(deque))
    _latest_row: dict[str, list[_Open]] = field(default_factory=dict)

    def open(self, call: ToolCall, row: int, thread_id: str) -> None:
        """Add a call made at `row` of a thread; `call.call_key` names it."""
        entry = _Open(call.call_key, call, row)
        self._queues["thread", thread_id].append(entry)
        self._queues["name", thread_id, call.name].append(entry)
        if call.call_id:
            self._queues["id", thread_id, call.call_id].append(entry)
            self._queues["id", call.call_id].append(entry)
        latest = self._latest_row.setdefault(thread_id, [])
        if latest and latest[-1].row != row:
            latest.clear()
        latest.append(entry)

    def take(self, result: ToolResult, thread_id: str) -> tuple[ToolCall | None, str]:
        """Return the call a result answers (None: none) and how it was found: `id`, `order`, `inline` or `none`.

        With an id: the earliest open call of that id, the same thread first. Without (null or empty): the earliest open
        call of the thread, of the same name if the result names one. A result that comes in as `inline` only answers
        the calls of the thread's latest calling row, one that comes in as `id` never goes by order. The call is closed.
        """
        if result.match == "inline":
            return self._close(self._inline(result, thread_id), "inline")
        if result.call_id:
            entry = self._first("id", thread_id, result.call_id) or self._first("id", result.call_id)
            return self._close(entry, "id")
        if result.match == "id":
            return None, "none"
        if result.name:
            return self._close(self._first("name", thread_id, result.name), "order")
        return self._close(self._first("thread", thread_id), "order")

    def _inline(self, result: ToolResult, thread_id: str) -> _Open | None:
        still = [e for e in self._latest_row.get(thread_id, ()) if not e.answered]
        if result.call_id:
            return next((e for e in still if e.call.call_id == result.call_id), None)
        return next((e for e in still if not result.name or e.call.name == result.name), None)

    def _first(self, *key: str) -> _Open | None:
        queue = self._queues.get(key)
        while queue and queue[0].answered:
            queue.popleft()
        return queue[0] if queue else None

    @staticmethod
    def _close(entry: _Open | None, match: str) -> tuple[ToolCall | None, str]:
        if entry is None:
            return None, "none"
        entry.answered = True
        return entry.call, match


def _matched(result: ToolResult, calls: OpenCalls, thread_id: str) -> ToolResult:
    call, match = calls.take(result, thread_id)
    if call is None:
        return replace(result, match="none", call_key=None)
    return replace(result, match=match, call_key=call.call_key, name=result.name or call.name)


def link_turns(turns: Iterable[Turn]) -> list[Turn]:
    """Return one session's turns numbered 0..n-1 in the order given, calls keyed and every result matched.

    Turn indices, call keys and matches that come in are overwritten; `inline` and `id` coming in narrow the search (see
    `OpenCalls.take`: the call stands in the same source record; the source links by id and gave none). A result without
    a call keeps its place with match `none`; a call without a result stays open and is no fault.
    """
    linked: list[Turn] = []
    calls = OpenCalls()
    for index, turn in enumerate(turns):
        keyed = tuple(replace(call, call_key=call_key(index, n)) for n, call in enumerate(turn.tool_calls))
        results = tuple(_matched(result, calls, turn.thread_id) for result in turn.tool_results)
        for call in keyed:
            calls.open(call, index, turn.thread_id)
        linked.append(replace(turn, turn_index=index, tool_calls=keyed, tool_results=results))
    return linked
