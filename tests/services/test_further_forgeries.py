"""A number altered in the files for other programs, with every hash put right again: the recomputation finds it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.domain.canonical import canonical_file
from app.domain.stats.check.verify_bundle import verify
from app.domain.stats.check.verify_coders import read_facts
from app.domain.stats.check.verify_csv import parse_table, row_hash, written_row
from app.domain.stats.check.verify_ledger import Ledger
from app.domain.stats.check.verify_package import check_package
from app.services.bundle import bundle_files
from app.services.columnar_read import parquet_cells
from tests.domain.export.records import answer, claim, coding, record
from tests.services.studies import study
from tests.services.test_bundle import forge


@pytest.fixture(scope="module")
def exported() -> dict[str, bytes]:
    return {artifact.path: artifact.data for artifact in bundle_files(study(9, seed=5))}


def cell(column: str, old: str, new: str) -> Callable[[bytes], bytes]:
    """Change a column's cell in the first row that has `old` there, and the row's hash where it has one."""

    def change(data: bytes) -> bytes:
        header, rows = parse_table(data)
        place = header.index(column)
        row = next(cells for cells in rows if cells[place] == old)
        row[place] = new
        if "row_sha256" in header:
            row[header.index("row_sha256")] = row_hash(header, row)
        return "".join(written_row(cells) for cells in [header, *rows]).encode("utf-8")

    return change


def rehashed(files: dict[str, bytes], name: str, change: Callable[[bytes], bytes]) -> dict[str, bytes]:
    """Change a file, and put its size and hash right in the package and in the manifest."""
    data = change(files[name])
    package = json.loads(files["datapackage.json"])
    for resource in package["resources"]:
        if resource["path"] == name:
            resource["bytes"], resource["hash"] = len(data), f"sha256:{hashlib.sha256(data).hexdigest()}"
    files = forge({**files, "datapackage.json": canonical_file(package)}, name, lambda _: data)
    return forge(files, "datapackage.json", lambda kept: kept)


TABLES = [
    ("ratings_wide.csv", cell("R1", "PARTIAL", "SUPPORTED")),
    ("ratings_wide.csv", cell("R2_code", "1", "2")),
    ("ratings_wide.csv", cell("run", "run0", "run1")),
    ("ratings_long.csv", cell("label", "PARTIAL", "SUPPORTED")),
    ("ratings_long.csv", cell("rater", "R1", "R2")),
    ("categories.csv", cell("label", "SUPPORTED", "PARTIAL")),
    ("categories.csv", cell("level", "ordinal", "nominal")),
    ("timesheet.csv", cell("claims", "9", "10")),
    ("timesheet.csv", cell("coder_slot", "R1", "R3")),
    ("timesheet.csv", cell("undefined_reason", "", "not_measured")),
]


@pytest.mark.parametrize(("name", "change"), TABLES)
def test_an_altered_table_is_found(exported: dict[str, bytes], name: str, change: Callable[[bytes], bytes]) -> None:
    found = verify(rehashed(exported, name, change))["mismatches"]
    assert found
    assert name in {mismatch["file"] for mismatch in found}  # type: ignore[attr-defined]


@pytest.mark.parametrize("column", ["seconds_active", "seconds_idle", "seconds_span", "claims_seconds", "first_rel"])
def test_an_hour_added_to_a_timesheet_or_taken_off_is_found(exported: dict[str, bytes], column: str) -> None:
    for hour in (3600.0, -3600.0):

        def change(data: bytes, hour: float = hour) -> bytes:
            header, rows = parse_table(data)
            place = header.index(column)
            rows[0][place] = repr(float(rows[0][place]) + hour)
            rows[0][header.index("row_sha256")] = row_hash(header, rows[0])
            return "".join(written_row(cells) for cells in [header, *rows]).encode("utf-8")

        assert not verify(rehashed(exported, "timesheet.csv", change))["ok"], hour


def test_a_control_that_is_called_met_is_found() -> None:
    codings = [coding("k1", s, answer("SUPPORTED"), purpose="control") for s in ("R1", "R2")]
    codings += [coding("a1", s, answer("PARTIAL")) for s in ("R1", "R2")]
    made = record([claim("a1"), claim("k1")], codings, controls={"k1": answer("PARTIAL")})
    files = {artifact.path: artifact.data for artifact in bundle_files(made)}
    assert verify(files)["ok"]
    assert not verify(rehashed(files, "controls.csv", cell("agree_label", "false", "true")))["ok"]


def repacked(change: Callable[[pa.Table], pa.Table]) -> Callable[[bytes], bytes]:
    def altered(data: bytes) -> bytes:
        sink = pa.BufferOutputStream()
        pq.write_table(change(pq.read_table(pa.BufferReader(data))), sink)
        return bytes(sink.getvalue().to_pybytes())

    return altered


def other_cell(table: pa.Table) -> pa.Table:
    values = table.column("pooled_verdict").to_pylist()
    at = next(i for i, value in enumerate(values) if value == "PARTIAL")
    values[at] = "SUPPORTED"
    place = table.column_names.index("pooled_verdict")
    return table.set_column(place, "pooled_verdict", pa.array(values, pa.string()))


PACKED = [repacked(other_cell), repacked(lambda t: t.slice(1)), repacked(lambda t: t.drop_columns(["credit"]))]


@pytest.mark.parametrize("change", [*PACKED, lambda data: data[:100], lambda data: b"PAR1" + data[4:60] + b"PAR1"])
def test_a_parquet_file_of_other_rows_is_found(exported: dict[str, bytes], change: Callable[[bytes], bytes]) -> None:
    forged = forge(exported, "rater_pooled.parquet", change)
    found = verify(forged, columnar=parquet_cells)["mismatches"]
    assert {mismatch["file"] for mismatch in found} == {"rater_pooled.parquet"}  # type: ignore[attr-defined]


def test_parquet_written_again_with_the_same_rows_is_as_stated(exported: dict[str, bytes]) -> None:
    forged = forge(exported, "rater_long.parquet", repacked(lambda table: table))
    assert verify(forged, columnar=parquet_cells)["ok"]


def package(change: Callable[[dict[str, Any]], Any]) -> Callable[[bytes], bytes]:
    def altered(data: bytes) -> bytes:
        document = json.loads(data)
        change(document)
        return canonical_file(document)

    return altered


def resource(document: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in document["resources"] if one["name"] == name)
    return found


def field(document: dict[str, Any], name: str, column: str) -> dict[str, Any]:
    found: dict[str, Any] = next(f for f in resource(document, name)["schema"]["fields"] if f["name"] == column)
    return found


PACKAGES = [
    lambda d: d["resources"].pop(),
    lambda d: resource(d, "gaps").update(hash="sha256:" + "0" * 64),
    lambda d: resource(d, "gaps").update(bytes=7),
    lambda d: resource(d, "gaps")["schema"]["fields"].reverse(),
    lambda d: resource(d, "gaps")["schema"].update(missingValues=["", "G1"]),
    lambda d: field(d, "rater_long", "verdict")["constraints"]["enum"].remove("PARTIAL"),
    lambda d: field(d, "rater_long", "claim_kind")["constraints"]["enum"].reverse(),
    lambda d: field(d, "rater_pooled", "pooled_verdict").update(type="integer"),
    lambda d: field(d, "rater_pooled", "credit").update(type="boolean"),
    lambda d: field(d, "rater_pooled", "pooled_verdict").update(constraints={"required": True}),
    lambda d: resource(d, "rater_long")["schema"].update(primaryKey=["blind_claim_id"]),
    lambda d: resource(d, "rater_long")["schema"].update(primaryKey=["nothing"]),
    lambda d: resource(d, "rater_long")["schema"]["foreignKeys"][0]["reference"].update(resource="disagreements"),
]


@pytest.mark.parametrize("change", PACKAGES)
def test_a_package_that_describes_another_folder_is_found(
    exported: dict[str, bytes], change: Callable[[dict[str, Any]], Any]
) -> None:
    assert not verify(forge(exported, "datapackage.json", package(change)))["ok"]


ODD = [None, True, -1, 0.5, "x", [], {}, [[1]], {"a": None}]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_no_package_however_odd_breaks_the_verification(exported: dict[str, bytes], value: Any) -> None:
    tables = {n: parse_table(data) for n, data in exported.items() if n.endswith(".csv")}
    facts = read_facts(json.loads(exported["manifest.json"]))
    places = [("resources",)] + [("gaps", part) for part in ("schema", "name", "path", "hash", "bytes")]
    places += [("rater_long", "schema", part) for part in ("fields", "primaryKey", "foreignKeys", "missingValues")]
    for place in places:
        document = json.loads(exported["datapackage.json"])
        node = document if len(place) == 1 else resource(document, place[0])
        for step in place[1:-1]:
            node = node[step]
        node[place[-1]] = value
        ledger = Ledger()
        check_package({**exported, "datapackage.json": canonical_file(document)}, tables, facts, ledger)
        assert ledger.mismatches or place[-1] in ("primaryKey", "foreignKeys"), place


@pytest.mark.parametrize("name", ["timesheet.csv", "ratings_wide.csv"])
def test_no_cell_however_odd_breaks_the_verification(exported: dict[str, bytes], name: str) -> None:
    odd = ["", "true", "-1", "1e400", "nan", "x;;y", "9" * 5000, "é\n,"]
    header, rows = parse_table(exported[name])
    for place in range(len(header)):
        cells = [list(row) for row in rows]
        cells[0][place] = odd[place % len(odd)]
        data = "".join(written_row(row) for row in [header, *cells]).encode("utf-8")
        assert not verify(forge(exported, name, lambda _, data=data: data))["ok"], header[place]
