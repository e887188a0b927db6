"""Every recorded coding is one that the rules accept, and confirms exactly the soft rules that it raises."""

from __future__ import annotations

import json
from functools import cache

import pytest

from app.domain.adjudication import decision_faults
from app.domain.codebook.model import Codebook
from app.domain.codebook.rules import Judgement, judge
from app.readers.codebook_file import get_codebook
from tests.examples.recording import CODERS, DEMO, FILES, ROOT, answer, claim_unit, confirmed, runs, table

CLAIMS = {row["claim_id"]: row for row in table("claims.csv")}
ROWS = {who: {row["claim_id"]: row for row in table(FILES[who])} for who in CODERS}
EVERY = [(who, claim_id) for who in CODERS for claim_id in CLAIMS]


@cache
def codebook() -> Codebook:
    return get_codebook(ROOT / "codebook", "0.5")


def judged(who: str, claim_id: str) -> Judgement:
    claim = CLAIMS[claim_id]
    return judge(codebook(), runs()[claim["session_id"]], claim_unit(claim), answer(ROWS[who][claim_id]))


@pytest.mark.parametrize("who", CODERS)
def test_everyone_coded_every_claim_once(who: str) -> None:
    assert list(ROWS[who]) == list(CLAIMS)
    assert len(table(FILES[who])) == len(CLAIMS)


@pytest.mark.parametrize(("who", "claim_id"), EVERY)
def test_the_rules_accept_it(who: str, claim_id: str) -> None:
    assert [(v.rule, v.field, v.message) for v in judged(who, claim_id).hard] == []


@pytest.mark.parametrize(("who", "claim_id"), EVERY)
def test_it_confirms_what_it_raises_and_nothing_else(who: str, claim_id: str) -> None:
    assert {v.rule for v in judged(who, claim_id).soft} == confirmed(ROWS[who][claim_id])


@pytest.mark.parametrize(("who", "claim_id"), EVERY)
def test_tiers_are_the_derived_ones_or_say_why_not(who: str, claim_id: str) -> None:
    """The two reasons the codebook knows: a spoken act is its own record, an echo is the agent's own word."""
    said = answer(ROWS[who][claim_id])
    cited = sorted(said.get("evidence", []), key=lambda c: (c["turn"], c["role"]))
    differs = [c for c, tier in zip(cited, judged(who, claim_id).derived_tiers, strict=True) if c["tier"] != tier]
    assert not differs or {"speech_act", "agent_authored_output"} & set(said["flags"])


@pytest.mark.parametrize("who", ["r1", "r2"])
def test_no_rater_repeats_a_note(who: str) -> None:
    """A note equal to one of the last three would raise W09, whatever order the packet has."""
    notes = [row["note"] for row in ROWS[who].values() if row["note"]]
    assert len(notes) == len(set(notes))


@pytest.mark.parametrize("who", ["r.one", "r.two", "a.one"])
def test_times_are_neither_hasty_nor_lost(who: str) -> None:
    """Between 5 seconds and 30 minutes, so that W08 stays silent."""
    clock = json.loads((DEMO / "clock.json").read_text(encoding="utf-8"))
    seconds = clock["seconds_on_item"][who]
    assert set(seconds) == set(clock["client_tokens"][who]) == set(CLAIMS)
    assert all(5 <= value <= 1800 for value in seconds.values())


def test_every_claim_has_a_decision_with_rule_cause_and_reason() -> None:
    rows = table("adjudication.csv")
    assert [row["claim_id"] for row in rows] == list(CLAIMS)
    known = [rule.id for rule in codebook().rules]
    for row in rows:
        faults = decision_faults(rule=row["rule"], reason=row["reason"], cause=row["cause"], knows=known)
        assert not faults, (row["claim_id"], faults)
        assert {row["provisional"], row["decision"]} <= set(CODERS)
