"""What every annotation tool's export gives: who answered what on which item; and the one question taken from it.

Responsible for the shape the tools' readers end in, for choosing one question out of several, and for refusing what is
no single label (several labels, spans, rankings) by file, place and question. It knows no tool and reads no file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.domain.errors import BadInput
from app.domain.stats.ratings import LongTable
from app.readers.ratings_file import DEFAULT_CLUSTER
from app.readers.source import Source


@dataclass(frozen=True)
class Marked:
    """An answer that is no label but marks something: spans, regions, a ranking. `what` says so in the plural."""

    what: str


@dataclass(frozen=True)
class Entry:
    """What one rater answered on one item: answers by question, and what else the item carries, by name.

    An answer is a label (text, number or truth value), a list of labels, `Marked`, or None where none was given.
    `where` says file and place.
    """

    where: str
    unit: str
    rater: str
    answers: Mapping[str, Any]
    context: Mapping[str, Any]


@dataclass(frozen=True)
class Export:
    """All entries of one export in file order, and sentences about what was left out.

    `unsure` says that questions and the item's own columns cannot be told apart in this form of export.
    """

    entries: list[Entry]
    warnings: list[str] = field(default_factory=list)
    unsure: bool = False


@dataclass(frozen=True)
class RatingFormat:
    """An annotation tool's export: its name, what of it is read, how it is recognised and read.

    `rater_is` says where the rater stands, for whoever asks for another column.
    """

    name: str
    description: str
    rater_is: str
    recognise: Callable[[Source], str | None]
    read: Callable[[Sequence[Source]], Export]


@dataclass(frozen=True)
class Asked:
    """What of an export is asked for; None takes what the tool itself calls it (for the run: `run`, if there)."""

    unit: str | None = None
    rater: str | None = None
    label: str | None = None
    cluster: str | None = None


def one_question(export: Export, asked: Asked, name: str) -> tuple[LongTable, str]:
    """Return the answers to one question as a long table, and the question's name.

    Raises `BadInput` where several questions could be meant (`--label` picks one), where the one asked for is not
    there, or where an answer is not exactly one label.
    """
    question = _chosen(export, asked.label, name)
    entries = [entry for entry in export.entries if question in entry.answers]
    units = [_named(entry, asked.unit, "unit") if asked.unit else entry.unit for entry in entries]
    labels = [_one_label(entry, question, export) for entry in entries]
    if not any(label is not None for label in labels):
        raise BadInput(f"{name}: nobody answered {question}; nothing can be compared")
    return LongTable(units, [entry.rater for entry in entries], labels, _runs(entries, asked.cluster)), question


def questions_of(export: Export) -> list[str]:
    """Return the questions that have an answer somewhere, in the order in which they first stand in the file."""
    found: dict[str, None] = {}
    for entry in export.entries:
        found.update(dict.fromkeys(name for name, answer in entry.answers.items() if not _empty(answer)))
    return list(found)


def _chosen(export: Export, asked: str | None, name: str) -> str:
    questions = questions_of(export)
    if asked is not None:
        if asked not in questions:
            raise BadInput(f'{name}: there is no question "{asked}"; those with answers are {_listed(questions)}')
        return asked
    single = [question for question in questions if not _marks(export, question)]
    if not single:
        raise BadInput(_nothing_to_choose(export, questions, name))
    if len(single) > 1:
        raise BadInput(_several(export, single, name))
    return single[0]


def _several(export: Export, questions: Sequence[str], name: str) -> str:
    if not export.unsure:
        return f"{name}: several questions were answered ({_listed(questions)}); choose one with --label"
    differing = [question for question in questions if _differs_within_a_unit(export, question)]
    hint = f"; raters of one item differ in {_listed(differing)}" if differing else ""
    return (
        f"{name}: questions and the items' own columns stand side by side here ({_listed(questions)}){hint}; choose "
        "the question with --label"
    )


def _nothing_to_choose(export: Export, questions: Sequence[str], name: str) -> str:
    if not questions:
        return f"{name}: there is not one answer; nothing can be compared"
    told = ", ".join(f"{question}: {_marks(export, question)}" for question in questions)
    return f"{name}: no question has labels to compare ({told}); agreement is computed on one label a rater and item"


def _marks(export: Export, question: str) -> str | None:
    """Return what a question's answers mark, if all of them mark something."""
    kinds = set()
    for entry in export.entries:
        answer = entry.answers.get(question)
        if not _empty(answer):
            kinds.add(answer.what if isinstance(answer, Marked) else None)
    return " and ".join(sorted(str(kind) for kind in kinds)) if kinds and None not in kinds else None


def _differs_within_a_unit(export: Export, question: str) -> bool:
    seen: dict[str, str] = {}
    return any(
        seen.setdefault(e.unit, repr(e.answers.get(question))) != repr(e.answers.get(question)) for e in export.entries
    )


def _one_label(entry: Entry, question: str, export: Export) -> str | None:
    answer = entry.answers[question]
    if isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    if _empty(answer):
        return None
    if isinstance(answer, Marked):
        raise BadInput(
            f"{entry.where}, question {question}: {answer.what} are marked, not one label given; {_else(export)}"
        )
    if isinstance(answer, list):
        raise BadInput(
            f"{entry.where}, question {question}: {len(answer)} labels by one rater ({_listed(answer)}); agreement is "
            f"computed on one label a rater and item; {_else(export)}"
        )
    return label_text(answer)


def label_text(answer: Any) -> str:
    """Return a stored answer as label text; a whole number reads the same whether it was stored as number or text.

    >>> label_text(3), label_text(True), label_text("3"), label_text(2.5)
    ('3', 'true', '3', '2.5')
    """
    if isinstance(answer, bool):
        return "true" if answer else "false"
    return answer if isinstance(answer, str) else repr(answer)


def _else(export: Export) -> str:
    others = [question for question in questions_of(export) if not _marks(export, question)]
    return f"the questions to choose from with --label are {_listed(others)}" if others else "no question has labels"


def _runs(entries: Sequence[Entry], asked: str | None) -> list[str] | None:
    name = asked or DEFAULT_CLUSTER
    if asked is None and not all(_plain(entry.context.get(name)) for entry in entries):
        return None
    return [_named(entry, name, "cluster") for entry in entries]


def _named(entry: Entry, name: str, option: str) -> str:
    value = entry.context.get(name)
    if not _plain(value):
        there = _listed([key for key, found in entry.context.items() if _plain(found)])
        raise BadInput(f'{entry.where}: the item has no "{name}" for --{option}; it has {there}')
    return label_text(value)


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != ""


def _empty(answer: Any) -> bool:
    return answer is None or (
        isinstance(answer, str | list) and not (answer.strip() if isinstance(answer, str) else answer)
    )


def _listed(names: Iterable[Any], most: int = 12) -> str:
    told = [str(name) for name in names]
    return (", ".join(told[:most]) + (", ..." if len(told) > most else "")) or "none"
