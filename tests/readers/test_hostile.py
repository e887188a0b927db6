"""Records with one value swapped for another kind of value: read or refused in one sentence, never another error."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.domain.turnlog.check import check_table
from app.readers.logs import ReadLogs, read_logs
from app.readers.turnlog_file import write_turn_log
from tests.readers.examples import EXAMPLES

ODD: tuple[Any, ...] = (
    None,
    True,
    5,
    -1,
    2.5,
    2**70,
    "",
    "x",
    "[",
    [],
    [None],
    [[]],
    {},
    {"type": "text"},
    [{"role": 1}],
)

SOAK = bool(os.environ.get("SAYDO_SOAK"))
EVERY = 1 if SOAK else 5  # in the normal run each place gets three of the odd values, not always the same
FLIPS = 1500 if SOAK else 60


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value inside, itself included."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from places(item, (*path, key))


def swapped(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    whole = copy.deepcopy(value)
    target = whole
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = odd
    return whole


def attempt(path: Path, name: str | None) -> tuple[str, ReadLogs | None]:
    """What is said of the file when it is refused (its name when it is read), and what was read."""
    try:
        return path.name, read_logs([path], name)
    except BadInput as error:
        return str(error), None


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_one_odd_value_anywhere_never_breaks_a_reader(tmp_path: Path, name: str) -> None:
    file, value = EXAMPLES[name]
    path = tmp_path / file
    for n, place in enumerate(places(value)):
        for odd in ODD[n % EVERY :: EVERY]:
            record = swapped(value, place, odd)
            lines = file.endswith(".jsonl") and isinstance(record, list)
            path.write_text("\n".join(map(json.dumps, record)) if lines else json.dumps(record), encoding="utf-8")
            refusal, logs = attempt(path, name)
            assert refusal.startswith(file)
            assert "\n" not in refusal
            assert logs is None or check_table(logs.table) == []


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_each_example_is_recognised_as_what_it_is(tmp_path: Path, name: str) -> None:
    file, value = EXAMPLES[name]
    path = tmp_path / file
    lines = file.endswith(".jsonl")
    path.write_text("\n".join(map(json.dumps, value)) if lines else json.dumps(value), encoding="utf-8")
    logs = read_logs([path])
    assert logs.format == name
    assert logs.warnings == ()
    assert logs.counts["unmatched"] == 0
    assert logs.counts["tool_results"] > 0


def flipped(whole: bytes, rng: random.Random) -> bytes:
    """The file with one byte changed, a few cut out, or its end missing; half of the time near the footer."""
    start = len(whole) - 4000 if rng.random() < 0.5 else 0
    place = rng.randrange(max(start, 0), len(whole))
    return rng.choice(
        [
            whole[:place] + bytes([whole[place] ^ rng.randrange(1, 256)]) + whole[place + 1 :],
            whole[:place] + whole[place + rng.randrange(1, 30) :],
            whole[:place],
        ]
    )


def test_a_damaged_canonical_file_is_read_or_refused(tmp_path: Path) -> None:
    file, value = EXAMPLES["openai-chat"]
    (tmp_path / file).write_text(json.dumps(value), encoding="utf-8")
    path = tmp_path / "log.parquet"
    write_turn_log(path, read_logs([tmp_path / file]).table)
    whole, rng = path.read_bytes(), random.Random(20260725)
    for _ in range(FLIPS):
        path.write_bytes(flipped(whole, rng))
        refusal, logs = attempt(path, None)
        assert refusal.startswith("log.parquet")
        assert logs is None or check_table(logs.table) == []
