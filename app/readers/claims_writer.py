"""Write a claim list as Parquet, CSV or JSONL by its name: same claims, same bytes; whole or not at all.

Responsible for the written forms of a claim. It sorts nothing: the order given is the order written.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from app.domain.claims.claim import Claim
from app.domain.claims.propose import Proposal
from app.domain.errors import BadInput
from app.domain.export.csv_form import line

_BATCH = 10_000  # rows of one row group: a list of any length is written in constant memory


def write_claims(path: Path, claims: Iterable[Claim]) -> int:
    """Write the claims and return how many; raise `BadInput` where `path` cannot be written or ends in something else
    than `.parquet`, `.csv` or `.jsonl`."""
    return _write(path, (asdict(claim) for claim in claims), lead=False)


def write_proposals(path: Path, proposals: Iterable[Proposal]) -> int:
    """Write proposals: the claims' columns, then `kind_guess` and `cue`, which only the lead may see."""
    rows = ({**asdict(p.claim), "kind_guess": p.kind_guess, "cue": p.cue} for p in proposals)
    return _write(path, rows, lead=True)


def _schema(lead: bool) -> Any:
    import pyarrow as pa

    whole, text = pa.int32(), pa.string()
    fields = [
        pa.field("claim_id", text, nullable=False),
        pa.field("session_id", text, nullable=False),
        pa.field("turn_index", whole, nullable=False),
        pa.field("target", text, nullable=False),
        pa.field("span_start", whole, nullable=False),
        pa.field("span_end", whole, nullable=False),
        pa.field("text", pa.large_string(), nullable=False),
        pa.field("text_sha256", text, nullable=False),
        pa.field("unit_parts", whole, nullable=False),
        pa.field("repeat_of", text),
        pa.field("resolved_text", pa.large_string()),
        pa.field("polarity", text),
        pa.field("scope_end_turn", whole),
        pa.field("conditional", pa.bool_(), nullable=False),
        pa.field("condition_turn", whole),
        pa.field("claim_source", text, nullable=False),
    ]
    if lead:
        fields += [pa.field("kind_guess", text, nullable=False), pa.field("cue", text, nullable=False)]
    return pa.schema(fields)


def _write(path: Path, rows: Iterable[dict[str, Any]], *, lead: bool) -> int:
    form = {".parquet": _write_parquet, ".csv": _write_csv, ".jsonl": _write_jsonl}.get(path.suffix.lower())
    if form is None:
        raise BadInput(f"{path.name}: claims are written as .parquet, .csv or .jsonl; name the file so")
    with written_whole(path) as out:
        return form(out, rows, lead)


def _write_parquet(out: BinaryIO, rows: Iterable[dict[str, Any]], lead: bool) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(lead)
    count = 0
    stream = iter(rows)
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        while batch := list(islice(stream, _BATCH)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def _write_csv(out: BinaryIO, rows: Iterable[dict[str, Any]], lead: bool) -> int:
    """Write CSV whose guarded cells the claims reader takes back as they were."""
    columns = _schema(lead).names
    out.write(line(columns).encode("utf-8"))
    count = 0
    for row in rows:
        out.write(line(row.get(name) for name in columns).encode("utf-8"))
        count += 1
    return count


def _write_jsonl(out: BinaryIO, rows: Iterable[dict[str, Any]], lead: bool) -> int:
    columns = _schema(lead).names
    count = 0
    for row in rows:
        out.write((json.dumps({name: row.get(name) for name in columns}, ensure_ascii=False) + "\n").encode("utf-8"))
        count += 1
    return count


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to that takes `path`'s place only when everything went well; otherwise nothing is left."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise BadInput(f"{path.name}: cannot be written there ({error.strerror}); make the folder first") from error
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
