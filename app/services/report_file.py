"""The one way a report becomes an HTML file: self-contained, its style sheet inside, nothing loaded and nothing run.

Responsible for the Jinja environment of reports and the sheet's hash in the file's own security policy. Texts are shown
as text, with invisible direction marks made visible.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.config import templates_dir

_BIDI_MARKS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
_VISIBLE = {ord(mark): f"⟦U+{ord(mark):04X}⟧" for mark in _BIDI_MARKS} | {0: "\u2400"}


def render_report(template: str, styles: Sequence[str] = ("report.css",), **context: Any) -> bytes:
    """Return the bytes of a report; the template also gets `sheet` (the style element) and `digest` (its hash)."""
    environment = Environment(
        loader=FileSystemLoader(templates_dir()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    style = "".join((templates_dir() / "report" / name).read_text(encoding="utf-8") for name in styles)
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    # The sheet stands inside the file because the file must be readable alone; no page of the application has one.
    sheet = Markup("<{0}>{1}</{0}>").format("style", Markup(style))  # noqa: S704 - our own file, no input
    page = environment.get_template(template).render(sheet=sheet, digest=digest, **context)
    return page.encode("utf-8", "replace")


def visible(text: str) -> str:
    """Return a text with invisible direction marks and NUL made visible."""
    return text.translate(_VISIBLE)


def _shown(value: Any) -> Any:
    """Make what cannot be seen visible, in every text the template prints."""
    return visible(value) if type(value) is str else value
