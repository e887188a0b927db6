"""Parquet with one row a turn: turnlog/1 itself, and hand-made files that hold at least its required columns.

Responsible for bringing hand-made columns to turnlog/1 (other integer and text types, JSON text for lists, times
without a zone, missing columns filled) and for refusing, with row and column, what breaks its rules. Files with one row
a session are `parquet_wide`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa

from app.domain.errors import BadInput
from app.domain.turnlog.check import Fault, check_table, in_order
from app.domain.turnlog.linking import link_turns
from app.domain.turnlog.schema import REQUIRED_OF_HAND_MADE, SCHEMA, VERSION, table_from_turns, turns_from_table
from app.domain.turnlog.turns import ToolResult, Turn
from app.readers.columns import normal_column
from app.readers.format import Format
from app.readers.left_over import with_left_over
from app.readers.parquet_input import is_parquet, open_parquet, pieces_of, readable
from app.readers.pieces import is_cut
from app.readers.source import Source

_PIECE = 20_000


def is_canonical(schema: pa.Schema, name: str) -> bool:
    """Return whether the schema claims to be a turn log of the version read here. Raises `BadInput` for another one."""
    version = (schema.metadata or {}).get(b"turnlog.version")
    if version not in (None, VERSION.encode()):
        said = version.decode("utf-8", "replace")
        raise BadInput(f"{name}: turn log version {said} is not known; this reads version {VERSION}")
    return version is not None


def recognise_canonical(source: Source) -> str | None:
    """Return why the file is a canonical turn log, or None. Raises `BadInput` for a version not read here."""
    if is_parquet(source) and is_canonical(open_parquet(source).schema_arrow, source.name):
        return "its schema says turnlog.version 1"
    return None


def recognise(source: Source) -> str | None:
    """Return why the file has one row a turn, or None."""
    if not is_parquet(source):
        return None
    names = set(open_parquet(source).schema_arrow.names)
    if {"turn_index", "session_id"} <= names or {"session_id", "role", "text"} <= names:
        return "it has one row a turn (session_id, turn_index, role, text)"
    return None


@dataclass(frozen=True)
class Normal:
    """A file as a turnlog/1 table in its own row order, and every fault that keeps it from being one."""

    table: pa.Table
    faults: list[Fault]


def read_table(source: Source) -> pa.Table:
    """Return the file as a valid turnlog/1 table, sorted. Raises `BadInput` naming file, row and column of a fault."""
    normal = normalise(whole_table(source), source.name)
    if normal.faults:
        raise BadInput(told(normal.faults, source.name))
    return in_order(normal.table)


def told(faults: list[Fault], name: str) -> str:
    """Return the first fault as one sentence naming file, row and column, and how many more there are."""
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{name} {faults[0].sentence()}{more}"


def whole_table(source: Source, repaired: bool = True) -> pa.Table:
    """Return the file's rows as they stand, text that is not UTF-8 `repaired` with a warning. Raises `BadInput`."""
    file = open_parquet(source)
    parts: list[pa.Table] = []
    first = 0
    for piece in pieces_of(source, file, _PIECE):
        parts.append(readable(piece, source, first) if repaired else piece)
        first += piece.num_rows
    if not parts:
        return file.schema_arrow.empty_table()
    return pa.concat_tables(parts).unify_dictionaries()


def normalise(table: pa.Table, name: str) -> Normal:
    """Return a canonical table as it is, a hand-made one brought to turnlog/1, linked where it needs it.

    Raises `BadInput` naming file `name`, row and column for columns that are missing or hold what cannot be read.
    """
    if is_canonical(table.schema, name):
        return Normal(table, check_table(table, must_be_sorted=False))
    _require_columns(table, name)
    columns = [normal_column(table, field, name) for field in SCHEMA]
    normal = pa.Table.from_arrays([column.values for column in columns], schema=SCHEMA)
    normal = with_left_over(normal, table)
    answers_in_text = "tool_calls" in table.column_names and "tool_results" not in table.column_names
    if not answers_in_text and not any(column.needs_linking for column in columns):
        return Normal(normal, check_table(normal, must_be_sorted=False))
    faults = check_table(_without_items(normal), must_be_sorted=False)
    if faults:
        return Normal(normal, faults)
    linked = _linked(normal, answers_in_text)
    return Normal(linked, check_table(linked, must_be_sorted=False))


def _require_columns(table: pa.Table, name: str) -> None:
    for wanted in REQUIRED_OF_HAND_MADE:
        if wanted not in table.column_names:
            needed = ", ".join(REQUIRED_OF_HAND_MADE)
            raise BadInput(f"{name}: the column {wanted} is missing; a turn log needs {needed}")
    doubled = next((n for n in table.column_names if table.column_names.count(n) > 1), None)
    if doubled:
        raise BadInput(f"{name}: the column {doubled} stands there twice; keep one")


def _without_items(table: pa.Table) -> pa.Table:
    for place, field in enumerate(SCHEMA):
        if field.name in ("tool_calls", "tool_results"):
            table = table.set_column(place, field, pa.array([[]] * len(table), type=field.type))
    return table


def _linked(table: pa.Table, answers_in_text: bool) -> pa.Table:
    """The table with keys and matches found, each row in its place.

    `answers_in_text`: there is no column of results, so the words of a tool row are one (its output stays null: the
    words are in `text`).
    """
    turns = turns_from_table(table)
    sessions: dict[str, list[tuple[int, Turn]]] = {}
    for row, turn in enumerate(turns):
        whole = replace(turn, tool_results=(_answer(turn),)) if answers_in_text and turn.role == "tool" else turn
        sessions.setdefault(turn.session_id, []).append((row, whole))
    for rows in sessions.values():
        rows.sort(key=lambda pair: pair[1].turn_index)
        for (row, _), turn in zip(rows, link_turns(turn for _, turn in rows), strict=True):
            turns[row] = turn
    return table_from_turns(turns)


def _answer(turn: Turn) -> ToolResult:
    cut = is_cut(turn.text)
    result = ToolResult(None, "none", len((turn.text or "").encode("utf-8")), truncated=cut)
    return replace(result, truncated_by="source" if cut else None)


CANONICAL = Format(
    name="turnlog",
    description="The canonical turn log itself (turnlog/1)",
    recognise=recognise_canonical,
    read_table=read_table,
)
FORMAT = Format(
    name="parquet-long",
    description="Parquet with one row a turn, made by hand: columns session_id, turn_index, role, text, any others",
    recognise=recognise,
    read_table=read_table,
)
