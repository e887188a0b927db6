"""Checking a turn-log file that may be canonical or hand-made, and telling all its faults instead of the first.

A canonical file is streamed (`turnlog_file.check_file`); a hand-made one is brought to turnlog/1 first, its rows
keeping their places. Nothing is written.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc

from app.domain.errors import BadInput
from app.domain.turnlog.check import text_faults
from app.domain.turnlog.stream_check import StreamCheck
from app.readers.parquet_input import open_parquet
from app.readers.parquet_long import is_canonical, normalise, whole_table
from app.readers.turnlog_file import check_file, source_at


def check_any(path: Path) -> StreamCheck:
    """Return the finished check of a file with one row a turn: its faults, sessions and turns.

    Raises `NotFound` where there is no such file, `BadInput` where it holds no turns or cells that cannot be read.
    """
    source = source_at(path)
    if is_canonical(open_parquet(source).schema_arrow, source.name):
        return check_file(path)
    raw = whole_table(source, repaired=False)
    broken = text_faults(raw)
    normal = normalise(whole_table(source), source.name)
    if normal.table.num_rows == 0:
        raise BadInput(f"{source.name}: holds no turn; a turn log has a row a turn")
    sessions = pc.count_distinct(normal.table.column("session_id")).as_py()
    return StreamCheck(faults=[*broken, *normal.faults], sessions=sessions, turns=normal.table.num_rows)
