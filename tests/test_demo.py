"""The demo walked through whole over HTTP and verified; kappa as scikit-learn has it; the same bytes once more."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXPORTED = ("rater_pooled.csv", "rater_long.csv", "disagreements.csv", "agreement.json", "report.html", "manifest.json")


def run_demo(folder: Path, hash_seed: str) -> dict:
    command = [sys.executable, "-c", "from app.main import run_cli; run_cli()"]
    done = subprocess.run(
        [*command, "demo", "--dir", str(folder), "--check", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("demo") / "d"
    return folder, run_demo(folder, "0")


def test_the_main_job_runs_and_verifies(demo: tuple[Path, dict]) -> None:
    folder, found = demo
    assert found["verified"] is True
    assert found["mismatches"] == []
    assert found["n_raters"] == 2
    assert found["n_claims"] >= 60
    assert (folder / found["rater_pooled"]).is_file()
    assert (folder / found["report"]).is_file()


def test_kappa_is_scikit_learns_on_the_long_table(demo: tuple[Path, dict]) -> None:
    from sklearn.metrics import cohen_kappa_score

    folder, found = demo
    by_slot: dict[str, dict[str, str]] = {"R1": {}, "R2": {}}
    with (folder / "rater_long.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["coder_slot"] in by_slot:
                by_slot[row["coder_slot"]][row["blind_claim_id"]] = row["verdict"] or row["codability"]
    claims = sorted(by_slot["R1"])
    assert claims == sorted(by_slot["R2"])
    expected = cohen_kappa_score([by_slot["R1"][c] for c in claims], [by_slot["R2"][c] for c in claims])
    assert found["kappa"] == pytest.approx(expected, abs=1e-12)


def test_every_verdict_occurs_in_the_demo(demo: tuple[Path, dict]) -> None:
    folder, _ = demo
    with (folder / "rater_pooled.csv").open(encoding="utf-8", newline="") as file:
        pooled = {row["pooled_verdict"] or row["pooled_codability"] for row in csv.DictReader(file)}
    verdicts = {"SUPPORTED", "PARTIAL", "UNBACKED", "CONTRADICTED", "RELEASED", "UNVERIFIABLE", "UNDETERMINED"}
    assert verdicts | {"not_codable"} == pooled


def test_another_process_exports_the_same_bytes(demo: tuple[Path, dict], tmp_path: Path) -> None:
    folder, _ = demo
    again = tmp_path / "again"
    run_demo(again, "1")
    for name in EXPORTED:
        one, two = ((place / name).read_bytes() for place in (folder, again))
        assert hashlib.sha256(one).hexdigest() == hashlib.sha256(two).hexdigest(), name


def test_both_raters_read_trained_and_qualified_before_the_packets_were_published(demo: tuple[Path, dict]) -> None:
    import sqlite3

    folder, _ = demo
    with sqlite3.connect(folder / "saydo.db") as connection:
        attempts = connection.execute(
            "SELECT user_account.name, purpose, round, passed FROM practice_attempt "
            "JOIN user_account ON user_account.id = user_id ORDER BY 1, 2 DESC"
        ).fetchall()
        last, published = connection.execute(
            "SELECT max(finished_at), (SELECT published_at FROM study) FROM practice_attempt"
        ).fetchone()
        asked = connection.execute("SELECT qualification FROM study").fetchone()
    assert attempts == [
        (name, *attempt) for name in ("r.one", "r.two") for attempt in (("training", 1, None), ("qualification", 1, 1))
    ]
    assert asked == ("required",)
    assert last < published
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert report.count("passed at the first try: macro-F1 0.9") == 2


def test_the_served_demo_lets_a_newcomer_code_at_once(tmp_path: Path) -> None:
    """`make demo` without its server: both raters are qualified, and setting it up again asks for nothing more."""
    import sqlite3

    from app.services import coding, people
    from app.storage import packets
    from app.storage.engine import Database

    for _ in range(2):
        command = [sys.executable, "-c", "from app.main import run_cli; run_cli()"]
        done = subprocess.run(
            [*command, "demo", "--dir", str(tmp_path / "d"), "--no-serve"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    with sqlite3.connect(tmp_path / "d" / "saydo.db") as connection:
        assert connection.execute("SELECT count(*) FROM practice_attempt WHERE passed").fetchone() == (2,)
    database = Database(f"sqlite:///{tmp_path / 'd' / 'saydo.db'}")
    with database.reading() as session:
        for packet in packets.list_packets(session, "demo"):
            rater = people.get_actor(session, {"R1": "r.one", "R2": "r.two"}[packet.slot])
            first = packets.list_assignments(session, packet.id)[0]
            assert coding.rating_page(session, rater, first.id, "t").bench.turns
    database.close()
