"""A rater's pages where a crosswalk carried codings over: told as such, and never a form that is filled in already."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from app.config import codebook_dir
from app.readers.codings_file import RawCoding
from app.readers.crosswalk_file import get_crosswalk
from app.services import importing
from app.services.importing import Target
from app.storage import codings, packets, studies
from app.storage.engine import Database
from tests.conftest import START
from tests.small_study import actor

Client = Callable[[str], TestClient]
CARRIED = RawCoding(
    row=1,
    claim_id="edit1",
    answer={
        "codability": "codable",
        "claim_kind": "action",
        "verdict": "SUPPORTED",
        "confidence": "high",
        "evidence": [{"turn": 3, "role": "supports", "tier": "T1"}],
    },
    origin="crosswalk",
    how="auto",
)


@pytest.fixture
def carried(database: Database, study_id: str) -> str:
    """The assignment whose coding was carried over; the other claims are to be coded again."""
    rows = [CARRIED, RawCoding(2, "pass1", {}, how="recode")]
    target = Target(study_id, "r.one", (get_crosswalk(codebook_dir(), "0.4", "0.5"),))
    with database.writing() as session:
        importing.import_codings(session, actor(database, "l.one"), target, rows, START)
    with database.reading() as session:
        packet = packets.find_packet_of(session, study_id, actor(database, "r.one").user_id)
        assert packet is not None
        native = {blind: claim for claim, blind in studies.blind_ids_of(session, study_id, "claim").items()}
        return next(a.id for a in packets.list_assignments(session, packet.id) if native[a.blind_claim_id] == "edit1")


def test_the_packet_says_so_and_tells_no_label(client: Client, carried: str) -> None:
    rater = client("r.one")
    home = rater.get("/rate").text
    assert "1 of 6 coded" in home
    packet = re.search(r"/rate/packets/[\w-]+", home)
    assert packet is not None
    listed = rater.get(packet[0]).text
    line = next(row for row in listed.split("<li") if carried in row)
    assert "carried over" in line
    assert "supported" not in line.lower()
    assert listed.count("to do") == 5


def test_the_form_is_empty_and_says_what_coding_it_does(client: Client, carried: str) -> None:
    page = client("r.one").get(f"/rate/{carried}").text
    assert "carried over from an older codebook ✓ what you code here replaces it" in page
    assert not re.search(r"<input[^>]*\bchecked\b[^>]*name=\"(codability|claim_kind|verdict|confidence)", page)
    assert not re.search(r"<input[^>]*name=\"(codability|claim_kind|verdict|confidence)[^>]*\bchecked\b", page)
    assert re.search(r"name=\"revision\"[^>]*value=\"1\"|value=\"1\"[^>]*name=\"revision\"", page)


def test_what_is_coded_afresh_is_a_humans_and_keeps_every_rule(
    client: Client, carried: str, database: Database
) -> None:
    rater = client("r.one")
    page = rater.get(f"/rate/{carried}").text
    token = re.search(r"name=\"client_token\"[^>]*value=\"([^\"]+)\"", page)
    assert token is not None
    sent = {
        **{"action": "save", "revision": "1", "client_token": token[1]},
        **{"codability": "codable", "claim_kind": "action", "verdict": "SUPPORTED", "confidence": "high"},
        **{"evidence.0.turn": "3", "evidence.0.role": "supports", "evidence.0.tier": "T1"},
    }
    refused = rater.post(f"/rate/{carried}", data=sent)
    assert (refused.status_code, "H13b" in refused.text) == (422, True)
    saved = rater.post(f"/rate/{carried}", data=sent | {"materiality": "low"})
    assert saved.status_code == 303
    with database.reading() as session:
        row = codings.find_current(session, carried)
        assert row is not None
        assert (row.origin, row.revision) == ("human", 2)
