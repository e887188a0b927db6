"""`report.html` of a scorecard: one file that reads without a network, every table with its plan line and boundaries.

It lays the document out in words, tables and figures; it computes nothing, runs nothing and carries no time of its own.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.config import templates_dir
from app.services.scorecard.figures import CAPTIONS
from app.services.scorecard.table import ScoreTable

_SHEETS = ("report/report.css", "scorecard/scorecard.css")


@dataclass(frozen=True)
class ScorecardPage:
    """What the template gets."""

    document: Mapping[str, Any]
    registration: str
    tables: tuple[ScoreTable, ...]
    drawings: Mapping[str, Markup]
    captions: Mapping[str, str]


def report_html(
    document: Mapping[str, Any], registration: str, tables: Sequence[ScoreTable], drawings: Mapping[str, str]
) -> bytes:
    """Return the report as one HTML file.

    `registration` is the scorecard file verbatim; `drawings` are our own SVG texts by the name of their table.
    """
    environment = Environment(
        loader=FileSystemLoader(templates_dir()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style = "".join((templates_dir() / sheet).read_text(encoding="utf-8") for sheet in _SHEETS)
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    # Our own files and drawings, whose texts are escaped where they are drawn; no input.
    sheet = Markup("<{0}>{1}</{0}>").format("style", Markup(style))  # noqa: S704
    inline = {name: Markup(text) for name, text in drawings.items()}  # noqa: S704
    page = ScorecardPage(document, registration, tuple(tables), inline, CAPTIONS)
    template = environment.get_template("scorecard/report.html")
    return template.render(page=page, sheet=sheet, digest=digest).encode("utf-8", "replace")
