"""Random 0.4 codings of random little runs: each is taken by exactly one row, and what is carried keeps the rules."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from app.domain.codebook.crosswalk import carry, reading_fault
from app.domain.codebook.crosswalk_conditions import OldCoding, why_not
from app.domain.codebook.crosswalk_model import CrosswalkRow, harmonise
from app.domain.codebook.crosswalk_origin import could_be_carried
from app.domain.codebook.rules import judge
from app.domain.coding import label_of
from app.domain.turnlog.run import ClaimUnit, Gap, Run
from tests.domain.codebook.crossings import old, shipped
from tests.domain.codebook.little_runs import FULL, NOTE, agent, call, event, result, run, saydo, user

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
TEXTS = ("The suite is green.", "All of it is done.", "I'll do it before lunch.", "As you asked, it is gone.", "Done.")


def codes(name: str) -> tuple[str, ...]:
    field = saydo("0.4").field(name)
    assert field is not None
    return field.codes


@st.composite
def runs(draw: st.DrawFn) -> Run:
    rows: list[Any] = []
    while len(rows) < 12:
        turn = len(rows)
        part = draw(st.sampled_from(["act", "agent", "user", "event", "final"]))
        if part == "act":
            rows += [call(turn, "work"), result(turn + 1, "done")]
        else:
            made = {"agent": agent, "user": user, "event": event}
            rows.append(agent(turn, kind="final") if part == "final" else made[part](turn))
    gaps = [Gap("shell", first, first + 1) for first in draw(st.lists(st.integers(0, 12), max_size=1))]
    return run(*rows, gaps=gaps, coverage={**FULL, "shell": "gapped"} if gaps else FULL)


@st.composite
def codings(draw: st.DrawFn) -> tuple[Run, ClaimUnit, dict[str, Any]]:
    """A run, a claim in it and a 0.4 coding whose fields belong to its answer; it may break other rules."""
    the_run = draw(runs())
    the_claim = ClaimUnit(
        draw(st.integers(0, 12)),
        draw(st.sampled_from(TEXTS)),
        unit_parts=draw(st.integers(1, 2)),
        polarity=draw(st.sampled_from([None, "do", "not_do"])),
        conditional=draw(st.booleans()),
    )
    answer: dict[str, Any] = {
        "confidence": draw(st.sampled_from(codes("confidence"))),
        "note": draw(st.sampled_from(["", NOTE])),
    }
    answer["flags"] = draw(st.lists(st.sampled_from(codes("flags")), max_size=2, unique=True))
    if draw(st.integers(0, 5)) == 0:
        reason = draw(st.sampled_from(codes("not_codable_reason")))
        return the_run, the_claim, answer | {"codability": "not_codable", "not_codable_reason": reason}
    answer |= {
        "codability": "codable",
        "claim_kind": draw(st.sampled_from(codes("claim_kind"))),
        "verdict": draw(st.sampled_from(codes("verdict"))),
        "evidence": draw(st.lists(st.integers(0, 11), max_size=3, unique=True)),
    }
    if answer["verdict"] == "UNVERIFIABLE":
        answer["unverifiable_reason"] = draw(st.sampled_from(codes("unverifiable_reason")))
    if answer["verdict"] in ("PARTIAL", "CONTRADICTED"):
        answer["severity"] = draw(st.sampled_from(codes("severity")))
    return the_run, the_claim, answer


def takes(coding: OldCoding, row: CrosswalkRow) -> bool:
    """Whether a row takes a coding by its own conditions, worked out apart from the code under test."""
    label = "not_codable" if coding.answer.get("codability") == "not_codable" else coding.answer["verdict"]
    if row.label != label or row.otherwise:
        return False
    fits = all(coding.answer.get(name) in values for name, values in row.when.items())
    holds = [why_not(coding, one) is None for one in row.require]
    spared = [why_not(coding, one) is not None for one in row.unless]
    return fits and all(holds) and all(spared)


@given(codings())
@settings(patient, max_examples=400)
def test_every_coding_is_taken_by_exactly_one_row(made: tuple[Run, ClaimUnit, dict[str, Any]]) -> None:
    coding = old(*made)
    assert reading_fault(coding) is None
    own = [row for row in shipped().rows if takes(coding, row)]
    assert len(own) <= 1
    found = carry(coding)
    if own:
        assert found.row is own[0]
    else:
        assert found.row.otherwise


@given(codings())
@settings(patient, max_examples=400)
def test_what_is_carried_keeps_every_rule_but_the_exempt_and_invents_nothing(
    made: tuple[Run, ClaimUnit, dict[str, Any]],
) -> None:
    the_run, the_claim, answer = made
    found = carry(old(*made))
    if found.how == "recode":
        assert (found.answer, found.needs) == ({}, ())
        return
    judged = judge(saydo("0.5"), the_run, the_claim, found.answer, shipped().exempt)
    assert judged.accepted
    assert not {"materiality", "undetermined_reason", "log_coverage", "search_span", "disclosure"} & set(found.answer)
    assert found.needs == tuple(sorted({f"needs_{v.field}" for v in judged.waived}))
    assert harmonise(shipped(), "0.5", label_of(found.answer)) == harmonise(shipped(), "0.4", label_of(answer))
    for name in ("confidence", "note", "flags"):
        assert (found.answer.get(name) or None) == ((sorted(answer[name]) if name == "flags" else answer[name]) or None)


@given(codings())
@settings(patient, max_examples=400)
def test_what_0_4_accepted_is_never_kept_back_by_a_rule_of_0_5(made: tuple[Run, ClaimUnit, dict[str, Any]]) -> None:
    """The net under the rows is for files that lack what 0.4 asked for; a whole coding needs it never."""
    the_run, the_claim, answer = made
    assume(judge(saydo("0.4"), the_run, the_claim, answer).accepted)
    found = carry(old(*made))
    assert (found.how == "auto") == (found.row.to is not None)


@patient
@given(codings())
def test_what_is_carried_is_known_as_carried_and_what_is_changed_in_it_is_not(
    made: tuple[Run, ClaimUnit, dict[str, Any]],
) -> None:
    coding = old(*made)
    found = carry(coding)
    assume(found.how == "auto")
    new = dict(found.answer)

    def known(answer: dict[str, Any]) -> bool:
        return could_be_carried(coding.crosswalk, coding.view, coding.claim, answer)

    assert known(new)
    assert not known(new | {"materiality": "low"})
    for label in ("PARTIAL", "CONTRADICTED", "UNBACKED", "RELEASED"):
        assert not known(new | {"verdict": label, "codability": "codable"})
