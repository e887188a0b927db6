"""The channel coverage map as far as a log alone can say it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app.domain.turnlog.channels import channels_of, is_channel
from app.domain.turnlog.coverage import derive_coverage
from app.domain.turnlog.run import Gap
from app.domain.turnlog.turns import ToolCall, ToolResult, Turn


def user(index: int, text: str = "Please.") -> Turn:
    return Turn("run", index, "user", text)


def call(index: int, *names: str, text: str | None = "ok", thread: str = "main") -> Turn:
    calls = tuple(ToolCall(f"t{index}.c{n}", name, "{}") for n, name in enumerate(names))
    return Turn("run", index, "assistant", text, tool_calls=calls, thread_id=thread)


def result(index: int, key: str | None, **columns: object) -> Turn:
    answered = replace(ToolResult("out", "id" if key else "none", 3, call_key=key), **columns)  # type: ignore[arg-type]
    return Turn("run", index, "tool", None, kind="tool_result", tool_results=(answered,))


def test_a_log_with_calls_and_results_records_every_channel_calls_go_through() -> None:
    found = derive_coverage([user(0), call(1, "Bash"), result(2, "t1.c0"), call(3, "cancel_order"), result(4, "t3.c0")])
    assert dict(found.channels) == {
        "shell": "full",
        "file_read": "full",
        "file_write": "full",
        "browser": "full",
        "messages_to_user": "full",
        "messages_from_user": "full",
        "sub_agents": "full",
        "reasoning": "none",
        "outside": "none",
        "after_end": "none",
        "tool:cancel_order": "full",
    }
    assert found.gaps == ()


def test_a_log_of_words_alone_does_not_say_that_calls_would_be_in_it() -> None:
    found = derive_coverage([user(0), call(1)])
    assert {found.channels[name] for name in ("shell", "file_read", "file_write", "browser", "sub_agents")} == {"none"}
    assert found.channels["messages_to_user"] == "full"


@pytest.mark.parametrize(
    "extra",
    [
        {"tools": [{"type": "function", "function": {"name": "refund"}}]},
        {"session": {"tool_definitions": [{"name": "refund"}]}},
        {"tools": ["refund"]},
    ],
)
def test_a_tool_registry_says_it_even_where_nothing_was_called(extra: object) -> None:
    first = replace(user(0), extra_json=json.dumps(extra))
    found = derive_coverage([first, call(1)])
    assert (found.channels["shell"], found.channels["tool:refund"]) == ("full", "full")


@pytest.mark.parametrize("extra", ['{"tools": ', '{"tools": 5}', '{"tools": [{}]}', '["tools"]', '{"tools": [[]]}'])
def test_a_registry_that_cannot_be_read_is_none(extra: str) -> None:
    assert derive_coverage([replace(user(0), extra_json=extra), call(1)]).channels["shell"] == "none"


def test_a_call_that_was_never_answered_is_a_gap_of_its_turn() -> None:
    found = derive_coverage([user(0), call(1, "Bash", "Read"), result(2, "t1.c1"), call(3)])
    assert (found.channels["shell"], found.channels["file_read"]) == ("gapped", "full")
    assert found.gaps == (Gap("shell", 1, 1),)


def test_the_last_act_of_a_run_and_words_in_calls_need_no_answer() -> None:
    assert derive_coverage([user(0), call(1, "TodoWrite", "finish"), call(2, "Bash")]).gaps == ()


def test_a_result_that_could_not_be_linked_may_be_the_missing_one() -> None:
    assert derive_coverage([call(0, "Bash"), result(1, None), call(2)]).gaps == ()
    assert derive_coverage([call(0, "Bash", "Bash"), result(1, None), call(2)]).gaps == (Gap("shell", 0, 0),)


@pytest.mark.parametrize(
    ("tool", "by", "gaps"),
    [
        ("Bash", "source", (Gap("shell", 1, 1),)),
        ("refund", "source", (Gap("tool:refund", 1, 1),)),
        ("Read", "source", ()),
        ("WebFetch", "source", ()),
        ("Edit", "source", ()),
        ("Read", "importer", (Gap("file_read", 1, 1),)),
        ("str_replace_editor", "importer", (Gap("file_read", 1, 1), Gap("file_write", 1, 1))),
        ("think", "importer", ()),
    ],
)
def test_a_cut_result_is_a_gap_where_an_outcome_may_be_lost(tool: str, by: str, gaps: tuple[Gap, ...]) -> None:
    found = derive_coverage([call(0, tool), result(1, "t0.c0", truncated=True, truncated_by=by), call(2)])
    assert found.gaps == gaps


def test_work_handed_on_is_not_recorded_unless_its_own_turns_are_there() -> None:
    handed_on = [user(0), call(1, "Task"), result(2, "t1.c0"), call(3)]
    found = derive_coverage(handed_on)
    assert (found.channels["sub_agents"], found.gaps) == ("none", (Gap("sub_agents", 1, 2),))
    seen = [user(0), call(1, "Task"), call(2, thread="agent-1"), result(3, "t1.c0"), call(4)]
    assert (derive_coverage(seen).channels["sub_agents"], derive_coverage(seen).gaps) == ("full", ())
    half = [*seen, call(5, "Task"), result(6, "t5.c0"), call(7)]
    assert derive_coverage(half).channels["sub_agents"] == "gapped"


def test_a_log_that_begins_with_a_summary_says_nothing_of_what_came_before() -> None:
    begins = [Turn("run", 0, "system", "rules"), Turn("run", 1, "user", "So far: …", kind="summary"), call(2, "Bash")]
    found = derive_coverage([*begins, result(3, "t2.c0"), call(4)])
    assert {gap.channel for gap in found.gaps} == {"shell", "file_read", "file_write", "browser", "sub_agents"}
    assert {(gap.from_turn, gap.to_turn) for gap in found.gaps} == {(0, 1)}
    later = [
        user(0),
        call(1, "Bash"),
        result(2, "t1.c0"),
        Turn("run", 3, "event", "So far: …", kind="summary"),
        call(4),
    ]
    assert derive_coverage(later).gaps == ()


def test_thoughts_are_full_part_or_none() -> None:
    thought, silent = replace(call(0), reasoning="hm"), call(1)
    assert derive_coverage([thought]).channels["reasoning"] == "full"
    assert derive_coverage([thought, silent]).channels["reasoning"] == "gapped"
    assert derive_coverage([silent]).channels["reasoning"] == "none"
    assert derive_coverage([call(0, "Bash", text=None)]).channels["messages_to_user"] == "none"
    assert derive_coverage([call(0)]).channels["messages_from_user"] == "none"


def test_an_empty_run_records_nothing() -> None:
    assert set(derive_coverage([]).channels.values()) == {"none"}


def test_names_of_tools() -> None:
    assert channels_of("execute_bash") == ("shell",)
    assert channels_of("mcp__files__read_file") == ("file_read",)
    assert channels_of("functions.exec_command") == ("shell",)
    assert channels_of("get_order") == ("tool:get_order",)
    assert is_channel("shell")
    assert is_channel("tool:x")
    assert not is_channel("tool:")
    assert not is_channel("shel")
