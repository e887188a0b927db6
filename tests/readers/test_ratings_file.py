"""Ratings files as people make them: separators, marks, gaps, slips, and what is refused with row and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.errors import BadInput
from app.readers.ratings_file import RatingColumns, label_warnings, read_categories, read_ratings, read_weights

PLAIN = "unit,rater,label,run\nu1,A,yes,r1\nu1,B,no,r1\nu2,A,no,r2\nu2,B,no,r2\n"


def file(tmp_path: Path, text: str | bytes, name: str = "ratings.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return path


def test_a_plain_file(tmp_path: Path) -> None:
    found = read_ratings(file(tmp_path, PLAIN), RatingColumns(), ["no", "yes"])
    assert (found.raters, found.units, found.cluster_names) == (("A", "B"), ("u1", "u2"), ("r1", "r2"))
    assert found.codes.tolist() == [[1, 0], [0, 0]]
    assert found.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + PLAIN,
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\n\n"),
        PLAIN.replace("unit,", "unit ,").replace("label,", " label,"),
        'unit,rater,label,run\n"u1","A","yes","r1"\n"u1","B","no","r1"\nu2,A,no,r2\nu2,B,no,r2',
    ],
    ids=["BOM", "semicolons", "tabs", "CRLF", "blank lines", "spaces in the header", "quotes, no last newline"],
)
def test_the_same_ratings_in_another_form(tmp_path: Path, text: str) -> None:
    found = read_ratings(file(tmp_path, text), RatingColumns(), ["no", "yes"])
    assert found.codes.tolist() == [[1, 0], [0, 0]]


def test_semicolons_are_said(tmp_path: Path) -> None:
    found = read_ratings(file(tmp_path, PLAIN.replace(",", ";")), RatingColumns(), ["no", "yes"])
    assert found.warnings == ("the columns are read as separated by semicolons",)


def test_columns_of_other_names(tmp_path: Path) -> None:
    text = PLAIN.replace("unit,rater,label,run", "item,who,code,session")
    found = read_ratings(file(tmp_path, text), RatingColumns("item", "who", "code", "session"), ["no", "yes"])
    assert found.clustered


def test_without_a_run_column_units_stand_for_themselves_and_it_is_said(tmp_path: Path) -> None:
    found = read_ratings(file(tmp_path, "unit,rater,label\nu1,A,x\nu1,B,x\n"), RatingColumns(), ["x", "y"])
    assert not found.clustered
    assert 'no column "run"' in found.warnings[0]


def test_labels_that_occur_are_used_in_order_and_it_is_said(tmp_path: Path) -> None:
    text = "unit,rater,label,run\nu1,A,10,r\nu1,B,9,r\nu2,A,2,r\n"
    found = read_ratings(file(tmp_path, text), RatingColumns())
    assert found.categories == ("2", "9", "10")
    assert "no categories were declared: the 3 labels that occur are used, in the order 2, 9, 10" in found.warnings[-1]


def test_an_empty_label_is_a_gap_and_spaces_are_said(tmp_path: Path) -> None:
    text = "unit,rater,label,run\nu1,A,x,r\nu1,B,,r\nu2,A,x,r\nu2,B,  ,r\n"
    found = read_ratings(file(tmp_path, text), RatingColumns(), ["x"])
    assert found.codes.tolist() == [[0, 0], [-1, -1]]
    assert found.warnings == ("1 labels are made of spaces only and taken as not given, the first in row 4",)


def test_labels_that_look_like_slips_are_kept_apart_and_named(tmp_path: Path) -> None:
    text = "unit,rater,label,run\nu1,A,Yes,r\nu1,B,yes,r\nu2,A,yes ,r\nu2,B,NA,r\n"
    found = read_ratings(file(tmp_path, text), RatingColumns())
    assert len(found.categories) == 4
    told = " | ".join(found.warnings)
    assert "labels 'Yes' and 'yes' and 'yes ' differ only in case or spaces and are counted as different labels" in told
    assert "label 'NA' is counted as a label" in told


def test_one_number_spelt_twice_is_named() -> None:
    assert label_warnings(["1", "1.0", "01", "2"]) == [
        "labels '01' and '1' and '1.0' differ only in spelling of a number and are counted as different labels"
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "ratings.csv: the file is empty"),
        ("unit,rater,run\nu1,A,r\n", 'ratings.csv: there is no column "label"; the columns are unit, rater, run'),
        ("unit;rater;run\nu1;A;r\n", 'there is no column "label"; the columns are unit, rater, run'),
        ("unit,rater,label,label\nu1,A,x,x\n", 'column "label" stands twice'),
        ("unit,rater,label\n", "there is not one label"),
        ("unit,rater,label\nu1,A,\n", "ratings.csv, column label: there is not one label"),
        ("unit,rater,label\nu1,A,x\nu2,A\n", "ratings.csv, row 2, column label: the row has 2 cells and the header 3"),
        ("unit,rater,label\nu1,A,x\n,A,x\n", "ratings.csv, row 2, column unit: the cell is empty"),
        ("unit,rater,label\nu1,,x\n", "ratings.csv, row 1, column rater: the cell is empty"),
        ("unit,rater,label,run\nu1,A,x,\n", "ratings.csv, row 1, column run: the cell is empty"),
        ('unit,rater,label\nu1,A,x\nu1,B,"x\n', "ratings.csv, row 2: the quoting is broken"),
        (
            "unit,rater,label\nu1,A,x\nu1,B,x\nu1,A,y\n",
            "ratings.csv, row 3: rater 'A' rates unit 'u1' a second time (first in ratings.csv, row 1)",
        ),
        (
            "unit,rater,label,run\nu1,A,x,r1\nu1,B,x,r2\n",
            "ratings.csv, row 2: unit 'u1' is in run 'r2' here and in run 'r1' in ratings.csv, row 1",
        ),
        (b"unit,rater,label\nu1,A,\xff\n", "ratings.csv, line 2: not UTF-8"),
        (b"PAR1\x00\x00", "this is a Parquet file"),
    ],
)
def test_what_cannot_be_read_is_refused_with_row_and_column(tmp_path: Path, text: str | bytes, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_ratings(file(tmp_path, text), RatingColumns())
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_label_outside_the_declared_ones_names_row_and_label(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"ratings.csv, row 1, column label: 'yes' is not one of the declared categories"
    ):
        read_ratings(file(tmp_path, PLAIN), RatingColumns(), ["no", "Yes"])


def test_a_run_column_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match='there is no column "session"'):
        read_ratings(file(tmp_path, PLAIN), RatingColumns(cluster="session"))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"gone.csv: cannot be read"):
        read_ratings(tmp_path / "gone.csv", RatingColumns())


def test_one_malformed_row_among_very_many_is_named(tmp_path: Path) -> None:
    rows = [f"u{i},A,x" for i in range(200_000)]
    rows[123_456] = "u123456,A"
    with pytest.raises(BadInput, match="row 123457, column label: the row has 2 cells and the header 3"):
        read_ratings(file(tmp_path, "unit,rater,label\n" + "\n".join(rows)), RatingColumns(), ["x"])


def test_categories_inline_and_from_a_file(tmp_path: Path) -> None:
    assert read_categories("no, partly ,yes") == ["no", "partly", "yes"]
    path = file(tmp_path, "\ufeffwell, perhaps\r\nno\n\n", "labels.txt")
    assert read_categories(f"@{path}") == ["well, perhaps", "no"]
    with pytest.raises(BadInput, match="name an empty one"):
        read_categories("no,,yes")
    with pytest.raises(BadInput, match="cannot be read"):
        read_categories(f"@{tmp_path / 'gone.txt'}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0,1\n1,0\n0,0\n", "weights.csv: 3 rows of weights for 2 categories"),
        ("0,1\n1\n", "weights.csv, row 2: 1 weights for 2 categories"),
        ("0,1\none,0\n", "weights.csv, row 2, column 1: 'one' is not a number"),
    ],
)
def test_weights_that_are_no_square_of_numbers(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        read_weights(file(tmp_path, text, "weights.csv"), 2)


def test_weights(tmp_path: Path) -> None:
    assert read_weights(file(tmp_path, "0,1.5\n2,0\n", "weights.csv"), 2) == [[0.0, 1.5], [2.0, 0.0]]


LONG = """coder_slot,blind_claim_id,codebook_version,verdict,origin
R1,c1,0.5,SUPPORTED,human
R2,c1,0.5,SUPPORTED,human
R1,c2,0.5,PARTIAL,crosswalk
R2,c2,0.5,SUPPORTED,human
"""
STACKED = RatingColumns("blind_claim_id", "coder_slot", "verdict")


def test_what_a_crosswalk_carried_over_is_no_rating(tmp_path: Path) -> None:
    found = read_ratings(file(tmp_path, LONG), STACKED, ["PARTIAL", "SUPPORTED"])
    assert found.codes.tolist() == [[1, -1], [1, 1]]
    assert "1 rows that a crosswalk carried over are left out, the first is row 3" in found.warnings
    other = read_ratings(
        file(tmp_path, LONG.replace("PARTIAL,crosswalk", "SUPPORTED,crosswalk")), STACKED, ["SUPPORTED"]
    )
    assert other.codes.tolist() == [[0, -1], [0, 0]]


def test_rows_under_two_codebook_versions_are_refused(tmp_path: Path) -> None:
    text = LONG.replace("R2,c2,0.5,SUPPORTED", "R2,c2,0.4,MATCHED")
    with pytest.raises(
        BadInput, match=r"row 4, column codebook_version: 0\.4 beside 0\.5; agreement is never computed"
    ):
        read_ratings(file(tmp_path, text), STACKED)
