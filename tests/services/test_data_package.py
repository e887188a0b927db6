"""An exported folder for other programs: frictionless finds it valid, DuckDB reads it, two processes write it alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import frictionless
import pytest
from hypothesis import given, settings

from app.domain.record import StudyRecord
from app.services import closing, coding
from app.services.bundle import bundle_files, verify_bundle, write_bundle
from app.services.coding import Submission
from app.services.recording import load_record
from app.storage import studies
from app.storage.engine import Database
from tests.conftest import Clock
from tests.domain.export.records import answer, claim, other_codebook, patient, record, records
from tests.domain.export.records import coding as coded
from tests.services.conftest import Published, assignments
from tests.services.studies import study
from tests.services.test_study_life import adjudicate_all, lock, lock_both
from tests.small_study import coding_for

ROOT = Path(__file__).resolve().parents[2]
KINDS: dict[str, tuple[StudyRecord, dict[str, Any]]] = {
    "two raters": (study(24), {}),
    "three, long, notes": (study(14, 3), {"grain": "long", "notes": True}),
    "other codebook, private": (study(8, 2, book=other_codebook()), {"private": True, "notes": True}),
    "nothing coded": (record([claim("a1")], []), {}),
    "one rater": (study(6, 1), {"notes": True}),
}


def faults(folder: Path) -> list[Any]:
    """Return what frictionless has against a folder's data package."""
    report = frictionless.validate(str(folder / "datapackage.json"))
    return [] if report.valid else report.flatten(["name", "rowNumber", "fieldName", "type", "note"]) or [report.errors]


@pytest.mark.parametrize("kind", KINDS)
def test_frictionless_finds_the_package_valid(tmp_path: Path, kind: str) -> None:
    made, options = KINDS[kind]
    write_bundle(made, tmp_path / "out", **options)
    assert faults(tmp_path / "out") == []
    package = json.loads((tmp_path / "out/datapackage.json").read_text(encoding="utf-8"))
    tables = sorted(path.name for path in (tmp_path / "out").glob("*.csv"))
    assert [resource["path"] for resource in package["resources"]] == tables


@given(records(max_claims=4))
@settings(patient, max_examples=5)
def test_frictionless_finds_any_study_valid(tmp_path_factory: pytest.TempPathFactory, made: StudyRecord) -> None:
    folder = tmp_path_factory.mktemp("any")
    write_bundle(made, folder / "out", notes=True)
    assert faults(folder / "out") == []


ALTERED = [
    ("rater_pooled.csv", b",codable,", b",maybe,"),
    ("rater_long.csv", b",R1,", b",R7x,"),
    ("gaps.csv", b",true,", b",yes,"),
    (
        "ratings_wide.csv",
        b"verdict,",
        b",",
    ),
    ("timesheet.csv", b",1,", b",one,"),
]


@pytest.mark.parametrize(("name", "old", "new"), ALTERED)
def test_the_schemas_are_strict_enough_to_find_a_wrong_cell(tmp_path: Path, name: str, old: bytes, new: bytes) -> None:
    """With hashes and sizes taken out of the package, a cell of another type or code is still found."""
    write_bundle(study(12), tmp_path)
    path = tmp_path / name
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    package = json.loads((tmp_path / "datapackage.json").read_text(encoding="utf-8"))
    for resource in package["resources"]:
        del resource["bytes"], resource["hash"]
    (tmp_path / "datapackage.json").write_text(json.dumps(package), encoding="utf-8")
    found = frictionless.validate(str(tmp_path / "datapackage.json")).flatten(["type"])
    assert found, f"{name}: {old!r} became {new!r} unseen"
    assert {kind for (kind,) in found} <= {"constraint-error", "type-error", "foreign-key", "primary-key"}


def test_the_codes_come_from_the_codebook(tmp_path: Path) -> None:
    for book in (None, other_codebook()):
        made = study(6, book=book)
        files = {artifact.path: artifact.data for artifact in bundle_files(made)}
        package = json.loads(files["datapackage.json"])
        fields = {
            (resource["name"], field["name"]): field.get("constraints", {})
            for resource in package["resources"]
            for field in resource["schema"]["fields"]
        }
        verdicts = [option.code for option in made.codebook.verdicts]
        for column in (("rater_long", "verdict"), ("rater_pooled", "r2_verdict"), ("rater_pooled", "pooled_verdict")):
            assert fields[column]["enum"] == verdicts
        assert fields["rater_pooled", "pooled_p6"]["enum"] == list(made.codebook.labels)
        assert fields["gaps", "gap"]["enum"] == [*sorted(made.codebook.gap_policies), "G4"]
        assert (
            fields["rater_long", "flags"]["pattern"] == "^(hedged|log_gap|unit_error)(;(hedged|log_gap|unit_error))*$"
        )


def test_duckdb_counts_the_same_in_parquet_as_in_csv(tmp_path: Path) -> None:
    write_bundle(study(40, 3), tmp_path, notes=True)
    query = "select pooled_verdict, count(*), sum(n_raters), count(*) filter (decided) from '{}' group by 1 order by 1"
    found = duckdb.sql(query.format(tmp_path / "rater_pooled.parquet")).fetchall()
    assert found == duckdb.sql(query.format(tmp_path / "rater_pooled.csv")).fetchall()
    by_coder = "select coder_slot, verdict, count(*) from '{}' group by all order by all"
    found = duckdb.sql(by_coder.format(tmp_path / "rater_long.parquet")).fetchall()
    assert found == duckdb.sql(by_coder.format(tmp_path / "rater_long.csv")).fetchall()
    hedged = duckdb.sql(
        f"select count(*) from '{tmp_path}/rater_long.parquet' where list_contains(flags, 'hedged')"
    ).fetchall()
    text = duckdb.sql(
        f"select count(*) from read_csv('{tmp_path}/rater_long.csv', all_varchar=true) where flags like '%hedged%'"
    )
    assert hedged == text.fetchall()
    assert hedged[0][0] > 0


def test_parquet_has_types_and_lists(tmp_path: Path) -> None:
    write_bundle(study(12), tmp_path)
    types = dict(
        duckdb.sql(f"select column_name, column_type from (describe '{tmp_path}/rater_pooled.parquet')").fetchall()
    )
    assert (types["n_raters"], types["decided"], types["credit"]) == ("BIGINT", "BOOLEAN", "DOUBLE")
    assert (types["evidence_turns"], types["flags"], types["pooled_verdict"]) == ("BIGINT[]", "VARCHAR[]", "VARCHAR")


SCRIPT = """
import hashlib
from app.services.bundle import bundle_files
from tests.services.studies import study
for options in ({}, {"private": True, "notes": True, "grain": "long"}):
    for artifact in bundle_files(study(6), **options):
        print(artifact.path, hashlib.sha256(artifact.data).hexdigest())
"""


def test_two_processes_write_the_same_bytes_for_every_exported_file() -> None:
    said = []
    for seed, zone in (("1", "UTC"), ("4242", "Pacific/Auckland")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "TZ": zone, "LC_ALL": "C"}
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        said.append(ran.stdout)
    assert said[0] == said[1]
    named = [line.split()[0] for line in said[0].splitlines()]
    assert {Path(name).suffix for name in named} == {".csv", ".json", ".html", ".parquet"}
    assert len(set(named)) >= 19


def exported(database: Database, published: Published, clock: Clock, folder: Path) -> Mapping[str, Any]:
    """Close the small study and export it as the command does; return what the manifest says."""
    adjudicate_all(database, published, clock)
    with database.writing() as session:
        closing.close_study(session, published.lead, "small", clock())
    with database.reading() as session:
        made = closing.get_closed_record(session, published.lead, "small")
    closing.export_study(made, folder, closing.ExportOptions())
    document: Mapping[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return document


def test_a_study_walked_through_is_exported_valid_and_verified(
    database: Database, published: Published, clock: Clock, tmp_path: Path
) -> None:
    lock_both(database, published, clock)
    manifest = exported(database, published, clock, tmp_path / "out")
    assert faults(tmp_path / "out") == []
    found = verify_bundle(tmp_path / "out")
    assert (found["ok"], found["mismatches"]) == (True, [])
    listed = {entry["path"] for entry in manifest["files"]}
    assert listed >= {"timesheet.csv", "controls.csv", "datapackage.json", "ratings_wide.csv", "rater_pooled.parquet"}
    decided = duckdb.sql(f"select count(*) from '{tmp_path}/out/rater_pooled.parquet'").fetchall()
    assert decided == [(manifest["accounting"]["sampled"],)]


def test_the_timesheet_of_a_study_counts_every_stored_save(
    database: Database, published: Published, clock: Clock, tmp_path: Path
) -> None:
    """R1 saves six claims with 12 s each, 30 s apart; forty minutes later revises the first with 45 s: two sessions."""
    places = list(assignments(database, published.one).items())
    for assignment_id, text in places:
        with database.writing() as session:
            sent = Submission(coding_for(text), 0, f"t-{assignment_id}", seconds_on_item=12.0)
            coding.save_coding(session, published.one, assignment_id, sent, clock())
        clock.advance(30)
    clock.advance(2400)
    assignment_id, text = places[0]
    with database.writing() as session:
        sent = Submission({**coding_for(text), "materiality": "low"}, 1, "again", seconds_on_item=45.0)
        coding.save_coding(session, published.one, assignment_id, sent, clock())
    lock(database, published.one, clock)
    for assignment_id, text in assignments(database, published.two).items():
        with database.writing() as session:
            coding.save_coding(
                session, published.two, assignment_id, Submission(coding_for(text), 0, assignment_id), clock()
            )
        clock.advance(30)
    lock(database, published.two, clock)
    with database.reading() as session:
        made = load_record(session, studies.list_studies(session)[0])
    assert len(made.work) == 13
    exported(database, published, clock, tmp_path / "out")
    rows = duckdb.sql(
        "select coder_slot, session, items, saves, seconds_active, seconds_idle, claims, claims_seconds, "
        f"undefined_reason from '{tmp_path}/out/timesheet.csv' order by 1, 2"
    ).fetchall()
    # The first session: 12 s before the first save, then five gaps of 30 s: 162 s, 72 of them active.
    assert rows == [
        ("R1", 1, 6, 6, 72.0, 90.0, 5, 60.0, None),
        ("R1", 2, 1, 1, 45.0, 0.0, 1, 45.0, None),
        ("R2", 1, 6, 6, None, None, 6, None, "not_measured"),
    ]
    assert verify_bundle(tmp_path / "out")["mismatches"] == []


def test_a_record_with_controls_is_valid_and_verified(tmp_path: Path) -> None:
    keys = ("a1", "k1", "k2")
    codings = [coded("a1", slot, answer("PARTIAL")) for slot in ("R1", "R2")]
    codings += [coded(k, s, answer("SUPPORTED"), purpose="control") for k in ("k1", "k2") for s in ("R1", "R2")]
    known = {"k1": answer("SUPPORTED"), "k2": answer("not_codable")}
    made = record([claim(key) for key in keys], codings, controls=known)
    write_bundle(made, tmp_path)
    assert faults(tmp_path) == []
    assert verify_bundle(tmp_path)["mismatches"] == []
    rows = duckdb.sql(f"select blind_claim_id, agree_label from '{tmp_path}/controls.csv' order by all").fetchall()
    assert rows == [("k1", True), ("k1", True), ("k2", False), ("k2", False)]
