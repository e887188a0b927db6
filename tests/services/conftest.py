"""A published small study, and its people, for tests of the use cases."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from app.config import codebook_dir
from app.services.people import Actor
from app.storage import packets
from app.storage.engine import Database
from tests.small_study import actor, publish


@dataclass(frozen=True)
class Published:
    """The study's id and who takes part."""

    study_id: str
    lead: Actor
    one: Actor
    two: Actor
    adjudicator: Actor
    custodian: Actor


@pytest.fixture
def published(database: Database, tmp_path: Path) -> Published:
    study_id = publish(database, tmp_path / "inputs", codebook_dir())
    names = ("l.one", "r.one", "r.two", "a.one", "c.one")
    return Published(study_id, *(actor(database, name) for name in names))


def assignments(database: Database, rater: Actor, study_id: str = "small") -> dict[str, str]:
    """Return assignment id → claim text of a rater's packet, in its order."""
    import json

    with database.reading() as session:
        packet = packets.find_packet_of(session, study_id, rater.user_id)
        assert packet is not None
        return {
            a.id: json.loads(packets.get_blind_claim(session, study_id, a.blind_claim_id).body_json)["text"]
            for a in packets.list_assignments(session, packet.id)
        }


def stored_revisions(database: Database, assignment_id: str) -> list[int]:
    """Return the revisions stored of one assignment."""
    from sqlmodel import select

    from app.storage.tables import CodingRow

    with database.reading() as session:
        query = select(CodingRow.revision).where(CodingRow.assignment_id == assignment_id)
        return sorted(session.exec(query))
