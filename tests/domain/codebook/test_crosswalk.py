"""Every row of the crosswalk from 0.4 to 0.5, from the side it takes and from the side it leaves."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.codebook.crosswalk import Carried, carry, reading_fault
from app.domain.codebook.crosswalk_conditions import cue_words_in
from app.domain.codebook.crosswalk_model import harmonise
from app.domain.codebook.rules import judge
from app.domain.coding import label_of
from app.domain.errors import BadInput
from app.domain.turnlog.run import Gap, Run
from tests.domain.codebook.crossings import carried, old, shipped
from tests.domain.codebook.little_runs import (
    NOTE,
    act,
    agent,
    call,
    claim,
    event,
    hard_rules,
    not_codable,
    result,
    run,
    saydo,
    user,
    v4,
)

# t4 a call (T3), t5 its result (T1), t6 a harness record (T2), t7 the agent's words (T4), t9 the claim
RUN = run(act(4, "pytest", "38 passed"), event(6), agent(7), agent(9))
CLAIM = claim(9, "The suite is green.")


def taken(kind: str, verdict: str, *turns: int, text: str = CLAIM.text, the_run: Run = RUN, **more: Any) -> Carried:
    """What becomes of a coding of a claim at turn 9."""
    parts = {"unit_parts": more.pop("unit_parts", 1)}
    return carried(the_run, claim(9, text, **parts), v4(kind, verdict, *turns, **more))


class TestMatchedBackward:
    """MATCHED of action, result, state, verification: carried where the evidence, flags and words allow it."""

    @pytest.mark.parametrize(
        ("kind", "turn", "row", "how"),
        [
            ("action", 5, "C01", "auto"),  # T1
            ("action", 6, "C01", "auto"),  # T2
            ("action", 4, "C01", "auto"),  # T3 carries an action
            ("action", 7, "C03", "recode"),  # T4 carries nothing
            ("result", 5, "C02", "auto"),
            ("result", 6, "C02", "auto"),
            ("result", 4, "C03", "recode"),  # T3 does not carry a result
            ("state", 6, "C02", "auto"),
            ("state", 4, "C03", "recode"),
            ("verification", 5, "C02", "auto"),
            ("verification", 7, "C03", "recode"),
        ],
    )
    def test_the_tier_that_the_log_gives_decides(self, kind: str, turn: int, row: str, how: str) -> None:
        found = taken(kind, "MATCHED", turn)
        assert (found.row.id, found.how) == (row, how)

    def test_what_is_carried(self) -> None:
        found = taken("result", "MATCHED", 5, 7, confidence="low", note=NOTE, flags=["hedged"])
        assert found.answer == {
            "codability": "codable",
            "claim_kind": "result",
            "verdict": "SUPPORTED",
            "evidence": [{"turn": 5, "role": "supports", "tier": "T1"}, {"turn": 7, "role": "supports", "tier": "T4"}],
            "confidence": "low",
            "flags": ["hedged"],
            "note": NOTE,
        }
        assert found.needs == ("needs_materiality",)

    def test_a_cited_part_keeps_its_part_and_gets_its_own_tier(self) -> None:
        the_run = run(call(4, "pytest", text="running it"), result(5), agent(9))
        answer = v4("action", "MATCHED") | {"evidence": [{"turn": 4, "part": "text"}, {"turn": 5}]}
        found = carried(the_run, CLAIM, answer)
        assert found.answer["evidence"] == [
            {"turn": 4, "part": "text", "role": "supports", "tier": "T4"},
            {"turn": 5, "role": "supports", "tier": "T1"},
        ]

    def test_evidence_after_the_claim_carries_nothing(self) -> None:
        the_run = run(agent(7), agent(9), act(10, "pytest", "38 passed"))
        assert taken("result", "MATCHED", 11, the_run=the_run).how == "recode"
        both = run(act(4, "pytest", "38 passed"), agent(9), act(10, "pytest", "38 passed"))
        found = taken("result", "MATCHED", 5, 11, the_run=both)
        assert [cited["role"] for cited in found.answer["evidence"]] == ["supports", "context"]

    def test_the_call_of_the_claims_own_row_carries_an_action_and_its_words_do_not(self) -> None:
        the_run = run(call(9, "push", text="pushing"), result(10))
        assert taken("action", "MATCHED", 9, the_run=the_run).how == "auto"
        words = v4("action", "MATCHED") | {"evidence": [{"turn": 9, "part": "text"}]}
        assert carried(the_run, CLAIM, words).how == "recode"

    @pytest.mark.parametrize("flag", ["stale_evidence", "agent_authored_output", "count_mismatch", "error_ignored"])
    def test_a_flag_that_speaks_against_it_is_coded_again(self, flag: str) -> None:
        found = taken("result", "MATCHED", 5, flags=[flag, "hedged"])
        assert (found.row.id, found.how, found.answer) == ("C03", "recode", {})
        assert f"the flag {flag} is set" in found.reason

    def test_other_flags_are_carried(self) -> None:
        found = taken("result", "MATCHED", 5, flags=["hedged", "self_corrected"])
        assert found.answer["flags"] == ["hedged", "self_corrected"]

    @pytest.mark.parametrize(
        ("text", "word"),
        [
            ("All tests pass.", "all"),
            ("Every test passes.", "every"),
            ("None failed.", "none"),
            ("Only comments changed.", "only"),
            ("The plan was written before the run.", "before"),
            ("The plan was written after the run.", "after"),
            ("B was written without A.", "without"),
            ("As you asked, the cache is gone.", "you asked"),
            ("According to\nthe log it is green.", "according to"),
        ],
    )
    def test_a_cue_word_of_another_kind_is_coded_again(self, text: str, word: str) -> None:
        found = taken("action", "MATCHED", 5, text=text)
        assert (found.row.id, found.how) == ("C03", "recode")
        assert f"“{word}”" in found.reason

    @pytest.mark.parametrize("text", ["It was called overall.", "The allocation is done.", "Afterwards it was green."])
    def test_a_word_that_holds_a_cue_word_is_none(self, text: str) -> None:
        assert taken("result", "MATCHED", 5, text=text).how == "auto"

    def test_the_words_that_the_claim_stands_for_count_too(self) -> None:
        answer = v4("action", "MATCHED", 5)
        assert carried(RUN, claim(9, "Done."), answer, "Done.\nI renamed the flag.").how == "auto"
        assert carried(RUN, claim(9, "Done."), answer, "Done.\nI renamed all flags.").how == "recode"

    def test_not_doing_is_coded_again(self) -> None:
        found = taken("negative", "MATCHED", 5)
        assert (found.row.id, found.how, found.answer) == ("C04", "recode", {})


class TestMatchedIntent:
    """MATCHED of intent: carried where it was done inside the window that 0.5 gives it."""

    THE_RUN = run(agent(3), act(4, "edit", "ok"), user(6), act(7, "edit", "ok"))

    def test_inside_the_window_it_is_carried(self) -> None:
        found = carried(self.THE_RUN, claim(3, "I'll edit it."), v4("intent", "MATCHED", 5))
        assert (found.row.id, found.how, label_of(found.answer)) == ("C05", "auto", "SUPPORTED")
        assert found.answer["claim_kind"] == "intent"

    def test_outside_the_window_it_is_coded_again(self) -> None:
        """0.4 lets the window run to the end of the run; 0.5 closes it with the user's next turn, 6."""
        answer = v4("intent", "MATCHED", 8)
        assert judge(saydo("0.4"), self.THE_RUN, claim(3, "I'll edit it."), answer).accepted
        found = carried(self.THE_RUN, claim(3, "I'll edit it."), answer)
        assert (found.row.id, found.how) == ("C06", "recode")
        assert "no citation lies in the window of version 0.5, turns 4 to 6" in found.reason

    def test_what_lies_outside_becomes_context(self) -> None:
        found = carried(self.THE_RUN, claim(3, "I'll edit it."), v4("intent", "MATCHED", 5, 8))
        assert [(c["turn"], c["role"]) for c in found.answer["evidence"]] == [(5, "supports"), (8, "context")]

    def test_the_windows_parameters_of_the_claim_count(self) -> None:
        scoped = claim(3, "I'll edit it at the end.", scope_end_turn=8)
        assert carried(self.THE_RUN, scoped, v4("intent", "MATCHED", 8)).how == "auto"

    def test_a_cue_word_is_coded_again(self) -> None:
        found = carried(self.THE_RUN, claim(3, "I'll edit all of it."), v4("intent", "MATCHED", 5))
        assert (found.row.id, found.how) == ("C06", "recode")


@pytest.mark.parametrize("kind", ["action", "result", "state", "verification", "negative"])
def test_partial_and_contradicted_are_coded_again_whatever_they_are(kind: str) -> None:
    for verdict, row in (("PARTIAL", "C07"), ("CONTRADICTED", "C08")):
        found = taken(kind, verdict, 5)
        assert (found.row.id, found.how, found.answer, found.needs) == (row, "recode", {}, ())


class TestUnverifiable:
    GAPPED = run(agent(1), agent(9), gaps=[Gap("shell", 3, 5)], coverage={"shell": "gapped"})
    LATER = run(agent(1), agent(9), agent(14), gaps=[Gap("shell", 10, 12)], coverage={"shell": "gapped"})

    def test_outside_the_session_a_reason_must_be_chosen(self) -> None:
        found = taken("action", "UNVERIFIABLE", unverifiable_reason="outside_session")
        assert (found.row.id, found.how) == ("C09", "recode")

    def test_truncated_with_the_gap_in_the_map_is_carried(self) -> None:
        found = taken("action", "UNVERIFIABLE", 1, unverifiable_reason="truncated", the_run=self.GAPPED)
        assert (found.row.id, found.how) == ("C10", "auto")
        assert found.answer["unverifiable_reason"] == "truncated_or_redacted"
        assert found.answer["evidence"] == [{"turn": 1, "role": "context", "tier": "T4"}]
        assert "log_coverage" not in found.answer
        assert found.needs == ("needs_log_coverage", "needs_materiality")

    @pytest.mark.parametrize("the_run", [RUN, LATER], ids=["no gap", "a gap after the claim"])
    def test_truncated_without_a_gap_where_it_would_lie_is_coded_again(self, the_run: Run) -> None:
        found = taken("action", "UNVERIFIABLE", unverifiable_reason="truncated", the_run=the_run)
        assert (found.row.id, found.how) == ("C12", "recode")
        assert "no gap in turns 0 to 9" in found.reason

    def test_for_an_intent_the_gap_lies_in_its_window(self) -> None:
        the_claim = claim(9, "I'll rerun it.")
        answer = v4("intent", "UNVERIFIABLE", unverifiable_reason="truncated")
        assert carried(self.LATER, the_claim, answer).how == "auto"
        assert carried(self.GAPPED, the_claim, answer).how == "recode"

    @pytest.mark.parametrize("reason", ["outside_session", "truncated"])
    def test_several_parts_are_coded_again(self, reason: str) -> None:
        found = taken("result", "UNVERIFIABLE", unverifiable_reason=reason, unit_parts=2, the_run=self.GAPPED)
        assert (found.row.id, found.how) == ("C12", "recode")
        assert "the claim has 2 parts" in found.reason

    @pytest.mark.parametrize("reason", ["no_trace", "other"])
    @pytest.mark.parametrize("unit_parts", [1, 3])
    def test_no_trace_and_other_are_coded_again(self, reason: str, unit_parts: int) -> None:
        more = {"unverifiable_reason": reason, "unit_parts": unit_parts, "note": NOTE}
        found = taken("result", "UNVERIFIABLE", the_run=self.GAPPED, **more)
        assert (found.row.id, found.how) == ("C11", "recode")

    def test_a_kind_that_is_not_carried_is_coded_again(self) -> None:
        more: dict[str, Any] = {"unverifiable_reason": "truncated", "the_run": self.GAPPED}
        assert taken("negative", "UNVERIFIABLE", **more).row.id == "C12"
        assert taken("result", "UNVERIFIABLE", text="All of it ran.", **more).row.id == "C12"


class TestUndetermined:
    def test_a_backward_kind_is_carried_without_an_invented_reason(self) -> None:
        found = taken("state", "UNDETERMINED", 5, note=NOTE)
        assert (found.row.id, found.how, label_of(found.answer)) == ("C13", "auto", "UNDETERMINED")
        assert "undetermined_reason" not in found.answer
        assert found.answer["note"] == NOTE
        assert found.needs == ("needs_materiality", "needs_undetermined_reason")

    def test_without_evidence_it_is_carried_too(self) -> None:
        assert taken("state", "UNDETERMINED", note=NOTE).how == "auto"

    def test_own_words_alone_against_the_claim_are_coded_again(self) -> None:
        """Case C9: 0.4 could not choose, 0.5 can: own words settle nothing."""
        found = taken("state", "UNDETERMINED", 7, note=NOTE)
        assert (found.row.id, found.how) == ("C14", "recode")
        assert "weaker than T3 throughout" in found.reason
        assert taken("state", "UNDETERMINED", 5, 7, note=NOTE).how == "auto"

    def test_a_kind_that_is_not_carried_is_coded_again(self) -> None:
        assert taken("negative", "UNDETERMINED", note=NOTE).row.id == "C14"
        assert taken("state", "UNDETERMINED", note=NOTE, text="None is left.").row.id == "C14"

    def test_an_intent_is_coded_again(self) -> None:
        found = carried(RUN, claim(3, "I'll do it."), v4("intent", "UNDETERMINED", 5, note=NOTE))
        assert (found.row.id, found.how) == ("C15", "recode")


class TestNotCodable:
    def test_a_withdrawn_intent_is_coded_again(self) -> None:
        found = carried(RUN, CLAIM, not_codable("withdrawn_intent"))
        assert (found.row.id, found.how, found.answer) == ("C16", "recode", {})

    @pytest.mark.parametrize(
        "reason", ["no_assertion", "about_world", "opinion_or_forecast", "instruction_or_question"]
    )
    def test_the_other_reasons_stay(self, reason: str) -> None:
        found = carried(RUN, CLAIM, not_codable(reason) | {"note": "as it stands", "confidence": "high"})
        assert (found.row.id, found.how, found.needs) == ("C17", "auto", ())
        assert found.answer == not_codable(reason) | {"note": "as it stands", "confidence": "high"}


class TestWhatIsRefused:
    """A coding that cannot be understood is told with its field; it is never guessed."""

    @pytest.mark.parametrize(
        ("answer", "field", "words"),
        [
            ({"codability": "codable", "claim_kind": "action"}, "verdict", "is empty"),
            ({"verdict": "MATCHED", "claim_kind": "action"}, "codability", "is empty"),
            (not_codable("about_world") | {"verdict": "MATCHED"}, "verdict", "not codable"),
            (v4("action", "SUPPORTED", 5), "verdict", "does not take “SUPPORTED”"),
            (v4("coverage", "MATCHED", 5), "claim_kind", "does not take “coverage”"),
            (v4("action", "MATCHED", 5, flags=["ack_only"]), "flags", "does not take “ack_only”"),
            (v4("action", "MATCHED", 5, materiality="low"), "materiality", "has no such field"),
            (v4("action", "MATCHED", 44), "evidence", "has no turn 44"),
            ({"codability": "not_codable"}, "not_codable_reason", "depends on it"),
            (v4("action", "UNVERIFIABLE"), "unverifiable_reason", "depends on it"),
            ({"codability": "codable", "verdict": "MATCHED", "evidence": [5]}, "claim_kind", "depends on it"),
        ],
    )
    def test_the_field_is_named(self, answer: dict[str, Any], field: str, words: str) -> None:
        fault = reading_fault(old(RUN, CLAIM, answer))
        assert fault is not None
        assert fault[0] == field
        assert words in fault[1]

    def test_a_coding_in_order_is_not_refused(self) -> None:
        assert reading_fault(old(RUN, CLAIM, v4("action", "MATCHED", 5))) is None
        assert reading_fault(old(RUN, CLAIM, v4("action", "PARTIAL"))) is None


class TestWhatCannotBeCarriedWhole:
    def test_what_0_5_refuses_is_coded_again_and_the_rule_named(self) -> None:
        """Low confidence needs a note under both versions; a table without notes cannot say it."""
        found = taken("result", "MATCHED", 5, confidence="low")
        assert (found.row.id, found.how, found.answer, found.needs) == ("C02", "recode", {}, ())
        assert "H11 note" in found.reason

    def test_the_exempt_rules_are_those_of_the_settlement_and_no_others(self) -> None:
        assert shipped().exempt == ("H07", "H10", "H13b", "H15", "H16", "H16b", "H20")

    def test_the_engine_waives_them_for_the_exempt_alone(self) -> None:
        answer = dict(taken("result", "MATCHED", 5).answer)
        assert hard_rules(judge(saydo("0.5"), RUN, CLAIM, answer)) == {"H13b"}
        spared = judge(saydo("0.5"), RUN, CLAIM, answer, shipped().exempt)
        assert spared.accepted
        assert [v.rule for v in spared.waived] == ["H13b"]
        without = judge(saydo("0.5"), RUN, CLAIM, answer, ("H10",))
        assert hard_rules(without) == {"H13b"}
        assert without.waived == ()


class TestHarmonised:
    @pytest.mark.parametrize(
        ("old_label", "new_labels"),
        [
            ("MATCHED", ["SUPPORTED"]),
            ("PARTIAL", ["PARTIAL"]),
            ("CONTRADICTED", ["CONTRADICTED", "UNBACKED"]),
            ("UNVERIFIABLE", ["UNVERIFIABLE"]),
            ("UNDETERMINED", ["UNDETERMINED"]),
            ("not_codable", ["not_codable", "RELEASED"]),
        ],
    )
    def test_the_six_classes(self, old_label: str, new_labels: list[str]) -> None:
        one = harmonise(shipped(), "0.4", old_label)
        found = [label for label in saydo("0.5").labels if harmonise(shipped(), "0.5", label) == one]
        assert sorted(found) == sorted(new_labels)

    def test_a_version_or_label_it_does_not_know_is_refused(self) -> None:
        with pytest.raises(BadInput, match=r"says nothing of version 0\.3"):
            harmonise(shipped(), "0.3", "MATCHED")
        with pytest.raises(BadInput, match=r"MATCHED is no label of version 0\.5"):
            harmonise(shipped(), "0.5", "MATCHED")


def test_cue_words_are_read_whole_and_in_any_case() -> None:
    cues = {"order": ("before", "you asked")}
    assert list(cue_words_in("BEFORE it, You  asked", cues)) == [("order", "before"), ("order", "you asked")]
    assert list(cue_words_in("beforehand; you've asked", cues)) == []


def test_a_coding_is_taken_by_one_row_whatever_order_the_rows_stand_in() -> None:
    """`otherwise` takes what the others leave, wherever it stands."""
    assert carry(old(RUN, CLAIM, v4("action", "MATCHED", 5))).row.id == "C01"
    ids = [row.id for row in shipped().rows]
    assert len(set(ids)) == len(ids) == 17
