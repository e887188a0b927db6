"""The exported folder: written whole or not at all, the same bytes twice, verified by code that did not write it."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from sklearn.metrics import cohen_kappa_score

from app.domain.accounting import list_cases
from app.domain.canonical import canonical_file
from app.domain.errors import BadInput
from app.domain.export.csv_form import table_bytes
from app.domain.export.manifest import Artifact
from app.domain.export.private import codings_columns, codings_rows
from app.domain.record import StudyRecord
from app.domain.stats.check.verify_bundle import verify
from app.domain.stats.check.verify_csv import parse_table, row_hash, written_row
from app.readers.codings_file import codings_csv, parse_codings
from app.services import bundle
from app.services.bundle import bundle_files, publish, verify_bundle, write_bundle
from app.services.redraw import redrawn
from tests.domain.export.records import answer, claim, coding, other_codebook, patient, record, records
from tests.services.studies import study

PUBLIC = [
    "rater_long.csv",
    "disagreements.csv",
    "gaps.csv",
    "intra_rater.csv",
    "agreement.json",
    "rater_pooled.csv",
    "timesheet.csv",
    "controls.csv",
    "ratings_wide.csv",
    "ratings_long.csv",
    "categories.csv",
    "rater_long.parquet",
    "rater_pooled.parquet",
    "report.html",
    "datapackage.json",
]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def files() -> list[Artifact]:
    return bundle_files(study(14, seed=5))


@pytest.fixture(scope="module")
def other_files() -> list[Artifact]:
    return bundle_files(study(6), private={"x": "native"})


@pytest.fixture(scope="module")
def exported(files: list[Artifact]) -> dict[str, bytes]:
    """One study's files as bytes, so that alterations need no folder."""
    return {artifact.path: artifact.data for artifact in files}


def test_a_bundle_lists_what_it_wrote_and_verifies(tmp_path: Path) -> None:
    listed = write_bundle(study(), tmp_path / "out")
    assert [entry["path"] for entry in listed] == [*PUBLIC, "manifest.json"]
    for entry in listed:
        data = (tmp_path / "out" / entry["path"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]
    found = verify_bundle(tmp_path / "out")
    assert (found["ok"], found["mismatches"]) == (True, [])
    assert found["checked"] > 3000


@pytest.mark.parametrize(
    ("made", "options"),
    [
        (study(8, 1), {}),
        (study(8, 3), {"grain": "long"}),
        (study(8, 2, book=other_codebook()), {"private": True, "notes": True}),
        (study(8, 4), {"notes": True}),
        (record([claim("a1")], []), {}),
        (
            study(12, registration={"policies": {"primary": {"pooling": "P3", "gap": "G1", "denominator": "codable"}}}),
            {},
        ),
    ],
    ids=["one rater", "three, long", "other codebook, private", "four", "nothing coded", "other primary"],
)
def test_every_kind_of_study_verifies(made: StudyRecord, options: dict) -> None:
    files = {artifact.path: artifact.data for artifact in bundle_files(made, **options)}
    assert verify(files)["mismatches"] == []


@given(records(max_claims=5))
@settings(patient, max_examples=6)
def test_whatever_was_coded_the_second_implementation_agrees(made: StudyRecord) -> None:
    files = {artifact.path: artifact.data for artifact in bundle_files(made, notes=True)}
    assert verify(files)["mismatches"] == []


def test_kappa_is_scikit_learns_on_the_long_table(tmp_path: Path) -> None:
    write_bundle(study(40, 3), tmp_path / "out")
    with (tmp_path / "out/rater_long.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    documents = json.loads((tmp_path / "out/agreement.json").read_text(encoding="utf-8"))
    labels = {
        (row["blind_claim_id"], row["coder_slot"]): row["verdict"] or row["codability"]
        for row in rows
        if row["origin"] == "human"
    }
    claims = sorted({claim_id for claim_id, _ in labels})
    pairs = documents["verdict"]["0.5"]["pairs"]
    assert [pair["raters"] for pair in pairs] == [list(pair) for pair in combinations(["R1", "R2", "R3"], 2)]
    for pair in pairs:
        both = [[labels.get((c, slot)) for slot in pair["raters"]] for c in claims]
        both = [labelled for labelled in both if None not in labelled]
        expected = cohen_kappa_score([a for a, _ in both], [b for _, b in both])
        assert abs(pair["cohen_kappa"]["value"] - expected) < 1e-12
        assert pair["n"] == len(both)


def test_an_independent_reader_sees_the_same_cells(tmp_path: Path) -> None:
    write_bundle(study(), tmp_path / "out", notes=True)
    for name in ("rater_pooled.csv", "rater_long.csv", "disagreements.csv", "gaps.csv"):
        header, rows = parse_table((tmp_path / "out" / name).read_bytes())
        relation = duckdb.read_csv(str(tmp_path / "out" / name), header=True, all_varchar=True, quotechar='"')
        assert relation.columns == header
        seen = [tuple(cell or "" for cell in row) for row in relation.fetchall()]
        assert seen == [tuple(row) for row in rows]
    typed = duckdb.sql(f"select sum(n_raters), count(*) filter (decided) from '{tmp_path}/out/rater_pooled.csv'")
    header, rows = parse_table((tmp_path / "out/rater_pooled.csv").read_bytes())
    table = [dict(zip(header, row, strict=True)) for row in rows]
    decided = sum(row["decided"] == "true" for row in table)
    assert typed.fetchall() == [(sum(int(row["n_raters"]) for row in table), decided)]


@given(records(max_claims=5))
@settings(patient, max_examples=30)
def test_private_codings_are_read_back_and_written_again_byte_for_byte(made: StudyRecord) -> None:
    rows = codings_rows(made, list_cases(made), {})
    data = table_bytes(codings_columns(made.codebook), rows)
    read = parse_codings(data, "codings.csv", made.codebook)
    if read:
        assert codings_csv(read, made.codebook).encode("utf-8") == data
    notes = {(c.blind_claim_id, c.slot): c.answer.get("note") or None for c in made.codings}
    for coding_read in read:
        note = notes[coding_read.claim_id, coding_read.coder_slot or ""]
        assert coding_read.answer.get("note") == (None if note is None else note.replace("\x00", "\u2400"))


SCRIPT = """
import hashlib
from app.services.redraw import redrawn
from app.services.bundle import bundle_files
from tests.services.studies import study
for artifact in bundle_files(study(12), private=True, notes=True):
    print(artifact.path, hashlib.sha256(artifact.data).hexdigest())
"""


def test_two_processes_write_the_same_bytes() -> None:
    said = []
    for seed in ("1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        said.append(ran.stdout)
    assert said[0] == said[1]
    assert len(said[0].splitlines()) == len(PUBLIC) + 2


def test_no_export_carries_another_time_than_the_record(exported: dict[str, bytes]) -> None:
    manifest = json.loads(exported["manifest.json"])
    assert (manifest["written_at"], manifest["tz"]) == ("2026-07-25T18:00:00.000000Z", "UTC")
    assert manifest["state_at_writing"] == "nothing was looked at"


# --- what is altered is found -----------------------------------------------------------------------------------------


def test_any_altered_byte_in_any_file_is_found(exported: dict[str, bytes]) -> None:
    rng = random.Random(11)
    assert verify(exported)["ok"]
    for name, data in exported.items():
        for _ in range(10):
            place = rng.randrange(len(data))
            altered = data[:place] + bytes([data[place] ^ rng.randrange(1, 256)]) + data[place + 1 :]
            found = verify({**exported, name: altered})
            assert not found["ok"], f"{name}, byte {place}"
            assert any(mismatch["file"] == name for mismatch in found["mismatches"])
        for altered in (data[:-1], data + b"\n", b""):
            assert not verify({**exported, name: altered})["ok"]


def forge(files: dict[str, bytes], name: str, change: Callable[[bytes], bytes]) -> dict[str, bytes]:
    """Change a file and put every hash right again: what is left to find it is the recomputation."""
    files = {**files, name: change(files[name])}
    manifest = json.loads(files["manifest.json"])
    for entry in manifest["files"]:
        data = files[entry["path"]]
        entry["sha256"], entry["bytes"] = hashlib.sha256(data).hexdigest(), len(data)
        if entry["rows"] is not None:
            entry["rows"] = len(parse_table(data)[1])
    return {**files, "manifest.json": signed(manifest)}


def signed(manifest: dict[str, Any]) -> bytes:
    content = {key: value for key, value in manifest.items() if key != "manifest_sha256"}
    return canonical_file({**content, "manifest_sha256": hashlib.sha256(canonical_file(content)).hexdigest()})


def recell(
    column: str, choose: Callable[[dict[str, str]], bool], value: Callable[[str], str]
) -> Callable[[bytes], bytes]:
    """Change one column of the first row that `choose` takes, and the row's hash."""

    def change(data: bytes) -> bytes:
        header, rows = parse_table(data)
        row = next(r for r in rows if choose(dict(zip(header, r, strict=True))))
        row[header.index(column)] = value(row[header.index(column)])
        row[header.index("row_sha256")] = row_hash(header, row)
        return "".join(written_row(cells) for cells in [header, *rows]).encode("utf-8")

    return change


def number(path: list[Any], change: Callable[[Any], Any]) -> Callable[[bytes], bytes]:
    def altered(data: bytes) -> bytes:
        document = json.loads(data)
        node = document
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = change(node[path[-1]])
        return canonical_file(document)

    return altered


def any_row(row: dict[str, str]) -> bool:
    return True


PAIR = ["verdict", "0.5", "pairs", 0]
FORGERIES = [
    ("rater_pooled.csv", recell("pooled_verdict", lambda r: r["pooled_verdict"] == "PARTIAL", lambda v: "SUPPORTED")),
    ("rater_pooled.csv", recell("r1_verdict", lambda r: r["r1_verdict"] == "PARTIAL", lambda v: "SUPPORTED")),
    ("rater_pooled.csv", recell("gap_g2", lambda r: r["gap_g2"] == "true", lambda v: "false")),
    ("rater_pooled.csv", recell("credit", lambda r: r["credit"] == "0.0", lambda v: "0.5")),
    ("rater_pooled.csv", recell("evidence_turns", lambda r: r["evidence_turns"] != "", lambda v: v + ";99")),
    ("rater_pooled.csv", recell("n_raters", any_row, lambda v: "3")),
    ("rater_pooled.csv", recell("adj_status", lambda r: r["adj_status"] == "decided", lambda v: "not_needed")),
    ("rater_pooled.csv", recell("blind_run_id", any_row, lambda v: "elsewhere")),
    (
        "rater_long.csv",
        recell("verdict", lambda r: r["verdict"] == "PARTIAL" and r["coder_slot"] == "R1", lambda v: "SUPPORTED"),
    ),
    ("rater_pooled.csv", recell("packet_sha256", lambda r: r["n_raters"] == "2", lambda v: v.split(";")[0])),
    ("disagreements.csv", recell("claim_turn", any_row, lambda v: "8")),
    ("rater_long.csv", recell("phase", lambda r: r["coder_slot"] == "R9", lambda v: "pilot")),
    ("rater_long.csv", recell("codebook_version", lambda r: r["coder_slot"] == "R9", lambda v: "0.4")),
    ("rater_long.csv", recell("origin", lambda r: r["coder_slot"] == "R2", lambda v: "crosswalk")),
    ("gaps.csv", recell("num", lambda r: r["primary"] == "true", lambda v: str(int(v) + 1))),
    ("gaps.csv", recell("primary", any_row, lambda v: "true")),
    ("gaps.csv", recell("num", lambda r: r["pooling"] == "P2" and r["num"] == "1", lambda v: "2")),
    ("gaps.csv", recell("value", lambda r: r["pooling"] == "P4" and r["value"] == "0.5", lambda v: "0.500001")),
    ("gaps.csv", recell("declared", lambda r: r["pooling"] == "P6", lambda v: "false")),
    ("disagreements.csv", recell("coding_1_confidence", any_row, lambda v: "low")),
    ("disagreements.csv", recell("final_equals", lambda r: r["final_equals"] != "", lambda v: "neither")),
    ("agreement.json", number([*PAIR, "cohen_kappa", "value"], lambda v: v + 1e-6)),
    ("agreement.json", number([*PAIR, "confusion", 0, 0], lambda v: v + 1)),
    ("agreement.json", number([*PAIR, "exact_agreement", "num"], lambda v: v + 1)),
    ("agreement.json", number(["verdict", "0.5", "overall", "gwet_ac1", "value"], lambda v: v - 1e-6)),
    ("agreement.json", number(["codability", "0.5", "categories"], lambda v: v[::-1])),
    ("agreement.json", number(["verdict", "0.5", "bootstrap", "seed"], lambda v: [v[0] + 1, *v[1:]])),
    ("agreement.json", number([*PAIR, "cohen_kappa", "ci95_cluster", "seed"], lambda v: 20260725)),
    ("agreement.json", number([*PAIR, "permutation_null_within", "seed"], lambda v: [v])),
]


@pytest.mark.parametrize(("name", "change"), FORGERIES)
def test_a_forgery_with_every_hash_put_right_is_found(exported: dict[str, bytes], name: str, change: Callable) -> None:
    assert not verify(forge(exported, name, change))["ok"]


@pytest.mark.parametrize(
    "path",
    [
        ["accounting", "agreed"],
        ["accounting", "sums", 0, "text"],
        ["gaps_primary", 0, "num"],
        ["codebook", "primary_gap"],
        ["seeds", "bootstrap"],
    ],
)
def test_a_manifest_that_tells_another_number_is_found(exported: dict[str, bytes], path: list[Any]) -> None:
    other = {"agreed": 99, "text": "1 = 1", "num": 7, "primary_gap": "G1", "bootstrap": 20260725}[path[-1]]
    manifest = json.loads(number(path, lambda v: other)(exported["manifest.json"]))
    assert not verify({**exported, "manifest.json": signed(manifest)})["ok"]


def test_a_forged_interval_is_found_with_the_draws(tmp_path: Path, exported: dict[str, bytes]) -> None:
    forged = exported
    for path in ([*PAIR, "cohen_kappa", "ci95_cluster", "lo"], [*PAIR, "permutation_null", "median"]):
        forged = forge(forged, "agreement.json", number(path, lambda v: v - 1e-6))
    for name, data in forged.items():
        (tmp_path / name).write_bytes(data)
    found = [(m["file"], m["row"], m["column"].split("/")[-1]) for m in verify_bundle(tmp_path)["mismatches"]]
    assert found == [("agreement.json", "verdict", "lo"), ("agreement.json", "verdict", "median")]


@pytest.mark.parametrize("key", ["codebook", "policies", "slots", "files", "accounting", "seeds", "schema"])
@pytest.mark.parametrize("value", [None, 7, [], "x"])
def test_a_manifest_of_another_shape_is_a_mismatch_and_no_crash(
    exported: dict[str, bytes], key: str, value: Any
) -> None:
    manifest = {**json.loads(exported["manifest.json"]), key: value}
    assert not verify({**exported, "manifest.json": signed(manifest)})["ok"]


ODD = [None, True, -1, 10**30, 0.5, "x", "", [], {}, [[1]], {"a": None}, "=1"]


def odd_copy(document: Any, rng: random.Random) -> Any:
    """Replace one value somewhere in a document, or drop it."""
    node, path = document, []
    while isinstance(node, dict | list) and node:
        key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
        path.append((node, key))
        node = node[key]
        if rng.random() < 0.15:
            break
    if path:
        holder, key = path[-1]
        if isinstance(holder, dict) and rng.random() < 0.3:
            del holder[key]
        else:
            holder[key] = rng.choice(ODD)
    return document


@pytest.mark.parametrize("name", ["manifest.json", "agreement.json"])
def test_no_document_however_odd_breaks_the_verification(exported: dict[str, bytes], name: str) -> None:
    rng = random.Random(17)
    for _ in range(60):
        document = odd_copy(json.loads(exported[name]), rng)
        if name == "manifest.json":
            odd = {**exported, name: signed(document)}
        else:
            odd = forge(exported, name, lambda _, document=document: canonical_file(document))
        assert set(verify(odd)) == {"ok", "checked", "mismatches"}


def nth(place: int) -> Callable[[dict[str, str]], bool]:
    """Choose the row at a place, from 0."""
    seen = iter(range(10**6))
    return lambda row: next(seen) == place


CELLS = ["", "true", "-1", "1e400", "nan", "x;;y", "[]", '[{"turn": true}]', '[{"turn": "4"}]', "[" * 5000, "é\n,"]


@pytest.mark.parametrize("name", ["rater_long.csv", "rater_pooled.csv", "gaps.csv", "disagreements.csv"])
def test_no_cell_however_odd_breaks_the_verification(exported: dict[str, bytes], name: str) -> None:
    rng = random.Random(23)
    header, _ = parse_table(exported[name])
    for column in header[:-1]:
        odd = rng.choice(CELLS)
        change = recell(column, nth(rng.randrange(4)), lambda _, odd=odd: odd)
        assert set(verify(forge(exported, name, change))) == {"ok", "checked", "mismatches"}
    dropped = [cells[1:] for cells in [header, *parse_table(exported[name])[1]]]
    lines = "".join(written_row(cells) for cells in dropped).encode("utf-8")
    assert not verify(forge(exported, name, lambda data: lines))["ok"]


@pytest.mark.parametrize(
    "change",
    [
        number(["verdict", "0.5", "bootstrap"], lambda v: None),
        number(["verdict", "0.5", "bootstrap", "B"], lambda v: 10**9),
        number(["verdict", "0.5", "bootstrap", "seed"], lambda v: -1),
        number(["verdict", "0.5", "bootstrap", "seed"], lambda v: [*v, "x"]),
        number(["verdict", "0.5", "bootstrap", "seed"], lambda v: []),
        number([*PAIR, "permutation_null"], lambda v: None),
        number(["verdict", "0.5", "level"], lambda v: "ratio"),
    ],
)
def test_draws_that_are_not_stated_are_a_mismatch(exported: dict[str, bytes], change: Callable) -> None:
    forged = forge(exported, "agreement.json", change)
    only_verdict = {"verdict": json.loads(forged["agreement.json"])["verdict"]}
    found = verify(forge(forged, "agreement.json", lambda _: canonical_file(only_verdict)), redrawn)
    columns = {m["column"] for m in found["mismatches"] if m["row"] == "verdict"}
    assert columns


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", ".hidden", "a\\b", ""])
def test_a_manifest_cannot_name_files_elsewhere(tmp_path: Path, exported: dict[str, bytes], path: str) -> None:
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    manifest = json.loads(exported["manifest.json"])
    manifest["files"].append({"path": path, "sha256": "0" * 64, "bytes": 1, "rows": None, "columns": None})
    for name, data in {**exported, "manifest.json": signed(manifest)}.items():
        (tmp_path / name).write_bytes(data)
    found = verify_bundle(tmp_path)
    assert [m["column"] for m in found["mismatches"]] == ["files"]


def test_manifest_bytes_must_be_canonical(exported: dict[str, bytes]) -> None:
    loose = json.dumps(json.loads(exported["manifest.json"])).encode("utf-8")
    (mismatch,) = verify({**exported, "manifest.json": loose})["mismatches"]
    assert "canonical" in str(mismatch["expected"])


@pytest.mark.parametrize("name", PUBLIC)
def test_a_missing_file_is_named(tmp_path: Path, exported: dict[str, bytes], name: str) -> None:
    for other, data in exported.items():
        if other != name:
            (tmp_path / other).write_bytes(data)
    found = verify_bundle(tmp_path)
    assert not found["ok"]
    assert found["mismatches"][0]["file"] == name
    assert found["mismatches"][0]["found"] == "missing"


def test_what_is_no_export_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not a folder"):
        verify_bundle(tmp_path / "nowhere")
    with pytest.raises(BadInput, match=r"is not an export: it has no manifest\.json"):
        verify_bundle(tmp_path)


# --- nothing half-written ---------------------------------------------------------------------------------------------


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_second_export_writes_the_same_bytes_and_leaves_other_files_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "turnlog.parquet").write_bytes(b"mine")
    first = write_bundle(study(6), out)
    assert write_bundle(study(6), out) == first
    assert (out / "turnlog.parquet").read_bytes() == b"mine"
    assert names_in(out) == sorted([*PUBLIC, "manifest.json", "turnlog.parquet"])


def test_private_codings_do_not_stay_behind_in_a_public_export(
    tmp_path: Path, files: list[Artifact], other_files: list[Artifact]
) -> None:
    publish(other_files, tmp_path / "out")
    assert (tmp_path / "out/codings.csv").is_file()
    publish(files, tmp_path / "out")
    assert names_in(tmp_path / "out") == sorted([*PUBLIC, "manifest.json"])


def test_a_file_no_export_wrote_is_not_overwritten(tmp_path: Path, files: list[Artifact]) -> None:
    (tmp_path / "report.html").write_bytes(b"mine")
    with pytest.raises(BadInput, match=r"already holds report\.html"):
        publish(files, tmp_path)
    assert names_in(tmp_path) == ["report.html"]
    assert (tmp_path / "report.html").read_bytes() == b"mine"


def test_a_record_that_contradicts_itself_leaves_the_folder_as_it_was(tmp_path: Path, files: list[Artifact]) -> None:
    out = tmp_path / "out"
    publish(files, out)
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    twice = record([claim("a1")], [coding("a1", "R1", answer("PARTIAL"))] * 2)
    with pytest.raises(BadInput, match="two current codings"):
        write_bundle(twice, out)
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before
    assert names_in(tmp_path) == ["out"]


@pytest.mark.parametrize("stops_at", range(1, 9))
def test_an_export_that_was_interrupted_is_no_export_and_can_be_repeated(
    tmp_path: Path, files: list[Artifact], other_files: list[Artifact], stops_at: int
) -> None:
    """The disk fills up at each of the moves in turn."""
    out = tmp_path / "out"
    publish(files, out)
    moves = []

    def full_disk(source: Path, target: Path) -> None:
        moves.append(target)
        if len(moves) == stops_at:
            raise OSError(28, "No space left on device")
        os.rename(source, target)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bundle.os, "replace", full_disk)
        with pytest.raises(BadInput, match=r"cannot be written to .*: No space left on device"):
            publish(other_files, out)
    with pytest.raises(BadInput, match="is not an export"):
        verify_bundle(out)
    assert names_in(tmp_path) == ["out"]
    publish(files, out)
    assert set(names_in(out)) == {*PUBLIC, "manifest.json"}
    assert (out / "manifest.json").read_bytes() == files[-1].data


def test_a_folder_that_cannot_be_made_is_said_in_a_sentence(tmp_path: Path, files: list[Artifact]) -> None:
    (tmp_path / "file").write_bytes(b"")
    for place in (tmp_path / "file" / "out", tmp_path / "file"):
        with pytest.raises(BadInput, match="the export cannot be written to"):
            publish(files, place)
