"""A judgement in a run indexed beforehand is the same one, whoever asks at once, and does not walk through the run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.domain.codebook.rules import judge, judge_in
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import Run, RunTurn
from tests.domain.codebook.boundary_cases import CASES
from tests.domain.codebook.little_runs import act, agent, call, cite, claim, run, saydo, soft_rules, v5
from tests.domain.codebook.rule_table import HARD, SOFT

BOUNDARY = [(c.run, c.claim, v, dict(a)) for c in CASES for v, a in (("0.4", c.v4), ("0.5", c.v5))]
RULES = [(k.run, k.claim, k.version, {**k.answer, **more}) for k in HARD + SOFT for more, _ in [({}, ""), *k.breaks]]
JUDGED = BOUNDARY + RULES


class Unwalked(tuple[RunTurn, ...]):
    """The rows of a run that may be looked up by place and not gone through."""

    __slots__ = ()

    def __iter__(self) -> Iterator[RunTurn]:
        raise AssertionError("the run is gone through")


@pytest.fixture(scope="module")
def views() -> dict[int, RunView]:
    """One view a run, shared by every judgement in it."""
    return {id(the_run): RunView(the_run).prepared() for the_run, *_ in JUDGED}


def test_a_prepared_run_is_judged_alike_however_often(views: dict[int, RunView]) -> None:
    for the_run, the_claim, version, answer in [*JUDGED, *JUDGED]:
        book = saydo(version)
        assert judge_in(book, views[id(the_run)], the_claim, answer) == judge(book, the_run, the_claim, answer)


def test_a_second_judgement_does_not_go_through_the_run(views: dict[int, RunView]) -> None:
    for the_run, the_claim, version, answer in JUDGED:
        view = RunView(the_run).prepared()
        first = judge_in(saydo(version), view, the_claim, answer)
        view.turns = Unwalked(the_run.turns)
        assert judge_in(saydo(version), view, the_claim, answer) == first


def test_many_threads_share_one_view() -> None:
    """Fresh views, so that threads meet while the index and what is kept beside it are being made."""
    expected = [judge(saydo(version), the_run, c, a) for the_run, c, version, a in JUDGED]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            fresh = {id(the_run): RunView(the_run) for the_run, *_ in JUDGED}
            told = pool.map(lambda j: judge_in(saydo(j[2]), fresh[id(j[0])], j[1], j[3]), JUDGED)  # noqa: B023
            assert list(told) == expected


class TestEditsBetween:
    """W04 finds the one write that matters among many, by position and by the call that made it."""

    BACK = claim(99, "The output is as wanted.")
    CITED = v5("result", "SUPPORTED", cite("supports", 11))

    def warned(self, the_run: Run, answer: dict[str, object] | None = None) -> bool:
        return "W04" in soft_rules(judge(saydo("0.5"), the_run, self.BACK, answer or self.CITED))

    def around(self, *writes: int, thing: str = "out.json") -> Run:
        edits = [act(turn, json.dumps({"command": f"echo 1 > {thing}"}), "") for turn in writes]
        return run(act(10, "cat out.json", "{}"), *edits, agent(99), agent(200))

    def test_only_a_write_after_the_evidence_and_before_the_claim_counts(self) -> None:
        assert not self.warned(self.around(2, 4, 6))
        assert not self.warned(self.around(2, 4, 100))
        assert self.warned(self.around(2, 12, 100))
        assert self.warned(self.around(2, 97))
        assert not self.warned(self.around(12, 50, thing="other.json"))

    def test_writes_at_the_evidence_and_at_the_claim_are_not_between(self) -> None:
        at_claim = run(act(10, "cat out.json", "{}"), call(99, "echo 1 > out.json", text="Done."))
        assert not self.warned(at_claim)
        at_evidence = run(call(11, "echo 1 > out.json", text="It stands in out.json."), agent(99))
        words = v5("result", "SUPPORTED", cite("supports", 11, "T4", part="text"))
        assert not self.warned(at_evidence, words)

    def test_each_part_of_a_row_is_read_for_itself(self) -> None:
        """The call names a.json, the words beside it b.json; only b.json is written to."""
        rows = run(call(11, "cat a.json", text="I look at b.json."), act(20, "echo 1 > a.json", ""), agent(99))
        view = RunView(rows).prepared()
        told = [
            "W04" in soft_rules(judge_in(saydo("0.5"), view, self.BACK, v5("result", "SUPPORTED", cited)))
            for cited in (cite("supports", 11, "T4", part="text"), cite("supports", 11, "T3", part="call"))
        ]
        assert told == [False, True]

    def test_the_writing_call_itself_is_no_edit_of_its_own_result(self) -> None:
        own = run(act(10, json.dumps({"command": "echo 1 > out.json"}), "wrote out.json"), agent(99))
        assert not self.warned(own)
        call_cited = v5("result", "SUPPORTED", cite("supports", 10, "T3"))
        assert not self.warned(own, call_cited)
