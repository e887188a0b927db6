"""Runs kept ready for judging: a save reads no turn; what is kept is bounded, blind, and as old as what is served."""

from __future__ import annotations

import gc
import json
import random
import sys
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from app.domain.codebook.rules import judge
from app.domain.errors import RulesBroken
from app.domain.packets.facts import run_from_dicts
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import Run, RunTurn
from app.services import coding, prepared
from app.services.bench import load_case, load_unshown_case
from app.services.coding import Submission
from app.services.prepared import PreparedRun, PreparedRuns, weight_of
from app.storage import packets, studies
from app.storage.engine import Database
from app.storage.tables import BlindRunRow
from tests.conftest import Clock
from tests.services.conftest import Published, assignments
from tests.small_study import CANARIES, coding_for


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch) -> PreparedRuns:
    """Each test begins with nothing kept."""
    monkeypatch.setattr(prepared, "KEPT", PreparedRuns())
    return prepared.KEPT


@contextmanager
def turns_read(database: Database) -> Iterator[list[str]]:
    """Yield the statements that read turns, as they are sent."""
    seen: list[str] = []

    def note(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "FROM blind_turn" in statement:
            seen.append(statement)

    engines = (database.write_engine, database.read_engine)
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    yield seen
    for engine in engines:
        event.remove(engine, "before_cursor_execute", note)


def submit(database: Database, published: Published, clock: Clock, token: str, answer: Any = None) -> coding.Saved:
    assignment_id, text = next(iter(assignments(database, published.one).items()))
    with database.reading() as session:
        current = coding.codings.find_current(session, assignment_id)
    sent = Submission(answer or coding_for(text), current.revision if current else 0, token)
    with database.writing() as session:
        return coding.save_coding(session, published.one, assignment_id, sent, clock())


def test_a_save_after_the_page_was_shown_reads_no_turn(database: Database, published: Published, clock: Clock) -> None:
    assignment_id = next(iter(assignments(database, published.one)))
    with turns_read(database) as seen, database.reading() as session:
        coding.rating_page(session, published.one, assignment_id, "x")
    assert len(seen) == 1
    with turns_read(database) as seen:
        assert submit(database, published, clock, "t1").revision == 1
        with database.reading() as session:
            coding.tiers_for(session, published.one, assignment_id)
    assert seen == []


def test_a_save_without_the_page_reads_the_turns_once(database: Database, published: Published, clock: Clock) -> None:
    with turns_read(database) as seen:
        submit(database, published, clock, "t1")
        submit(database, published, clock, "t2")
    assert len(seen) == 1


def test_what_is_kept_judges_and_shows_as_what_is_served(database: Database, published: Published) -> None:
    with database.reading() as session:
        study = studies.find_study(session, "small")
        assert study is not None
        for claim in packets.list_blind_claims(session, "small"):
            fresh = load_case(session, study, claim.blind_claim_id)
            again = load_unshown_case(session, study, claim.blind_claim_id)
            assert again.prepared is fresh.prepared
            assert again.prepared.view.run == run_from_dicts(fresh.turns, fresh.coverage, fresh.gaps)
            assert (again.unit, again.shown_sha256) == (fresh.unit, fresh.shown_sha256)
            answer = dict(coding_for(fresh.claim.text))
            told = coding.judge_for_study(again, answer, ())
            assert told == judge(fresh.codebook, fresh.run, fresh.unit, answer)


def test_another_coverage_map_is_another_run(database: Database, published: Published, clock: Clock) -> None:
    """The database refuses a change of what is published; were there one, what is kept would not hide it."""
    assignment_id = next(a for a, text in assignments(database, published.one).items() if text.startswith("I edited"))
    span = {"from_turn": 0, "to_turn": 6, "looked_for": "any write"}
    absent = {**coding_for("I edited"), "verdict": "UNBACKED", "evidence": [], "disclosure": "none"}
    absent |= {"log_coverage": "full", "search_span": span}
    with database.reading() as session:
        study = studies.find_study(session, "small")
        own = coding.get_own_assignment(session, published.one, assignment_id)
        case = load_unshown_case(session, study, own.assignment.blind_claim_id)
        coding.judge_for_study(case, absent, ())
        served = packets.get_blind_run(session, "small", case.claim.blind_run_id)
        columns = {name: getattr(served, name) for name in ("study_id", "blind_run_id", "n_turns", "sha256")}
        for other in ({"coverage_json": "{}"}, {"gaps_json": '[{"channel": "shell", "from_turn": 3, "to_turn": 4}]'}):
            changed = {"coverage_json": served.coverage_json, "gaps_json": served.gaps_json} | other
            found = prepared.prepared_run(session, BlindRunRow(**columns, **changed))
            assert found is not case.prepared
            with pytest.raises(RulesBroken, match="H19"):
                coding.judge_for_study(_with(case, found), absent, ())


def _with(case: Any, found: PreparedRun) -> Any:
    from dataclasses import replace

    return replace(case, prepared=found)


def test_only_blinded_values_are_kept(database: Database, published: Published, clock: Clock) -> None:
    submit(database, published, clock, "t1")
    kept = repr([run.view.run for run, _ in prepared.KEPT._runs.values()]) + repr(list(prepared.KEPT._runs))
    assert "parser.py" in kept
    for name in (*CANARIES.values(), "canarysession-1", "canarysession-2", "canaryfile"):
        assert name.lower() not in kept.lower()


def made(n_turns: int, size: int) -> PreparedRun:
    """A run of calls and results whose texts are as large as said, as they come from the database."""
    rows = []
    for turn in range(0, n_turns, 2):
        args = json.dumps({"path": f"src/part{turn}.py", "new": f"{turn}" * (size // 4)})
        rows.append(RunTurn(turn, "assistant", text="w" * size, call=True, call_id=f"t{turn}", name="edit", args=args))
        rows.append(RunTurn(turn + 1, "tool", text=f"{turn}" + "z" * size, call_id=f"t{turn}", matched=True))
    return PreparedRun(RunView(Run(tuple(rows), {"shell": "full"})).prepared())


@pytest.mark.parametrize(("n_turns", "size"), [(60, 100), (600, 1_000), (3_000, 40), (200, 20_000)])
def test_a_run_weighs_at_least_what_it_takes(n_turns: int, size: int) -> None:
    gc.collect()
    tracemalloc.start()
    run = made(n_turns, size)
    assert run.tiers
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken <= weight_of(run.view) <= 4 * taken


def test_the_runs_used_last_stay_and_the_bound_holds() -> None:
    one = weight_of(made(60, 100).view)
    cache = PreparedRuns(max_bytes=3 * one + 10)
    runs = {n: cache.get(("s", str(n), "", ""), lambda: made(60, 100)) for n in range(3)}
    assert cache.get(("s", "0", "", ""), lambda: made(60, 100)) is runs[0]
    cache.get(("s", "3", "", ""), lambda: made(60, 100))
    assert (len(cache), cache.n_bytes) == (3, 3 * one)
    assert cache.get(("s", "0", "", ""), lambda: made(60, 100)) is runs[0]
    assert cache.get(("s", "1", "", ""), lambda: made(60, 100)) is not runs[1]


def test_a_run_larger_than_the_bound_is_judged_and_not_kept() -> None:
    cache = PreparedRuns(max_bytes=1_000)
    assert cache.get(("s", "big", "", ""), lambda: made(60, 100)).view.last_turn == 59
    assert (len(cache), cache.n_bytes) == (0, 0)


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads that are taken off the processor as often as can be."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("restless")
def test_many_threads_get_the_run_they_ask_for() -> None:
    sizes = {str(n): 20 + 20 * n for n in range(12)}
    bound = sum(weight_of(made(n, 50).view) for n in sizes.values()) // 3
    cache, rng = PreparedRuns(bound), random.Random(5)
    asked = [rng.choice(list(sizes)) for _ in range(2_000)]

    def ask(name: str) -> bool:
        found = cache.get(("s", name, "", ""), lambda: made(sizes[name], 50))
        return len(found.view.turns) == sizes[name] and cache.n_bytes <= bound

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, asked))
    assert cache.n_bytes == sum(weight for _, weight in cache._runs.values()) <= bound
