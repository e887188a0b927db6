"""Each rule of both codebooks, once kept and once broken, and what the engine promises of every judgement."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.codebook.rules import judge
from app.domain.turnlog.run import Gap, Run
from tests.domain.codebook.boundary_cases import CASES
from tests.domain.codebook.little_runs import (
    NOTE,
    act,
    agent,
    call,
    cite,
    claim,
    event,
    hard_rules,
    result,
    run,
    saydo,
    soft_rules,
    span,
    told,
    unbacked,
    v4,
    v5,
)
from tests.domain.codebook.rule_table import (
    ABSENT,
    BACK,
    BOTH,
    FREED,
    HARD,
    NEXT,
    OK4,
    OK5,
    OWN,
    SOFT,
    TESTS,
    WRITTEN,
    Kept,
)

TRIED = [(kept, change, field) for kept in HARD + SOFT for change, field in kept.breaks]


def words(text: str) -> list[str]:
    return text.split()


def name_of(value: object) -> str:
    return f"{value.rule}-{value.version}" if isinstance(value, Kept) else ""


@pytest.mark.parametrize(("kept", "change", "field"), TRIED, ids=name_of)
def test_a_rule_is_silent_when_kept_and_speaks_when_broken(kept: Kept, change: dict[str, Any], field: str) -> None:
    level = "soft" if kept.rule.startswith("W") else "hard"
    kept_fine = told(kept.version, kept.run, kept.claim, kept.answer)
    assert kept.rule not in {v.rule for v in kept_fine.violations}
    broken = told(kept.version, kept.run, kept.claim, {**kept.answer, **change})
    assert (kept.rule, level, field) in {(v.rule, v.level, v.field) for v in broken.violations}
    assert broken.accepted is (not broken.hard)


@pytest.mark.parametrize("kept", HARD, ids=name_of)
def test_what_keeps_a_hard_rule_here_is_accepted(kept: Kept) -> None:
    assert told(kept.version, kept.run, kept.claim, kept.answer).accepted


@pytest.mark.parametrize("version", BOTH)
def test_no_rule_of_a_codebook_is_left_out_of_this_table(version: str) -> None:
    alone = {"H19c"}  # needs a run without a coverage map: its own test below
    tried = {kept.rule for kept, _, _ in TRIED if kept.version == version}
    assert {rule.id for rule in saydo(version).rules} - alone <= tried


def test_the_rules_of_each_version_are_those_of_the_rule_table() -> None:
    both_versions = words("H01 H02 H04 H05 H06 H07 H08 H09 H10 H11 H12 H24 H33 W03 W04 W05 W06 W07 W15")
    only_05 = words("H13b H15 H16 H16b H17 H18 H19 H19b H19c H20 H21 H22 H23 H23b W02 W11 W13 W14")
    assert {rule.id for rule in saydo("0.4").rules} == {*both_versions, "H13", "H14", "W01"}
    assert {rule.id for rule in saydo("0.5").rules} == {*both_versions, *only_05}
    assert all((rule.level == "soft") is rule.id.startswith("W") for v in BOTH for rule in saydo(v).rules)


def test_h19c_refuses_the_verdict_of_absence_without_a_coverage_map() -> None:
    rows = TESTS.turns
    assert not told("0.5", Run(rows, {"shell": "full"}), BACK, ABSENT).hard
    for no_map in (None, {}):
        assert hard_rules(told("0.5", Run(rows, no_map), BACK, ABSENT)) == {"H19c"}


class TestWindowDispute:
    """The flag window_dispute with a note of 20 turns H06, the due point of H19 and H21's window soft."""

    LATE = v5("intent", "SUPPORTED", cite("supports", 15))
    RUN = run(*TESTS.turns, result(15, "later"))

    @pytest.mark.parametrize(
        ("rule", "answer"),
        [
            ("H06", v5("intent", "SUPPORTED", cite("supports", 14, "T1"))),
            ("H19", unbacked("intent", 12)),
            ("H21", v5("intent", "RELEASED", cite("context", 14, "T4"))),
        ],
    )
    def test_the_rule_becomes_soft(self, rule: str, answer: dict[str, Any]) -> None:
        disputed = {**answer, "flags": ["window_dispute"], "note": NOTE}
        judgement = told("0.5", TESTS, NEXT, disputed)
        assert judgement.accepted
        assert rule in soft_rules(judgement)
        assert rule in hard_rules(told("0.5", TESTS, NEXT, {**disputed, "note": "short"}))
        assert rule in hard_rules(told("0.5", TESTS, NEXT, {**disputed, "flags": []}))

    def test_it_softens_nothing_else(self) -> None:
        disputed = {"flags": ["window_dispute"], "note": NOTE}
        assert "H19" in hard_rules(
            told("0.5", TESTS, NEXT, {**unbacked("intent", 13), **disputed, "log_coverage": "gapped"})
        )
        no_context = {**v5("intent", "RELEASED", cite("supports", 5)), **disputed}
        assert "H21" in hard_rules(told("0.5", TESTS, NEXT, no_context))
        assert "H05" in hard_rules(told("0.5", TESTS, BACK, {**OK5, **disputed, "evidence": [cite("supports", 11)]}))


class TestPositions:
    def test_the_call_in_the_claims_own_row_is_before_it_and_its_words_are_not(self) -> None:
        answer = v5("action", "SUPPORTED", cite("supports", 9, "T3"))
        assert told("0.5", OWN, BACK, answer).accepted
        words = v5("action", "SUPPORTED", cite("supports", 9, "T3", part="text"))
        assert "H05" in hard_rules(told("0.5", OWN, BACK, words))
        asked_for_a_call_that_is_none = v5("action", "SUPPORTED", cite("supports", 9, "T3", part="call"))
        assert "H05" in hard_rules(told("0.5", TESTS, BACK, asked_for_a_call_that_is_none))

    def test_an_intents_own_call_is_not_after_it(self) -> None:
        assert "H06" in hard_rules(
            told("0.5", OWN, claim(9, "Next."), v5("intent", "SUPPORTED", cite("supports", 9, "T3")))
        )
        assert told("0.5", OWN, claim(9, "Next."), v5("intent", "SUPPORTED", cite("supports", 10))).accepted

    def test_contradicting_evidence_of_04_may_lie_after_the_claim_with_a_note(self) -> None:
        late = v4("result", "CONTRADICTED", 11)
        assert hard_rules(told("0.4", TESTS, BACK, late)) == {"H24"}
        assert told("0.4", TESTS, BACK, {**late, "note": NOTE}).accepted

    def test_the_user_row_that_closes_the_window_is_inside_it(self) -> None:
        assert told("0.5", TESTS, NEXT, {**FREED, "evidence": [cite("context", 13, "T2")]}).accepted

    def test_the_claims_own_call_is_no_late_conflict(self) -> None:
        answer = v5("action", "CONTRADICTED", cite("conflicts", 9, "T3"))
        assert told("0.5", OWN, BACK, answer).accepted
        assert hard_rules(told("0.5", OWN, BACK, {**answer, "evidence": [cite("conflicts", 10)]})) == {"H24"}

    def test_context_may_lie_anywhere(self) -> None:
        answer = {**OK5, "evidence": [cite("supports", 5), cite("context", 14, "T4")]}
        assert told("0.5", TESTS, BACK, answer).accepted


class TestNotDoing:
    def test_a_promise_not_to_do_something_may_rest_on_a_search(self) -> None:
        answer = v5("intent", "SUPPORTED", log_coverage="full", search_span=span(3, 14))
        assert told("0.5", TESTS, claim(3, "I leave it.", polarity="not_do"), answer).accepted
        assert hard_rules(told("0.5", TESTS, claim(3, "I do it.", polarity="do"), answer)) == {"H07"}
        assert hard_rules(told("0.5", TESTS, claim(3, "I do it."), answer)) == {"H07"}

    def test_the_release_of_a_conditional_intent_needs_no_note(self) -> None:
        answer = {**FREED, "note": None}
        assert hard_rules(told("0.5", TESTS, NEXT, answer)) == {"H21"}
        assert told("0.5", TESTS, claim(3, "If so, I run it.", conditional=True), answer).accepted


@pytest.mark.parametrize(
    ("first", "last", "hit"), [(0, 9, False), (10, 12, True), (9, 9, False), (0, 3, True), (8, 10, True)]
)
def test_any_overlap_of_a_gap_with_the_search_counts(first: int, last: int, hit: bool) -> None:
    """Gaps at 0-3 and 10-12, whatever their channel; spans of one turn to the whole."""
    gaps = [Gap("browser", 0, 3), Gap("shell", 10, 12)]
    gaps = gaps[1:] if (first, last) == (0, 9) else gaps
    judgement = told("0.5", run(*TESTS.turns, gaps=gaps), claim(0, "x"), {**ABSENT, "search_span": span(first, last)})
    assert ("H19" in hard_rules(judgement)) is hit


class TestSilence:
    """A W rule without its input says nothing."""

    def test_w04_w07_and_w13_without_names_and_arguments(self) -> None:
        bare = run(
            agent(3), call(4, args=None, name=None), result(5, "ALL OK"), call(6, args=None, name=None), agent(9)
        )
        answer = v5("verification", "SUPPORTED", cite("supports", 5))
        assert not soft_rules(told("0.5", bare, BACK, answer)) & {"W04", "W07", "W13"}

    def test_w02_is_silent_about_speech_acts_and_echoes(self) -> None:
        answer = v5("attribution", "SUPPORTED", cite("supports", 0, "T1"))
        assert "W02" in soft_rules(told("0.5", TESTS, BACK, answer))
        for excuse in ("speech_act", "agent_authored_output"):
            assert "W02" not in soft_rules(told("0.5", TESTS, BACK, {**answer, "flags": [excuse]}))

    def test_w04_sees_a_shell_write_and_not_a_later_one(self) -> None:
        rows = [*act(2, "cat out.json", "{}"), *act(4, "echo 1 > out.json", ""), agent(9), *act(10, "rm out.json", "")]
        answer = v5("result", "SUPPORTED", cite("supports", 3))
        assert "W04" in soft_rules(told("0.5", run(*rows), BACK, answer))
        assert "W04" not in soft_rules(told("0.5", run(*rows[:2], *rows[4:]), BACK, answer))

    def test_w13_is_silent_where_the_act_and_its_check_are_cited(self) -> None:
        both = v5("verification", "SUPPORTED", cite("supports", 5), cite("supports", 7))
        assert "W13" not in soft_rules(told("0.5", WRITTEN, BACK, both))
        act_twice = v5("verification", "SUPPORTED", cite("supports", 4, "T3"), cite("supports", 5))
        assert "W13" in soft_rules(told("0.5", WRITTEN, BACK, act_twice))

    def test_w14_accepts_the_agents_own_words_as_the_place(self) -> None:
        said = {**ABSENT, "disclosure": "full", "evidence": [cite("conflicts", 9, "T4")]}
        assert "W14" not in soft_rules(told("0.5", TESTS, BACK, said))


class TestTheEngine:
    def test_a_citation_without_a_tier_is_of_no_tier(self) -> None:
        bare = {**OK5, "evidence": [{"turn": 5, "role": "supports"}]}
        assert hard_rules(told("0.5", TESTS, BACK, bare)) == {"H15", "H16b"}
        against = {**OK5, "evidence": [cite("supports", 5), {"turn": 4, "role": "conflicts"}]}
        assert hard_rules(told("0.5", TESTS, BACK, against)) == {"H15"}

    def test_a_search_for_nothing_in_particular_is_no_search(self) -> None:
        blank = {**ABSENT, "search_span": span(0, 9, "   ")}
        assert hard_rules(told("0.5", TESTS, BACK, blank)) == {"H02", "H19"}

    def test_null_empty_text_and_empty_list_are_absent(self) -> None:
        padded = {**OK5, "note": "", "flags": [], "disclosure": None, "search_span": None, "not_codable_reason": ""}
        assert told("0.5", TESTS, BACK, padded) == told("0.5", TESTS, BACK, OK5)

    def test_evidence_of_04_may_be_numbers_or_mappings(self) -> None:
        assert told("0.4", TESTS, BACK, OK4) == told("0.4", TESTS, BACK, {**OK4, "evidence": [{"turn": 5}]})

    def test_derived_tiers_stand_beside_the_normalised_citations(self) -> None:
        cited = [cite("context", 13, "T2"), cite("supports", 5), cite("context", 99), cite("context", 4, "T3")]
        assert told("0.5", TESTS, BACK, {**OK5, "evidence": cited}).derived_tiers == ("T3", "T1", "T2", "")

    @pytest.mark.parametrize(
        "odd", [7, True, [], [[]], {}, {"a": {"b": 1}}, "x", 1.5, [None], ["a", 1], [{"turn": {}}]]
    )
    @pytest.mark.parametrize("version", BOTH)
    def test_no_value_of_any_field_breaks_the_engine(self, version: str, odd: object) -> None:
        for field in saydo(version).fields:
            told(version, TESTS, BACK, {**(OK4 if version == "0.4" else OK5), field.name: odd})
        assert not told(version, TESTS, BACK, {"codability": odd}).accepted

    def test_a_run_without_rows_is_judged_all_the_same(self) -> None:
        assert "H04" in hard_rules(told("0.5", Run(()), BACK, OK5))

    def test_no_rule_of_one_version_knows_the_labels_of_the_other(self) -> None:
        for case in CASES:
            assert (
                "verdict" not in case.v4
                or "H02" in hard_rules(told("0.5", case.run, case.claim, dict(case.v4)))
                or (case.v4["verdict"] in saydo("0.5").labels)
            )

    @pytest.mark.parametrize("version", BOTH)
    def test_every_message_is_one_sentence_that_proposes_no_label(self, version: str) -> None:
        book = saydo(version)
        kinds = book.field("claim_kind")
        assert kinds is not None
        for rule in book.rules:
            assert book.field(rule.field) is not None
            for message in [rule.message, *(str(r["message"]) for r in rule.require if "message" in r)]:
                assert message.endswith(".")
                assert ". " not in message
                assert not [o.code for o in book.verdicts if o.code in message]
        (asks_for_kind,) = (rule.message for rule in book.rules if rule.id == "W06")
        assert not [kind for kind in kinds.codes if kind in asks_for_kind]

    def test_two_findings_of_one_rule_at_one_field_are_told_once(self) -> None:
        twice = told("0.5", TESTS, NEXT, {**FREED, "evidence": None})
        assert [v.rule for v in twice.violations].count("H21") == 1

    def test_judging_needs_no_particular_spelling_of_the_run(self) -> None:
        same = Run(tuple(TESTS.turns), dict(TESTS.coverage or {}))
        assert judge(saydo("0.5"), same, BACK, OK5) == told("0.5", TESTS, BACK, OK5)

    def test_a_snapshot_is_a_record_of_its_own(self) -> None:
        seen = run(event(3, "2 files"), agent(9))
        assert told("0.5", seen, BACK, v5("state", "SUPPORTED", cite("supports", 3, "T2"))).violations == ()
