"""A whole run on the authored tables: processes, gate, files, reports."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput, Refused
from app.services import dual_runs
from app.services.reconcile.report import Told, report_files
from app.services.reconcile.running import Asked, reconcile
from tests.domain.reconcile.small import SPEC

Example = tuple[Path, dict[str, Any]]
CLASSES = ["no antecedent", "structural", "reconciled T0", "reconciled T1", "reconciled T2", "divergent"]


def test_what_was_altered_in_the_authored_tables_is_what_diverges(example: Example) -> None:
    """From the generator: three altered numbers diverge, a benchmark left out has two cells without rows."""
    out, document = example
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    divergent = {(c["row"], c["column"]) for c in results["cells"] if c["class"] == "divergent"}
    assert divergent == {
        ("Bench/Hammer-9", "issue_resolution_score"),
        ("Bench/Bellows-1", "testing_cost"),
        ("Bench/Anvil-2", "average_cost"),
    }
    # 21 columns × 8 rows without antecedent, and the two addressed columns of the benchmark Lathe-3 did not run.
    assert document["classes"]["no antecedent"] == 21 * 8 + 2
    # id is the key, agent_name has one value.
    assert document["classes"]["structural"] == 2 * 8
    assert (document["cells"], document["sum"]) == (8 * 38, 8 * 38)


def test_gate_reruns_and_hash_are_recorded(example: Example) -> None:
    _, document = example
    assert document["gate"]["agrees"]
    assert document["gate"]["max_abs_diff"] <= 1e-9
    assert document["gate"]["n_compared"] > 5000
    assert document["reruns_identical"]
    for name in ("A", "B"):
        first, second = document["reruns"][name]["sha256"]
        assert first == second
    assert document["reruns"]["A"]["sha256"] != document["reruns"]["B"]["sha256"]
    assert document["content_hash"]["equal"] is False
    assert re.fullmatch("[0-9a-f]{64}", document["content_hash"]["computed"])


def test_every_file_is_listed_with_its_hash(example: Example) -> None:
    out, document = example
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert {entry["path"] for entry in manifest["files"]} | {"manifest.json"} == {path.name for path in out.iterdir()}
    for entry in document["files"]:
        assert hashlib.sha256((out / entry["path"]).read_bytes()).hexdigest() == entry["sha256"]
    assert (out / "spec.yaml").read_bytes() == SPEC.read_bytes()


def test_two_runs_write_the_same_bytes(example: Example, tmp_path: Path) -> None:
    out, _ = example
    reconcile(Asked(SPEC, None, tmp_path / "again"))
    for path in sorted(out.iterdir()):
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes(), path.name


class Cells(HTMLParser):
    """The text of every table cell of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open = tag in ("td", "th")
        if self.open:
            self.found.append("")

    def handle_data(self, data: str) -> None:
        if self.open:
            self.found[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.open = self.open and tag not in ("td", "th")


@pytest.mark.parametrize("name", ["RESULTS", "REPORT"])
def test_both_forms_of_a_report_hold_the_same_tables(example: Example, name: str) -> None:
    out, _ = example
    markdown = (out / f"{name}.md").read_text(encoding="utf-8")
    told = re.sub(r"```text.*?```", "", markdown, flags=re.DOTALL)
    rows = [line for line in told.splitlines() if line.startswith("| ") and not re.match(r"\| -", line)]
    cells = [re.sub(r"\\(.)", r"\1", cell.strip()) for row in rows for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
    html = Cells((out / f"{name}.html").read_text(encoding="utf-8")).found
    assert [" ".join(cell.split()) for cell in html] == cells
    assert len(cells) > 100


def test_the_report_prints_the_registration_boundaries_and_what_is_not_shown(example: Example) -> None:
    out, _ = example
    text = (out / "REPORT.md").read_text(encoding="utf-8")
    assert SPEC.read_text(encoding="utf-8").strip() in text
    for heading in ("Registration", "Additions", "Boundaries", "What this does not show", "Rows named by rule"):
        assert re.search(rf"^## \d+ {heading}$", text, re.MULTILINE)
    html = (out / "REPORT.html").read_text(encoding="utf-8")
    assert "default-src &#39;none&#39;" in html or "default-src 'none'" in html
    assert not re.search(r"<script|https?://", html.split("<pre>")[0])


def test_the_report_speaks_only_of_rows_that_a_rule_names(example: Example) -> None:
    """The rules are made to land on one row, one executor's row and one without records; no other may be told."""
    out, _ = example
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    rows = [line["row"] for line in results["rows"]]
    for line in results["mentions"]["largest_deviations"]:
        line["rows"] = rows[:1]
    results["mentions"]["join_failures"] = rows[1:2]
    results["executors"] = [e for e in results["executors"] if e["executor"] == "A2"]
    assert [line["row"] for e in results["executors"] for line in e["rows"]] == ["Bench/fable-draft"]
    report = {a.path: a.data for a in report_files(results, Told(SPEC.read_text(encoding="utf-8"), None), [])}
    for form in ("REPORT.md", "REPORT.html"):
        text = report[form].decode("utf-8")
        assert [row for row in rows if row in text] == [*rows[:2], "Bench/fable-draft"]


def test_the_sum_stands_in_results(example: Example) -> None:
    out, document = example
    text = (out / "RESULTS.md").read_text(encoding="utf-8")
    sums = " + ".join(f"{name} {document['classes'][name]}" for name in CLASSES)
    assert f"{sums} = 304" in text
    assert "Rebuilt by implementation A alone and outside the gate" in text


def test_a_registration_is_printed_verbatim_on_demand(tmp_path: Path) -> None:
    words = "# A registration\n\nwith `ticks` ``` and | bars and <tags>\n"
    (tmp_path / "reg.txt").write_text(words, encoding="utf-8")
    reconcile(Asked(SPEC, None, tmp_path / "out", registration=tmp_path / "reg.txt"))
    assert words.strip() in (tmp_path / "out" / "REPORT.md").read_text(encoding="utf-8")
    assert (tmp_path / "out" / "registration.txt").read_text(encoding="utf-8") == words


def test_what_cannot_stand_is_refused_before_any_process_and_leaves_nothing(tmp_path: Path) -> None:
    for name in ("test.parquet", "a2-id.yaml"):
        shutil.copy(SPEC.parent / name, tmp_path / name)
    shutil.copy(SPEC.parent / "test.parquet", tmp_path / "instances.parquet")
    done: list[str] = []
    with pytest.raises(BadInput, match=r"a2-id\.yaml line \d+: tables\.source\.columns\.benchmark: "):
        reconcile(Asked(tmp_path / "a2-id.yaml", None, tmp_path / "out"), done.append)
    assert done == []
    assert not (tmp_path / "out").exists()


def test_a_folder_with_files_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.json").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInput, match=r"results\.json, which no export wrote"):
        reconcile(Asked(SPEC, None, tmp_path / "out"))
    assert (tmp_path / "out" / "results.json").read_text(encoding="utf-8") == "mine"


MODULE = """
import sys
from pathlib import Path
name, *words, out = sys.argv[1:]
if name == "bad":
    sys.exit("it broke") if words == ["hard"] else (sys.stderr.write("first\\nline 3: not so\\n"), sys.exit(2))
Path(out).write_text(f"{name} {words}" + (out[-1] if name == "moody" else ""))
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "stand_in_process.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "stand_in_process"


def test_processes_are_compared_byte_by_byte(module: str) -> None:
    runs = dual_runs.run_twice(module, ("calm", "moody"), ["x"])
    assert runs["calm"].identical
    assert not runs["moody"].identical
    assert runs["calm"].first == b"calm ['x']"


def test_a_process_that_fails_is_told_by_its_last_line(module: str) -> None:
    with pytest.raises(BadInput, match=r"^line 3: not so$"):
        dual_runs.run_twice(module, ("calm", "bad"), ["soft"])
    with pytest.raises(Refused, match="implementation bad stopped before its end: it broke"):
        dual_runs.run_twice(module, ("bad", "calm"), ["hard"])
