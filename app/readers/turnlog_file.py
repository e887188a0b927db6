"""The canonical turn-log file on disk: written whole or not at all, pinned by its hash, read session by session.

Responsible for bytes: the same log gives the same file; row groups hold whole sessions so that one session is read
without the others. It does not convert (`logs.py`) and never repairs: a file that breaks a rule is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from app.domain.errors import BadInput, Conflict, NotFound
from app.domain.turnlog.check import check_table
from app.domain.turnlog.schema import SCHEMA, turns_from_table
from app.domain.turnlog.stream_check import StreamCheck
from app.domain.turnlog.turns import Turn
from app.readers.parquet_input import open_parquet, pieces_of
from app.readers.parquet_long import is_canonical, told
from app.readers.source import Source, reason_of

ROWS_A_GROUP = 2_000
_ROWS_A_PIECE = 4_096
IDENTITY_COLUMNS = ("model", "arm", "run_id", "task_id", "agent", "src_file", "session_id", "author")


@dataclass(frozen=True)
class Pinned:
    """A file as it was when it was pinned: where, its SHA-256 (lower-case hex) and its size in bytes."""

    path: Path
    sha256: str
    bytes: int


def pin(path: Path) -> Pinned:
    """Return the file's hash and size. Raises `NotFound` where there is no such file."""
    try:
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
                size += len(block)
    except OSError as error:
        raise NotFound(f"{path.name}: the file cannot be read ({reason_of(error)})") from error
    return Pinned(path, digest.hexdigest(), size)


def verify_pin(pinned: Pinned) -> None:
    """Raise `Conflict` if the file's bytes are no longer those that were pinned, `NotFound` if it is gone."""
    now = pin(pinned.path)
    if (now.sha256, now.bytes) != (pinned.sha256, pinned.bytes):
        raise Conflict(
            f"{pinned.path.name}: the file changed since it was pinned (sha256 {now.sha256[:12]}..., "
            f"pinned {pinned.sha256[:12]}...); put the pinned file back"
        )


def write_turn_log(path: Path, table: pa.Table) -> Pinned:
    """Write the table as a canonical file and return its pin; the old file stays until the new one is complete.

    zstd, sorted as given, whole sessions in row groups of about `ROWS_A_GROUP` rows. Raises `BadInput` for a table that
    breaks a rule or a place that cannot be written; nothing is left behind then.
    """
    faults = check_table(table)
    if faults:
        raise BadInput(told(faults, path.name))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise BadInput(f"{path.name}: cannot be written there ({reason_of(error)})") from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            _write(file, table)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o644)
        part.replace(path)
    except OSError as error:
        raise BadInput(f"{path.name}: cannot be written there ({reason_of(error)})") from error
    finally:
        part.unlink(missing_ok=True)
    return pin(path)


def _write(file: Any, table: pa.Table) -> None:
    schema = SCHEMA.with_metadata(table.schema.metadata)
    statistics = ["session_id", "turn_index"]
    with pq.ParquetWriter(file, schema, compression="zstd", write_statistics=statistics) as writer:
        cuts = group_cuts(table)
        for start, end in pairwise(cuts):
            writer.write_table(table.slice(start, end - start).cast(schema), row_group_size=max(end - start, 1))


def group_cuts(table: pa.Table) -> list[int]:
    """Return the rows at which row groups begin, and the end: whole sessions, `ROWS_A_GROUP` rows or more each."""
    names = table.column("session_id")
    cuts = [0]
    if len(names) > 1:
        changes = pc.indices_nonzero(pc.not_equal(names[1:], names[:-1])).to_pylist()
        for change in changes:
            if change + 1 - cuts[-1] >= ROWS_A_GROUP:
                cuts.append(change + 1)
    if len(names) > cuts[-1]:
        cuts.append(len(names))
    return cuts


def check_file(path: Path) -> StreamCheck:
    """Return the check of a canonical file, piece by piece. Raises `BadInput` for any other, or one without turns."""
    source = source_at(path)
    file = open_parquet(source)
    _require_canonical(file, path.name)
    check = StreamCheck()
    for piece in pieces_of(source, file, _ROWS_A_PIECE):
        check.feed(piece)
    check.finish()
    if check.turns == 0:
        raise BadInput(f"{path.name}: holds no turn; a turn log has a row a turn")
    return check


def _require_canonical(file: pq.ParquetFile, name: str) -> None:
    if not is_canonical(file.schema_arrow, name):
        raise BadInput(f"{name}: not a canonical turn log; make one of it with saydo log convert")


def source_at(path: Path) -> Source:
    """Return the file at `path` as a source named by its last part. Raises `NotFound` where there is none."""
    if not path.is_file():
        raise NotFound(f"{path.name}: there is no such file")
    return Source(path, path.name)


def open_turn_log(path: Path, checked: bool = True) -> TurnLog:
    """Return the canonical file, checked row by row unless its pin was verified by the caller (`checked=False`).

    Raises `BadInput` naming file, row and column of the first fault, `NotFound` where there is no such file.
    """
    if checked:
        check = check_file(path)
        if check.faults:
            raise BadInput(told(check.faults, path.name))
    file = open_parquet(source_at(path))
    _require_canonical(file, path.name)
    return TurnLog(path, file)


class TurnLog:
    """A canonical turn log, open for reading; sessions are read one at a time, by the row groups they stand in."""

    def __init__(self, path: Path, file: pq.ParquetFile) -> None:
        self.path = path
        self._file = file
        self._last: tuple[tuple[int, ...], pa.Table] | None = None

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """Session id → its first row in the file and how many rows it has."""
        places: dict[str, tuple[int, int]] = {}
        names = self._file.read(columns=["session_id"]).column("session_id")
        encoded = names.dictionary_encode().combine_chunks()
        counts = pc.value_counts(encoded.indices)
        first = 0
        for code, count in zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True):
            places[encoded.dictionary[code].as_py()] = (first, count)
            first += count
        return places

    @cached_property
    def _group_starts(self) -> list[int]:
        starts = [0]
        for group in range(self._file.metadata.num_row_groups):
            starts.append(starts[-1] + self._file.metadata.row_group(group).num_rows)
        return starts

    def session_ids(self) -> list[str]:
        """Return the ids of all sessions, in file order (sorted)."""
        return list(self._places)

    def count_turns(self) -> int:
        """Return the number of rows of the whole log."""
        return int(self._file.metadata.num_rows)

    def turns(self, session_id: str) -> list[Turn]:
        """Return one session's turns in order, reading only the row groups it stands in. Raises `NotFound`."""
        if session_id not in self._places:
            raise NotFound(f"{self.path.name}: there is no session {session_id!r}")
        first, count = self._places[session_id]
        starts = self._group_starts
        groups = tuple(g for g in range(len(starts) - 1) if starts[g] < first + count and starts[g + 1] > first)
        if self._last is None or self._last[0] != groups:
            self._last = (groups, self._file.read_row_groups(list(groups)))
        return turns_from_table(self._last[1].slice(first - starts[groups[0]], count))

    def identities(self) -> dict[str, list[str]]:
        """Return the distinct non-null values, sorted, of every column that could name a model, arm, run or task.

        `author` leaves out the value `user`: a simulated user who calls tools is no identity.
        """
        table = self._file.read(columns=list(IDENTITY_COLUMNS))
        found = {name: _distinct(table.column(name)) for name in IDENTITY_COLUMNS}
        found["author"] = [name for name in found["author"] if name != "user"]
        return found

    def values_of(self, name: str) -> list[str]:
        """Return the distinct values, sorted, under any name: a column of the file, or a key kept in `extra_json`."""
        if name in self._file.schema_arrow.names:
            return _distinct(self._file.read(columns=[name]).column(name))
        found: set[str] = set()
        for extra in self._file.read(columns=["extra_json"]).column("extra_json").to_pylist():
            if extra and json.dumps(name) in extra:
                held = json.loads(extra)
                value = held.get(name) if isinstance(held, dict) else None
                found.update([str(value)] if isinstance(value, str | int | float) else [])
        return sorted(found)

    def metadata(self) -> dict[str, str]:
        """Return what the file says of itself: version, source format, importer, source hashes, offset unit."""
        held = self._file.schema_arrow.metadata or {}
        return {k.decode(): v.decode("utf-8", "replace") for k, v in held.items() if not k.startswith(b"ARROW:")}


def _distinct(column: pa.ChunkedArray) -> list[str]:
    plain = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
    return sorted(value for value in pc.unique(plain).to_pylist() if value is not None)
