"""A whole study by pages alone, from the upload of a log and claims to the download of the pooled table."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.cli.demo_journey import form_fields
from app.domain.attestations import ATTESTATIONS
from app.services import people
from app.services.people import OPERATOR
from app.storage.engine import Database
from tests.conftest import START
from tests.small_study import PEOPLE, coding_for, write_inputs
from tests.web.conftest import Client

FORM = {
    "id": "paged",
    "title": "Made in the browser",
    "codebook": "0.5",
    "raters": ["r.one", "r.two"],
    "adjudicators": ["a.one"],
    "custodian": "c.one",
    "overlap": "full",
    "order": "random_within_run",
    "seed": "7",
    "state_at_writing": "Nothing was computed.",
    "prior_inspection": "Nobody had looked.",
    "blinding_terms": "canary-harness\nsecond term",
    "qualification_waived": "a little study made in the browser by a test",
}


@pytest.fixture
def folder(database: Database, tmp_path: Path) -> Path:
    with database.writing() as session:
        for name, role in PEOPLE.items():
            people.add_user(session, OPERATOR, name, [role], START)
    write_inputs(tmp_path / "mine")
    return tmp_path / "mine"


def upload(lead: TestClient, folder: Path, **changes: object):
    files = {
        "log": ("my log.parquet", (folder / "turnlog.parquet").read_bytes()),
        "claims": ("../../etc/claims.jsonl", (folder / "claims.jsonl").read_bytes()),
        "coverage": ("c.yaml", (folder / "coverage.yaml").read_bytes()),
    }
    return lead.post("/studies/new", data={**FORM, **changes}, files=files)


def code_everything(rater: TestClient, verdict: str | None) -> None:
    """Code every claim through the form, following each answer's redirect, then lock."""
    home = rater.get("/rate").text
    packet = re.search(r"/rate/packets/([0-9a-f]{64})", home)
    place = re.search(r"/rate/([0-9a-f]{64})", home)
    assert packet
    assert place
    path, n_saved = place.group(0), 0
    while re.fullmatch(r"/rate/[0-9a-f]{64}", path):
        page = rater.get(path).text
        token = re.search(r'name="client_token" value="([^"]+)"', page)
        words = re.search(r"(I edited parser|The tests pass|did not touch)", page[page.index('id="claim') :])
        assert token
        assert words
        fields = form_fields(coding_for(words.group(1), verdict))
        fields += [("client_token", token.group(1)), ("revision", "0"), ("action", "save")]
        data: dict[str, list[str]] = {}
        for name, value in fields:
            data.setdefault(name, []).append(value)
        answer = rater.post(path, data=data)
        assert answer.status_code == 303, answer.text[-3000:]
        path, n_saved = answer.headers["location"].removesuffix("#claim"), n_saved + 1
    assert n_saved == 6
    assert path == packet.group(0)
    assert rater.post(path, data={f"attest.{key}": "on" for key in ATTESTATIONS}).status_code == 303


def adjudicate_everything(adjudicator: TestClient) -> int:
    n_decided = 0
    while place := re.search(r"/adjudicate/[0-9a-f]{64}", adjudicator.get("/adjudicate").text.split("decided</")[0]):
        page = adjudicator.get(place.group(0)).text
        if 'value="provisional"' not in page and 'value="decide"' not in page:
            break
        words = re.search(r"(I edited parser|The tests pass|did not touch)", page[page.index('id="claim') :])
        assert words
        fields = dict(form_fields(coding_for(words.group(1))))
        for action in ("provisional", "decide"):
            sent = {**fields, "action": action, "revision": "0", "client_token": f"{place.group(0)}-{action}"}
            sent |= {"reason": "the runner's own output settles it", "rule": "H16", "cause": "evidence_missed"}
            assert adjudicator.post(place.group(0), data=sent).status_code == 303
        n_decided += 1
        assert n_decided < 20
    return n_decided


def step(lead: TestClient, word: str) -> None:
    page = lead.get("/studies/paged").text
    assert f'action="/studies/paged/{word}"' in page, f"the page does not offer {word}"
    assert lead.post(f"/studies/paged/{word}").status_code == 303


def test_a_study_from_upload_to_download(client: Client, folder: Path) -> None:
    lead = client("l.one")
    answer = upload(lead, folder)
    assert (answer.status_code, answer.headers["location"]) == (303, "/studies/paged")
    for word in ("build", "scan", "publish"):
        step(lead, word)
    code_everything(client("r.one"), None)
    assert lead.get("/studies/paged/agreement").status_code == 422
    code_everything(client("r.two"), "UNVERIFIABLE")
    agreement = lead.get("/studies/paged/agreement")
    assert agreement.status_code == 200
    # Exact agreement 4 of 6 and kappa 0.4, worked in tests/services/test_study_life.py.
    words = re.sub(r"<[^>]+>|\s+", " ", agreement.text)
    assert re.search(r"4 +of +6", words)
    assert "0.40" in words
    assert lead.get("/studies/paged/disagreements").status_code == 200
    assert lead.get("/studies/paged/export/rater_pooled.csv").status_code == 422
    step(lead, "open-adjudication")
    assert adjudicate_everything(client("a.one")) >= 2
    step(lead, "close")
    sent = lead.get("/studies/paged/export/rater_pooled.csv")
    assert sent.headers["content-type"] == "text/csv; charset=utf-8"
    assert "paged-rater_pooled.csv" in sent.headers["content-disposition"]
    pooled = list(csv.DictReader(io.StringIO(sent.text)))
    assert sorted(row["pooled_verdict"] for row in pooled) == ["CONTRADICTED"] * 2 + ["SUPPORTED"] * 4
    assert lead.get("/studies/paged/export/passwd").status_code == 404


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seed": "many"}, "whole number"),
        ({"codebook": "9.9"}, "9.9"),
        ({"raters": ["r.one", "ghost"]}, "no user ghost"),
        ({"state_at_writing": ""}, "state_at_writing"),
        ({"qualification_waived": "for a test"}, "takes the reason, in 20 characters at least"),
    ],
)
def test_what_is_wrong_comes_back_with_what_was_entered(
    client: Client, folder: Path, settings, changes: dict, sentence: str
) -> None:
    answer = upload(client("l.one"), folder, **changes)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "Made in the browser" in answer.text
    assert list((settings.data_dir / "inputs").glob("*")) == []


def test_a_broken_upload_is_refused_and_leaves_nothing(client: Client, folder: Path, settings) -> None:
    (folder / "turnlog.parquet").write_bytes((folder / "turnlog.parquet").read_bytes()[:3000])
    answer = upload(client("l.one"), folder)
    assert answer.status_code == 422
    assert "not a readable parquet file" in answer.text
    assert list((settings.data_dir / "inputs").glob("*")) == []


def test_another_formats_log_is_converted(client: Client, folder: Path) -> None:
    """A chat log uploaded as it is goes through the same import as `saydo log convert`."""
    import json

    chat = {
        "messages": [
            {"role": "user", "content": "Fix it."},
            {"role": "assistant", "content": "I fixed it, and the tests pass."},
        ]
    }
    claim = {"claim_id": "c1", "session_id": "chat", "turn_index": 1, "target": "text", "text": "the tests pass"}
    files = {
        "log": ("chat.json", json.dumps(chat).encode()),
        "claims": ("claims.jsonl", (json.dumps(claim) + "\n").encode()),
    }
    answer = client("l.one").post("/studies/new", data=FORM, files=files)
    assert answer.status_code == 303, answer.text


def test_without_a_waiver_the_raters_qualify_first(client: Client, folder: Path) -> None:
    lead = client("l.one")
    assert upload(lead, folder, qualification_waived="").status_code == 303
    page = lead.get("/studies/paged").text
    assert "codebook not opened, training not complete" in page
    assert "waived:" not in page
    assert "First read codebook v0.5." in client("r.one").get("/rate").text


def test_a_number_that_is_none_comes_back_in_the_form(client: Client, folder: Path) -> None:
    lead = client("l.one")
    upload(lead, folder)
    for word in ("build", "scan", "publish"):
        step(lead, word)
    rater = client("r.one")
    place = re.search(r"/rate/[0-9a-f]{64}", rater.get("/rate").text)
    assert place
    sent = {"codability": "codable", "evidence.0.turn": "eleven", "client_token": "t", "revision": "0"}
    for action in ("save", "refresh"):
        answer = rater.post(place.group(0), data={**sent, "action": action})
        assert answer.status_code == 422
        assert "eleven" in answer.text
        assert 'name="codability"' in answer.text
