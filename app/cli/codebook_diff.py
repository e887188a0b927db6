"""`saydo codebook diff`: what differs between two codebooks, as lines for a person or as one document.

Thin: the comparison is `app.domain.codebook.difference`; the page of the same name shows it side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.context import settings
from app.cli.edge import emit
from app.domain.codebook.difference import ADDED, CHANGED, HOW, REMOVED, SAME, Difference, EntryChange, Stretch
from app.domain.codebook.model import Codebook

_SIGNS = {ADDED: "+", REMOVED: "-", CHANGED: "~"}
_TOLD_ALONE = ("text", "help", "definition", "message")


def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="A version (0.4, saydo-0.4), or a codebook file.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The version or file to compare it with.")],
    codebooks: Annotated[
        Path | None, typer.Option("--codebooks", help="Folder of codebook files [default: the shipped one].")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Show what differs between two codebooks: labels, fields, kinds, reasons, flags, rules; words in [- -] and {+ +}.

    Exit 0 whether they differ or not; `same` in the JSON document says which.

    Example: saydo codebook diff 0.4 0.5
    """
    from app.domain.codebook.difference import difference_of

    folder = codebooks or settings().codebook_dir
    found = difference_of(_codebook(folder, before), _codebook(folder, after))
    emit(document_of(found), as_json, _lines(found))


def _codebook(folder: Path, name: str) -> Codebook:
    from app.readers.codebook_file import get_codebook, load_codebook

    path = Path(name)
    return load_codebook(path) if path.suffix in (".yaml", ".yml") else get_codebook(folder, name)


def document_of(found: Difference) -> dict[str, Any]:
    """Return the difference as plain values; unchanged entries are counted and not listed."""
    return {
        "from": _named(found.before),
        "to": _named(found.after),
        "same": found.before.sha256 == found.after.sha256,
        "counts": found.counts(),
        "changes": [_change(change) for changes in found.groups.values() for change in changes if change.how != SAME],
    }


def _named(codebook: Codebook) -> dict[str, str]:
    return {
        "id": codebook.id,
        "version": codebook.version,
        "origin": codebook.origin,
        "sha256": codebook.sha256,
    }


def _change(change: EntryChange) -> dict[str, Any]:
    entry = change.entry
    lines = [
        {"kind": line.kind, "how": line.how, "before": _plain(line.before), "after": _plain(line.after)}
        for line in change.lines
        if line.how != SAME
    ]
    return {"group": entry.group, "field": entry.of or None, "code": entry.code, "how": change.how, "lines": lines}


def _plain(stretches: Sequence[Stretch]) -> str | None:
    return "".join(stretch.text for stretch in stretches) if stretches else None


def _lines(found: Difference) -> Iterator[str]:
    yield f"{found.before.id} {found.before.version} → {found.after.id} {found.after.version}"
    for group, counts in found.counts().items():
        yield ""
        yield f"{group}: " + ", ".join(f"{counts[how]} {how}" for how in HOW if counts[how])
        for change in found.groups[group]:
            if change.how != SAME:
                entry = change.entry
                yield f"{_SIGNS[change.how]} {f'{entry.of} ' if entry.of else ''}{entry.code}"
                yield from _words(change)


def _words(change: EntryChange) -> Iterator[str]:
    for line in change.lines:
        if line.how == SAME or (change.how != CHANGED and line.kind not in _TOLD_ALONE):
            continue
        before, after = _marked(line.before, "[-", "-]"), _marked(line.after, "{+", "+}")
        if change.how != CHANGED:
            yield f"    {line.kind}: {_plain(line.before or line.after)}"
            continue
        yield from (f"    {line.kind} {sign} {words}" for sign, words in (("-", before), ("+", after)) if words)


def _marked(stretches: Sequence[Stretch], opening: str, closing: str) -> str:
    return "".join(f"{opening}{s.text}{closing}" if s.marked else s.text for s in stretches)
