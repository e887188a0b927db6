"""The scorecard's report and figures: one offline file, every table whole, every figure beside its table."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from app.services.scorecard.figures import draw_figures
from app.services.scorecard.scoring import Scorecard, score
from app.services.scorecard.table import out_of, signed
from tests.readers.scorecard_folder import TABLES, spec_with, write_folder

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "scorecard"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scorecard, Path]:
    folder = tmp_path_factory.mktemp("scored")
    return score(EXAMPLE / "scorecard.yaml", None, folder / "out"), folder / "out"


@pytest.fixture(scope="module")
def html(made: tuple[Scorecard, Path]) -> str:
    return (made[1] / "report.html").read_text(encoding="utf-8")


def sections(html: str) -> dict[str, str]:
    return dict(re.findall(r'<section id="([a-z_]+)">(.*?)</section>', html, re.DOTALL))


def test_it_is_one_file_that_loads_and_runs_nothing(html: str) -> None:
    assert "<script" not in html
    assert not re.search(r'\s(on[a-z]+|style|src|href="http)[=:]', html)
    assert re.search(r"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'", html)


def test_every_table_stands_with_its_plan_line_and_its_boundaries(made: tuple[Scorecard, Path], html: str) -> None:
    found = sections(html)
    assert len(made[0].tables) == 22  # the example has everything there is
    for table in made[0].tables:
        section = found[table.name]
        assert "<b>Planned</b>" in section
        assert "<b>Completed</b>" in section
        for sentence in table.boundaries:
            assert sentence in section
        assert len(table.boundaries) > 0
        for row in table.rows:
            assert len(row) == len(table.head)


def test_every_rate_carries_its_counts(made: tuple[Scorecard, Path]) -> None:
    """A decimal number is a rate, a mean or a limit; in a cell it stands with (n/N), (n = …) or in brackets."""
    counted = re.compile(r"\(\d+(\.\d+)?/\d+\)|\((n|models) = \d+\)|^\[|^undefined|^[+−]|^0\.000$|^\d+$")
    without = {"ranks", "copied", "saved", "plan"}  # shares of stated draws; limits; scores as saved; words
    for table in made[0].tables:
        for row in table.rows:
            for cell in row[1:]:
                if re.search(r"\d\.\d{3}", cell) and table.name not in without:
                    assert counted.search(cell), f"{table.name}: {cell}"


def test_paired_differences_have_their_counts_beside_them(made: tuple[Scorecard, Path]) -> None:
    of = {table.name: table for table in made[0].tables}
    for table in (of["pairs"], of["focus"]):
        at = table.head.index("n/N")
        assert all(re.fullmatch(r"\d+/\d+", row[at]) for row in table.rows)
    assert {row[0] for row in of["pairs"].rows} == {"overall", "NE-input"}


def test_the_original_draws_stand_beside_the_five_thousand(made: tuple[Scorecard, Path]) -> None:
    intervals = next(table for table in made[0].tables if table.name == "intervals")
    assert intervals.head[2:4] == ("95 %, 1000 draws, seed 20260917", "95 %, 5000 draws, seed 20260917")


def test_who_judged_and_whose_overlap_stands_with_the_scores(made: tuple[Scorecard, Path], tmp_path: Path) -> None:
    scores = next(table for table in made[0].tables if table.name == "scores")
    assert "Graded by judge-lumen, judge-orrery." in scores.note
    assert "judge-orrery and orrery-large-2 (same model)" in scores.note
    alone = score(write_folder(tmp_path / "in"), None, tmp_path / "out")
    assert "Graded by j1 alone. Judge and contestant overlap: j1 and m1 (same namespace)." in alone.tables[1].note


def test_the_pending_review_stands_on_top(html: str) -> None:
    assert html.index("The planned human review is pending: 0 of 8") < html.index("<section")


def test_the_file_is_printed_verbatim_and_escaped(tmp_path: Path) -> None:
    hostile = spec_with("id: small", 'id: small\ntitle: "<script>alert(1)</script> & co"')
    models = TABLES["models.csv"].replace("m1,Model One", '"<b>m1</b>",Model One')
    changed = {name: text.replace("m1,", '"<b>m1</b>",') for name, text in TABLES.items()} | {"models.csv": models}
    found = score(write_folder(tmp_path / "in", changed, hostile), None, tmp_path / "out")
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert found.document["models"][0]["id"] == "<b>m1</b>"
    assert "<script" not in html
    assert "<b>m1" not in html
    assert "&lt;b&gt;m1&lt;/b&gt;" in (tmp_path / "out" / "ranks.svg").read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; co" in html


def test_figures_are_whole_svg_without_style_or_script_and_stand_beside_their_tables(
    made: tuple[Scorecard, Path], html: str
) -> None:
    found = sections(html)
    for name in ("intervals", "ranks", "scenarios"):
        text = (made[1] / f"{name}.svg").read_text(encoding="utf-8")
        root = ElementTree.fromstring(text)
        assert root.tag.endswith("svg")
        assert not [e for e in root.iter() if "style" in e.attrib or e.tag.endswith(("script", "style", "image"))]
        assert found[name].count("<svg") == 1
        assert "<table" in found[name].split("</svg>")[1]
        for model in made[0].document["models"]:
            assert model["id"] in text


def test_the_same_document_is_drawn_with_the_same_bytes(made: tuple[Scorecard, Path]) -> None:
    again = draw_figures(json.loads((made[1] / "scorecard.json").read_bytes()))
    for name, text in again.items():
        assert (made[1] / f"{name}.svg").read_bytes() == text.encode("utf-8")


def test_a_model_without_an_effective_mean_is_drawn_and_told_as_such(tmp_path: Path) -> None:
    sheets = TABLES["sheets.csv"].replace("m2,q2,j1,,,0,6,6\n", "")
    grades = TABLES["grades.csv"].replace("m2,q2,j1,,a,stated\n", "")
    found = score(write_folder(tmp_path / "in", {"sheets.csv": sheets, "grades.csv": grades}), None, tmp_path / "out")
    scores = next(table for table in found.tables if table.name == "scores")
    assert scores.rows[1][:3] == (
        "m2",
        "none",
        "undefined (1/2): a valid answer has no score, so there is no mean over all questions",
    )
    assert "effective mean undefined" in (tmp_path / "out" / "intervals.svg").read_text(encoding="utf-8")
    assert found.document["ranks"]["excluded"] == ["m2"]


def test_the_manifest_lists_every_file_with_its_hash(made: tuple[Scorecard, Path]) -> None:
    manifest: dict[str, Any] = json.loads((made[1] / "manifest.json").read_bytes())
    assert {entry["path"] for entry in manifest["files"]} == {p.name for p in made[1].iterdir()} - {"manifest.json"}
    assert {entry["path"] for entry in manifest["inputs"]} >= {"grades.csv", "facts.csv", "input_manifest.json"}


def test_cells_say_undefined_with_counts_and_reason() -> None:
    nothing = {"value": None, "undefined_reason": "no_valid_answer", "n": 0, "N": 0}
    assert out_of(nothing) == "undefined (0/0): there is no valid answer"
    assert (signed(0.0004), signed(-0.0004), signed(1.0)) == ("0.000", "0.000", "+1.000")
