"""Saving a coding: judged, appended, idempotent, refused when the state has moved on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.errors import AlreadyLocked, Conflict, Forbidden, NotFound, Refused, RulesBroken, Unconfirmed
from app.services import coding, locking
from app.services.coding import Submission
from app.storage.engine import Database
from tests.conftest import Clock
from tests.services.conftest import Published, assignments, stored_revisions
from tests.small_study import coding_for


def code_all(database: Database, rater, clock: Clock, verdict: str | None = None) -> None:
    for assignment_id, text in assignments(database, rater).items():
        sent = Submission(coding_for(text, verdict), 0, f"t-{assignment_id}", seconds_on_item=12.0)
        with database.writing() as session:
            coding.save_coding(session, rater, assignment_id, sent, clock())
        clock.advance(30)


def first(database: Database, published: Published, starts: str) -> tuple[str, str]:
    return next((a, t) for a, t in assignments(database, published.one).items() if t.startswith(starts))


def packet_of(database: Database, rater) -> str:
    with database.reading() as session:
        packet = coding.packets.find_packet_of(session, "small", rater.user_id)
        assert packet is not None
        return packet.id


def save(database: Database, rater, assignment_id: str, sent: Submission, clock: Clock) -> coding.Saved:
    with database.writing() as session:
        return coding.save_coding(session, rater, assignment_id, sent, clock())


def test_a_save_is_stored_and_the_next_claim_named(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    saved = save(database, published.one, assignment_id, Submission(coding_for(text), 0, "t1"), clock)
    assert (saved.revision, saved.repeated) == (1, False)
    assert saved.next_id in assignments(database, published.one)
    assert saved.next_id != assignment_id
    with database.reading() as session:
        page = coding.rating_page(session, published.one, assignment_id, "x")
    assert page.form.answer == dict(coding.normalise(coding_for(text)))
    assert page.form.revision == 1


def test_the_same_token_twice_is_one_row(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    sent = Submission(coding_for(text), 0, "t1")
    one = save(database, published.one, assignment_id, sent, clock)
    two = save(database, published.one, assignment_id, sent, clock)
    assert (one.revision, two.revision, two.repeated) == (1, 1, True)
    assert one.sha256 == two.sha256
    assert stored_revisions(database, assignment_id) == [1]


def test_a_revision_is_appended_and_the_old_one_stays(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    save(database, published.one, assignment_id, Submission(coding_for(text), 0, "t1"), clock)
    changed = {**coding_for(text), "materiality": "low"}
    save(database, published.one, assignment_id, Submission(changed, 1, "t2"), clock)
    assert stored_revisions(database, assignment_id) == [1, 2]


def test_a_save_from_an_outdated_page_is_refused(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    save(database, published.one, assignment_id, Submission(coding_for(text), 0, "t1"), clock)
    with pytest.raises(Conflict, match="another window"):
        save(database, published.one, assignment_id, Submission(coding_for(text), 0, "t2"), clock)
    assert stored_revisions(database, assignment_id) == [1]


def test_a_broken_hard_rule_stores_nothing(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    without_evidence = {k: v for k, v in coding_for(text).items() if k != "evidence"}
    with pytest.raises(RulesBroken) as caught:
        save(database, published.one, assignment_id, Submission(without_evidence, 0, "t1"), clock)
    assert "H16" in {violation.rule for violation in caught.value.violations}
    assert stored_revisions(database, assignment_id) == []


def test_a_soft_rule_asks_and_its_confirmation_is_recorded(
    database: Database, published: Published, clock: Clock
) -> None:
    assignment_id, text = first(database, published, "I edited")
    unsure = {
        **coding_for(text),
        "materiality": "high",
        "confidence": "low",
        "note": "two labels are nearly equal here",
    }
    with pytest.raises(Unconfirmed) as caught:
        save(database, published.one, assignment_id, Submission(unsure, 0, "t1"), clock)
    asked = tuple(warning.rule for warning in caught.value.warnings)
    assert "W11" in asked
    assert stored_revisions(database, assignment_id) == []
    save(database, published.one, assignment_id, Submission(unsure, 0, "t1", confirmed=asked), clock)
    with database.reading() as session:
        row = coding.codings.find_current(session, assignment_id)
        assert row is not None
        assert "W11" in row.warnings_confirmed_json


def test_a_leak_flag_needs_a_note_and_pauses_the_claim(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    flagged = {**coding_for(text), "flags": ["blinding_leak"]}
    with pytest.raises(RulesBroken, match="H32"):
        save(database, published.one, assignment_id, Submission(flagged, 0, "t1"), clock)
    noted = {**flagged, "note": "the system prompt names the condition"}
    save(database, published.one, assignment_id, Submission(noted, 0, "t2"), clock)
    code_the_rest = [a for a in assignments(database, published.one) if a != assignment_id]
    for other in code_the_rest:
        words = assignments(database, published.one)[other]
        save(database, published.one, other, Submission(coding_for(words), 0, f"r-{other}"), clock)
    with pytest.raises(Refused, match="paused"), database.writing() as session:
        locking.lock_packet(session, published.one, packet_of(database, published.one), locking.ATTESTATIONS, clock())
    with pytest.raises(Conflict, match="custodian"), database.reading() as session:
        coding.rating_page(session, published.one, assignment_id, "x")
    with database.reading() as session:
        claim_id = coding.packets.find_assignment(session, assignment_id).blind_claim_id
        other_packet = coding.packets.list_assignments(session, packet_of(database, published.two))
        the_others = next(a.id for a in other_packet if a.blind_claim_id == claim_id)
        with pytest.raises(Conflict, match="custodian"):
            coding.rating_page(session, published.two, the_others, "x")


def test_somebody_elses_claim_is_not_found(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    with pytest.raises(NotFound):
        save(database, published.two, assignment_id, Submission(coding_for(text), 0, "t1"), clock)
    with pytest.raises(Forbidden):
        save(database, published.lead, assignment_id, Submission(coding_for(text), 0, "t1"), clock)


def test_a_draft_is_kept_and_is_no_coding(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, _ = first(database, published, "I edited")
    half = Submission({"codability": "codable"}, 0, "t1")
    with database.writing() as session:
        coding.save_draft(session, published.one, assignment_id, half, clock())
    with database.reading() as session:
        page = coding.rating_page(session, published.one, assignment_id, "x")
    assert (page.form.status, dict(page.form.answer)) == ("draft", {"codability": "codable"})
    assert stored_revisions(database, assignment_id) == []
    assert page.n_coded == 0


def test_after_the_lock_nothing_changes(database: Database, published: Published, clock: Clock) -> None:
    code_all(database, published.one, clock)
    assignment_id, text = first(database, published, "I edited")
    with database.writing() as session:
        locking.lock_packet(session, published.one, packet_of(database, published.one), locking.ATTESTATIONS, clock())
    with pytest.raises(AlreadyLocked):
        save(database, published.one, assignment_id, Submission(coding_for(text), 1, "late"), clock)
    with pytest.raises(AlreadyLocked), database.writing() as session:
        coding.save_draft(session, published.one, assignment_id, Submission({}, 1, "late"), clock())
    assert stored_revisions(database, assignment_id) == [1]


def test_the_database_itself_refuses_to_change_a_coding(database: Database, published: Published, clock: Clock) -> None:
    from sqlalchemy.exc import IntegrityError

    code_all(database, published.one, clock)
    for statement in ("UPDATE coding SET answer_json = '{}'", "DELETE FROM coding", "DELETE FROM audit_event"):
        with pytest.raises(IntegrityError, match="only appended"), database.writing() as session:
            session.connection().exec_driver_sql(statement)


def test_a_second_rater_sees_nothing_of_the_first(database: Database, published: Published, clock: Clock) -> None:
    code_all(database, published.one, clock)
    for assignment_id in assignments(database, published.two):
        with database.reading() as session:
            page = coding.rating_page(session, published.two, assignment_id, "x")
        assert (dict(page.form.answer), page.form.status, page.n_coded) == ({}, "new", 0)


def test_a_long_pause_begins_a_new_work_session(database: Database, published: Published, clock: Clock) -> None:
    ids = list(assignments(database, published.one).items())
    for place, (assignment_id, text) in enumerate(ids[:3]):
        save(database, published.one, assignment_id, Submission(coding_for(text), 0, f"t{place}"), clock)
        clock.advance(60 if place == 0 else coding.SESSION_BREAK_SECONDS + 1)
    with database.reading() as session:
        rows = [coding.codings.find_current(session, assignment_id) for assignment_id, _ in ids[:3]]
    assert [row.work_session for row in rows if row] == [1, 1, 2]


def test_dropped_fields_are_logged(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    sent = replace(Submission(coding_for(text), 0, "t1"), dropped=("disclosure",))
    save(database, published.one, assignment_id, sent, clock)
    with database.reading() as session:
        row = coding.codings.find_current(session, assignment_id)
        assert row is not None
        assert row.dropped_json == '["disclosure"]'


def test_another_answer_under_a_used_token_is_never_acknowledged(
    database: Database, published: Published, clock: Clock
) -> None:
    assignment_id, text = first(database, published, "I edited")
    save(database, published.one, assignment_id, Submission(coding_for(text), 0, "t1"), clock)
    changed = {**coding_for(text), "materiality": "low"}
    with pytest.raises(Conflict, match="another answer"):
        save(database, published.one, assignment_id, Submission(changed, 0, "t1"), clock)
    assert stored_revisions(database, assignment_id) == [1]
