"""Claim lists in three formats, one meaning; what cannot be read is named by file, row and column."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.claims.check import resolve_claims
from app.domain.claims.claim import Claim
from app.domain.claims.propose import propose_claims
from app.domain.claims.raw import RawClaim
from app.domain.errors import BadInput
from app.domain.turnlog.turns import Turn
from app.readers.claims_file import load_claims
from app.readers.claims_writer import write_claims, write_proposals

ROW: dict[str, Any] = {
    "claim_id": "c1",
    "session_id": "run",
    "turn_index": 3,
    "target": "text",
    "span_start": 0,
    "span_end": 5,
    "text": "I ran",
}
calm = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def as_csv(rows: list[dict[str, Any]], name: str = "claims.csv") -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode("utf-8")


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def put_parquet(folder: Path, columns: dict[str, list[Any]], name: str = "claims.parquet") -> Path:
    pq.write_table(pa.table(columns), folder / name)
    return folder / name


def columns_of(row: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: [value] for name, value in row.items()}


def refusal(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        load_claims(path)
    sentence = str(caught.value)
    assert sentence.startswith(path.name)
    assert "\n" not in sentence
    return sentence


def test_three_formats_mean_the_same(tmp_path: Path) -> None:
    row = {**ROW, "unit_parts": 2, "conditional": True, "polarity": "do", "repeat_of": None}
    from_parquet = load_claims(put_parquet(tmp_path, columns_of(row)))
    from_csv = load_claims(put(tmp_path, "claims.csv", as_csv([{**row, "repeat_of": "", "conditional": "true"}])))
    from_lines = load_claims(put(tmp_path, "claims.jsonl", (json.dumps(row) + "\n\n").encode()))
    assert from_parquet == from_csv == from_lines
    [claim] = from_parquet
    assert (claim.row, claim.turn_index, claim.unit_parts, claim.conditional, claim.repeat_of) == (1, 3, 2, True, None)


def test_a_byte_order_mark_and_windows_line_ends_are_tolerated(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + as_csv([ROW]).replace(b"\n", b"\r\n")
    assert load_claims(put(tmp_path, "claims.csv", data))[0].text == "I ran"
    assert load_claims(put(tmp_path, "claims.jsonl", b"\xef\xbb\xbf" + json.dumps(ROW).encode()))[0].text == "I ran"


def test_the_span_may_be_left_out(tmp_path: Path) -> None:
    row = {key: value for key, value in ROW.items() if not key.startswith("span")}
    assert load_claims(put_parquet(tmp_path, columns_of(row)))[0].span_start is None
    assert load_claims(put(tmp_path, "c.csv", as_csv([{**ROW, "span_start": "", "span_end": ""}])))[0].span_end is None


def test_numbers_that_went_through_a_data_frame_are_whole_again(tmp_path: Path) -> None:
    columns = {**columns_of(ROW), "scope_end_turn": [4.0], "turn_index": pa.array([3], pa.int64())}
    [claim] = load_claims(put_parquet(tmp_path, columns))
    assert (claim.turn_index, claim.scope_end_turn) == (3, 4)
    assert load_claims(put(tmp_path, "c.csv", as_csv([{**ROW, "turn_index": " 3.0 "}])))[0].turn_index == 3


def test_cells_keep_commas_quotes_breaks_and_carriage_returns(tmp_path: Path) -> None:
    text = 'a "b", c\r\nd\re\u2028f'
    assert load_claims(put(tmp_path, "c.csv", as_csv([{**ROW, "text": text}])))[0].text == text


def test_a_guarded_cell_offers_its_text_without_the_apostrophe(tmp_path: Path) -> None:
    [claim] = load_claims(put(tmp_path, "c.csv", as_csv([{**ROW, "text": "'- all pass"}])))
    assert (claim.text, claim.unguarded_text) == ("'- all pass", "- all pass")
    assert load_claims(put(tmp_path, "c.csv", as_csv([{**ROW, "text": "'tis"}])))[0].unguarded_text is None


def test_a_list_without_claims_is_an_empty_list(tmp_path: Path) -> None:
    assert load_claims(put(tmp_path, "c.csv", as_csv([ROW]).split(b"\n")[0] + b"\n")) == []


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("claims.csv", b"", "the file is empty"),
        ("claims.parquet", b"", "the file is empty"),
        ("claims.jsonl", b" \n", "the file is empty"),
        ("claims.parquet", as_csv([ROW]), "the name says Parquet, the content is not Parquet (it looks like CSV)"),
        ("claims.csv", b"PAR1xxxx", "the name says CSV"),
        ("claims.jsonl", as_csv([ROW]), "the name says JSONL"),
        ("claims.parquet", b"PAR1" + b"x" * 40, "cut short or damaged"),
        ("claims.csv", as_csv([{**ROW, "verdict": "x"}]), 'unknown column "verdict"'),
        ("claims.csv", as_csv([ROW]).replace(b"target", b"text", 1), 'column "text" stands twice'),
        ("claims.csv", as_csv([ROW]).replace(b"session_id,", b"", 1), 'the column "session_id" is missing'),
        ("claims.csv", as_csv([ROW]) + b"c2,run,1\n", "row 2, column turn_index: the row has 3 cells and the header 7"),
        (
            "claims.csv",
            as_csv([{**ROW, "turn_index": "three"}]),
            "row 1, column turn_index: 'three' is not a whole number",
        ),
        ("claims.csv", as_csv([{**ROW, "turn_index": "9" * 30}]), "row 1, column turn_index"),
        (
            "claims.csv",
            as_csv([{**ROW, "conditional": "maybe"}]),
            "row 1, column conditional: 'maybe' is not true or false",
        ),
        ("claims.csv", as_csv([ROW]) + b'"c2,run\n', "line 3: the quoting is broken"),
        ("claims.csv", as_csv([ROW]).replace(b"I ran", b"I r\xff"), "line 2: not UTF-8"),
        ("claims.jsonl", b'{"claim_id": "c1"}', 'row 1 (line 1): the column "session_id" is missing'),
        ("claims.jsonl", json.dumps(ROW).encode() + b"\n\n[1]\n", "row 2 (line 3): not a JSON object"),
        ("claims.jsonl", json.dumps(ROW).encode() + b"\n{", "row 2 (line 2): not JSON"),
        ("claims.jsonl", json.dumps({**ROW, "text": 5}).encode(), "row 1, column text: 5 is not text"),
        ("claims.jsonl", json.dumps({**ROW, "turn_index": True}).encode(), "row 1, column turn_index"),
        ("claims.jsonl", json.dumps({**ROW, "turn_index": 1.5}).encode(), "row 1, column turn_index"),
        ("claims.jsonl", json.dumps({**ROW, "text": "\ud83d"}).encode(), "row 1, column text: the text holds half"),
        ("claims.jsonl", json.dumps(ROW).replace("{", "{" + '"a":' * 1 + "1,", 1).encode(), 'unknown column "a"'),
    ],
)
def test_what_cannot_be_read_is_named_by_its_place(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    assert said in refusal(put(tmp_path, name, data))


def test_absent_files_and_folders_are_refused(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "cannot be read" in refusal(tmp_path / "folder.csv")


def test_a_truncated_parquet_is_refused(tmp_path: Path) -> None:
    whole = put_parquet(tmp_path, columns_of(ROW)).read_bytes()
    for size in (len(whole) // 2, len(whole) - 1, 8):
        assert "cut short or damaged" in refusal(put(tmp_path, "claims.parquet", whole[:size]))


def test_damaged_pages_never_become_a_traceback(tmp_path: Path) -> None:
    whole = put_parquet(tmp_path, {name: [value] * 50 for name, value in ROW.items()}).read_bytes()
    for place in range(4, len(whole) - 8, 7):
        damaged = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        with suppress(BadInput):
            load_claims(put(tmp_path, "claims.parquet", damaged))


def test_bytes_that_are_not_utf8_in_parquet_text_are_refused(tmp_path: Path) -> None:
    wrong = pa.array([b"I r\xff"], pa.binary()).view(pa.string())
    assert "damaged" in refusal(put_parquet(tmp_path, {**columns_of(ROW), "text": wrong}))


def test_a_nested_column_is_refused_by_name(tmp_path: Path) -> None:
    assert "row 1, column text" in refusal(put_parquet(tmp_path, {**columns_of(ROW), "text": [["a"]]}))


def test_an_unknown_column_in_parquet_is_refused(tmp_path: Path) -> None:
    assert 'unknown column "verdict"' in refusal(put_parquet(tmp_path, {**columns_of(ROW), "verdict": ["x"]}))


def test_several_wrong_cells_are_counted(tmp_path: Path) -> None:
    rows = [{**ROW, "turn_index": "x"}, {**ROW, "claim_id": "c2", "span_end": "y"}]
    sentence = refusal(put(tmp_path, "claims.csv", as_csv(rows)))
    assert "row 1, column turn_index" in sentence
    assert sentence.endswith("(and 1 more cells)")


CLAIM = Claim("c1", "run", 0, "text", 0, 5, "I ran", "0" * 64)


def test_writing_the_same_claims_gives_the_same_bytes_and_leaves_nothing_else(tmp_path: Path) -> None:
    for name in ("a.parquet", "b.parquet"):
        assert write_claims(tmp_path / name, [CLAIM, replace(CLAIM, claim_id="c2", repeat_of="c1")]) == 2
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "b.parquet"]


def test_a_write_that_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "claims.parquet"
    write_claims(path, [CLAIM])
    before = path.read_bytes()

    def breaks_off() -> Any:
        yield CLAIM
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        write_claims(path, breaks_off())
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["claims.parquet"]


def test_a_reader_of_the_old_file_never_sees_half_of_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "claims.parquet"
    write_claims(path, [CLAIM])
    before = path.read_bytes()
    with path.open("rb") as opened:
        write_claims(path, [replace(CLAIM, text="I ran it", span_end=8)])
        assert opened.read() == before != path.read_bytes()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^claims\.parquet: cannot be written there"):
        write_claims(tmp_path / "nowhere" / "claims.parquet", [CLAIM])


def test_no_claims_is_a_readable_file(tmp_path: Path) -> None:
    assert write_claims(tmp_path / "none.parquet", []) == 0
    assert load_claims(tmp_path / "none.parquet") == []


@calm
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_survives_parquet_csv_and_lines(tmp_path: Path, text: str) -> None:
    log = {"run": (Turn("run", 0, "assistant", text),)}
    [claim], _ = resolve_claims([RawClaim(1, "c1", "run", 0, "text", 0, len(text), text)], log)
    write_claims(tmp_path / "c.parquet", [claim])
    row = {**ROW, "turn_index": 0, "span_end": len(text), "text": text}
    put(tmp_path, "c.jsonl", json.dumps(row).encode())
    put(tmp_path, "c.csv", quoted_csv(row))
    for name in ("c.parquet", "c.jsonl", "c.csv"):
        claims, faults = resolve_claims(load_claims(tmp_path / name), log)
        assert (faults, [found.text for found in claims]) == ((), [text])


def quoted_csv(row: dict[str, Any]) -> bytes:
    cells = ['"' + str(value).replace('"', '""') + '"' for value in row.values()]
    return (",".join(row) + "\n" + ",".join(cells) + "\n").encode("utf-8")


def test_proposals_come_back_as_claims_with_their_guesses(tmp_path: Path) -> None:
    turns = (Turn("run", 0, "assistant", "I won't push. I ran the tests, all pass."),)
    proposals = propose_claims(turns)
    assert write_proposals(tmp_path / "p.parquet", proposals) == len(proposals) == 3
    raw = load_claims(tmp_path / "p.parquet")
    assert [item.kind_guess for item in raw] == [p.kind_guess for p in proposals]
    claims, faults = resolve_claims(raw, {"run": turns})
    assert faults == ()
    assert list(claims) == [p.claim for p in proposals]
