"""Tables as they should not be: a sentence with row and column, or an undefined value with its reason. No traceback."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli import build_cli, run

Saydo = Callable[..., tuple[int, Any, str]]
HEAD = "unit,rater,label,run\n"


@pytest.fixture
def agreement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Saydo:
    """Write a table and ask for its agreement: exit code, the document (or None) and what was said on stderr."""

    def call(content: str | bytes, *options: str) -> tuple[int, Any, str]:
        path = tmp_path / "ratings.csv"
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        monkeypatch.setattr(sys, "argv", ["saydo", "agreement", str(path), "--json", *options])
        code = run(build_cli(lambda: None, lambda: None))  # type: ignore[arg-type, return-value]
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, json.loads(out) if out else None, err

    return call


def table(labels: dict[str, str], raters: str = "AB") -> str:
    """One letter a unit and rater: `table({"A": "xxy", "B": "xyy"})`; a dot is a rating not given."""
    rows = [f"u{i},{r},{label},r{i % 3}" for r in raters for i, label in enumerate(labels[r]) if label != "."]
    return HEAD + "\n".join(rows) + "\n"


def refused(found: tuple[int, Any, str], *named: str) -> None:
    code, document, err = found
    assert (code, document, err.count("\n")) == (2, None, 1)
    for words in named:
        assert words in err


def every_value(document: dict[str, Any]) -> set[tuple[Any, Any]]:
    pairs = [v for pair in document["pairs"] for v in pair.values() if isinstance(v, dict) and "undefined_reason" in v]
    return {(v.get("value"), v["undefined_reason"]) for v in [*pairs, *document["overall"].values()]}


def test_one_rater(agreement: Saydo) -> None:
    code, document, _ = agreement(table({"A": "xxy"}, "A"))
    assert code == 0
    assert every_value(document) == {(None, "one_rater")}


def test_no_overlap(agreement: Saydo) -> None:
    code, document, _ = agreement(table({"A": "xy..", "B": "..xy"}))
    assert code == 0
    assert document["pairs"][0]["n"] == 0
    assert {(v, r) for v, r in every_value(document) if r != "pair_undefined"} == {(None, "no_overlap")}
    assert any("no unit in common: A and B" in warning for warning in document["warnings"])


def test_all_one_label(agreement: Saydo) -> None:
    code, document, _ = agreement(table({"A": "xxxx", "B": "xxxx"}), "--categories", "x,y")
    pair = document["pairs"][0]
    assert code == 0
    assert (pair["cohen_kappa"]["value"], pair["cohen_kappa"]["undefined_reason"]) == (None, "single_category_used")
    assert (pair["exact_agreement"]["num"], pair["exact_agreement"]["den"]) == (4, 4)
    assert pair["cohen_kappa"]["ci95"] == [None, None]


def test_labels_that_differ_in_case_or_spaces(agreement: Saydo) -> None:
    text = HEAD + "u1,A,Yes,r\nu1,B,yes,r\nu2,A,no,r\nu2,B,no ,r\n"
    code, document, _ = agreement(text)
    assert code == 0
    assert document["pairs"][0]["exact_agreement"]["num"] == 0
    told = " | ".join(document["warnings"])
    assert "labels 'Yes' and 'yes' differ only in case or spaces and are counted as different labels" in told
    assert "labels 'no' and 'no ' differ only in case or spaces" in told
    refused(agreement(text, "--categories", "no,yes"), "ratings.csv, row 1, column label: 'Yes' is not one of")


def test_numbers_read_as_text(agreement: Saydo) -> None:
    text = HEAD + "u1,A,10,r1\nu1,B,9,r1\nu2,A,2,r2\nu2,B,2.0,r2\n"
    code, document, _ = agreement(text)
    assert code == 0
    assert document["categories"] == ["2", "2.0", "9", "10"]
    assert any("labels '2' and '2.0' differ only in spelling of a number" in w for w in document["warnings"])
    refused(
        agreement(text.replace("2.0", "two"), "--level", "interval"),
        "level interval needs categories that are numbers, and 'two' is not one",
    )


def test_a_million_rows_and_one_malformed(agreement: Saydo) -> None:
    rows = [f"u{i >> 1},{'AB'[i & 1]},x,r{i % 1000 >> 1}" for i in range(1_000_000)]
    rows[765_432] = "u382716,A,x"
    begun = time.process_time()
    refused(
        agreement(HEAD + "\n".join(rows)), "ratings.csv, row 765433, column run: the row has 3 cells and the header 4"
    )
    assert time.process_time() - begun < 15  # about 1 s; quadratic work would take hours


def test_a_byte_order_mark(agreement: Saydo) -> None:
    code, document, _ = agreement(b"\xef\xbb\xbf" + table({"A": "xxy", "B": "xyy"}).encode())
    assert (code, document["n_units"]) == (0, 3)


def test_utf_16_is_refused_in_a_sentence(agreement: Saydo) -> None:
    refused(agreement(table({"A": "xxy", "B": "xyy"}).encode("utf-16")), "ratings.csv", "not UTF-8")


def test_semicolons(agreement: Saydo) -> None:
    code, document, _ = agreement(table({"A": "xxy", "B": "xyy"}).replace(",", ";"))
    assert (code, document["n_raters"]) == (0, 2)
    assert "the columns are read as separated by semicolons" in document["warnings"]


def test_a_column_that_is_missing(agreement: Saydo) -> None:
    refused(
        agreement("unit,rater,run\nu1,A,r1\n"),
        'ratings.csv: there is no column "label"; the columns are unit, rater, run',
    )
    refused(agreement(table({"A": "x", "B": "x"}), "--cluster", "session"), 'there is no column "session"')


def test_an_empty_file(agreement: Saydo) -> None:
    refused(agreement(""), "ratings.csv: the file is empty")
