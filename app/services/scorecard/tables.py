"""Every table of a scorecard in the order it is printed, each with its plan line and its boundaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.services.scorecard import ledger_tables, score_tables
from app.services.scorecard.table import Body, ScoreTable

_BODIES: Mapping[str, Callable[[Mapping[str, Any]], Body]] = {
    name: getattr(module, name)
    for module, names in (
        (
            score_tables,
            (
                "scores",
                "intervals",
                "sanitised",
                "scenarios",
                "ranks",
                "pairs",
                "focus",
                "consensus",
                "common_subset",
                "length",
            ),
        ),
        (
            ledger_tables,
            (
                "plan",
                "judges_repeat",
                "judges_pairs",
                "overlaps",
                "defects",
                "entities",
                "calls",
                "corpus",
                "settings",
                "rules",
                "saved",
                "copied",
            ),
        ),
    )
    for name in names
}


def list_tables(document: Mapping[str, Any], figures: Mapping[str, str]) -> list[ScoreTable]:
    """Return the tables a document lists; `figures` maps a table's name to the file name of the figure beside it."""
    found = []
    for entry in document["tables"]:
        body = _BODIES[entry["name"]](document)
        found.append(
            ScoreTable(
                name=entry["name"],
                title=entry["title"],
                mark=entry["mark"],
                head=body.head,
                rows=tuple(tuple(row) for row in body.rows),
                numbers=frozenset(range(body.words, len(body.head))),
                planned=entry["planned"],
                completed=entry["completed"],
                boundaries=tuple(entry["boundaries"]),
                note=body.note,
                figure=figures.get(entry["name"]),
            )
        )
    return found
