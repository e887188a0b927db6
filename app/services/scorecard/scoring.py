"""`saydo score` as a use case: read, compute twice, run a second time elsewhere, compare, write the folder whole.

Responsible for the order of these steps and for what counts as the work saying no. Bad input is refused before anything
is computed; files appear in the folder all at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.domain.canonical import canonical_file, sha256_hex
from app.domain.errors import BadInput
from app.domain.export.csv_form import table_bytes
from app.domain.export.manifest import Artifact
from app.domain.scorecard.document import scorecard_document
from app.domain.scorecard.gate import compare
from app.services.bundle import publish
from app.services.scorecard.computing import Computed, compute_twice
from app.services.scorecard.figures import draw_figures
from app.services.scorecard.report import report_html
from app.services.scorecard.second_run import finish_second_run, start_second_run
from app.services.scorecard.table import ScoreTable
from app.services.scorecard.tables import list_tables

DOCUMENT = "scorecard.json"
ANSWERS = "answers.csv"
_LEAD = ("model_id", "question_id", "valid", "n_judges")


@dataclass(frozen=True)
class Scorecard:
    """What a run gives: the document, its tables, the files written, and why the work says no, if it does."""

    document: dict[str, Any]
    tables: tuple[ScoreTable, ...]
    files: tuple[dict[str, Any], ...]
    refusals: tuple[str, ...]


def score(spec_file: Path, folder: Path | None, out: Path) -> Scorecard:
    """Compute the scorecard of `spec_file` over the tables in `folder` (default: beside it) and write it into `out`.

    Raises `BadInput` or `NotFound` for input that cannot be used and a folder that cannot be written; nothing is left
    behind then. A gate that fails, reruns that differ, saved scores or a manifest that do not hold are `refusals`: the
    files are written and say so.
    """
    place = spec_file.parent if folder is None else folder
    _refuse_inside(out, place)
    process = start_second_run(spec_file, place)
    try:
        computed = compute_twice(spec_file, place)
        reruns = finish_second_run(process, computed)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    gate = compare(computed.figures, computed.found)
    document = scorecard_document(computed.spec, computed.data, computed.figures, gate, reruns)
    drawings = draw_figures(document)
    tables = list_tables(document, {name: f"{name}.svg" for name in drawings})
    files = _artifacts(computed, document, tables, drawings)
    return Scorecard(document, tuple(tables), tuple(publish(files, out)), tuple(refusals_of(document)))


def _refuse_inside(out: Path, place: Path) -> None:
    if out.resolve() == place.resolve():
        raise BadInput(f"{out} holds the tables that are read; write the scorecard into another folder")


def _artifacts(
    computed: Computed, document: dict[str, Any], tables: list[ScoreTable], drawings: dict[str, str]
) -> list[Artifact]:
    files = [Artifact(DOCUMENT, canonical_file(document)), _answers(computed.figures["answers"])]
    files.extend(Artifact(f"{name}.svg", text.encode("utf-8")) for name, text in drawings.items())
    files.append(Artifact("report.html", report_html(document, computed.spec.text, tables, drawings)))
    content = {
        "schema": "scorecard-manifest/1",
        "id": computed.spec.id,
        "spec_sha256": document["spec_sha256"],
        "inputs": document["inputs"],
        "files": [artifact.entry() for artifact in sorted(files, key=lambda a: a.path)],
    }
    content["manifest_sha256"] = sha256_hex(canonical_file(content))
    return [*files, Artifact("manifest.json", canonical_file(content))]


def _answers(answers: dict[str, Any]) -> Artifact:
    """Every answer with its averaged values: what each mean is the mean of."""
    first = next(iter(next(iter(answers.values())).values()))
    columns = (*_LEAD, *(name for name in first if name not in _LEAD))
    rows = [
        {"model_id": model, "question_id": question, **values}
        for model, of in answers.items()
        for question, values in of.items()
    ]
    return Artifact(ANSWERS, table_bytes(columns, rows), columns, len(rows))


def refusals_of(document: dict[str, Any]) -> list[str]:
    """Return why the work says no: implementations or runs that differ, saved scores or a manifest that do not hold."""
    said = []
    gate, saved, manifest = document["gate"], document["saved"], document["manifest"]
    if not gate["agrees"]:
        first = gate["differing"][0]["path"]
        said.append(f"the two implementations differ in {gate['n_differing']} values, the first {first}")
    if not document["reruns_identical"]:
        said.append("a second process did not give the same bytes")
    if saved is not None and saved["n_equal"] < saved["n"]:
        row = next(row for row in saved["rows"] if not row["equal"])
        said.append(
            f"{saved['n'] - saved['n_equal']} of {saved['n']} saved scores differ, the first {row['metric']} of "
            f"{row['model_id']}: saved {row['saved']!r}, computed {row['computed']!r}"
        )
    if manifest is not None and not manifest["ok"]:
        at = [*manifest["differing"], *manifest["absent"], *manifest["unlisted"]][0]
        said.append(f"the input manifest does not hold, first for {at}; no interval was copied")
    return said
