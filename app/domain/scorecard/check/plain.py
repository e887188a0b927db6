"""Second implementation: the records as dictionaries, in the order of their names.

Responsible for the plain form everything here is computed from. Standard library only, besides the plain statistics of
`stats.check`; it imports nothing of what it checks. Rows and declarations come in as plain values, draws as positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

Row = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row] | None]
Spec = Mapping[str, Any]
Found = dict[str, Any]
Draws = Callable[[str, int], Sequence[Sequence[int]]]
"""The draws again: `draws(name, n)` yields each resample of n questions as positions in their order."""

FIRST_GRADE = 1
CREDIT = {"stated": 1.0, "partial": 0.5, "absent": 0.0, "contradicted": 0.0}


@dataclass(frozen=True)
class Panel:
    """The panel: names in order, which answers are valid, the scoring sheets, the gold facts of each question."""

    models: list[str]
    questions: list[str]
    judges: list[str]
    official: list[str]
    valid: Mapping[tuple[str, str], bool]
    sheets: Mapping[tuple[str, str, str], Row]
    gold: Mapping[str, list[Row]]

    def answered(self, model: str) -> list[str]:
        """Return the questions a model answered validly."""
        return [question for question in self.questions if self.valid[model, question]]


def panel_of(tables: Tables) -> Panel:
    """Return the `Panel` of plain tables."""
    valid = {(row["model_id"], row["question_id"]): bool(row["valid"]) for row in rows(tables, "answers")}
    sheets = {}
    for row in rows(tables, "sheets"):
        place = (row["model_id"], row["question_id"])
        if row["valid"] and row["repeat"] == FIRST_GRADE and valid[place]:
            sheets[(*place, row["judge_id"])] = row
    gold: dict[str, list[Row]] = {}
    for row in rows(tables, "facts"):
        gold.setdefault(row["question_id"], []).append(row)
    judges = rows(tables, "judges")
    return Panel(
        in_order([row["party_id"] for row in rows(tables, "models")]),
        in_order([row["question_id"] for row in rows(tables, "questions")]),
        in_order([row["party_id"] for row in judges]),
        in_order([row["party_id"] for row in judges if row["official"]]),
        valid,
        sheets,
        gold,
    )


def rows(tables: Tables, name: str) -> Sequence[Row]:
    """Return a table's rows; none where it was not supplied."""
    return tables[name] or ()


def in_order(names: Sequence[str]) -> list[str]:
    """Return names once each, runs of digits by their number, the rest as text.

    >>> in_order(["m10", "m9", "a", "m9"])
    ['a', 'm9', 'm10']
    """
    return sorted(set(names), key=_key)


def _key(name: str) -> list[tuple[int, int, str]]:
    parts = []
    for is_number, marks in groupby(name, lambda mark: mark in "0123456789"):
        text = "".join(marks)
        parts.append((0, int(text), "") if is_number else (1, 0, text))
    return [*parts, (2, 0, name)]


def mean_of(values: Sequence[float]) -> float | None:
    """Return the mean; None of nothing."""
    return sum(values) / len(values) if values else None


def less(first: float | None, second: float | None) -> float | None:
    """Return first − second; None where one is undefined."""
    return None if first is None or second is None else first - second
