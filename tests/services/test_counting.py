"""What the rules did at the saves of a study is counted, refusals too; the rules on a rater's own history ask."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import Session, select

from app.domain.codebook.history import N_CODINGS
from app.domain.errors import Conflict, RulesBroken, Unconfirmed
from app.domain.moments import iso
from app.domain.tally import EVERY_SAVE
from app.services import coding, counting
from app.services.coding import Submission
from app.services.people import Actor
from app.storage import histories, packets, rule_counts
from app.storage.engine import Database
from app.storage.tables import AssignmentRow, CodingRow
from tests.conftest import START, Clock
from tests.services.conftest import Published, assignments
from tests.services.test_coding import code_all, first, save
from tests.small_study import coding_for

Counts = dict[str, tuple[int, int, int, int]]
UNSURE = {"materiality": "high", "confidence": "low", "note": "two labels are nearly equal here"}


def counts(database: Database, source: str = "human") -> Counts:
    """Rule → (applied, refused, asked, confirmed)."""
    with database.reading() as session:
        found = rule_counts.list_counts(session, "small")
        return {one.rule: tuple(one.count) for one in found if one.source == source}


def try_save(database: Database, rater: Actor, assignment_id: str, sent: Submission, clock: Clock) -> str:
    """Save as the pages do: a refusal is counted in a second transaction. Returns the kind of refusal, "" for none."""
    try:
        save(database, rater, assignment_id, sent, clock)
    except (RulesBroken, Unconfirmed, Conflict) as error:
        with database.writing() as session:
            counting.count_refused_save(session, assignment_id, error)
        return type(error).__name__
    return ""


def test_each_kind_of_save_counts_what_it_did(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    whole = dict(coding_for(text))
    bare = {k: v for k, v in whole.items() if k != "evidence"}
    rater = published.one
    assert try_save(database, rater, assignment_id, Submission(bare, 0, "a"), clock) == "RulesBroken"
    assert try_save(database, rater, assignment_id, Submission({**whole, **UNSURE}, 0, "b"), clock) == "Unconfirmed"
    sent = Submission({**whole, **UNSURE}, 0, "c", confirmed=("W11",))
    assert try_save(database, rater, assignment_id, sent, clock) == ""
    assert try_save(database, rater, assignment_id, Submission(whole, 0, "d"), clock) == "Conflict"
    assert try_save(database, rater, assignment_id, sent, clock) == ""  # the same token: nothing is judged again
    found = counts(database)
    assert found[EVERY_SAVE] == (3, 1, 1, 1)
    assert found["H01"] == (3, 0, 0, 0)
    assert found["H16"] == (3, 1, 0, 0)
    assert found["W11"] == (2, 0, 1, 1)
    assert found["H25"] == (4, 1, 0, 0)
    assert "H19" not in found
    assert counts(database, "machine") == counts(database, "import") == {}


def test_a_refused_save_stores_no_answer_and_loses_no_count(
    database: Database, published: Published, clock: Clock
) -> None:
    assignment_id, text = first(database, published, "I edited")
    leaking = {**coding_for(text), "flags": ["blinding_leak"]}
    assert try_save(database, published.one, assignment_id, Submission(leaking, 0, "a"), clock) == "RulesBroken"
    with database.reading() as session:
        assert session.exec(select(CodingRow)).all() == []
    assert counts(database)["H32"] == (1, 1, 0, 0)
    noted = {**leaking, "note": "the system prompt names the condition"}
    assert try_save(database, published.one, assignment_id, Submission(noted, 0, "b"), clock) == ""
    assert counts(database)["H32"] == (2, 1, 0, 0)


def test_counts_are_right_when_many_save_at_once(database: Database, published: Published, clock: Clock) -> None:
    """Two processes' worth of databases, eight threads, each half refused and half stored: nothing is lost."""
    other = Database(database.url)
    work = [
        (rater, assignment_id, text)
        for rater in (published.one, published.two)
        for assignment_id, text in assignments(database, rater).items()
    ]

    def code(share: list[tuple[Actor, str, str]], through: Database) -> None:
        for rater, assignment_id, text in share:
            for n in range(4):
                refused = Submission({"codability": "codable"}, 0, f"r{n}")
                assert try_save(through, rater, assignment_id, refused, clock) == "RulesBroken"
            assert try_save(through, rater, assignment_id, Submission(coding_for(text), 0, "s"), clock) == ""

    threads = [
        threading.Thread(target=code, args=(work[n::8], through)) for n, through in enumerate((database, other) * 4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    n = len(work)
    found = counts(database)
    assert found[EVERY_SAVE] == (5 * n, 4 * n, 0, 0)
    assert found["H02"] == (5 * n, 4 * n, 0, 0)
    assert found["H25"] == (5 * n, 0, 0, 0)


def test_a_count_that_cannot_be_made_fails_no_save(database: Database, published: Published, clock: Clock) -> None:
    with database.writing() as session:
        session.connection().exec_driver_sql("DROP TABLE rule_count")
    assignment_id, text = first(database, published, "I edited")
    assert try_save(database, published.one, assignment_id, Submission({}, 0, "a"), clock) == "RulesBroken"
    assert try_save(database, published.one, assignment_id, Submission(coding_for(text), 0, "b"), clock) == ""
    with database.reading() as session:
        assert len(session.exec(select(CodingRow)).all()) == 1


def test_counting_is_one_statement_a_save(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    seen: list[str] = []

    def hear(_conn: Any, _cursor: Any, statement: str, _parameters: Any, _context: Any, _many: bool) -> None:
        seen.append(statement)

    event.listen(database.write_engine, "before_cursor_execute", hear)
    save(database, published.one, assignment_id, Submission(coding_for(text), 0, "a"), clock)
    event.remove(database.write_engine, "before_cursor_execute", hear)
    assert len([s for s in seen if "rule_count" in s]) == 1
    assert len([s for s in seen if "warnings_confirmed_json" in s and "LIMIT" in s and "EXISTS" in s]) == 1


# ---- the rules on a rater's own history ----------------------------------------------------------------------------


def ask(database: Database, rater: Actor, assignment_id: str, sent: Submission, clock: Clock) -> set[str]:
    """Rules that ask about a save; it is not stored."""
    try:
        with database.writing() as session:
            coding.save_coding(session, rater, assignment_id, sent, clock())
            session.rollback()
    except Unconfirmed as error:
        return {warning.rule for warning in error.warnings}
    return set()


def test_time_on_the_claim_asks_and_the_choice_is_recorded(
    database: Database, published: Published, clock: Clock
) -> None:
    assignment_id, text = first(database, published, "I edited")
    for seconds, rules in ((2.0, {"W08"}), (5.0, set()), (1801.0, {"W08"}), (None, set())):
        sent = Submission(coding_for(text), 0, "t", seconds_on_item=seconds)
        assert ask(database, published.one, assignment_id, sent, clock) == rules
    sent = Submission(coding_for(text), 0, "t", confirmed=("W08",), seconds_on_item=2.0)
    save(database, published.one, assignment_id, sent, clock)
    with database.reading() as session:
        row = coding.codings.find_current(session, assignment_id)
        assert row is not None
        assert (row.warnings_shown_json, row.warnings_confirmed_json) == ('["W08"]', '["W08"]')
        assert row.created_at
    assert counts(database)["W08"] == (1, 0, 0, 1)
    quick = Submission({**coding_for(text), "materiality": "low"}, 1, "u", seconds_on_item=4.0)
    assert ask(database, published.one, assignment_id, quick, clock) == set()  # 2 seconds before and 4 now


def test_a_note_written_again_asks(database: Database, published: Published, clock: Clock) -> None:
    ids = list(assignments(database, published.one).items())
    note = {"note": "The runner's own output settles it."}
    (one, text), (two, other), (three, third) = ids[:3]
    save(database, published.one, one, Submission({**coding_for(text), **note}, 0, "a"), clock)
    again = Submission({**coding_for(other), **note}, 0, "b")
    assert ask(database, published.one, two, again, clock) == {"W09"}
    save(database, published.one, two, Submission({**coding_for(other), "note": "Another."}, 0, "c"), clock)
    assert ask(database, published.one, three, Submission({**coding_for(third), **note}, 0, "d"), clock) == {"W09"}
    mended = Submission({**coding_for(text), **note, "materiality": "low"}, 1, "e")
    assert ask(database, published.one, one, mended, clock) == set()  # its own note is no other claim's


def test_the_fourth_revision_asks(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    for n in range(3):
        changed = {**coding_for(text), "materiality": ("low", "medium", "high")[n]}
        save(database, published.one, assignment_id, Submission(changed, n, f"t{n}"), clock)
    sent = Submission(coding_for(text), 3, "t3")
    assert ask(database, published.one, assignment_id, sent, clock) == {"W12"}
    assert ask(database, published.one, assignment_id, Submission(coding_for(text), 3, "x", ("W12",)), clock) == set()


def test_nothing_is_asked_of_a_program_or_an_import(database: Database, published: Published, clock: Clock) -> None:
    assignment_id, text = first(database, published, "I edited")
    elsewhere = Submission(coding_for(text), 0, "i", seconds_on_item=1.0, origin="import")
    assert ask(database, published.one, assignment_id, elsewhere, clock) == set()
    with database.writing() as session:
        session.connection().exec_driver_sql("UPDATE user_account SET kind = 'machine' WHERE name = 'r.one'")
    quick = Submission(coding_for(text), 0, "m", seconds_on_item=1.0)
    assert ask(database, published.one, assignment_id, quick, clock) == set()
    save(database, published.one, assignment_id, quick, clock)
    assert counts(database) == {}
    assert counts(database, "machine")[EVERY_SAVE] == (1, 0, 0, 0)


def test_a_hidden_repeat_coded_otherwise_asks_nothing(database: Database, published: Published, clock: Clock) -> None:
    """The same claim a second time, with the other verdict: not one more word than the first time."""
    assignment_id, text = first(database, published, "The tests")
    save(database, published.one, assignment_id, Submission(coding_for(text), 0, "a"), clock)
    with database.writing() as session:
        shown = packets.find_assignment(session, assignment_id)
        assert shown is not None
        session.add(AssignmentRow(**{**shown.model_dump(), "id": "f" * 64, "position": 99, "purpose": "repeat"}))
    otherwise = Submission(coding_for(text, "UNVERIFIABLE"), 0, "b", seconds_on_item=30.0)
    assert ask(database, published.one, "f" * 64, otherwise, clock) == set()


def long_history(database: Database, published: Published, n: int, answer: Mapping[str, Any]) -> None:
    """Append `n` codings of further claims of the rater's packet, each its own assignment."""
    with database.writing() as session:
        packet = packets.find_packet_of(session, "small", published.one.user_id)
        assert packet is not None
        model = session.exec(select(AssignmentRow).where(AssignmentRow.packet_id == packet.id)).first()
        assert model is not None
        start = 1000 + len(session.exec(select(AssignmentRow)).all())
        for place in range(start, start + n):
            row = {**model.model_dump(), "id": f"{place:064d}", "position": place, "blind_claim_id": f"c{place}"}
            session.add(AssignmentRow(**row))
        session.flush()
        empty = {"derived_tiers_json": "[]", "codebook_version": "0.5", "shown_sha256": "", "previous_sha256": ""}
        for place in range(start, start + n):
            session.add(
                CodingRow(
                    **empty,
                    assignment_id=f"{place:064d}",
                    revision=1,
                    rater_id=published.one.user_id,
                    sha256="",
                    answer_json=json.dumps(answer),
                    codebook_sha256="",
                    client_token="t",
                    created_at=iso(START),
                )
            )


def test_an_open_label_over_its_share_shows_its_definition(
    database: Database, published: Published, clock: Clock
) -> None:
    assignment_id, text = first(database, published, "The tests")
    long_history(database, published, N_CODINGS - 1, {"verdict": "UNVERIFIABLE"})
    sent = Submission(coding_for(text, "UNVERIFIABLE"), 0, "a")
    assert ask(database, published.one, assignment_id, sent, clock) == {"W10"}
    assert ask(database, published.one, assignment_id, Submission(coding_for(text), 0, "b"), clock) == set()
    the_others = next(a for a, t in assignments(database, published.two).items() if t == text)
    assert ask(database, published.two, the_others, sent, clock) == set()
    long_history(database, published, 12, {"verdict": "SUPPORTED"})
    assert ask(database, published.one, assignment_id, sent, clock) == set()


def test_a_superseded_revision_and_another_packet_do_not_count(
    database: Database, published: Published, clock: Clock
) -> None:
    code_all(database, published.one, clock)
    assignment_id, _ = first(database, published, "The tests")
    with database.reading() as session:
        packet = packets.find_packet_of(session, "small", published.one.user_id)
        assert packet is not None
        before = histories.list_recent(session, published.one.user_id, packet.id, assignment_id, 19)
        assert len(before) == 5
        assert histories.list_recent(session, published.one.user_id, "elsewhere", assignment_id, 19) == []
    other, words = first(database, published, "I edited")
    changed = {**coding_for(words), "materiality": "low"}
    save(database, published.one, other, Submission(changed, 1, "again"), clock)
    with database.reading() as session:
        after = histories.list_recent(session, published.one.user_id, packet.id, assignment_id, 19)
    assert len(after) == 5
    assert json.loads(after[0][0])["materiality"] == "low"


def steps_of(session: Session, rater_id: int, packet_id: str) -> int:
    """How many steps of its virtual machine SQLite takes for the history query, in hundreds."""
    connection = session.connection().connection.driver_connection
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    assert connection is not None
    connection.set_progress_handler(count, 100)
    histories.list_recent(session, rater_id, packet_id, "none", N_CODINGS - 1)
    connection.set_progress_handler(None, 0)
    return taken


def test_the_history_costs_the_same_however_long_it_is(database: Database, published: Published) -> None:
    """Steps of SQLite's own machine, not seconds: a history of 200 codings and one of 5,000."""
    found = []
    for n in (200, 4800):
        long_history(database, published, n, {"verdict": "SUPPORTED"})
        with database.reading() as session:
            packet = packets.find_packet_of(session, "small", published.one.user_id)
            assert packet is not None
            found.append(steps_of(session, published.one.user_id, packet.id))
    assert found[1] <= found[0] * 1.1 + 1


@pytest.mark.parametrize("where", ["", "elsewhere"])
def test_the_history_costs_the_same_when_all_of_it_is_elsewhere(
    database: Database, published: Published, where: str
) -> None:
    long_history(database, published, 5000, {"verdict": "SUPPORTED"})
    with database.reading() as session:
        assert steps_of(session, published.one.user_id, where) < 200
