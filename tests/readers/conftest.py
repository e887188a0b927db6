"""Where the real logs are, how a file of text is made, how turns are read back from what an import wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from app.domain.turnlog.schema import turns_from_table
from app.domain.turnlog.turns import Turn
from app.readers.logs import ReadLogs, read_logs

DATA = Path(__file__).resolve().parents[2] / "../shared/data/turnlogs"


@pytest.fixture
def real_log() -> Callable[[str], Path]:
    """A real log by its place under the data folder; skips, saying so, where it is absent."""

    def find(name: str) -> Path:
        path = DATA / name
        if not path.exists():
            pytest.skip(f"the real log {name} is not here")
        return path

    return find


@pytest.fixture
def json_file(tmp_path: Path) -> Callable[..., Path]:
    """Write a value as JSON (or as JSON lines) and return the file."""

    def write(value: Any, name: str = "log.json") -> Path:
        path = tmp_path / name
        lines = "\n".join(json.dumps(item) for item in value) + "\n" if name.endswith(".jsonl") else json.dumps(value)
        path.write_text(lines, encoding="utf-8")
        return path

    return write


def turns_of(logs: ReadLogs) -> dict[str, list[Turn]]:
    """The turns of each session."""
    found: dict[str, list[Turn]] = {}
    for turn in turns_from_table(logs.table):
        found.setdefault(turn.session_id, []).append(turn)
    return found


def only_session(path: Path, format_name: str | None = None) -> list[Turn]:
    """The turns of a log that holds one session."""
    (turns,) = turns_of(read_logs([path], format_name)).values()
    return turns


def claims_of(prefix: str) -> list[dict[str, Any]]:
    """The claims of the files whose name starts so; empty where the data is absent."""
    path = DATA / "claims.jsonl"
    if not path.exists():
        return []
    claims = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [claim for claim in claims if claim["file"].startswith(prefix)]


def at_source(turns: Iterable[Turn], index: int) -> list[Turn]:
    """The rows read from that source record."""
    return [turn for turn in turns if index in turn.src_index]


def says(turns: Iterable[Turn], words: str) -> bool:
    """Whether the words stand verbatim in a row's text or in a call's arguments, raw or JSON-escaped."""
    escaped = [json.dumps(words)[1:-1], json.dumps(words, ensure_ascii=False)[1:-1]]
    for turn in turns:
        if words in (turn.text or ""):
            return True
        if any(form in (call.args_json or "") for call in turn.tool_calls for form in (words, *escaped)):
            return True
    return False
