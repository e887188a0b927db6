"""Whatever door a save comes through, form, API or the adjudicator's page, what the rules did to it is counted."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from app.services import adjudicating, people
from app.storage import rule_counts
from app.storage.engine import Database
from tests.conftest import Clock
from tests.services.conftest import Published, assignments
from tests.services.test_study_life import lock_both
from tests.small_study import actor, coding_for
from tests.web.conftest import Client


def counts(database: Database, source: str) -> dict[str, tuple[int, ...]]:
    with database.reading() as session:
        found = rule_counts.list_counts(session, "small")
        return {one.rule: tuple(one.count) for one in found if one.source == source}


@pytest.fixture
def claim(database: Database, study_id: str) -> tuple[str, str]:
    return next(iter(assignments(database, actor(database, "r.one")).items()))


def test_a_refused_form_is_counted_and_one_that_was_never_read_is_not(
    client: Client, database: Database, claim: tuple[str, str]
) -> None:
    browser = client("r.one")
    sent = {"action": "save", "codability": "codable", "client_token": "t", "revision": "0"}
    assert browser.post(f"/rate/{claim[0]}", data=sent).status_code == 422
    assert counts(database, "human")["*"] == (1, 1, 0, 0)
    assert counts(database, "human")["H02"] == (1, 1, 0, 0)
    unreadable = {**sent, "evidence.0.turn": "soon"}
    assert browser.post(f"/rate/{claim[0]}", data=unreadable).status_code == 422
    assert counts(database, "human")["*"] == (1, 1, 0, 0)
    elsewhere = {**sent, "revision": "7"}
    assert browser.post(f"/rate/{claim[0]}", data=elsewhere).status_code == 409
    assert counts(database, "human")["H25"] == (2, 1, 0, 0)
    assert counts(database, "human")["*"] == (1, 1, 0, 0)


def test_a_programs_saves_are_counted_and_its_seconds_are_asked_about(
    client: Client, database: Database, clock: Clock, claim: tuple[str, str]
) -> None:
    with database.writing() as session:
        people.give_api_token(session, "r.one", "token-of-r1", clock())
    api: TestClient = client("")
    headers = {"authorization": "Bearer token-of-r1"}
    body = {"coding": dict(coding_for(claim[1])), "client_token": "t", "seconds_on_item": 1.5}
    place = f"/api/v1/assignments/{claim[0]}/coding"
    asked = api.post(place, json=body, headers=headers)
    assert asked.status_code == 409
    assert [(v["rule"], v["level"]) for v in asked.json()["violations"]] == [("W08", "soft")]
    assert counts(database, "human")["W08"] == (1, 0, 1, 0)
    assert api.post(place, json={**body, "confirm": ["W08"]}, headers=headers).status_code == 200
    assert counts(database, "human")["W08"] == (2, 0, 1, 1)
    assert counts(database, "human")["*"] == (2, 0, 1, 1)


def test_a_decision_without_a_reason_is_counted_as_the_adjudicators(
    client: Client, database: Database, clock: Clock, study_id: str
) -> None:
    everyone = Published(study_id, *(actor(database, name) for name in ("l.one", "r.one", "r.two", "a.one", "c.one")))
    lock_both(database, everyone, clock)
    with database.writing() as session:
        adjudicating.open_adjudication(session, everyone.lead, "small", clock())
    browser = client("a.one")
    found = re.search(r'href="(/adjudicate/[0-9a-f]{64})', browser.get("/adjudicate").text)
    assert found is not None
    before = counts(database, "human")
    answer = {"codability": "not_codable", "not_codable_reason": "no_assertion", "revision": "0"}
    first = browser.post(found[1], data={**answer, "action": "provisional", "client_token": "p"})
    assert first.status_code == 303
    assert counts(database, "adjudicator")["H27"] == (1, 0, 0, 0)
    ruling = {"reason": "short", "rule": "H01", "cause": "rater_slip"}
    refused = browser.post(found[1], data={**answer, **ruling, "action": "decide", "client_token": "d"})
    assert refused.status_code == 422
    assert counts(database, "adjudicator")["H27"] == (2, 1, 0, 0)
    assert "H25" not in counts(database, "adjudicator")
    assert counts(database, "human") == before
