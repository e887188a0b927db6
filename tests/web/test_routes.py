"""Who may open what: every route against every role, none missing; signing in; headers; requests from elsewhere."""

from __future__ import annotations

import json
import re
from base64 import b64decode

import pytest
from fastapi.routing import APIRoute

from app.services import people
from app.storage import packets
from app.storage.engine import Database
from app.web.application import ROUTERS
from tests.conftest import Clock
from tests.services.practising import open_training
from tests.web.conftest import Client

ROLES = {"lead": "l.one", "rater": "r.one", "adjudicator": "a.one", "custodian": "c.one", "administrator": "o.one"}

# Route → the roles that get through (an answer below 400, or a refusal that is about state and not about the person).
# "open" needs no session; "all" any signed-in person; "token" is the JSON interface, for the role of the token's user.
ALLOWED: dict[tuple[str, str], set[str] | str] = {
    ("GET", "/healthz"): "open",
    ("GET", "/signin"): "open",
    ("GET", "/signin/{token}"): "open",
    ("POST", "/signin/{token}"): "open",
    ("POST", "/signout"): "open",
    ("GET", "/"): "all",
    ("GET", "/codebook/{version}"): "all",
    ("GET", "/codebook/{version}/compare/{other}"): "all",
    ("GET", "/studies/{study_id}/rules"): {"lead"},
    ("GET", "/studies/{study_id}/codebook"): {"lead", "rater", "adjudicator", "custodian"},
    ("GET", "/rate"): {"rater"},
    ("GET", "/rate/packets/{packet_id}"): {"rater"},
    ("POST", "/rate/packets/{packet_id}"): {"rater"},
    ("GET", "/rate/{assignment_id}"): {"rater"},
    ("POST", "/rate/{assignment_id}"): {"rater"},
    ("GET", "/practice"): {"rater"},
    ("POST", "/practice"): {"rater"},
    ("GET", "/practice/{attempt_id}"): {"rater"},
    ("POST", "/practice/{attempt_id}"): {"rater"},
    ("GET", "/practice/{attempt_id}/{number}"): {"rater"},
    ("POST", "/practice/{attempt_id}/{number}"): {"rater"},
    ("GET", "/adjudicate"): {"adjudicator"},
    ("GET", "/adjudicate/{item_id}"): {"adjudicator"},
    ("POST", "/adjudicate/{item_id}"): {"adjudicator"},
    ("GET", "/studies/new"): {"lead"},
    ("POST", "/studies/new"): {"lead"},
    ("GET", "/studies"): {"lead", "custodian"},
    ("GET", "/studies/{study_id}"): {"lead", "custodian"},
    ("GET", "/studies/{study_id}/agreement"): {"lead"},
    ("GET", "/studies/{study_id}/disagreements"): {"lead"},
    ("GET", "/studies/{study_id}/export/{name}"): {"lead", "custodian"},
    ("POST", "/studies/{study_id}/{step}"): {"lead", "custodian"},
    ("GET", "/reconcile"): {"lead"},
    ("POST", "/reconcile"): {"lead"},
    ("GET", "/reconcile/{name}"): {"lead"},
    ("POST", "/reconcile/{name}/claims"): {"lead"},
    ("GET", "/reconcile/{name}/files/{file}"): {"lead"},
    ("GET", "/custody"): {"custodian"},
    ("GET", "/custody/{study_id}"): {"custodian"},
    ("POST", "/custody/{study_id}/waive"): {"custodian"},
    ("POST", "/custody/{study_id}/settle"): {"custodian"},
    ("GET", "/people"): {"administrator"},
    ("POST", "/people"): {"administrator"},
    ("GET", "/api/v1/packets"): "token",
    ("GET", "/api/v1/assignments/next"): "token",
    ("GET", "/api/v1/assignments/{assignment_id}"): "token",
    ("POST", "/api/v1/assignments/{assignment_id}/coding"): "token",
    ("POST", "/api/v1/packets/{packet_id}/lock"): "token",
}


def test_no_route_is_missing_from_the_table() -> None:
    found = {
        (method, route.path)
        for module in ROUTERS
        for route in module.router.routes
        if isinstance(route, APIRoute)
        for method in route.methods - {"HEAD"}
    }
    assert found == set(ALLOWED)


def fill(path: str, database: Database) -> str:
    """Put real ids of the small study into a path."""
    with database.reading() as session:
        built = packets.list_packets(session, "small")
        assignment = packets.list_assignments(session, built[0].id)[0]
    real = {"packet_id": built[0].id, "assignment_id": assignment.id, "study_id": "small", "version": "0.5"}
    real |= {"other": "0.4", "step": "scan", "name": "rater_pooled.csv", "item_id": "0" * 64, "token": "nothing"}
    real |= {"attempt_id": open_training(database, "r.one") if "attempt_id" in path else "", "number": "1"}
    real |= {"file": "results.json"}
    return re.sub(r"{(\w+)}", lambda found: real[found.group(1)], path)


def about_the_person(status: int, text: str) -> bool:
    """Whether this answer refuses the person: 403, or 404 where the thing exists and must not be told."""
    hidden = ("no study", "no such packet for you", "no such claim in your packets", "no such practice for you")
    return status == 403 or (status == 404 and any(words in text for words in hidden))


@pytest.mark.parametrize(("method", "path"), sorted(ALLOWED))
def test_route_by_role(method: str, path: str, client: Client, study_id: str, database: Database) -> None:
    allowed = ALLOWED[method, path]
    nobody = client("").request(method, fill(path, database))
    if allowed == "open":
        assert nobody.status_code < 500
        return
    if allowed == "token":
        assert nobody.status_code == 401
        return
    assert (nobody.status_code, nobody.headers["location"]) == (303, "/signin")
    for role, name in ROLES.items():
        answer = client(name).request(method, fill(path, database))
        refused = about_the_person(answer.status_code, answer.text)
        assert answer.status_code < 500
        assert refused != (allowed == "all" or role in allowed), f"{role}: {answer.status_code}"


def test_a_link_is_used_once(client: Client, study_id: str, database: Database, clock: Clock) -> None:
    with database.writing() as session:
        people.give_link(session, "r.one", "once", clock(), 24)
    assert "r.one" in client("").get("/signin/once").text
    assert client("").post("/signin/once").status_code == 303
    again = client("").post("/signin/once")
    assert again.status_code == 403
    assert "used already" in again.text


def test_an_expired_link_and_an_expired_session_open_nothing(
    client: Client, study_id: str, database: Database, clock: Clock
) -> None:
    browser = client("r.one")
    assert browser.get("/rate").status_code == 200
    with database.writing() as session:
        people.give_link(session, "r.one", "late", clock(), 1)
    clock.advance(13 * 3600)
    assert browser.get("/rate").headers["location"] == "/signin"
    assert client("").post("/signin/late").status_code == 403


def test_signing_out_ends_the_session_on_the_server(client: Client, study_id: str) -> None:
    browser = client("r.one")
    cookies = dict(browser.cookies)
    browser.post("/signout")
    browser.cookies.update(cookies)
    assert browser.get("/rate").headers["location"] == "/signin"


def test_the_cookie_holds_a_random_id_and_scripts_cannot_read_it(
    client: Client, study_id: str, database: Database, clock: Clock
) -> None:
    with database.writing() as session:
        people.give_link(session, "r.one", "look", clock(), 24)
    header = client("").post("/signin/look").headers["set-cookie"].lower()
    assert "httponly" in header
    assert "samesite=lax" in header
    signed = client("r.one")
    assert "r.one" not in b64decode(signed.cookies["saydo"].split(".")[0] + "==").decode()


def test_every_answer_carries_the_headers(client: Client, study_id: str) -> None:
    for path in ("/signin", "/rate", "/nowhere", "/healthz", "/static/saydo.css"):
        headers = client("r.one").get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 303),
        ({"sec-fetch-site": "none"}, 303),
        ({"origin": "http://elsewhere.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1"}, 303),
        ({}, 303),
    ],
)
def test_a_write_from_another_site_is_refused(
    client: Client, study_id: str, headers: dict[str, str], status: int
) -> None:
    assert client("r.one").post("/signout", headers=headers).status_code == status


def test_a_page_that_does_not_exist_says_so(client: Client, study_id: str) -> None:
    answer = client("r.one").get("/nowhere")
    assert answer.status_code == 404
    assert "There is no such page." in answer.text


def test_health_answers_without_a_session(client: Client) -> None:
    answer = client("").get("/healthz")
    assert answer.json()["status"] == "ok"
    assert answer.json()["revision"]


def test_a_refused_name_comes_back_in_the_form_with_its_sentence(client: Client, study_id: str) -> None:
    answer = client("o.one").post("/people", data={"name": 'bad "name"', "role": "rater"})
    assert answer.status_code == 422
    assert 'value="bad &#34;name&#34;"' in answer.text
    assert "letters, digits and" in answer.text
    assert "<option selected>rater</option>" in answer.text
    assert "sign-in link for" not in answer.text
    assert "Who can sign in" in answer.text


def test_a_body_without_a_stated_length_has_the_same_limit(settings, study_id: str, clock: Clock) -> None:
    from starlette.testclient import TestClient

    from app.main import create_app

    small = settings.model_copy(update={"max_upload_mb": 1})
    with TestClient(create_app(small, clock), base_url="http://127.0.0.1") as browser:
        chunks = (b"x" * 65536 for _ in range(20))
        headers = {"content-type": "application/x-www-form-urlencoded"}
        assert browser.post("/signin/nothing", content=b"x" * (2**20 + 1), headers=headers).status_code == 413
        assert browser.post("/people", content=chunks, headers=headers).status_code in {303, 413}


def test_a_lone_surrogate_in_a_programs_coding_is_mended(
    client: Client, study_id: str, database: Database, clock: Clock
) -> None:
    from tests.services.conftest import assignments
    from tests.small_study import actor, coding_for

    with database.writing() as session:
        people.give_api_token(session, "r.one", "token-of-r1", clock())
    assignment_id, text = next(iter(assignments(database, actor(database, "r.one")).items()))
    note = '"note": "half a pair \\ud83d here"'
    coding = json.dumps(dict(coding_for(text)))[:-1] + f", {note}}}"
    body = f'{{"coding": {coding}, "client_token": "t\\ud83d"}}'
    headers = {"authorization": "Bearer token-of-r1", "content-type": "application/json"}
    answer = client("").post(f"/api/v1/assignments/{assignment_id}/coding", content=body, headers=headers)
    assert answer.status_code == 200, answer.text
