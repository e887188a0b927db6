"""Practice in the browser: the way to the first claim, feedback after one's own answer, no gold before, none ever of a
qualification; and the claims refused to whoever is not qualified, on every route there is."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from sqlmodel import select
from starlette.testclient import TestClient

from app.cli.demo_journey import form_fields
from app.config import Settings
from app.domain.attestations import ATTESTATIONS
from app.main import create_app
from app.services import people
from app.services.people import OPERATOR
from app.storage import packets
from app.storage.engine import Database
from app.storage.tables import CodingRow, DraftRow, LockRow, PracticeAnswerRow, PracticeDraftRow, RuleCountRow
from app.web.application import ROUTERS
from tests.conftest import START, Clock
from tests.practice_sets import (
    FEEDBACK_CANARY,
    GOLD_CANARY,
    LABELS,
    codebooks_with,
    coding,
    item,
    labels_of,
    practice,
    sets_for,
    write_sets,
)
from tests.services.practising import Rater
from tests.small_study import actor, coding_for, publish
from tests.web.conftest import Client

ITEM = re.compile(r"/practice/[\w-]+/[0-9]+")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return codebooks_with(tmp_path / "codebooks", "0.5")


@pytest.fixture
def settings(tmp_path: Path, template_database: Path, folder: Path) -> Settings:
    """Settings of one test's own installation, its codebooks with the little practice sets."""
    shutil.copyfile(template_database, tmp_path / "saydo.db")
    url = f"sqlite:///{tmp_path / 'saydo.db'}"
    return Settings(database_url=url, data_dir=tmp_path / "data", codebook_dir=folder)


@pytest.fixture
def study_id(database: Database, tmp_path: Path, folder: Path) -> str:
    """The published small study, whose raters must qualify."""
    return publish(database, tmp_path / "inputs", folder, qualification=None)


def count(database: Database, table: type) -> int:
    with database.reading() as session:
        return len(session.exec(select(table)).all())


def tell_gold(text: str) -> list[str]:
    return [canary for canary in (GOLD_CANARY, FEEDBACK_CANARY) if canary in text]


def token_of(text: str) -> str:
    found = re.search(r'name="client_token" value="([^"]+)"', text)
    assert found
    return found.group(1)


def number_in(text: str) -> int:
    """Which item a page shows, by the number in its claim."""
    found = re.search(r"I did the part numbered ([0-9]+)\.", text[text.index('class="claim-card"') :])
    assert found
    return int(found.group(1))


def label_in(text: str) -> str:
    """The reference's label of the item a page shows; the tests know it, the page does not say it."""
    number = number_in(text)
    start, purpose = (0, "training") if number < 100 else (100 * (number // 100), "qualification")
    return labels_of(purpose)[number - start - 1]


def sent(answer: Mapping[str, Any], token: str, action: str = "save", revision: int = 0) -> dict[str, list[str]]:
    data: dict[str, list[str]] = {}
    for name, value in form_fields(answer):
        data.setdefault(name, []).append(value)
    return {**data, "client_token": [token], "revision": [str(revision)], "action": [action]}


def begin(browser: TestClient, purpose: str) -> str:
    """Press the practice page's button; return the place it leads to."""
    page = browser.get("/practice").text
    codebook = re.search(r'name="codebook" value="([0-9a-f]{64})"', page)
    assert codebook
    answer = browser.post("/practice", data={"codebook": codebook.group(1), "purpose": purpose})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].split("#")[0]


def answer_item(browser: TestClient, place: str, label: str | None = None) -> str:
    """Answer one item, as the reference does unless told otherwise; return where the answer leads."""
    page = browser.get(place).text
    given = coding(label or label_in(page))
    answer = browser.post(place, data=sent(given, token_of(page)))
    assert answer.status_code == 303, answer.text[-3000:]
    return answer.headers["location"].split("#")[0]


def go_through(browser: TestClient, place: str) -> str:
    """Answer every item of an attempt, following where each answer leads; return the attempt's own page."""
    while ITEM.fullmatch(place):
        after = answer_item(browser, place)
        if after == place:  # a training item's feedback: its link leads on
            following = re.search(r'href="(/practice/[^"#]+)[^"]*" data-next', browser.get(place).text)
            assert following
            after = following.group(1)
        place = after
    return place


def qualify(browser: TestClient) -> None:
    browser.get("/studies/small/codebook")
    go_through(browser, begin(browser, "training"))
    place = go_through(browser, begin(browser, "qualification"))
    assert browser.post(place).status_code == 303
    assert "Passed" in browser.get(place).text


def places(database: Database, name: str) -> tuple[str, str]:
    """Return the first assignment and the packet of a rater."""
    with database.reading() as session:
        packet = packets.find_packet_of(session, "small", actor(database, name).user_id)
        assert packet is not None
        return packets.list_assignments(session, packet.id)[0].id, packet.id


# ---- H25 on every route ---------------------------------------------------------------------------------------------


def try_every_way(browser: TestClient, assignment_id: str, packet_id: str, api: dict[str, str]) -> list[Any]:
    """Ask for a claim, a save, a draft, the packet and its lock, as page and as program; return the answers."""
    save = sent(coding_for("I edited parser.py."), "t")
    draft = {**save, "action": ["draft"]}
    json_save = {"coding": dict(coding_for("I edited parser.py.")), "client_token": "t"}
    attested = {"attested": list(ATTESTATIONS)}
    return [
        browser.get(f"/rate/{assignment_id}"),
        browser.post(f"/rate/{assignment_id}", data=save),
        browser.post(f"/rate/{assignment_id}", data=draft),
        browser.post(f"/rate/{assignment_id}", data=draft, headers={"accept": "application/json"}),
        browser.post(f"/rate/{assignment_id}", data={**save, "action": ["refresh"]}),
        browser.post(f"/rate/{assignment_id}", data={**save, "cite": ["3"], "action": [""]}),
        browser.get(f"/rate/packets/{packet_id}"),
        browser.post(f"/rate/packets/{packet_id}", data={f"attest.{key}": "on" for key in ATTESTATIONS}),
        browser.get(f"/api/v1/assignments/{assignment_id}", headers=api),
        browser.post(f"/api/v1/assignments/{assignment_id}/coding", json=json_save, headers=api),
        browser.post(f"/api/v1/packets/{packet_id}/lock", json=attested, headers=api),
    ]


def test_an_unqualified_rater_is_refused_on_every_route(
    client: Client, study_id: str, database: Database, clock: Clock
) -> None:
    with database.writing() as session:
        people.give_api_token(session, "r.one", "token-of-r1", clock())
    assignment_id, packet_id = places(database, "r.one")
    browser, api = client("r.one"), {"authorization": "Bearer token-of-r1"}
    answers = try_every_way(browser, assignment_id, packet_id, api)
    for answer in answers:
        assert answer.status_code == 403, answer.request
        text = answer.text
        assert "H25" in text
        assert "/practice" in text
        assert "parser" not in text
    assert [count(database, table) for table in (CodingRow, DraftRow, LockRow)] == [0, 0, 0]
    browser.get("/studies/small/codebook")
    go_through(browser, begin(browser, "training"))
    assert {answer.status_code for answer in try_every_way(browser, assignment_id, packet_id, api)} == {403}
    place = go_through(browser, begin(browser, "qualification"))
    assert {answer.status_code for answer in try_every_way(browser, assignment_id, packet_id, api)} == {403}
    browser.post(place)
    assert not any(answer.status_code == 403 for answer in try_every_way(browser, assignment_id, packet_id, api))
    assert count(database, CodingRow) == 1


def test_every_route_to_claims_is_among_those_tried() -> None:
    """Whoever adds a route to a claim adds it to `try_every_way`, or says here why it needs no qualification."""
    open_to_all = {"/api/v1/packets", "/api/v1/assignments/next", "/rate"}
    tried = {
        "/rate/{assignment_id}",
        "/rate/packets/{packet_id}",
        "/api/v1/assignments/{assignment_id}",
        "/api/v1/assignments/{assignment_id}/coding",
        "/api/v1/packets/{packet_id}/lock",
    }
    found = {route.path for module in ROUTERS for route in module.router.routes if isinstance(route, APIRoute)}
    assert {path for path in found if path.startswith(("/rate", "/api/v1/"))} == tried | open_to_all


def test_the_page_of_a_refusal_leads_to_practice(client: Client, study_id: str, database: Database) -> None:
    page = client("r.one").get(f"/rate/{places(database, 'r.one')[0]}")
    assert "Not qualified" in page.text
    assert 'href="/practice"' in page.text


# ---- the way there --------------------------------------------------------------------------------------------------


def test_from_the_codebook_to_the_first_claim(client: Client, study_id: str, database: Database) -> None:
    browser = client("r.one")
    home = browser.get("/rate").text
    assert "First read codebook v0.5." in home
    assert "opens when you are qualified" in home
    assert "Your claims" in home
    assert not re.search(r"/rate/[0-9a-f]{64}", home)
    assert 'href="/studies/small/codebook"' in browser.get("/practice").text
    qualify(browser)
    assert "You are qualified for this codebook." in browser.get("/practice").text
    home = browser.get("/rate").text
    assert "opens when you are qualified" not in home
    place = re.search(r"/rate/[0-9a-f]{64}", home)
    assert place
    assert browser.get(place.group(0)).status_code == 200
    assert count(database, RuleCountRow) == 0  # what was practised is counted in no table of rules either


def test_the_lead_sees_who_stands_where_and_no_answer(client: Client, study_id: str) -> None:
    browser = client("r.one")
    browser.get("/studies/small/codebook")
    go_through(browser, begin(browser, "training"))
    page = client("l.one").get("/studies/small").text
    before = page[page.index("Before coding") : page.index("</aside>")]
    assert "trained, not yet qualified" in before
    assert "has not opened the codebook" in before
    assert not tell_gold(page)
    assert not any(label in before for label in LABELS)


def test_a_second_failure_says_so_and_closes_the_way(client: Client, study_id: str) -> None:
    browser = client("r.one")
    browser.get("/studies/small/codebook")
    for round_ in (1, 2):
        go_through(browser, begin(browser, "training"))
        place = begin(browser, "qualification")
        while ITEM.fullmatch(place):
            place = answer_item(browser, place, "SUPPORTED")
        assert browser.post(place).status_code == 303
        result = browser.get(place).text
        assert "Not passed" in result
        assert "8 critical errors; at most 0 may be made" in result
        assert ("What comes next" in result) == (round_ in (1, 2))
    page = browser.get("/practice").text
    assert "You did not qualify in two tries." in page
    assert "You do not code in this phase" in page
    assert "and do not code in this phase" in browser.get("/rate").text
    assert "excluded after two tries" in client("l.one").get("/studies/small").text


# ---- gold -----------------------------------------------------------------------------------------------------------


def reachable(browser: TestClient, start: str) -> dict[str, str]:
    """Return every page that links lead to from a page, with all an answer carries."""
    found: dict[str, str] = {}
    todo = [start]
    while todo:
        path = todo.pop()
        if path in found or path.startswith(("/static", "/signin", "/codebook", "/studies")):
            continue
        answer = browser.get(path)
        found[path] = "\n".join([str(answer.url), *(f"{k}: {v}" for k, v in answer.headers.items()), answer.text])
        todo.extend(re.findall(r'(?:href|src|action)="(/[^"#]*)', answer.text))
    return found


def test_training_gold_comes_after_ones_own_answer_alone(client: Client, study_id: str) -> None:
    browser = client("r.one")
    browser.get("/studies/small/codebook")
    place = begin(browser, "training")
    page = browser.get(place)
    assert not tell_gold(page.text)
    number, token = number_in(page.text), token_of(page.text)
    refused = browser.post(place, data=sent({"codability": "codable"}, token))
    assert refused.status_code == 422
    assert not tell_gold(refused.text)
    kept = browser.post(place, data=sent(coding("not_codable"), token, "draft"), headers={"accept": "application/json"})
    assert kept.json().keys() == {"saved_at"}
    assert not tell_gold(browser.get(place).text)
    answered = browser.post(place, data=sent(coding("not_codable"), token))
    assert answered.headers["location"] == f"{place}#feedback"
    assert not tell_gold(answered.text + str(answered.headers))
    told = browser.get(place).text
    assert tell_gold(told) == [GOLD_CANARY, FEEDBACK_CANARY]
    assert set(re.findall(r"whycanary of item (\d+)", told)) == {str(number)}
    assert "The reference has another label" in told
    # The other items' gold still does not come, on any page.
    for path, text in reachable(browser, "/practice").items():
        items = set(re.findall(r"canary of item (\d+)", text))
        assert items <= ({str(number)} if path == place else set()), path


def test_no_page_ever_tells_gold_of_a_qualification(client: Client, study_id: str) -> None:
    """Before, while, refused, handed in, seen again; answers, headers and addresses too."""
    browser = client("r.one")
    browser.get("/studies/small/codebook")
    go_through(browser, begin(browser, "training"))
    place = begin(browser, "qualification")
    page = browser.get(place).text
    seen = [page, browser.post(place, data=sent({"codability": "codable"}, token_of(page))).text]
    while ITEM.fullmatch(place):
        place = answer_item(browser, place, "not_codable")
    seen += reachable(browser, place).values()
    done = browser.post(place)
    seen += [done.text, str(done.headers), *reachable(browser, place).values(), browser.get("/rate").text]
    numbers = {number for text in seen for number in re.findall(r"(?:gold|why)canary of item (\d+)", text)}
    assert numbers <= {"1", "2", "3"}, "only the training's"
    result = browser.get(place).text
    assert "Not passed" in result
    items = [text for path, text in reachable(browser, place).items() if path.startswith(f"{place}/")]
    assert len(items) == 32
    assert not any(tell_gold(text) for text in items)


def normal(text: str, attempt: str) -> str:
    """A page without what differs between two visits: tokens, the attempt's id, the item's place, the run's alias."""
    text = re.sub(r'<span class="steps">.*?</span>\s*<label', "", text, flags=re.DOTALL)
    text = re.sub(r'name="client_token" value="[^"]+"', "", text)
    text = text.replace(attempt, "ATTEMPT")
    text = re.sub(r"/practice/ATTEMPT/\d+|Item \d+ of|item \d+ of", "PLACE", text)
    return re.sub(r"Run [0-9a-f]{4}|run [0-9a-f]{4}", "RUN", text)


def pages_by_item(settings: Settings, tmp_path: Path, name: str, shift: int) -> dict[int, str]:
    """Return number of the claim → its page, in an installation whose gold is shifted by so many labels."""
    folder = codebooks_with(tmp_path / name, "0.5")
    labels = labels_of("qualification")
    moved = labels[shift:] + labels[:shift]
    items = [item(100 + n, label) for n, label in enumerate(moved, start=1)]
    for entry in items:
        entry["feedback"] = f"{FEEDBACK_CANARY}, worded otherwise for {name}"
    write_sets(folder, {"test-0.5-qualification-1.yaml": practice("qualification", 1, items)})
    shutil.copyfile(settings.database_url.removeprefix("sqlite:///"), tmp_path / f"{name}.db")
    own = Settings(database_url=f"sqlite:///{tmp_path / name}.db", data_dir=tmp_path / "data", codebook_dir=folder)
    database = Database(own.database_url)
    publish(database, tmp_path / f"inputs-{name}", folder, qualification=None)
    rater = Rater(database, actor(database, "r.one"), folder)
    rater.read()
    rater.train()
    attempt = rater.open("qualification")
    with database.writing() as session:
        people.give_link(session, "r.one", "link", START, 24)
    with TestClient(create_app(own, Clock()), base_url="http://127.0.0.1", follow_redirects=False) as browser:
        browser.post("/signin/link")
        found = {}
        for number in range(1, 33):
            text = browser.get(f"/practice/{attempt}/{number}").text
            found[number_in(text)] = normal(text, attempt)
    database.close()
    return found


def test_no_byte_of_an_item_depends_on_its_gold(settings: Settings, tmp_path: Path) -> None:
    """Two installations whose sets differ in every item's gold and reason serve the same pages."""
    one = pages_by_item(settings, tmp_path, "one", 0)
    two = pages_by_item(settings, tmp_path, "two", 4)
    assert one.keys() == two.keys() == set(range(101, 133))
    assert [number for number in one if one[number] != two[number]] == []


def test_a_broken_set_tells_a_rater_nothing(client: Client, study_id: str, folder: Path) -> None:
    broken = copy.deepcopy(sets_for()["test-0.5-qualification-1.yaml"])
    broken["practice"]["items"][5]["gold"]["verdict"] = "GREAT"
    write_sets(folder, {"test-0.5-qualification-1.yaml": broken})
    answer = client("r.one").get("/practice")
    assert answer.status_code == 422
    assert "saydo codebook practice 0.5" in answer.text
    assert not any(word in answer.text for word in ("i106", "GREAT", "H02", "gold", ".yaml"))


# ---- the form -------------------------------------------------------------------------------------------------------


def test_it_is_the_same_workbench(client: Client, study_id: str) -> None:
    browser = client("r.one")
    browser.get("/studies/small/codebook")
    page = browser.get(begin(browser, "training")).text
    for mark in (
        'class="bench',
        'id="claim-pane"',
        "data-find",
        'name="codability"',
        'name="verdict"',
        "/static/js/bench.js",
    ):
        assert mark in page
    assert page.count("<form") == page.count("</form>")
    assert "<q>I did the part numbered" in page


def test_what_the_form_hides_is_dropped_and_what_it_holds_is_kept(
    client: Client, study_id: str, database: Database
) -> None:
    browser = client("r.one")
    browser.get("/studies/small/codebook")
    place = begin(browser, "training")
    token = token_of(browser.get(place).text)
    cited = browser.post(place, data={**sent(coding("SUPPORTED"), token, ""), "cite": ["4"]})
    assert cited.headers["location"] == f"{place}#t4"
    assert count(database, PracticeDraftRow) == 1
    assert 'name="evidence.1.turn" value="4"' in browser.get(place).text
    both = {**coding("not_codable"), "verdict": "SUPPORTED", "materiality": "high"}
    assert browser.post(place, data=sent(both, token)).status_code == 303
    with database.reading() as session:
        (row,) = session.exec(select(PracticeAnswerRow)).all()
    assert "SUPPORTED" not in row.answer_json
    assert row.dropped_json == '["materiality","verdict"]'
    assert count(database, PracticeDraftRow) == 0


def test_a_number_that_is_none_comes_back_in_the_form(client: Client, study_id: str) -> None:
    browser = client("r.one")
    browser.get("/studies/small/codebook")
    place = begin(browser, "training")
    for action in ("save", "refresh"):
        answer = browser.post(
            place, data={"evidence.0.turn": "eleven", "client_token": "t", "revision": "0", "action": action}
        )
        assert answer.status_code == 422
        assert "eleven" in answer.text


def test_an_answered_training_item_takes_no_second_answer(client: Client, study_id: str) -> None:
    browser = client("r.one")
    browser.get("/studies/small/codebook")
    place = begin(browser, "training")
    answer_item(browser, place, "not_codable")
    answer = browser.post(place, data=sent(coding("SUPPORTED"), "another", revision=1))
    assert answer.status_code == 409
    assert "the first answer stands" in answer.text
    assert 'name="codability"' not in answer.text


def test_others_and_their_attempts(client: Client, study_id: str, database: Database) -> None:
    browser = client("r.one")
    browser.get("/studies/small/codebook")
    place = begin(browser, "training")
    with database.writing() as session:
        people.add_user(session, OPERATOR, "r.new", ["rater"], START)
    for name in ("r.two", "r.new"):
        other = client(name)
        assert other.get(place).status_code == 404
        assert other.post(place, data=sent(coding("SUPPORTED"), "t")).status_code == 404
    assert "None of your studies has practice items" in client("r.new").get("/practice").text
    assert count(database, PracticeAnswerRow) == 0


def test_opening_the_codebook_of_ones_study_is_recorded_and_anothers_is_not(
    client: Client, study_id: str, database: Database
) -> None:
    from app.storage.tables import CodebookReadingRow

    client("l.one").get("/studies/small/codebook")
    client("r.two").get("/codebook/0.4")
    assert count(database, CodebookReadingRow) == 0
    for _ in range(2):
        client("r.two").get("/codebook/0.5")
    assert count(database, CodebookReadingRow) == 1
