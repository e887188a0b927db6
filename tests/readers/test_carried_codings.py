"""What a crosswalk says in a codings file: read, refused where it contradicts itself, written again byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.readers.codings_file import CARRIED_COLUMNS, RawCoding, codings_columns, codings_csv, parse_codings

CARRIED = RawCoding(
    row=1,
    claim_id="c1",
    answer={"codability": "codable", "verdict": "SUPPORTED", "claim_kind": "action"},
    origin="crosswalk",
    how="auto",
    reason="C01: the label was renamed, and more",
    needs=("needs_log_coverage", "needs_materiality"),
)
OPEN = RawCoding(row=2, claim_id="c2", answer={}, how="recode", reason="=C07: narrowed")
OWN = RawCoding(row=3, claim_id="c3", answer={"codability": "codable", "verdict": "PARTIAL"})


def parse(text: str) -> list[RawCoding]:
    return parse_codings(text.encode("utf-8"), "codings.csv")


def test_it_comes_back_as_it_was_written() -> None:
    text = codings_csv([CARRIED, OPEN, OWN])
    assert text.splitlines()[0].split(",")[:6] == ["claim_id", *CARRIED_COLUMNS, "codability"]
    assert parse(text) == [CARRIED, OPEN, OWN]
    assert codings_csv(parse(text)) == text


def test_the_columns_stand_only_where_a_crosswalk_said_something() -> None:
    assert codings_csv([OWN]).splitlines()[0] == ",".join(codings_columns())


def test_human_is_no_origin_to_tell_and_carried_is_automatic() -> None:
    read = parse("claim_id,origin,codability\na,human,codable\nb,crosswalk,codable\n")
    assert [(row.origin, row.how) for row in read] == [("", ""), ("crosswalk", "auto")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("claim_id,how,verdict\na,recode,PARTIAL\n", "row 1, column verdict: a claim that is to be coded again has"),
        ("claim_id,how,search_to\na,recode,4\n", "row 1, column search_from: a claim that is to be coded again"),
        ("claim_id,how,flags\na,recode,hedged\n", "row 1, column flags: a claim that is to be coded again"),
        ("claim_id,how,origin\na,recode,crosswalk\n", "row 1, column origin: a claim that is to be coded again"),
        ("claim_id,how,verdict\na,auto,PARTIAL\n", "row 1, column origin: a coding that was carried over"),
        ("claim_id,how\na,perhaps\n", 'row 1, column how: "perhaps" is neither auto nor recode'),
        ("claim_id,origin\na,machine\n", 'row 1, column origin: "machine" is no origin of a coding that is brought'),
    ],
)
def test_what_does_not_hold_together_is_refused_with_row_and_column(text: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(text)
    assert told in str(caught.value)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30))
def test_any_reason_survives(reason: str) -> None:
    row = RawCoding(row=1, claim_id="c", answer={}, how="recode", reason=reason)
    assert parse(codings_csv([row]))[0].reason == reason
