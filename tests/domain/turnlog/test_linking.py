"""A result answers the earliest call still open; repeated, empty and missing ids, any order, orphans, threads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.turnlog.linking import link_turns
from app.domain.turnlog.turns import ToolCall, ToolResult, Turn


def call(call_id: str | None = None, name: str = "bash") -> ToolCall:
    return ToolCall("", name, "{}", True, call_id)


def calling(*calls: ToolCall, thread: str = "main") -> Turn:
    return Turn("s", 0, "assistant", None, thread_id=thread, tool_calls=calls)


def result(call_id: str | None = None, name: str | None = None, match: str = "none") -> ToolResult:
    return ToolResult("out", match, 3, None, call_id, name)


def answering(*results: ToolResult, thread: str = "main") -> Turn:
    return Turn("s", 0, "tool", None, kind="tool_result", thread_id=thread, tool_results=results)


def links(*turns: Turn) -> list[tuple[str | None, str]]:
    return [(r.call_key, r.match) for turn in link_turns(turns) for r in turn.tool_results]


def test_rows_are_numbered_and_calls_keyed() -> None:
    turns = link_turns([Turn("s", 9, "user", "x"), calling(call("a"), call("b"))])
    assert [turn.turn_index for turn in turns] == [0, 1]
    assert [c.call_key for c in turns[1].tool_calls] == ["t1.c0", "t1.c1"]


def test_the_same_id_twice_links_each_result_to_its_own_call() -> None:
    """A dict id -> call would link both results to the second call."""
    assert links(calling(call("a")), answering(result("a")), calling(call("a")), answering(result("a"))) == [
        ("t0.c0", "id"),
        ("t2.c0", "id"),
    ]


def test_two_open_calls_of_one_id_are_answered_in_order() -> None:
    assert links(calling(call("a"), call("a")), answering(result("a")), answering(result("a"))) == [
        ("t0.c0", "id"),
        ("t0.c1", "id"),
    ]


def test_results_may_come_in_another_order() -> None:
    assert links(calling(call("a"), call("b")), answering(result("b"), result("a"))) == [
        ("t0.c1", "id"),
        ("t0.c0", "id"),
    ]


def test_an_id_that_no_open_call_has_stays_an_orphan() -> None:
    assert links(calling(call("a")), answering(result("zzz")), answering(result("a")), answering(result("a"))) == [
        (None, "none"),
        ("t0.c0", "id"),
        (None, "none"),
    ]


def test_without_an_id_the_earliest_open_call_is_meant() -> None:
    assert links(calling(call(), call()), answering(result()), answering(result("")), answering(result())) == [
        ("t0.c0", "order"),
        ("t0.c1", "order"),
        (None, "none"),
    ]


def test_without_an_id_a_name_is_heeded() -> None:
    turns = (
        calling(call(name="read"), call(name="bash")),
        answering(result(name="bash")),
        answering(result(name="grep")),
    )
    assert links(*turns) == [("t0.c1", "order"), (None, "none")]


def test_a_result_that_must_have_an_id_never_goes_by_order() -> None:
    turns = (calling(call("a")), answering(result(match="id")), answering(result("a", match="id")))
    assert links(*turns) == [(None, "none"), ("t0.c0", "id")]


def test_a_call_never_answered_stays_open() -> None:
    assert links(calling(call("a")), calling(call("b")), answering(result("b"))) == [("t1.c0", "id")]


def test_a_sub_agent_answers_its_own_calls_first() -> None:
    turns = (
        calling(call("a")),
        calling(call("a"), thread="sub"),
        answering(result("a"), thread="sub"),
        answering(result("a")),
        calling(call(), thread="sub"),
        answering(result(), thread="main"),
        answering(result(), thread="sub"),
    )
    assert links(*turns) == [("t1.c0", "id"), ("t0.c0", "id"), (None, "none"), ("t4.c0", "order")]


def test_an_id_is_found_across_threads_at_last() -> None:
    assert links(calling(call("a")), answering(result("a"), thread="sub")) == [("t0.c0", "id")]


def test_inline_results_answer_only_the_latest_calling_row() -> None:
    turns = (
        calling(call("old")),
        calling(call("x"), call(), call(name="read")),
        answering(result("x", match="inline"), result(name="read", match="inline"), result(match="inline")),
        answering(result("old", match="inline")),
    )
    assert links(*turns) == [("t1.c0", "inline"), ("t1.c2", "inline"), ("t1.c1", "inline"), (None, "none")]


def test_a_result_without_a_name_takes_the_calls() -> None:
    turns = link_turns([calling(call("a", "read")), answering(result("a"), result("b"))])
    assert [r.name for r in turns[1].tool_results] == ["read", None]


ids = st.sampled_from(["a", "b", "c", "", None])


@given(st.lists(st.tuples(st.booleans(), ids, st.sampled_from(["main", "sub"])), max_size=40))
def test_linking_equals_a_plain_search(steps: list[tuple[bool, str | None, str]]) -> None:
    """The second way: for each result, look through all calls made so far, oldest first."""
    rows = [calling(call(i), thread=t) if makes else answering(result(i), thread=t) for makes, i, t in steps]
    expected: list[str | None] = []
    still: list[tuple[str, str | None, str]] = []
    for n, (makes, i, thread) in enumerate(steps):
        if makes:
            still.append((f"t{n}.c0", i, thread))
            continue
        own = [entry for entry in still if entry[2] == thread]
        fits = [e for e in own if e[1] == i] + [e for e in still if e[1] == i] if i else own
        expected.append(fits[0][0] if fits else None)
        if fits:
            still.remove(fits[0])
    assert [key for key, _ in links(*rows)] == expected
