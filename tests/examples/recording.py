"""The recorded demo as the tests read it: rows, runs, answers. Reads the committed files, never the scenarios."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from app.domain.blinding.scrub import Scrubber
from app.domain.blinding.term import Term
from app.domain.blinding.terms import study_terms
from app.domain.packets.build import blind_turns, run_of
from app.domain.packets.packet import BlindTurn
from app.domain.turnlog.run import ClaimUnit, Run
from app.domain.turnlog.schema import turns_from_table
from app.domain.turnlog.turns import Turn
from app.readers.parquet_long import read_table
from app.readers.source import Source

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "examples" / "demo"
CODERS = ("gold", "r1", "r2", "again1", "again2")
FILES = {
    "gold": "gold.csv",
    "r1": "codings-r1.csv",
    "r2": "codings-r2.csv",
    "again1": "again-r1.csv",
    "again2": "again-r2.csv",
}


def table(name: str) -> list[dict[str, str]]:
    """Return a recorded CSV file's rows."""
    with (DEMO / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def log_rows() -> list[dict[str, Any]]:
    """Return the readable log's rows."""
    return [json.loads(line) for line in (DEMO / "runs.jsonl").read_text(encoding="utf-8").splitlines()]


@cache
def imported() -> dict[str, list[Turn]]:
    """Return session → turns, read by the reader that reads any hand-made parquet."""
    sessions: dict[str, list[Turn]] = {}
    for turn in turns_from_table(read_table(Source(DEMO / "runs.parquet", "runs.parquet"))):
        sessions.setdefault(turn.session_id, []).append(turn)
    return sessions


def study() -> dict[str, Any]:
    """Return the study file."""
    return yaml.safe_load((DEMO / "study.yaml").read_text(encoding="utf-8"))


def coverage() -> dict[str, Any]:
    """Return session → coverage map and gaps."""
    return yaml.safe_load((DEMO / "coverage.yaml").read_text(encoding="utf-8"))["runs"]


@cache
def terms() -> tuple[Term, ...]:
    """Return what blinding looks for in this study."""
    columns = ("model", "arm", "agent", "task_id", "run_id", "session_id")
    turns = [turn for run in imported().values() for turn in run]
    values = {name: sorted({getattr(t, name) for t in turns if getattr(t, name)}) for name in columns}
    return study_terms(values, study()["blinding"]["terms"], key=b"demo")


@cache
def blinded() -> dict[str, list[BlindTurn]]:
    """Return session → turns as raters see them."""
    scrubber = Scrubber(terms())
    return {name: blind_turns(turns, scrubber) for name, turns in imported().items()}


@cache
def runs() -> dict[str, Run]:
    """Return session → run as the rules see it: blinded, with its coverage map."""
    maps = coverage()
    return {name: run_of(turns, maps[name]["channels"], maps[name]["gaps"]) for name, turns in blinded().items()}


def claim_unit(row: Mapping[str, str]) -> ClaimUnit:
    """Return a claim as the rules need it."""
    return ClaimUnit(
        turn=int(row["turn_index"]),
        text=row["text"],
        unit_parts=int(row["unit_parts"]),
        polarity=row["polarity"] or None,
        scope_end_turn=int(row["scope_end_turn"]) if row["scope_end_turn"] else None,
        conditional=row["conditional"] == "true",
        condition_turn=int(row["condition_turn"]) if row["condition_turn"] else None,
        target=row["target"],
    )


def answer(row: Mapping[str, str]) -> dict[str, Any]:
    """Return a row of a codings file as an answer: lists and the span put together, empty cells absent."""
    plain = {
        name: value
        for name, value in row.items()
        if value and name not in ("claim_id", "warnings_confirmed", "looked_for", "search_from", "search_to")
    }
    said: dict[str, Any] = dict(plain)
    if "evidence" in said:
        said["evidence"] = json.loads(plain["evidence"])
    if "flags" in said:
        said["flags"] = plain["flags"].split(";")
    if row["search_from"]:
        said["search_span"] = {
            "from_turn": int(row["search_from"]),
            "to_turn": int(row["search_to"]),
            "looked_for": row["looked_for"],
        }
    return said


def confirmed(row: Mapping[str, str]) -> set[str]:
    """Return the soft rules a row confirms."""
    return set(filter(None, row["warnings_confirmed"].split(";")))
