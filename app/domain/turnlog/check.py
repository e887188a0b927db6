"""Whether a table keeps every rule of turnlog/1, row by row; each breach is a `Fault` with its row and column.

Works on whole columns (a million rows in seconds); `stream_check.py` takes a file piece by piece. Rows count from 0 in
the order of the table. Does not read files, does not repair, does not judge whether a log is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.domain.turnlog.schema import SCHEMA, list_lengths, list_rows, null_faults
from app.domain.turnlog.turns import KINDS, MATCHES, ROLES

MOST_PER_RULE = 1000
_NO_TIME = "the time lies outside the years 1 to 9999"
_CALENDAR = (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC))
CALLING_ROLES = ("assistant", "user")  # a simulated user may call tools too


@dataclass(frozen=True)
class Fault:
    """One broken rule: the row (0-based; None where the whole column is meant), the column and a plain sentence."""

    row: int | None
    column: str
    message: str

    def sentence(self) -> str:
        """Return `row 3, column role: ...`, or the column alone where the fault is the column's."""
        where = f"column {self.column}" if self.row is None else f"row {self.row}, column {self.column}"
        return f"{where}: {self.message}"


def check_table(table: pa.Table, must_be_sorted: bool = True) -> list[Fault]:
    """Return every fault of the table, at most `MOST_PER_RULE` a rule; an empty list means a valid turn log.

    Rules that need sound keys are only judged once the keys are: a table with missing columns, nulls or broken
    numbering is told about those first. `must_be_sorted=False` lets rows stand in any order.
    """
    faults = _column_faults(table) or text_faults(table) or _null_faults(table)
    if faults:
        return faults
    faults = [*_value_faults(table), *_flat_faults(table)]
    order, numbering = _numbering_faults(table, must_be_sorted)
    faults.extend(numbering)
    faults.extend(_first_row_faults(table))
    if not numbering:
        faults.extend(_key_faults(table, order))
    return faults


def _at(rows: Any, column: str, message: str) -> Iterator[Fault]:
    for row in list(rows)[:MOST_PER_RULE]:
        yield Fault(int(row), column, message)


def _where(mask: pa.ChunkedArray | pa.Array) -> Any:
    return np.asarray(pc.indices_nonzero(mask), dtype=np.int64)


def _column_faults(table: pa.Table) -> list[Fault]:
    faults = []
    for wanted in SCHEMA:
        held = [f.type for f in table.schema if f.name == wanted.name]
        if len(held) != 1:
            message = "the column is missing" if not held else "the column stands there twice"
            faults.append(Fault(None, wanted.name, message))
        elif held[0] != wanted.type:
            faults.append(Fault(None, wanted.name, f"the type is {held[0]}, not {wanted.type}"))
    return faults


def text_faults(table: pa.Table) -> list[Fault]:
    """Return a fault for each row of each turnlog/1 column present whose text is not UTF-8."""
    faults: list[Fault] = []
    for name in SCHEMA.names:
        if table.column_names.count(name) != 1:
            continue
        column = table.column(name)
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            faults.extend(_at(unreadable_rows(column), name, "the text is not valid UTF-8"))
    return faults


def unreadable_rows(column: pa.ChunkedArray) -> list[int]:
    """Return the rows of a column whose text cannot be decoded as UTF-8 (slow: asks row by row)."""
    rows = []
    for row in range(len(column)):
        try:
            column[row].as_py()
        except (UnicodeDecodeError, pa.ArrowException):
            rows.append(row)
    return rows


def _null_faults(table: pa.Table) -> list[Fault]:
    return [Fault(row, name, "empty (null) where a value is required") for row, name in null_faults(table)]


def _value_faults(table: pa.Table) -> list[Fault]:
    faults: list[Fault] = []
    for name, allowed in (("role", ROLES), ("kind", KINDS)):
        column = table.column(name)
        rows = _where(pc.invert(pc.is_in(column, value_set=pa.array(allowed))))
        for row in rows[:MOST_PER_RULE]:
            faults.append(Fault(int(row), name, f"{column[int(row)].as_py()!r} is not one of {', '.join(allowed)}"))
    faults.extend(_at(_where(pc.invert(pc.fill_null(_in_calendar(table.column("ts")), True))), "ts", _NO_TIME))
    for name in ("session_id", "thread_id"):
        faults.extend(_at(_where(pc.equal(table.column(name), "")), name, "the name is empty"))
    return faults


def _in_calendar(times: pa.ChunkedArray) -> pa.ChunkedArray:
    first, last = (pa.scalar(moment, type=times.type) for moment in _CALENDAR)
    return pc.and_(pc.greater_equal(times, first), pc.less_equal(times, last))


def _flat_faults(table: pa.Table) -> list[Fault]:
    """Faults inside the list columns that need no other row."""
    faults: list[Fault] = []
    role = table.column("role")
    sources = table.column("src_index")
    negative = list_rows(sources)[_where(pc.less(pc.list_flatten(sources), 0))]
    faults.extend(_at(negative, "src_index", "a source record counts from 0"))
    calling = pc.is_in(role, value_set=pa.array(CALLING_ROLES))
    made = list_lengths(table.column("tool_calls")) > 0
    faults.extend(_at(np.flatnonzero(made & ~np.asarray(calling)), "tool_calls", "only an assistant or user row calls"))
    held = list_lengths(table.column("tool_results")) > 0
    tool = np.asarray(pc.equal(role, "tool"))
    faults.extend(_at(np.flatnonzero(held & ~tool), "tool_results", "results stand only in rows of role tool"))
    return [*faults, *_result_faults(table.column("tool_results"))]


def _result_faults(column: pa.ChunkedArray) -> Iterator[Fault]:
    rows, items = list_rows(column), pc.list_flatten(column)
    match, by = pc.struct_field(items, "match"), pc.struct_field(items, "truncated_by")
    yield from _at(
        rows[_where(pc.invert(pc.is_in(match, value_set=pa.array(MATCHES))))],
        "tool_results.match",
        f"the match is not one of {', '.join(MATCHES)}",
    )
    without_key = pc.is_null(pc.struct_field(items, "call_key"))
    odd = pc.not_equal(pc.equal(match, "none"), without_key)
    yield from _at(
        rows[_where(odd)], "tool_results.call_key", "a result has a call key exactly if its match is not none"
    )
    known = pc.is_in(by, value_set=pa.array(["source", "importer"]))
    odd = pc.not_equal(known, pc.struct_field(items, "truncated"))
    message = "truncated_by says source or importer exactly if truncated"
    yield from _at(
        rows[_where(pc.or_(odd, pc.and_(pc.is_valid(by), pc.invert(known))))], "tool_results.truncated_by", message
    )
    small = pc.less(pc.struct_field(items, "bytes"), 0)
    yield from _at(rows[_where(small)], "tool_results.bytes", "a size is not negative")


def _first_row_faults(table: pa.Table) -> Iterator[Fault]:
    later = pc.and_(pc.is_valid(table.column("outcome_json")), pc.not_equal(table.column("turn_index"), 0))
    yield from _at(_where(later), "outcome_json", "the outcome stands in a session's first row only")


@dataclass(frozen=True)
class _Order:
    """Rows in (session, turn) order: `rows` their places, `start` where each one's session begins in that order."""

    rows: Any
    start: Any


def _codes(column: pa.ChunkedArray) -> Any:
    encoded = column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return np.asarray(encoded.combine_chunks().indices, dtype=np.int64)


def _numbering_faults(table: pa.Table, must_be_sorted: bool) -> tuple[_Order, list[Fault]]:
    codes, turn = _codes(table.column("session_id")), np.asarray(table.column("turn_index"), dtype=np.int64)
    rows = np.lexsort((turn, codes))
    code, number = codes[rows], turn[rows]
    begins = np.ones(len(rows), dtype=bool)
    begins[1:] = code[1:] != code[:-1]
    start = np.maximum.accumulate(np.where(begins, np.arange(len(rows)), 0)) if len(rows) else np.arange(0)
    faults = list(_at(np.flatnonzero(turn < 0), "turn_index", "turns count from 0"))
    same = ~begins
    same[1:] &= number[1:] == number[:-1]
    for row in np.sort(rows[same])[:MOST_PER_RULE]:
        faults.append(Fault(int(row), "turn_index", f"turn {turn[row]} of this session stands there twice"))
    if not faults:
        faults.extend(_gaps(rows, number, start))
    if must_be_sorted and not faults:
        faults.extend(_unsorted(table.column("session_id"), turn))
    return _Order(rows, start), faults


def _gaps(rows: Any, number: Any, start: Any) -> Iterator[Fault]:
    """The first wrong number of each session; what follows it is wrong because of it."""
    wrong = np.flatnonzero(number != np.arange(len(rows)) - start)
    _, first = np.unique(start[wrong], return_index=True)
    for place in wrong[first][:MOST_PER_RULE]:
        expected = int(place - start[place])
        yield Fault(
            int(rows[place]), "turn_index", f"turn {expected} is missing: the numbers of a session run 0, 1, 2 ..."
        )


def in_order(table: pa.Table) -> pa.Table:
    """Return the table sorted by session and turn; the same one where it is already (sorting copies every text)."""
    turn = np.asarray(table.column("turn_index"), dtype=np.int64)
    if not _unsorted(table.column("session_id"), turn):
        return table
    return table.sort_by([("session_id", "ascending"), ("turn_index", "ascending")])


def _unsorted(sessions: pa.ChunkedArray, turn: Any) -> list[Fault]:
    changes = (
        np.asarray(pc.not_equal(sessions[1:], sessions[:-1]), dtype=bool) if len(sessions) > 1 else np.zeros(0, bool)
    )
    for place in np.flatnonzero(changes | (turn[1:] < turn[:-1])):
        row = int(place) + 1
        if not changes[place]:
            return [Fault(row, "turn_index", "rows are not sorted by session and turn")]
        if sessions[row].as_py() < sessions[row - 1].as_py():
            return [Fault(row, "session_id", "rows are not sorted by session and turn")]
    return []


def _key_faults(table: pa.Table, order: _Order) -> list[Fault]:
    turn = np.asarray(table.column("turn_index"), dtype=np.int64)
    calls = table.column("tool_calls")
    rows, lengths = list_rows(calls), list_lengths(calls)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    numbers = [pa.array(values).cast(pa.string()) for values in (turn[rows], nth)]
    due = pc.binary_join_element_wise("t", numbers[0], ".c", numbers[1], "")
    held = pc.struct_field(pc.list_flatten(calls), "call_key")
    wrong = rows[_where(pc.not_equal(held, due))]
    faults = list(_at(wrong, "tool_calls.call_key", "the n-th call of turn i has the key t<i>.c<n>"))
    return [*faults, *_answer_faults(table.column("tool_results"), turn, lengths, order)]


def _answer_faults(results: pa.ChunkedArray, turn: Any, calls_made: Any, order: _Order) -> Iterator[Fault]:
    column = "tool_results.call_key"
    keys = pc.struct_field(pc.list_flatten(results), "call_key")
    asked = np.asarray(pc.is_valid(keys), dtype=bool)
    rows = list_rows(results)[asked]
    parts = pc.extract_regex(pc.drop_null(keys), pattern=r"^t(?P<turn>\d{1,9})\.c(?P<nth>\d{1,9})$")
    sound = np.asarray(pc.is_valid(parts), dtype=bool)
    yield from _at(rows[~sound], column, "the key does not read t<turn>.c<n>")
    parts, rows = pc.drop_null(parts), rows[sound]
    to, nth = (np.asarray(pc.cast(pc.struct_field(parts, name), pa.int64())) for name in ("turn", "nth"))
    place = np.empty(len(turn), dtype=np.int64)
    place[order.rows] = np.arange(len(turn))
    earlier = to < turn[rows]
    yield from _at(rows[~earlier], column, "the call does not stand before its result")
    rows, to, nth = rows[earlier], to[earlier], nth[earlier]
    caller = order.rows[order.start[place[rows]] + to]
    made = nth < calls_made[caller]
    yield from _at(rows[~made], column, "there is no such call in this session")
    _, first = np.unique(caller * 2**30 + nth, return_index=True)  # nth has at most nine digits
    again = np.setdiff1d(np.flatnonzero(made), first)
    yield from _at(rows[again], column, "another result already answers this call")
