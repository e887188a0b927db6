"""Building and scanning take long: meanwhile everybody else goes on saving, and nothing stale is stored."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from app.config import codebook_dir
from app.domain.errors import Conflict
from app.readers.study_file import load_study
from app.services import building, people, registering, releasing
from app.services.intake import read_intake
from app.services.people import OPERATOR, Actor, get_actor
from app.storage.engine import Database
from tests.conftest import Clock
from tests.small_study import KEY, START, add_people, write_inputs


@pytest.fixture
def lead(database: Database, tmp_path: Path) -> Actor:
    intake = read_intake(load_study(write_inputs(tmp_path / "in")), codebook_dir(), tmp_path / "data")
    with database.writing() as session:
        add_people(session)
        actor = get_actor(session, "l.one")
        registering.create_study(session, actor, intake, KEY, START)
    return actor


def test_somebody_saves_while_packets_are_blinded_and_scanned(database: Database, lead: Actor, clock: Clock) -> None:
    """Each reading half is open while another thread writes; the writer is done before the half ends."""

    def save(name: str) -> None:
        with database.writing() as session:
            people.add_user(session, OPERATOR, name, ["rater"], START)

    for prepare, store in (
        (building.blind_study, building.store_packets),
        (releasing.look_for_leaks, releasing.store_scan),
    ):
        with database.reading() as session:
            prepared = prepare(session, lead, "small")
            saver = threading.Thread(target=save, args=(f"saver.{store.__name__}",))
            saver.start()
            saver.join(timeout=5)
            assert not saver.is_alive()
        with database.writing() as session:
            store(session, lead, prepared, clock())  # type: ignore[arg-type]


def test_a_scan_of_packets_that_were_rebuilt_meanwhile_is_not_stored(
    database: Database, lead: Actor, clock: Clock
) -> None:
    with database.writing() as session:
        building.build_packets(session, lead, "small", clock())
    with database.reading() as session:
        scanned = releasing.look_for_leaks(session, lead, "small")
    with database.writing() as session:
        session.connection().exec_driver_sql("UPDATE blind_claim SET body_json = body_json || ' '")
    with database.writing() as session, pytest.raises(Conflict, match="built anew"):
        releasing.store_scan(session, lead, scanned, clock())


def test_a_build_is_not_stored_over_published_packets(database: Database, lead: Actor, clock: Clock) -> None:
    with database.reading() as session:
        blinded = building.blind_study(session, lead, "small")
    with database.writing() as session:
        building.build_packets(session, lead, "small", clock())
        releasing.scan_packets(session, lead, "small", clock())
        releasing.publish_packets(session, lead, "small", clock())
    with database.writing() as session, pytest.raises(Conflict, match="published"):
        building.store_packets(session, lead, blinded, clock())
