"""The index of a run says what a plain reading of its rows says, and is made once."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.turnlog.positions import RunView, answered_by
from app.domain.turnlog.run import Run, RunTurn

NAMES = st.sampled_from([None, "", "shell", "edit"])
IDS = st.sampled_from([None, "", "a", "b"])


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Runs in log order with shared positions, repeated ids, results without calls, summaries under a user's name."""
    rows, turn = [], 0
    for _ in range(draw(st.integers(0, 14))):
        role = draw(st.sampled_from(["assistant", "tool", "user", "event"]))
        rows.append(
            RunTurn(
                turn,
                role,
                kind=draw(st.sampled_from(["message", "summary", "copied"])) if role == "user" else "message",
                call=role == "assistant" and draw(st.booleans()),
                call_id=draw(IDS),
                name=draw(NAMES),
                matched=draw(st.sampled_from([None, True, False])) if role == "tool" else None,
            )
        )
        turn += draw(st.integers(0, 3))
    return Run(tuple(rows))


def plainly_answered(turns: Sequence[RunTurn]) -> dict[int, int]:
    """The rule of `answered_by`, read off its words with a search over every call for every result."""
    links: dict[int, int] = {}
    for place, row in enumerate(turns):
        if row.role != "tool" or row.call or row.matched is False:
            continue
        for earlier, call in enumerate(turns[:place]):
            if not call.call or earlier in links.values():
                continue
            same_name = not row.name or not call.name or row.name == call.name
            if call.call_id == row.call_id if row.call_id else same_name:
                links[place] = earlier
                break
    return links


@given(runs())
def test_every_result_finds_the_call_a_plain_search_finds(run: Run) -> None:
    assert answered_by(run.turns) == plainly_answered(run.turns)


@given(runs(), st.integers(-1, 20), st.integers(1, 4))
def test_the_index_says_what_the_rows_say(run: Run, after: int, n: int) -> None:
    view = RunView(run)
    wrote = sorted({r.turn for r in run.turns if r.role == "user" and r.kind == "message"})
    assert view.next_user_turn(after) == next((t for t in wrote if t > after), None)
    acting = sorted({r.turn for r in run.turns if r.call})
    assert view.nth_acting_turn(after, n) == next(iter([t for t in acting if t > after][n - 1 : n]), None)
    for turn in acting:
        answers = [run.turns[r].turn for r, c in view.links.items() if run.turns[c].turn == turn]
        assert view.answered_until.get(turn, turn) == max([turn, *answers])
    for turn in range(-1, 30):
        assert view.rows(turn) == tuple(row for row in run.turns if row.turn == turn)


def test_what_is_kept_is_made_once() -> None:
    view, made = RunView(Run(())), []
    assert [view.kept("key", lambda: made.append(1) or len(made)) for _ in range(3)] == [1, 1, 1]
    assert view.kept("other", lambda: None) is None


def test_a_prepared_view_has_its_whole_index() -> None:
    view = RunView(Run((RunTurn(0, "user"), RunTurn(1, "assistant", call=True)))).prepared()
    lazily = {name for name in dir(RunView) if type(getattr(RunView, name)).__name__ == "cached_property"}
    assert lazily <= set(vars(view))


@pytest.mark.parametrize("named", ["same", "other", ""])
def test_linking_takes_time_in_proportion_to_the_rows(named: str) -> None:
    """Thirty thousand open calls and results that answer none of them: a search over all open calls takes minutes."""
    calls = [RunTurn(n, "assistant", call=True, name="same") for n in range(30_000)]
    results = [RunTurn(30_000 + n, "tool", name=named) for n in range(30_000)]
    began = perf_counter()
    assert len(answered_by([*calls, *results])) == (0 if named == "other" else 30_000)
    assert perf_counter() - began < 20
