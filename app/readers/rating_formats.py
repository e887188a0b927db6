"""Ratings from wherever they come: a plain long table, or an annotation tool's export, recognised or named.

Adding a tool is one file and one line here. What a table or an export means is its reader's matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.domain.errors import BadInput
from app.domain.stats.ratings import Ratings
from app.readers import argilla_export, doccano_export, label_studio, potato_export
from app.readers.delimited import DELIMITERS, header_of
from app.readers.rating_export import Asked, RatingFormat, one_question
from app.readers.ratings_file import DEFAULT_CLUSTER, RatingColumns, TableRead, ratings_of, read_ratings
from app.readers.source import Source, reason_of

FORMATS: tuple[RatingFormat, ...] = (
    label_studio.FORMAT,
    potato_export.FORMAT,
    argilla_export.FORMAT,
    doccano_export.FORMAT,
)
TABLE = "table"
NAMES = (TABLE, *(form.name for form in FORMATS))
_LONGEST_HEADER = 1 << 20


def read_any(
    paths: Sequence[Path], asked: Asked, categories: Sequence[str] | None = None, format_name: str | None = None
) -> Ratings:
    """Return the ratings in one long table, or in the files of one tool's export, over the declared categories.

    Without `format_name` the first file says what they are: a header with the columns asked for is a table. Raises
    `BadInput` naming file, place and question or column.
    """
    if format_name is not None and format_name not in NAMES:
        raise BadInput(f"there is no format {format_name!r} of ratings; known are {', '.join(NAMES)}")
    sources = _sources(paths)
    form, reason = _format(sources[0], asked, format_name)
    if form is None:
        if len(paths) > 1:
            raise BadInput(f"{sources[1].name}: a long table is one file; several are read of an annotation tool only")
        return read_ratings(paths[0], _columns(asked), categories)
    if asked.rater is not None:
        raise BadInput(f"--rater is for tables; in {form.name} the rater is {form.rater_is}")
    export = form.read(sources)
    table, question = one_question(export, asked, sources[0].name)
    said = [f"read as {reason}, question {question}", *export.warnings, *_notes(sources)]
    if table.clusters is None:
        name = asked.cluster or DEFAULT_CLUSTER
        said.append(
            f'no "{name}" on the items: every unit stands for itself, and the intervals are too narrow if units of '
            "one run resemble each other"
        )
    entries = [entry for entry in export.entries if question in entry.answers]
    return ratings_of(TableRead(table, question, lambda i: entries[i].where), categories, said)


def _sources(paths: Sequence[Path]) -> list[Source]:
    names = [path.name for path in paths]
    return [
        Source(path, f"{path.absolute().parent.name}/{path.name}" if names.count(path.name) > 1 else path.name)
        for path in paths
    ]


def _format(first: Source, asked: Asked, name: str | None) -> tuple[RatingFormat | None, str]:
    """Return the tool's format and why, or None for a table: whatever no tool's reader knows is read as one."""
    if name == TABLE or (name is None and _is_table(first, asked)):
        return None, "a table"
    if name is not None:
        form = next(form for form in FORMATS if form.name == name)
        return form, form.recognise(first) or f"{name}, as asked"
    for form in FORMATS:
        reason = form.recognise(first)
        if reason:
            return form, reason
    if first.bytes[:2] == b"PK" or (not first.is_binary and first.text.lstrip()[:1] in ("{", "[")):
        known = ", ".join(form.name for form in FORMATS)
        raise BadInput(f"{first.name}: neither a table nor an export of {known}; name it with --format if it is one")
    return None, "a table"


def _is_table(source: Source, asked: Asked) -> bool:
    """Return whether the first line names the columns asked for; a table may be long, so no more is read."""
    columns = {_columns(asked).unit, _columns(asked).rater, _columns(asked).label}
    head = _first_line(source)
    return any(columns <= set(header_of(head, mark)) for mark in DELIMITERS)


def _first_line(source: Source) -> str:
    if source.path.exists() and not source.path.is_file():
        raise BadInput(f"{source.name}: cannot be read (it is no file); give the path of a file")
    try:
        with source.path.open("rb") as file:
            line = file.readline(_LONGEST_HEADER)
    except OSError as error:
        raise BadInput(f"{source.name}: cannot be read ({reason_of(error)}); give the path of a file") from error
    if line.startswith(b"PAR1"):
        raise BadInput(f"{source.name}: this is a Parquet file; give the ratings as CSV")
    return line.decode("utf-8-sig", errors="replace")


def _columns(asked: Asked) -> RatingColumns:
    plain = RatingColumns()
    return RatingColumns(
        asked.unit or plain.unit, asked.rater or plain.rater, asked.label or plain.label, asked.cluster
    )


def _notes(sources: Sequence[Source]) -> list[str]:
    return [warning for source in sources for warning in source.notes.warnings()]
