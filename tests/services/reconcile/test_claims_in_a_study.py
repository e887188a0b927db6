"""The claims of divergent cells go into a study as they are: registered, blinded, scanned, published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlmodel import select

from app.config import codebook_dir
from app.readers.study_file import load_study
from app.services import building, registering, releasing
from app.services.intake import read_intake
from app.services.people import get_actor
from app.services.reconcile.claims import claim_files, divergent_cells
from app.storage.engine import Database
from app.storage.tables import BlindClaimRow, BlindTurnRow
from tests.conftest import START
from tests.small_study import KEY, STUDY, add_people


def test_a_study_takes_them_and_serves_no_row_name(
    example: tuple[Path, dict[str, Any]], database: Database, tmp_path: Path
) -> None:
    results = json.loads((example[0] / "results.json").read_text(encoding="utf-8"))
    for artifact in claim_files(results, divergent_cells(results)):
        (tmp_path / artifact.path).write_bytes(artifact.data)
    study = {key: value for key, value in STUDY.items() if key != "coverage"}
    files = {"log": "claims_log.parquet", "claims": "claims.csv"}
    (tmp_path / "study.yaml").write_text(json.dumps({**study, **files}), encoding="utf-8")
    intake = read_intake(load_study(tmp_path / "study.yaml"), codebook_dir(), tmp_path / "data")
    with database.writing() as session:
        add_people(session)
        lead = get_actor(session, "l.one")
        registering.create_study(session, lead, intake, KEY, START)
        building.build_packets(session, lead, "small", START)
        releasing.scan_packets(session, lead, "small", START)
        releasing.publish_packets(session, lead, "small", START)
    with database.reading() as session:
        claims = [json.loads(row.body_json)["text"] for row in session.exec(select(BlindClaimRow))]
        served = " ".join(str(row.model_dump()) for row in session.exec(select(BlindTurnRow)))
    assert len(claims) == 3
    assert "The issue_resolution_score of this row is 99.9." in claims
    assert "S1_pct: " in served
    for name in ("Hammer-9", "Anvil-2", "Bellows-1", "Bench/"):
        assert name not in served
