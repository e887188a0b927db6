"""The tables of practice: what was registered before goes on, and the database itself keeps what was answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import create_engine, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import NullPool

from app.storage.engine import Database
from app.storage.tables import CodebookReadingRow, PracticeAnswerRow, PracticeAttemptRow, PracticeSetRow, UserRow
from tests.storage.test_migrations import config

AT = "2026-07-25T09:00:00.000000Z"
STUDY = (
    "INSERT INTO study (id, title, phase, codebook_version, codebook_sha256, codebook_text, registration_text, "
    "registration_json, registration_sha256, seed, created_by, created_at) "
    f"VALUES ('old', 'Old', 'code', '0.5', 'c', 't', 'r', '{{}}', 'h', 1, 1, '{AT}')"
)


def test_a_study_registered_before_is_kept_and_not_asked(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'x.db'}", poolclass=NullPool)
    with engine.connect() as connection:
        command.upgrade(config(connection), "0002")
    with engine.begin() as connection:
        connection.execute(
            text(f"INSERT INTO user_account (id, name, kind, created_at) VALUES (1, 'l.one', 'human', '{AT}')")
        )
        connection.execute(text(STUDY))
    with engine.connect() as connection:
        command.upgrade(config(connection), "0003")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT id, qualification FROM study")).all() == [("old", "not_asked")]
    with pytest.raises(IntegrityError, match="qualification_is_known"), engine.begin() as connection:
        connection.execute(text("UPDATE study SET qualification = 'perhaps'"))
    with engine.connect() as connection:
        command.upgrade(config(connection), "head")
    with engine.connect() as connection:
        command.downgrade(config(connection), "0002")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT id, phase FROM study")).all() == [("old", "code")]


@pytest.fixture
def attempted(database: Database) -> Database:
    """A database with one attempt and one answer to it."""
    with database.writing() as session:
        session.add(UserRow(id=1, name="r.one", created_at=AT))
        session.add(PracticeSetRow(sha256="s", set_id="t", text="", stored_at=AT))
        session.flush()
        session.add(attempt("a"))
        session.flush()
        session.add(answer("a", 1))
    return database


def attempt(attempt_id: str, round_: int = 1) -> PracticeAttemptRow:
    return PracticeAttemptRow(
        id=attempt_id,
        user_id=1,
        codebook_id="saydo",
        codebook_version="0.5",
        codebook_sha256="c",
        set_id="t",
        set_sha256="s",
        purpose="training",
        round=round_,
        opened_at=AT,
    )


def answer(attempt_id: str, revision: int) -> PracticeAnswerRow:
    return PracticeAnswerRow(
        attempt_id=attempt_id,
        item_id="t01",
        revision=revision,
        answer_json="{}",
        shown_sha256="x",
        client_token=str(revision),
        created_at=AT,
    )


def run(database: Database, statement: str) -> None:
    with database.writing() as session:
        session.connection().exec_driver_sql(statement)


@pytest.mark.parametrize("table", ["practice_answer", "practice_set"])
@pytest.mark.parametrize("act", ["DELETE FROM {}", "UPDATE {} SET rowid = rowid"])
def test_answers_and_sets_are_only_appended(attempted: Database, table: str, act: str) -> None:
    with pytest.raises(IntegrityError, match="only appended"):
        run(attempted, act.format(table))


@pytest.mark.parametrize(
    "column", ["id", "user_id", "codebook_sha256", "set_sha256", "purpose", "round", "after_failures", "opened_at"]
)
def test_an_open_attempt_keeps_what_it_is(attempted: Database, column: str) -> None:
    with pytest.raises(IntegrityError, match="only finished"):
        run(attempted, f"UPDATE practice_attempt SET {column} = 2")


def test_an_attempt_is_finished_once_and_takes_no_answer_then(attempted: Database) -> None:
    finish = f"UPDATE practice_attempt SET finished_at = '{AT}', result_json = '{{}}', passed = 1"
    run(attempted, finish)
    with pytest.raises(IntegrityError, match="only finished"):
        run(attempted, finish)
    with pytest.raises(IntegrityError, match="the attempt is finished"), attempted.writing() as session:
        session.add(answer("a", 2))
    with pytest.raises(IntegrityError, match="rows are kept"):
        run(attempted, "DELETE FROM practice_attempt")


def test_a_round_is_taken_once(attempted: Database) -> None:
    with pytest.raises(IntegrityError, match="never replaced"), attempted.writing() as session:
        session.add(attempt("b"))


@pytest.mark.parametrize("table", ["practice_set", "practice_attempt", "practice_answer", "codebook_reading"])
def test_no_row_of_practice_is_replaced(attempted: Database, table: str) -> None:
    """`INSERT OR REPLACE` would remove the old row without asking the trigger on removal."""
    with attempted.writing() as session:
        session.add(CodebookReadingRow(user_id=1, codebook_sha256="c", codebook_version="0.5", opened_at=AT))
    with pytest.raises(IntegrityError, match=f"{table} rows are never replaced"):
        run(attempted, f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")


def test_what_a_study_asks_stands_as_registered(attempted: Database) -> None:
    run(attempted, STUDY)
    with pytest.raises(IntegrityError, match="stand as they were registered"):
        run(attempted, "UPDATE study SET qualification = 'waived'")


def test_an_attempt_is_not_finished_without_a_result(attempted: Database) -> None:
    with pytest.raises(IntegrityError, match="finished_with_a_result"):
        run(attempted, f"UPDATE practice_attempt SET finished_at = '{AT}'")


def test_the_question_before_every_save_is_one_indexed_look_up(database: Database) -> None:
    query = (
        "EXPLAIN QUERY PLAN SELECT passed FROM practice_attempt "
        "WHERE user_id = 1 AND codebook_sha256 = 'c' AND purpose = 'qualification'"
    )
    with database.reading() as session:
        plan = session.connection().exec_driver_sql(query).fetchall()
    assert [row[3] for row in plan] == [
        "SEARCH practice_attempt USING INDEX sqlite_autoindex_practice_attempt_2 "
        "(user_id=? AND codebook_sha256=? AND purpose=?)"
    ]
