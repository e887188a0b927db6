"""The tables of a scorecard read into its records: each table's columns, types and keys, and whom a row may name.

Responsible for refusing, before anything is computed, a row that cannot be meant: a key twice, a name that no other
table knows, a number out of range. Sheets with their graded facts are in `scorecard_sheets`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.domain.errors import BadInput
from app.domain.scorecard.entities import normal_kind, normal_surface
from app.domain.scorecard.records import (
    Answer,
    Call,
    Entity,
    Fact,
    Input,
    Mention,
    Party,
    Question,
    Review,
    Source,
)
from app.domain.scorecard.spec import ScorecardSpec
from app.readers.scorecard_rows import Cells, RowTable, read_rows, refuse_doubled

STATUSES = ("valid", "failed")
_PARTY = ("display_name", "namespace", "host")


@dataclass
class Folder:
    """Where the tables are, and the hash of each one that was read."""

    place: Path
    spec: ScorecardSpec
    inputs: list[Input] = field(default_factory=list)

    def has(self, role: str) -> bool:
        """Return whether the scorecard names a table."""
        return role in self.spec.tables

    def open(self, role: str, required: Sequence[str], optional: Sequence[str] = ()) -> RowTable:
        """Return the rows of a table and keep its hash; a column that nobody declared is refused."""
        name = self.spec.tables[role]
        known = (*required, *optional, *self.spec.ignored_columns.get(role, ()))
        table = read_rows(self.place / name, name, known, required)
        self.inputs.append(Input(role, name, table.sha256, len(table.rows)))
        return table


def refuse_unknown(row: Cells, column: str, known: Collection[str], what: str) -> str:
    """Return the cell's name, which a table of its own must list."""
    name = row.text(column)
    if name not in known:
        raise row.fault(column, f'there is no {what} "{name}" in the {what}s table')
    return name


def read_questions(folder: Folder) -> tuple[Question, ...]:
    """Return the questions with the attributes that slices and inventories ask for."""
    spec = folder.spec
    columns = tuple(dict.fromkeys([*(entry.column for entry in spec.slices), *spec.inventory]))
    table = _filled(folder.open("questions", ("question_id", *columns)))
    refuse_doubled(table.rows, ("question_id",))
    return tuple(
        Question(row.text("question_id"), {column: row.maybe(column) or "" for column in columns}) for row in table.rows
    )


def read_facts(folder: Folder, questions: Collection[str]) -> tuple[Fact, ...]:
    """Return the gold facts; every question needs a core fact, without which no answer to it has a score."""
    spec = folder.spec
    counted = spec.consensus_of is not None
    required = ("question_id", "fact_id", "salience", *(("contributors",) if counted else ()))
    table = _filled(folder.open("facts", required, ("contributors",)))
    refuse_doubled(table.rows, ("question_id", "fact_id"))
    facts = tuple(
        Fact(
            refuse_unknown(row, "question_id", questions, "question"),
            row.text("fact_id"),
            row.one_of("salience", spec.salience.all),
            _contributors(row, spec.consensus_of),
        )
        for row in table.rows
    )
    bare = sorted(set(questions) - {fact.question_id for fact in facts if fact.salience == spec.salience.core})
    if bare:
        raise BadInput(
            f"{table.name}, column salience: question {bare[0]} has no {spec.salience.core} fact, so no answer to it "
            "has a core recall; add one or leave the question out"
        )
    return facts


def _contributors(row: Cells, every: int | None) -> int | None:
    n = row.whole("contributors")
    if every is not None and n is None:
        raise row.fault("contributors", "the cell is empty; consensus_of needs how many contributors named the fact")
    if every is not None and n is not None and n > every:
        raise row.fault("contributors", f"{n} contributors are more than the {every} there were (consensus_of)")
    return n


def read_parties(folder: Folder, role: str, key: str) -> tuple[Party, ...]:
    """Return models, judges or contributors; models carry the settings of their run headers."""
    settings = tuple(folder.spec.stated_settings) if role == "models" else ()
    optional = ("official",) if role == "judges" else ()
    table = _filled(folder.open(role, (key, *_PARTY, *settings), optional))
    refuse_doubled(table.rows, (key,))
    return tuple(
        Party(
            row.text(key),
            row.text("display_name"),
            row.text("namespace"),
            row.text("host"),
            bool(row.truth("official", True)),
            {name: row.maybe(name) or "" for name in settings},
        )
        for row in table.rows
    )


def read_answers(folder: Folder, models: Collection[str], questions: Collection[str]) -> tuple[Answer, ...]:
    """Return one answer for every model and question; a missing row is refused, a failure needs saying."""
    spec = folder.spec
    lengths = spec.length.columns if spec.length else ()
    ruled = {rule.name: rule.column for rule in spec.rules}
    columns = dict.fromkeys((*lengths, *ruled.values()))
    table = _filled(folder.open("answers", ("model_id", "question_id", "status", *columns)))
    refuse_doubled(table.rows, ("model_id", "question_id"))
    answers = tuple(_answer(row, (models, questions), lengths, ruled) for row in table.rows)
    there = {(answer.model_id, answer.question_id) for answer in answers}
    for model in sorted(models):
        for question in sorted(questions):
            if (model, question) not in there:
                raise BadInput(
                    f"{table.name}, column question_id: model {model} has no row for question {question}; write one "
                    f"with status {' or '.join(STATUSES)}"
                )
    return answers


def _answer(
    row: Cells, known: tuple[Collection[str], Collection[str]], lengths: Sequence[str], ruled: Mapping[str, str]
) -> Answer:
    parts = [row.number(column, low=0) for column in lengths]
    length = None if not parts or None in parts else sum(part for part in parts if part is not None)
    return Answer(
        refuse_unknown(row, "model_id", known[0], "model"),
        refuse_unknown(row, "question_id", known[1], "question"),
        row.one_of("status", STATUSES) == "valid",
        length,
        {name: row.truth(column) for name, column in ruled.items()},
    )


def read_calls(folder: Folder) -> tuple[Call, ...] | None:
    """Return the saved calls; an empty cost or latency is null."""
    if not folder.has("calls"):
        return None
    table = folder.open("calls", ("phase", "actor_id", "replaced", "cost", "latency_seconds"))
    calls = []
    for row in table.rows:
        replaced = row.truth("replaced")
        if replaced is None:
            raise row.fault("replaced", "the cell is empty; write true where a later retry stands in its place")
        cost, latency = row.number("cost", low=0), row.number("latency_seconds", low=0)
        calls.append(Call(row.text("phase"), row.text("actor_id"), replaced, cost, latency))
    return tuple(calls)


def read_sources(folder: Folder, questions: Collection[str]) -> tuple[Source, ...] | None:
    """Return the source texts of the questions by publisher."""
    if not folder.has("sources"):
        return None
    table = folder.open("sources", ("question_id", "source_id", "publisher"))
    refuse_doubled(table.rows, ("question_id", "source_id"))
    return tuple(
        Source(refuse_unknown(row, "question_id", questions, "question"), row.text("publisher")) for row in table.rows
    )


def read_reviews(
    folder: Folder, models: Collection[str], questions: Collection[str], judges: Collection[str]
) -> tuple[Review, ...] | None:
    """Return the grade sheets picked for human review, and whether each was reviewed."""
    if not folder.has("reviews"):
        return None
    table = folder.open("reviews", ("model_id", "question_id", "judge_id", "reviewed"))
    refuse_doubled(table.rows, ("model_id", "question_id", "judge_id"))
    return tuple(
        Review(
            refuse_unknown(row, "model_id", models, "model"),
            refuse_unknown(row, "question_id", questions, "question"),
            refuse_unknown(row, "judge_id", judges, "judge"),
            bool(row.truth("reviewed", False)),
        )
        for row in table.rows
    )


def read_entities(folder: Folder, questions: Collection[str]) -> tuple[Entity, ...] | None:
    """Return the gold entities; `aliases` are further surfaces, `;` between them."""
    if not folder.has("gold_entities"):
        return None
    table = folder.open("gold_entities", ("question_id", "entity_id", "type", "surface"), ("aliases",))
    refuse_doubled(table.rows, ("question_id", "entity_id"))
    entities = []
    taken: dict[tuple[str, str, str], str] = {}
    for row in table.rows:
        question, kind = refuse_unknown(row, "question_id", questions, "question"), row.text("type")
        aliases = [alias.strip() for alias in (row.maybe("aliases") or "").split(";") if alias.strip()]
        surfaces = (row.text("surface"), *aliases)
        for surface in surfaces:
            if not normal_surface(surface):
                raise row.fault("surface", f'"{surface[:40]}" has no letter or digit to compare')
            key = (question, normal_surface(surface), normal_kind(kind))
            if taken.setdefault(key, row.text("entity_id")) != row.text("entity_id"):
                raise row.fault(
                    "surface",
                    f'"{surface[:40]}" is also a surface of entity {taken[key]} of this question; '
                    "one surface and type may mean one entity",
                )
        entities.append(Entity(question, row.text("entity_id"), kind, surfaces))
    return tuple(entities)


def read_mentions(folder: Folder, models: Collection[str], questions: Collection[str]) -> tuple[Mention, ...] | None:
    """Return the entities the answers name."""
    if not folder.has("answer_entities"):
        return None
    table = folder.open("answer_entities", ("model_id", "question_id", "type", "surface"))
    return tuple(
        Mention(
            refuse_unknown(row, "model_id", models, "model"),
            refuse_unknown(row, "question_id", questions, "question"),
            row.text("type"),
            row.text("surface"),
        )
        for row in table.rows
    )


def _filled(table: RowTable) -> RowTable:
    if not table.rows:
        raise BadInput(f"{table.name}: has a header and no rows; there is nothing to score")
    return table
