"""Records with one value swapped for another kind of value: read or refused in one sentence, never another error."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import BadInput
from app.domain.turnlog.check import check_table
from app.readers.logs import ReadLogs, read_logs
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


def attempt(path: Path, name: str) -> tuple[str, ReadLogs | None]:
    """What is said of the file when it is refused (its name when it is read), and what was read."""
    try:
        return path.name, read_logs([path], name)
    except BadInput as error:
        return str(error), None


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_one_odd_value_anywhere_never_breaks_a_reader(tmp_path: Path, name: str) -> None:
    file, value = EXAMPLES[name]
    path = tmp_path / file
    for place in places(value):
        for odd in ODD:
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
