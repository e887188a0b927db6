"""Anthropic messages: the system prompt outside, blocks split into rows, server tools inside one message."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.readers.logs import read_logs
from tests.readers.conftest import only_session, turns_of

Write = Callable[..., Path]
USE = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}
PAIR = [
    {"role": "assistant", "content": [{"type": "text", "text": "I look."}, USE, {**USE, "id": "t2"}]},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t2", "content": "two"},
            {"type": "tool_result", "tool_use_id": "t1", "content": "one", "is_error": True},
            {"type": "text", "text": "Go on.", "cache_control": {"type": "ephemeral"}},
        ],
    },
]


def test_a_request_has_its_system_prompt_first(json_file: Write) -> None:
    request = {"system": [{"type": "text", "text": "Act."}], "model": "mod", "max_tokens": 9, "messages": PAIR}
    logs = read_logs([json_file(request, "r.json")])
    assert logs.format == "anthropic-messages"
    (turns,) = turns_of(logs).values()
    assert [(t.session_id, t.role, t.text, t.src_index, t.model) for t in turns] == [
        ("r", "system", "Act.", (), None),
        ("r", "assistant", "I look.", (0,), "mod"),
        ("r", "tool", None, (1,), None),
        ("r", "user", "Go on.", (1,), None),
    ]
    assert [(r.output, r.is_error, r.call_key) for r in turns[2].tool_results] == [
        ("two", None, "t1.c1"),
        ("one", True, "t1.c0"),
    ]
    assert json.loads(turns[0].extra_json or "") == {"session": {"max_tokens": 9}}
    assert json.loads(turns[3].extra_json or "")["part_fields"] == [{"part": 2, "cache_control": {"type": "ephemeral"}}]


@pytest.mark.parametrize(
    ("value", "name", "ids"),
    [
        (PAIR, "a.json", ["a"]),
        (PAIR, "a.jsonl", ["a"]),
        ([{"messages": PAIR}, {"messages": PAIR, "id": "own"}], "a.jsonl", ["a#0", "own"]),
    ],
)
def test_lists_and_lines_are_read_too(json_file: Write, value: Any, name: str, ids: list[str]) -> None:
    logs = read_logs([json_file(value, name)])
    assert (logs.format, list(turns_of(logs))) == ("anthropic-messages", ids)
    assert logs.counts["matched_by_id"] == 2 * len(ids)


def test_a_server_tool_answers_inside_the_same_message(json_file: Write) -> None:
    blocks = [
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result", "url": "u"}]},
        {"type": "text", "text": "Found it."},
    ]
    turns = only_session(json_file([{"role": "assistant", "content": blocks}]))
    assert [(t.role, t.text) for t in turns] == [("assistant", "Found it."), ("tool", None)]
    assert [(r.call_key, r.match) for r in turns[1].tool_results] == [("t0.c0", "inline")]
    assert '"url": "u"' in (turns[1].tool_results[0].output or "")


def test_what_is_no_message_is_refused(json_file: Write) -> None:
    with pytest.raises(BadInput, match=r"r\.json row 0, column messages: message 2 has the unknown role 'boss'"):
        read_logs([json_file({"system": "x", "messages": [*PAIR, {"role": "boss"}]}, "r.json")])
