"""Any agent logs → one canonical turn log: the entry that commands and services call.

Responsible for finding the files, choosing formats, keeping session ids unique over all of them, sorting, counting. The
formats read; `turnlog_file.py` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from app.domain.canonical import canonical_json
from app.domain.errors import BadInput
from app.domain.turnlog.check import check_table, in_order
from app.domain.turnlog.schema import table_from_turns
from app.domain.turnlog.turns import Turn
from app.readers.format import Format
from app.readers.notes import Notes
from app.readers.parquet_long import told
from app.readers.secret_scan import warn_of_secrets
from app.readers.session_names import SessionNames
from app.readers.sniff import FORMATS, find_format, get_format, recognise
from app.readers.source import Source

IMPORTER_VERSION = "1"  # raised when the same source would give another log
_SUFFIXES = (".parquet", ".jsonl", ".ndjson", ".json", ".traj", ".eval", ".gz", ".pq")
_TURNS_A_PIECE = 20_000


@dataclass(frozen=True)
class ReadLogs:
    """A canonical table (sorted, checked), the name of its source format (several joined by `+`), counts, warnings.

    `counts`: sessions, turns, tool_calls, tool_results, matched_by_id, matched_by_order, matched_inline (those of the
    former that stand in their call's own source record), unmatched, truncated. `reasons`: file name → why its format
    was chosen.
    """

    table: pa.Table
    format: str
    counts: Mapping[str, int]
    warnings: tuple[str, ...]
    reasons: Mapping[str, str]


def formats() -> list[tuple[str, str]]:
    """Return (name, description) of every format read, in the order they are tried."""
    return [(form.name, form.description) for form in FORMATS]


def read_logs(
    paths: Sequence[Path], format_name: str | None = None, on_file: Callable[[str], None] | None = None
) -> ReadLogs:
    """Return all the files (folders are searched) as one turn log. `on_file` is told each file's name as it is read.

    Raises `BadInput` naming file, row and column for what cannot be read; repaired things come back as warnings.
    """
    notes = Notes()
    groups: dict[str, tuple[Format, list[Source]]] = {}
    reasons: dict[str, str] = {}
    for source in find_sources(paths, notes):
        chosen = _format_of(source, format_name)
        if chosen is None:
            notes.warn(source.name, "no known log format, left out")
            continue
        groups.setdefault(chosen[0].name, (chosen[0], []))[1].append(source)
        reasons[source.name] = chosen[1]
    names = SessionNames(notes)
    parts = [part for form, sources in groups.values() for part in _tables(form, sources, names, on_file)]
    turns = sum(part.num_rows for part in parts)
    if not turns:
        raise BadInput(f"{', '.join(reasons) or 'the sources'}: no turns were found")
    read_as = "+".join(sorted(groups))
    table = _assembled(parts, read_as, [source for _, sources in groups.values() for source in sources])
    warn_of_secrets(table, notes)
    return ReadLogs(table, read_as, count_turns(table), tuple(notes.warnings()), reasons)


def find_sources(paths: Sequence[Path], notes: Notes) -> list[Source]:
    """Return the files at the paths, folders searched for log files, each once, names relative. Raises `BadInput`."""
    found: dict[Path, Source] = {}
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.is_file() and p.name.lower().endswith(_SUFFIXES))
            if not inside:
                raise BadInput(f"{path.name}: the folder holds no log file")
            for file in inside:
                found.setdefault(file.resolve(), Source(file, file.relative_to(path).as_posix(), notes, True))
        elif path.is_file():
            found.setdefault(path.resolve(), Source(path, path.name, notes))
        else:
            raise BadInput(f"{path.name}: there is no such file")
    if not found:
        raise BadInput("no source file was named")
    return list(found.values())


def _format_of(source: Source, format_name: str | None) -> tuple[Format, str] | None:
    """The file's format and why; None for a file in a folder that no format knows."""
    if format_name is not None:
        return get_format(format_name), "named"
    try:
        chosen = find_format(source) if source.searched else recognise(source)
    except RecursionError as error:
        raise BadInput(f"{source.name}: the JSON is nested too deeply to be a log") from error
    return (chosen.format, chosen.reason) if chosen else None


def _tables(
    form: Format, sources: Sequence[Source], names: SessionNames, on_file: Callable[[str], None] | None
) -> Iterator[pa.Table]:
    if form.read_table is not None:
        for source in sources:
            if on_file:
                on_file(source.name)
            yield names.unique_table(form.read_table(source), source.name)
        return
    held: list[Turn] = []
    for turns in _sessions(form, sources):
        if on_file and turns:
            on_file(turns[0].src_file or "")
        held.extend(names.unique_turns(turns))
        if len(held) >= _TURNS_A_PIECE:
            yield table_from_turns(held)
            held = []
    yield table_from_turns(held)


def _sessions(form: Format, sources: Sequence[Source]) -> Iterator[list[Turn]]:
    try:
        yield from form.read(sources)
    except RecursionError as error:
        raise BadInput(f"{sources[0].name}: the JSON is nested too deeply to be a log") from error


def _assembled(parts: Sequence[pa.Table], read_as: str, sources: Sequence[Source]) -> pa.Table:
    whole = pa.concat_tables(part.replace_schema_metadata(None) for part in parts).unify_dictionaries()
    table = in_order(whole)
    faults = check_table(table)
    if faults:
        raise BadInput(told(faults, "+".join(source.name for source in sources[:3])))
    if len(sources) == 1 and parts[0].schema.metadata and b"source_format" in parts[0].schema.metadata:
        return table.replace_schema_metadata(parts[0].schema.metadata)
    words = {
        "turnlog.version": "1",
        "source_format": read_as,
        "importer": "saydo",
        "importer_version": IMPORTER_VERSION,
        "source_sha256": canonical_json({source.name: source.sha256 for source in sources}),
        "offset_unit": "codepoint",
    }
    return table.replace_schema_metadata(words)


def count_turns(table: pa.Table) -> dict[str, int]:
    """Return the counts of a turn log that `ReadLogs.counts` names."""
    results = pc.list_flatten(table.column("tool_results"))
    match = pc.struct_field(results, "match")
    found = {name: pc.sum(pc.equal(match, name)).as_py() or 0 for name in ("id", "order", "inline", "none")}
    return {
        "sessions": pc.count_distinct(table.column("session_id")).as_py(),
        "turns": table.num_rows,
        "tool_calls": len(pc.list_flatten(table.column("tool_calls"))),
        "tool_results": len(results),
        "matched_by_id": found["id"],
        "matched_by_order": found["order"] + found["inline"],
        "matched_inline": found["inline"],
        "unmatched": found["none"],
        "truncated": pc.sum(pc.struct_field(results, "truncated")).as_py() or 0,
    }
