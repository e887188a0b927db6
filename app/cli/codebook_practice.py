"""`saydo codebook practice`: the practice sets of a codebook version, checked whole, and what their references are.

For those who write or install sets, at the machine's own command line: no page shows a rater what is printed here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.context import JsonFlag, settings
from app.cli.edge import emit
from app.domain.codebook.model import Codebook
from app.domain.practice import QUALIFICATION, PracticeSet
from app.readers.codebook_file import get_codebook
from app.readers.practice_file import find_practice

Folder = Annotated[
    Path | None, typer.Option("--codebooks", help="Folder of codebook files [default: the shipped one].")
]


def practice(
    version: Annotated[str, typer.Argument(help="A version, as 0.5, or with its id, as saydo-0.5.")],
    codebooks: Folder = None,
    as_json: JsonFlag = False,
) -> None:
    """List the practice sets of a version and check them whole: exit 2 with the place of the first fault.

    Example: saydo codebook practice 0.5
    """
    folder = codebooks or settings().codebook_dir
    codebook = get_codebook(folder, version)
    sets = find_practice(folder, codebook)
    document = {
        "codebook": {"id": codebook.id, "version": codebook.version, "sha256": codebook.sha256},
        "qualifies": any(one.purpose == QUALIFICATION for one in sets),
        "sets": [_summary(codebook, one) for one in sets],
    }
    emit(document, as_json, _told(codebook, sets))


def _summary(codebook: Codebook, one: PracticeSet) -> dict[str, Any]:
    return {
        "id": one.id,
        "purpose": one.purpose,
        "round": one.round,
        "title": one.title,
        "origin": one.origin,
        "sha256": one.sha256,
        "items": len(one.items),
        "references": _counts(codebook, one),
    }


def _counts(codebook: Codebook, one: PracticeSet) -> dict[str, int]:
    counts = Counter(item.label for item in one.items)
    return {label: counts[label] for label in codebook.labels}


def _told(codebook: Codebook, sets: tuple[PracticeSet, ...]) -> Iterator[str]:
    if not sets:
        yield f"{codebook.id}-{codebook.version} has no practice sets: its raters do not qualify"
    for one in sets:
        yield f"{one.id}  {one.name}  {len(one.items)} items  {one.sha256[:12]}  {one.origin}"
        yield "  references: " + ", ".join(f"{label} {n}" for label, n in _counts(codebook, one).items())
