"""The lead's reconciliations in the browser: running one, reading one, making claims of divergent cells."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from app.config import Settings
from app.readers.claims_file import load_claims
from app.services.reconcile.running import Asked, reconcile
from app.storage import audit
from app.storage.engine import Database
from tests.domain.reconcile.small import SPEC
from tests.web.conftest import Client


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of the example; copied onto the shelf by whoever needs it."""
    out = tmp_path_factory.mktemp("shelf") / "small"
    reconcile(Asked(SPEC, None, out))
    return out


@pytest.fixture
def shelf(settings: Settings, finished: Path) -> Path:
    """The shelf of this installation, with one reconciliation called small."""
    place = Path(settings.data_dir) / "reconcile"
    shutil.copytree(finished, place / "small")
    return place


@pytest.fixture
def lead(client: Client, study_id: str) -> TestClient:
    return client("l.one")


def cells_of(page: str) -> list[str]:
    return re.findall(r'type="checkbox" name="cell" value="([^"]+)"', page)


def test_the_page_shows_the_sum_and_every_divergent_cell(lead: TestClient, shelf: Path) -> None:
    assert "/reconcile/small" in lead.get("/reconcile").text
    page = lead.get("/reconcile/small").text
    assert "<b>304</b>" in page
    assert len(cells_of(page)) == 3
    for words in ("Bench/Hammer-9", "issue_resolution_score", "99.9", "not equal to the shipped one"):
        assert words in page


def test_a_marked_cell_becomes_a_claim_and_a_second_joins_it(lead: TestClient, shelf: Path) -> None:
    first, second, third = cells_of(lead.get("/reconcile/small").text)
    answer = lead.post("/reconcile/small/claims", data={"cell": first})
    assert (answer.status_code, answer.headers["location"]) == (303, "/reconcile/small#claims")
    assert [c.claim_id for c in load_claims(shelf / "small" / "claims.csv")] == [first]
    page = lead.get("/reconcile/small").text
    assert cells_of(page) == [second, third]
    lead.post("/reconcile/small/claims", data={"cell": [third]})
    assert {c.claim_id for c in load_claims(shelf / "small" / "claims.csv")} == {first, third}
    manifest = json.loads((shelf / "small" / "manifest.json").read_text(encoding="utf-8"))
    assert {"claims.csv", "claims_log.parquet", "claims_cells.csv"} <= {e["path"] for e in manifest["files"]}


def test_a_whole_column_or_all_cells_at_once(lead: TestClient, shelf: Path) -> None:
    lead.post("/reconcile/small/claims", data={"column": "average_cost"})
    assert len(load_claims(shelf / "small" / "claims.csv")) == 1
    lead.post("/reconcile/small/claims", data={"all": "yes"})
    assert len(load_claims(shelf / "small" / "claims.csv")) == 3


def test_nothing_marked_changes_nothing_and_says_so(lead: TestClient, shelf: Path) -> None:
    before = (shelf / "small" / "manifest.json").read_bytes()
    for data in ({}, {"cell": "cell-0000000000000000"}, {"column": "id"}):
        answer = lead.post("/reconcile/small/claims", data=data)
        assert answer.status_code == 422
        assert "mark a divergent cell first" in answer.text
    assert (shelf / "small" / "manifest.json").read_bytes() == before


def test_claims_are_in_the_audit_trail(lead: TestClient, shelf: Path, database: Database) -> None:
    lead.post("/reconcile/small/claims", data={"all": "yes"})
    with database.reading() as session:
        from sqlmodel import select

        from app.storage.tables import AuditRow

        row = session.exec(select(AuditRow).where(AuditRow.action == "claim_cells")).one()
        assert (row.actor, row.subject) == ("l.one", "reconcile/small")
        assert json.loads(row.details_json) == {"before": 0, "claims": 3}
    assert row.sha256 != audit.FIRST


def test_the_claims_are_downloaded_and_the_log_with_them(lead: TestClient, shelf: Path) -> None:
    lead.post("/reconcile/small/claims", data={"all": "yes"})
    answer = lead.get("/reconcile/small/files/claims_log.parquet")
    assert pq.read_table(io.BytesIO(answer.content)).num_rows == 12
    report = lead.get("/reconcile/small/files/REPORT.html")
    assert report.headers["content-type"].startswith("text/html")
    assert report.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize("file", ["nothing.csv", "..%2f..%2fsession.key", "%2e%2e", ".hidden"])
def test_only_listed_files_are_sent(lead: TestClient, shelf: Path, file: str) -> None:
    assert lead.get(f"/reconcile/small/files/{file}").status_code == 404


@pytest.mark.parametrize("name", ["nothing", ".hidden", "%2e%2e%2fsmall", "small%2f..%2fsmall"])
def test_a_name_that_stands_on_no_shelf_is_not_found(lead: TestClient, shelf: Path, name: str) -> None:
    assert lead.get(f"/reconcile/{name}").status_code == 404


def test_the_example_runs_from_the_page(lead: TestClient, shelf: Path) -> None:
    answer = lead.post("/reconcile", data={"name": "example"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/reconcile/example")
    assert "304 cells" in lead.get("/reconcile/example").text
    again = lead.post("/reconcile", data={"name": "example"})
    assert again.status_code == 422
    assert "there is a reconciliation example already" in again.text


def files(**changed: bytes) -> dict[str, tuple[str, bytes]]:
    found = {
        "spec": SPEC.read_bytes(),
        "target": (SPEC.parent / "test.parquet").read_bytes(),
        "source": (SPEC.parent / "instances.parquet").read_bytes(),
    }
    return {name: (f"../../{name}", data) for name, data in {**found, **changed}.items()}


def test_an_uploaded_spec_and_tables_are_reconciled(lead: TestClient, shelf: Path) -> None:
    answer = lead.post("/reconcile", data={"name": "mine"}, files=files())
    assert answer.status_code == 303
    assert (shelf / "mine" / "results.json").is_file()


@pytest.mark.parametrize(
    ("name", "changed", "words"),
    [
        ("mine", {"source": b"PAR1"}, "not a readable parquet file"),
        ("mine", {"spec": b"schema: reconcile/1\n"}, "spec.yaml line 1"),
        ("../mine", {}, "the name takes letters, digits"),
        ("", {}, "the name takes letters, digits"),
    ],
)
def test_what_is_wrong_comes_back_in_one_sentence(
    lead: TestClient, shelf: Path, name: str, changed: dict[str, bytes], words: str
) -> None:
    answer = lead.post("/reconcile", data={"name": name}, files=files(**changed))
    assert answer.status_code == 422
    assert words in answer.text
    assert not (shelf / "mine").exists()


def test_a_table_without_its_spec_is_asked_for(lead: TestClient, shelf: Path) -> None:
    only = {"target": files()["target"]}
    assert "choose a file for the spec" in lead.post("/reconcile", data={"name": "mine"}, files=only).text


def test_a_broken_folder_on_the_shelf_is_told_and_hides_no_other(lead: TestClient, shelf: Path) -> None:
    (shelf / "broken").mkdir()
    (shelf / "broken" / "manifest.json").write_text("{", encoding="utf-8")
    answer = lead.get("/reconcile")
    assert answer.status_code == 200
    assert "/reconcile/small" in answer.text
    assert lead.get("/reconcile/broken").status_code == 404
