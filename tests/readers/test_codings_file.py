"""Codings made elsewhere: cells to answers and back, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.codebook.model import Field
from app.domain.coding import normalise
from app.domain.errors import BadInput
from app.domain.export.csv_form import table_bytes
from app.domain.export.private import codings_columns as exported_columns
from app.readers.codings_file import RawCoding, codings_columns, codings_csv, load_codings, parse_codings
from tests.domain.export.records import codebook

calm = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

ANSWER: dict[str, Any] = {
    "codability": "codable",
    "claim_kind": "action",
    "verdict": "UNBACKED",
    "evidence": [{"role": "context", "tier": "T1", "turn": 8}],
    "log_coverage": "full",
    "materiality": "medium",
    "disclosure": "none",
    "confidence": "high",
    "flags": ["check_never_ran", "other"],
    "note": '=SUM(1) "quoted", and\r\nbroken',
    "search_span": {"from_turn": 0, "to_turn": 9, "looked_for": "-pytest"},
}


def parse(text: str) -> list[RawCoding]:
    return parse_codings(text.encode("utf-8"), "codings.csv")


def refusal(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse(text)
    sentence = str(caught.value)
    assert sentence.startswith("codings.csv")
    return sentence


def test_the_columns_stand_in_the_contracts_order() -> None:
    assert ",".join(codings_columns()) == (
        "claim_id,codability,not_codable_reason,claim_kind,verdict,evidence,evidence_strength,log_coverage,search_from,"
        "search_to,unverifiable_reason,undetermined_reason,severity,materiality,disclosure,confidence,flags,looked_for,"
        "note,warnings_confirmed"
    )


def test_an_answer_goes_out_and_comes_back(tmp_path: Path) -> None:
    coding = RawCoding(1, "c1", ANSWER, ("W02", "W15"))
    text = codings_csv([coding])
    (tmp_path / "codings.csv").write_bytes(b"\xef\xbb\xbf" + text.encode("utf-8"))
    assert load_codings(tmp_path / "codings.csv") == [coding]
    assert codings_csv(load_codings(tmp_path / "codings.csv")) == text
    assert "'=SUM(1)" in text
    assert "'-pytest" in text


def test_older_evidence_is_a_list_of_turns() -> None:
    assert parse('claim_id,evidence\nc1,"[4, 9]"\nc2,"[{""turn"": 4}]"\n')[0].answer == {"evidence": [4, 9]}
    assert parse('claim_id,evidence\nc2,"[{""turn"": 4, ""derived_tier"": ""T1""}]"\n')[0].answer == {
        "evidence": [{"turn": 4}]
    }


def test_empty_cells_are_absent_and_columns_may_be_left_out_or_mixed() -> None:
    [coding] = parse("note,claim_id,verdict,flags,search_from,warnings_confirmed\n,c1,SUPPORTED,,3,\n")
    assert coding == RawCoding(1, "c1", {"verdict": "SUPPORTED", "search_span": {"from_turn": 3}})


def test_a_slot_keeps_two_codings_of_one_claim_apart() -> None:
    text = "claim_id,coder_slot,verdict\nc1,R1,SUPPORTED\nc1,R2,PARTIAL\n"
    codings = parse(text)
    assert [coding.coder_slot for coding in codings] == ["R1", "R2"]
    assert parse(codings_csv(codings)) == codings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no header"),
        ("verdict\nX\n", 'the column "claim_id" is missing'),
        ("claim_id,verdikt\nc1,X\n", 'unknown column "verdikt"'),
        ("claim_id,verdict\n,X\n", "row 1, column claim_id: is empty"),
        ("claim_id,verdict\nc1,X\nc1,Y\n", 'row 2, column claim_id: "c1" is coded in row 1 too'),
        ("claim_id,evidence\nc1,4;5\n", "row 1, column evidence"),
        ("claim_id,evidence\nc1,4\n", "row 1, column evidence"),
        ('claim_id,evidence\nc1,"[""\\ud83d""]"\n', "row 1, column evidence: the text holds half"),
        ("claim_id,evidence\nc1," + "[" * 5000 + "\n", "row 1, column evidence"),
        ("claim_id,search_to\nc1,late\n", 'row 1, column search_to: "late" is not a turn number'),
        ("claim_id,search_to\nc1,--1\n", "row 1, column search_to"),
        ("claim_id,note\nc1,a,b\n", "row 1, column note: the row has 3 cells"),
        ("PAR1", "this is a Parquet file"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_place(text: str, said: str) -> None:
    assert said in refusal(text)


def test_the_custodians_own_table_comes_back_byte_for_byte() -> None:
    columns = codings_columns(slots=True)
    rows = [
        {"claim_id": "c1", "coder_slot": "R1", "codability": "codable", "verdict": "PARTIAL", "flags": ["a", "b"]}
        | {"evidence": '[{"turn":4}]', "search_from": 0, "note": "=x", "warnings_confirmed": ["W01"]},
        {"claim_id": "c1", "coder_slot": "R2", "codability": "not_codable", "note": "a\rb"},
    ]
    exported = table_bytes(columns, rows)
    assert codings_csv(parse_codings(exported, "codings.csv")).encode("utf-8") == exported


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)
GUARDED = st.sampled_from(["=1", "'=1", "''-", "'", "\t", "\r", "'\r", "@x", "'tis", "a\rb", ' "'])
WORD = st.text(st.characters(categories=["Ll"]), min_size=1)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "verdict": TEXT | GUARDED,
        "note": TEXT | GUARDED,
        "flags": st.lists(WORD, min_size=1, unique=True),
        "evidence": st.lists(
            st.integers(0, 99) | st.fixed_dictionaries({"turn": st.integers(0, 9), "quote": TEXT}), min_size=1
        ),
        "search_span": st.fixed_dictionaries({"to_turn": st.integers(0, 99)}, optional={"looked_for": TEXT | GUARDED}),
    },
)


@calm
@given(st.lists(st.tuples(TEXT | GUARDED, ANSWERS, st.lists(WORD)), unique_by=lambda row: row[0], max_size=4))
def test_any_codings_round_trip_and_a_second_time_byte_for_byte(
    rows: list[tuple[str, dict[str, Any], list[str]]],
) -> None:
    codings = [
        RawCoding(row, claim_id, answer, tuple(confirmed))
        for row, (claim_id, answer, confirmed) in enumerate(rows, start=1)
    ]
    text = codings_csv(codings)
    again = parse(text)
    assert again == codings
    assert codings_csv(again) == text
    assert [normalise(coding.answer) for coding in again] == [normalise(coding.answer) for coding in codings]


def test_a_codebooks_further_fields_are_columns_of_their_own_type() -> None:
    book = codebook(
        fields=(
            Field("verdict", "enum"),
            Field("severity_score", "enum"),
            Field("tags", "flags"),
            Field("where", "span"),
            Field("sources", "citation_list"),
            Field("marks", "flags"),
            Field("beside", "span"),
            Field("further", "turn_list"),
        )
    )
    # The first flags, span and citations stand under the columns every table has; others under their own names.
    assert codings_columns(book)[15:19] == ("severity_score", "marks", "beside", "further")
    answer = {
        "verdict": "X",
        "severity_score": "3",
        "tags": ["a", "b"],
        "where": {"from_turn": 1},
        "sources": [{"turn": 2}],
        "marks": ["c"],
        "beside": {"to_turn": 4},
        "further": [{"turn": 3}],
    }
    assert [column for column in ("tags", "where", "sources") if column in codings_columns(book)] == []
    coding = RawCoding(1, "c1", answer)
    text = codings_csv([coding], book)
    assert parse_codings(text.encode("utf-8"), "codings.csv", book) == [coding]
    with pytest.raises(BadInput, match='unknown column "severity_score"'):
        parse(text)


def test_the_export_and_the_import_know_the_same_columns() -> None:
    book = codebook()
    assert codings_columns(book, slots=True) == exported_columns(book)
