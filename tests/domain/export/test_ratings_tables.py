"""The ratings tables for R and krippendorff: just what agreement is computed from, in the declared order."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from app.domain.accounting import list_cases
from app.domain.errors import BadInput
from app.domain.export.manifest import Artifact
from app.domain.export.ratings_tables import RatedField, ratings_artifacts, study_fields, table_field
from app.domain.export.reliability import agreement_documents
from app.readers.rating_export import Asked
from app.readers.rating_formats import read_any
from tests.domain.export.records import answer, claim, coding, record
from tests.services.studies import study


def rows_of(files: list[Artifact], path: str) -> list[dict[str, str]]:
    data = next(artifact.data for artifact in files if artifact.path == path)
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))


def test_the_matrix_of_every_field_is_in_the_wide_table() -> None:
    made = study(24, 3)
    cases = list_cases(made)
    rows = rows_of(ratings_artifacts(study_fields(made, cases)), "ratings_wide.csv")
    for name, versions in agreement_documents(made, cases).items():
        document = versions["0.5"]
        own = [row for row in rows if row["field"] == name]
        for pair in document["pairs"]:
            counted = [[0] * len(document["categories"]) for _ in document["categories"]]
            for row in own:
                codes = [row[f"{rater}_code"] for rater in pair["raters"]]
                if "" not in codes:
                    counted[int(codes[0]) - 1][int(codes[1]) - 1] += 1
            assert counted == pair["confusion"], name


def test_a_code_is_the_place_in_the_declared_order() -> None:
    made = study(24)
    files = ratings_artifacts(study_fields(made, list_cases(made)))
    order = {(row["field"], row["label"]): row["code"] for row in rows_of(files, "categories.csv")}
    assert [order["verdict", label] for label in made.codebook.labels] == [str(i) for i in range(1, 9)]
    assert order["verdict", "SUPPORTED"] == "1", "the alphabet would put CONTRADICTED first"
    for row in rows_of(files, "ratings_long.csv"):
        assert row["code"] == order[row["field"], row["label"]]


def test_wide_and_long_hold_the_same_ratings() -> None:
    made = study(24, 3)
    files = ratings_artifacts(study_fields(made, list_cases(made)))
    wide = {
        (row["field"], row["unit"], slot, row[slot])
        for row in rows_of(files, "ratings_wide.csv")
        for slot in ("R1", "R2", "R3")
        if row[slot]
    }
    long = rows_of(files, "ratings_long.csv")
    assert {(row["field"], row["unit"], row["rater"], row["label"]) for row in long} == wide
    assert len(long) == len(wide)


def test_a_unit_nobody_rated_has_no_row_and_a_gap_is_an_empty_cell() -> None:
    given = [coding("a1", "R1", answer("PARTIAL")), coding("b2", "R1", answer("not_codable"))]
    made = record([claim("a1"), claim("b2"), claim("c3")], given)
    rows = rows_of(ratings_artifacts(study_fields(made, list_cases(made))), "ratings_wide.csv")
    verdict = [(row["unit"], row["R1"], row["R2"], row["R2_code"]) for row in rows if row["field"] == "verdict"]
    assert verdict == [("a1", "PARTIAL", "", ""), ("b2", "not_codable", "", "")]


def test_machine_repeats_and_carried_codings_are_not_in_it() -> None:
    given = [
        coding("a1", "R1", answer("PARTIAL")),
        coding("a1", "R2", answer("SUPPORTED"), origin="crosswalk"),
        coding("a1", "R9", answer("SUPPORTED"), kind="machine"),
        coding("a1", "R1", answer("SUPPORTED"), purpose="repeat"),
    ]
    made = record([claim("a1")], given)
    rows = rows_of(ratings_artifacts(study_fields(made, list_cases(made))), "ratings_long.csv")
    assert [(row["rater"], row["label"]) for row in rows if row["field"] == "verdict"] == [("R1", "PARTIAL")]


def test_a_table_of_ones_own_gives_the_same_files(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("unit,rater,label,run\nu10,ann,no,r1\nu2,ann,yes,r1\nu2,bo,no,r1\n", encoding="utf-8")
    files = ratings_artifacts([table_field(read_any([path], Asked(), ["yes", "no"]), "label", "nominal")])
    assert next(a for a in files if a.path == "ratings_wide.csv").data.decode() == (
        "field,unit,run,ann,bo,ann_code,bo_code\nlabel,u2,r1,yes,no,1,2\nlabel,u10,r1,no,,2,\n"
    )


def test_a_rater_called_as_a_column_is_refused() -> None:
    field = RatedField("label", "nominal", ("a",), ("ann", "unit"), ("u",), None, (("a",), ("a",)))
    with pytest.raises(BadInput, match=r"rater 'unit' has the name of a column of ratings_wide\.csv"):
        ratings_artifacts([field])
