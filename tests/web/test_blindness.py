"""No byte served to a rater or adjudicator names a model, arm, run or task of the study.

Canaries stand in every identity column and in the texts of the small study (tests/small_study.py); every page, header,
cookie, JSON answer and file name those roles can get is searched for each of them, in any case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from app.services import adjudicating, people
from app.storage.engine import Database
from tests.conftest import Clock
from tests.services.conftest import Published
from tests.services.test_study_life import lock_both
from tests.small_study import CANARIES, actor
from tests.web.conftest import Client

NEEDLES = sorted(
    {
        *(value.format(n=1).lower() for value in CANARIES.values()),
        *(value.format(n=2).lower() for value in CANARIES.values()),
        "zephyrion",
        "canary",
        "canaryfile",
        "reward",
    }
)


@pytest.fixture
def everyone(database: Database, study_id: str) -> Published:
    return Published(study_id, *(actor(database, name) for name in ("l.one", "r.one", "r.two", "a.one", "c.one")))


def served(browser: TestClient, path: str) -> str:
    """Return everything an answer carries: its address, headers, cookies and body."""
    answer = browser.get(path)
    assert answer.status_code < 400, path
    return "\n".join([str(answer.url), *(f"{k}: {v}" for k, v in answer.headers.items()), answer.text])


def reachable(browser: TestClient, start: str) -> Iterator[tuple[str, str]]:
    """Yield every page that can be reached by links from a page, with what it carries."""
    todo, seen = [start], set()
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        text = served(browser, path)
        yield path, text
        links = re.findall(r"(?:href|src)=\"(/[^\"#]*)", text)
        todo.extend(link for link in links if not link.startswith("/signin"))


def assert_blind(place: str, text: str) -> None:
    found = [needle for needle in NEEDLES if needle in text.lower()]
    assert not found, f"{place} names {found}"


def test_the_canaries_stand_in_the_log(database: Database, study_id: str, tmp_path) -> None:
    """The test would prove nothing if the study had nothing to hide."""
    import pyarrow.parquet as pq

    table = pq.read_table(tmp_path / "inputs" / "turnlog.parquet")
    texts = json.dumps(table.to_pylist(), default=str).lower()
    assert [needle for needle in NEEDLES if needle not in texts] == []


def test_everything_a_rater_can_reach_is_blind(client: Client, everyone: Published) -> None:
    pages = list(reachable(client("r.one"), "/rate"))
    assert sum(bool(re.fullmatch(r"/rate/[0-9a-f]{64}", path)) for path, _ in pages) == 6
    for path, text in pages:
        assert_blind(path, text)


def test_a_refused_save_is_blind(client: Client, everyone: Published) -> None:
    browser = client("r.one")
    place = next(path for path, _ in reachable(browser, "/rate") if re.fullmatch(r"/rate/[0-9a-f]{64}", path))
    answer = browser.post(place, data={"action": "save", "codability": "codable", "client_token": "t", "revision": "0"})
    assert answer.status_code == 422
    assert_blind(place, answer.text)


def test_the_json_interface_is_blind(client: Client, everyone: Published, database: Database, clock: Clock) -> None:
    with database.writing() as session:
        people.give_api_token(session, "r.one", "token-of-r1", clock())
    browser = client("")
    headers = {"authorization": "Bearer token-of-r1"}
    assert_blind("packets", browser.get("/api/v1/packets", headers=headers).text)
    following = browser.get("/api/v1/assignments/next", headers=headers).json()["assignment_id"]
    answer = browser.get(f"/api/v1/assignments/{following}", headers=headers)
    assert answer.status_code == 200
    assert len(answer.json()["turns"]) == 8
    assert_blind("assignment", answer.text + str(answer.headers))


def test_everything_an_adjudicator_can_reach_is_blind_and_names_no_rater(
    client: Client, everyone: Published, database: Database, clock: Clock
) -> None:
    lock_both(database, everyone, clock)
    with database.writing() as session:
        adjudicating.open_adjudication(session, everyone.lead, "small", clock())
    browser = client("a.one")
    pages = list(reachable(browser, "/adjudicate"))
    assert sum("/adjudicate/" in path for path, _ in pages) >= 2
    for path, text in pages:
        assert_blind(path, text)
        assert not re.search(r"r\.one|r\.two|\bR1\b|\bR2\b", text), path


def test_the_lead_before_the_seal_is_opened_sees_no_identity(client: Client, everyone: Published) -> None:
    browser = client("l.one")
    for path in ("/studies", "/studies/small"):
        assert_blind(path, served(browser, path))
