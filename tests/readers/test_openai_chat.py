"""OpenAI chat messages as a list, an object, or lines: content in every shape, calls in every shape."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.readers.logs import read_logs
from tests.readers.conftest import only_session, turns_of

Write = Callable[..., Path]
HELLO = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]


@pytest.mark.parametrize(
    ("value", "name", "ids"),
    [
        (HELLO, "a.json", ["a"]),
        ({"messages": HELLO}, "a.json", ["a"]),
        ({"messages": HELLO, "id": "own"}, "a.json", ["own"]),
        ([{"messages": HELLO}, {"messages": HELLO, "id": "own"}], "a.json", ["a#0", "own"]),
        ([HELLO, HELLO], "a.json", ["a#0", "a#1"]),
        (HELLO, "a.jsonl", ["a"]),
        ([{"messages": HELLO}] * 2, "a.jsonl", ["a#0", "a#1"]),
        ([HELLO], "a.jsonl", ["a"]),
    ],
)
def test_every_wrapping_gives_the_same_turns(json_file: Write, value: Any, name: str, ids: list[str]) -> None:
    logs = read_logs([json_file(value, name)])
    assert logs.format == "openai-chat"
    sessions = turns_of(logs)
    assert list(sessions) == ids
    for turns in sessions.values():
        assert [(t.role, t.text, t.src_index) for t in turns] == [("user", "hi", (0,)), ("assistant", "ho", (1,))]


def function(call_id: str | None, name: str, arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_calls_of_every_shape_and_their_results(json_file: Write) -> None:
    custom = {"id": "c3", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    calls = [function("c1", "bash", '{"a": 1}'), function("c2", "bash", '{"a": '), custom]
    messages = [
        {"role": "developer", "content": "Act."},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c3", "content": [{"type": "text", "text": "ok"}]},
        {"role": "tool", "tool_call_id": "c1", "content": ""},
        {"role": "tool", "tool_call_id": "nobody", "content": "orphan"},
        {"role": "assistant", "content": "", "function_call": {"name": "old", "arguments": "{}"}},
        {"role": "function", "name": "old", "content": "result"},
    ]
    turns = only_session(json_file(messages))
    assert [(t.role, t.text) for t in turns] == [
        ("system", "Act."),
        ("assistant", None),
        ("tool", None),
        ("tool", None),
        ("tool", None),
        ("assistant", ""),
        ("tool", None),
    ]
    assert [(c.name, c.args_json, c.args_ok) for c in turns[1].tool_calls] == [
        ("bash", '{"a": 1}', True),
        ("bash", '{"a": ', False),
        ("patch", "*** Begin", False),
    ]
    assert [(r.output, r.call_key, r.match) for t in turns for r in t.tool_results] == [
        ("ok", "t1.c2", "id"),
        ("", "t1.c0", "id"),
        ("orphan", None, "none"),
        ("result", "t5.c0", "order"),
    ]


def test_a_list_of_calls_may_be_json_text_and_what_is_none_is_kept(json_file: Write) -> None:
    listed = json.dumps([function("c1", "bash", "{}")])
    turns = only_session(json_file([{"role": "assistant", "content": "a", "tool_calls": listed}]))
    assert [(c.name, c.call_id) for c in turns[0].tool_calls] == [("bash", "c1")]
    turns = only_session(json_file([{"role": "assistant", "content": "a", "tool_calls": "none"}]))
    assert json.loads(turns[0].extra_json or "") == {"tool_calls": "none"}


def test_content_of_every_shape(json_file: Write) -> None:
    url = "data:image/png;base64,iVBORw0KGgo="
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": url}}]},
        {"role": "user", "name": "ann", "content": ["b", {"type": "weather", "sky": "blue"}]},
        {"role": "assistant", "content": None, "refusal": "I will not."},
        {"role": "assistant", "content": "c", "reasoning_content": "hm", "logprobs": [0.5], "timestamp": 1767323045},
    ]
    turns = only_session(json_file(messages))
    assert turns[0].text == "a\n\n[image: image/png, 8 bytes, sha256 4c4b6a3be131]"
    assert (turns[0].attachments[0].mime, turns[0].attachments[0].bytes) == ("image/png", 8)
    assert (turns[1].text, turns[1].author) == ("b", "ann")
    assert json.loads(turns[1].extra_json or "") == {"content_parts": [{"type": "weather", "sky": "blue"}]}
    assert turns[2].text == "I will not."
    assert (turns[3].reasoning, turns[3].text) == ("hm", "c")
    assert json.loads(turns[3].extra_json or "") == {"logprobs": [0.5]}
    assert turns[3].ts is not None
    assert turns[3].ts.isoformat() == "2026-01-02T03:04:05+00:00"


def test_anthropic_blocks_inside_chat_messages_are_split(json_file: Write) -> None:
    blocks = [{"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "I look."}]
    use = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a"}], "is_error": True}
    messages = [
        {"role": "assistant", "content": [*blocks, use]},
        {"role": "user", "content": [answer, {"type": "text", "text": "go on"}]},
    ]
    turns = only_session(json_file(messages))
    assert [(t.role, t.text, t.src_index) for t in turns] == [
        ("assistant", "I look.", (0,)),
        ("tool", None, (1,)),
        ("user", "go on", (1,)),
    ]
    assert turns[0].reasoning == "hm"
    assert [(r.output, r.is_error, r.call_key) for r in turns[1].tool_results] == [("a", True, "t0.c0")]


@pytest.mark.parametrize(
    ("value", "name", "says"),
    [
        (
            [*HELLO, {"role": "boss", "content": ""}],
            "a.json",
            r"a\.json row 2, column role: the message has the unknown",
        ),
        ([*HELLO, 5], "a.json", r"a\.json row 2: not a message with a role and content"),
        ([HELLO, [{"role": "x"}]], "a.json", r"a\.json row 1, column messages: message 0 has the unknown role 'x'"),
        ([HELLO, {"no": 1}], "a.json", r"a\.json row 1, column messages: not a list of messages"),
    ],
)
def test_what_is_no_message_is_refused_with_its_row(json_file: Write, value: Any, name: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_logs([json_file(value, name)])


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(["content", "tool_calls", "tool_call_id", "name", "function_call", "refusal", "id", "timestamp"])
odd_messages = st.builds(
    lambda role, more: {**more, "role": role},
    st.sampled_from(["user", "assistant", "tool", "system", "boss", None, 3]),
    st.dictionaries(keys, any_json, max_size=5),
)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(odd_messages, min_size=1, max_size=4))
def test_whatever_stands_in_a_message_it_is_read_or_refused_in_one_sentence(
    json_file: Write, messages: list[Any]
) -> None:
    """A hostile or broken message gives turns or `BadInput`, never another error."""
    with contextlib.suppress(BadInput):
        read_logs([json_file(messages, "odd.json")], "openai-chat")
