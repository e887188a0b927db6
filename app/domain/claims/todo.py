"""To-do items inside a call's arguments: which list entry says what, and whether it is ticked.

Responsible for recognising the entries by shape (a text beside a status in one list entry), since every harness names
its tool differently. It does not judge what an item claims.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.turnlog.arguments import ArgumentPart

_ENTRY = re.compile(r"(?P<entry>.*\[\d+\])\.(?P<key>[^.\[\]]+)\Z", re.DOTALL)
_WORDS = ("content", "title", "step", "task", "description", "text", "name")
_STATUS = ("status", "state", "completed", "done")
_DONE = ("completed", "complete", "done", "true", "finished", "checked")
_KNOWN = (
    *_DONE,
    "pending",
    "in_progress",
    "in progress",
    "todo",
    "open",
    "false",
    "not_started",
    "cancelled",
    "blocked",
)


@dataclass(frozen=True)
class TodoItem:
    """One entry: the range in the argument source from its words to its status (keys included), and whether ticked."""

    start: int
    end: int
    done: bool


def todo_items(parts: Sequence[ArgumentPart], args_json: str) -> list[TodoItem]:
    """Return the to-do entries among the parts in source order; other arguments give none.

    The range starts at the entry's opening brace where the words or the status come first in it, so that a rater reads
    the item together with its mark.
    """
    entries: dict[str, dict[str, ArgumentPart]] = {}
    for part in parts:
        match = _ENTRY.match(part.path)
        if match:
            entries.setdefault(match.group("entry"), {})[match.group("key")] = part
    return [item for entry in entries.values() if (item := _item(entry, args_json))]


def _item(entry: dict[str, ArgumentPart], args_json: str) -> TodoItem | None:
    words = next((entry[key] for key in _WORDS if key in entry and entry[key].text.strip()), None)
    status = next((entry[key] for key in _STATUS if key in entry and entry[key].text.lower() in _KNOWN), None)
    if words is None or status is None:
        return None
    first, last = sorted((words, status), key=lambda part: part.raw_start)
    opening = args_json.rfind('"', 0, args_json.rfind(":", 0, first.raw_start))
    opening = args_json.rfind('"', 0, opening)
    brace = args_json[:opening].rstrip()
    start = len(brace) - 1 if brace.endswith("{") else opening
    closing_quote = args_json[last.raw_end : last.raw_end + 1] == '"'
    return TodoItem(start, last.raw_end + int(closing_quote), status.text.lower() in _DONE)
