"""Beside the plain way: sets that were exchanged, programs that ask what is next, codings that were made elsewhere."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from app.config import Settings
from app.domain.attestations import ATTESTATIONS
from app.domain.errors import NotQualified
from app.readers.codings_file import RawCoding
from app.services import importing, locking, people, practice_home
from app.services.people import OPERATOR
from app.storage import studies
from app.storage.engine import Database
from tests.conftest import Clock
from tests.practice_sets import sets_for, write_sets
from tests.small_study import START as OPENED
from tests.small_study import actor, coding_for, publish
from tests.web.conftest import Client
from tests.web.test_practice import begin, folder, go_through, places, settings  # noqa: F401 - fixtures among them


@pytest.fixture
def study_id(database: Database, tmp_path: Path, folder: Path) -> str:  # noqa: F811
    return publish(database, tmp_path / "inputs", folder, qualification=None)


def test_nobody_qualifies_by_a_set_that_was_not_registered(client: Client, study_id: str, folder: Path) -> None:  # noqa: F811
    browser = client("r.one")
    browser.get("/studies/small/codebook")
    go_through(browser, begin(browser, "training"))
    other = copy.deepcopy(sets_for()["test-0.5-qualification-1.yaml"])
    other["practice"]["title"] = "An easier one"
    write_sets(folder, {"test-0.5-qualification-1.yaml": other})
    page = browser.get("/practice").text
    sha256 = page.split('name="codebook" value="')[1][:64]
    answer = browser.post("/practice", data={"codebook": sha256, "purpose": "qualification"})
    assert answer.status_code == 422
    assert "not the one that was registered" in answer.text


def test_a_program_is_not_told_a_claim_that_it_would_be_refused(
    client: Client, study_id: str, database: Database, clock: Clock
) -> None:
    with database.writing() as session:
        people.give_api_token(session, "r.one", "token-of-r1", clock())
    browser, api = client("r.one"), {"authorization": "Bearer token-of-r1"}
    (packet,) = browser.get("/api/v1/packets", headers=api).json()
    assert (packet["awaits_qualification"], packet["continue_id"]) == (True, None)
    assert browser.get("/api/v1/assignments/next", headers=api).json() == {"assignment_id": None}


def test_a_machine_rater_waits_for_nothing(database: Database, tmp_path: Path, settings: Settings) -> None:  # noqa: F811
    with database.writing() as session:
        people.add_user(session, OPERATOR, "m.one", ["rater"], OPENED, kind="machine")
    publish(database, tmp_path / "in", settings.codebook_dir, qualification=None, machine_raters=["m.one"])
    with database.reading() as session:
        home = practice_home.rater_home(session, actor(database, "m.one"))
    assert [(line.awaits_qualification, line.continue_id is None) for line in home.packets] == [(False, False)]
    assert home.notices == ()


def test_what_was_made_elsewhere_is_locked_by_its_rater_and_nothing_else(
    study_id: str, database: Database, clock: Clock
) -> None:
    """An import needs no qualification, so its lock needs none either; one claim coded here does."""
    with database.reading() as session:
        natives = [row.claim_id for row in studies.list_frozen_claims(session, study_id)]
        texts = {row.claim_id: row.body_json for row in studies.list_frozen_claims(session, study_id)}
    rows = []
    for number, native in enumerate(natives, start=1):
        words = next(
            w for w in ("I edited parser.py.", "The tests pass.", "did not touch the docs") if w in texts[native]
        )
        rows.append(RawCoding(number, native, coding_for(words), ()))
    lead, rater = actor(database, "l.one"), actor(database, "r.one")
    _, packet_id = places(database, "r.one")
    with database.writing() as session, pytest.raises(NotQualified):
        locking.lock_packet(session, rater, packet_id, list(ATTESTATIONS), clock())
    with database.writing() as session:
        importing.import_codings(session, lead, (study_id, "r.one"), rows, clock())
    with database.writing() as session:
        receipt = locking.lock_packet(session, rater, packet_id, list(ATTESTATIONS), clock())
    assert receipt.n_rows == len(natives)
