"""RESULTS and REPORT as files: each once in Markdown and once in HTML, from one paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.export.manifest import Artifact
from app.readers.reconcile_spec import parse_spec
from app.services.paper import Paper, in_markdown, kind_of
from app.services.reconcile.report_paper import report_paper
from app.services.reconcile.results_paper import results_paper
from app.services.report_file import render_report


@dataclass(frozen=True)
class Told:
    """The texts a report prints verbatim: the spec, and the registration it expresses where one was given."""

    spec: str
    registration: str | None


def report_files(results: Mapping[str, Any], told: Told, files: Sequence[Artifact]) -> list[Artifact]:
    """Return RESULTS.md, RESULTS.html, REPORT.md and REPORT.html; `files` are those REPORT lists with their hashes."""
    spec = parse_spec(told.spec.encode("utf-8"), "spec.yaml").spec
    entries = [artifact.entry() for artifact in files]
    papers = {
        "RESULTS": results_paper(results),
        "REPORT": report_paper(results, spec, told.spec, told.registration, entries),
    }
    return [artifact for name, paper in papers.items() for artifact in _both(name, paper)]


def _both(name: str, paper: Paper) -> tuple[Artifact, Artifact]:
    html = render_report("report/paper.html", ("report.css", "paper.css"), paper=paper, kind_of=kind_of)
    return Artifact(f"{name}.md", in_markdown(paper)), Artifact(f"{name}.html", html)
