"""Grade sheets with their graded facts: a table of sheets beside a table of grades, or JSON lines that hold both.

Responsible for what is a defect and what is an error. A doubled, foreign or missing fact id is a defect of the judge's
sheet and stays as it is; a label that is none, a sheet given twice, grades without a sheet, or an official judge
without a single sheet is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from app.domain.errors import BadInput
from app.domain.scorecard.records import LABELS, OFFICIAL_REPEAT, Answer, Party, Sheet
from app.domain.scorecard.spec import BEST_QUALITY, LEAST_QUALITY
from app.readers.scorecard_rows import NESTED, Cells, RowTable
from app.readers.scorecard_tables import STATUSES, Folder, refuse_unknown

Key = tuple[str, str, str, int]
_KEYS = ("model_id", "question_id", "judge_id", "repeat")


def read_sheets(folder: Folder, names: Mapping[str, Collection[str]]) -> tuple[Sheet, ...]:
    """Return every sheet with its entries as returned.

    `names` are the known ids by column. Raises `BadInput` naming file, row and column.
    """
    nested = folder.spec.tables["sheets"].endswith(".jsonl")
    required = (*_KEYS[:3], "unsupported", *folder.spec.qualities, *((NESTED,) if nested else ()))
    table = folder.open("sheets", required, ("repeat", "status"))
    found: dict[Key, Sheet] = {}
    where: dict[Key, Cells] = {}
    for row in table.rows:
        sheet = _sheet(row, folder, names)
        key = (sheet.model_id, sheet.question_id, sheet.judge_id, sheet.repeat)
        if key in found:
            raise row.fault("judge_id", f"the same sheet stands in {where[key].where}; keep one, or number the repeat")
        found[key], where[key] = sheet, row
    if not nested:
        _add_grades(folder, found)
    return tuple(found.values())


def refuse_idle_judges(
    table: str, judges: tuple[Party, ...], sheets: tuple[Sheet, ...], answers: tuple[Answer, ...]
) -> None:
    """Raise `BadInput` for a judge without a single valid grade of a valid answer."""
    valid = {(answer.model_id, answer.question_id) for answer in answers if answer.valid}
    busy = {
        sheet.judge_id
        for sheet in sheets
        if sheet.valid and sheet.repeat == OFFICIAL_REPEAT and (sheet.model_id, sheet.question_id) in valid
    }
    for row, judge in enumerate(judges, start=1):
        if judge.party_id not in busy:
            raise BadInput(
                f"{table}, row {row}, column judge_id: judge {judge.party_id} has no valid first grade of any valid "
                "answer; add its sheets or take it out of the table"
            )


def _sheet(row: Cells, folder: Folder, names: Mapping[str, Collection[str]]) -> Sheet:
    place = [refuse_unknown(row, f"{what}_id", names[what], what) for what in ("model", "question", "judge")]
    repeat = _repeat(row)
    valid = row.maybe("status") is None or row.one_of("status", STATUSES) == "valid"
    quality = tuple(row.number(column, LEAST_QUALITY, BEST_QUALITY) for column in folder.spec.qualities)
    sheet = Sheet(place[0], place[1], place[2], repeat, valid, row.whole("unsupported"), quality)
    if row.nested is None:
        return sheet
    if row.nested and not valid:
        raise row.fault(NESTED, "the sheet is marked as failed and holds graded facts; one of the two is wrong")
    return replace(sheet, entries=tuple(_entry(row, item, at) for at, item in enumerate(row.nested, start=1)))


def _entry(row: Cells, item: object, at: int) -> tuple[str, str]:
    if not isinstance(item, dict) or set(item) != {"fact_id", "label"}:
        raise row.fault(NESTED, f"fact {at} takes an object with fact_id and label")
    fact = Cells(f"{row.where}, fact {at}", {name: value for name, value in item.items() if isinstance(value, str)})
    return fact.text("fact_id"), fact.one_of("label", LABELS)


def _repeat(row: Cells) -> int:
    repeat = row.whole("repeat", OFFICIAL_REPEAT)
    if not repeat:
        raise row.fault("repeat", "takes 1 for the first grade, 2 for the second, and so on")
    return repeat


def _add_grades(folder: Folder, found: dict[Key, Sheet]) -> None:
    """Put the rows of the grades table into their sheets, in the order of the table."""
    table: RowTable = folder.open("grades", (*_KEYS[:3], "fact_id", "label"), ("repeat",))
    entries: dict[Key, list[tuple[str, str]]] = {}
    for row in table.rows:
        key = (row.text("model_id"), row.text("question_id"), row.text("judge_id"), _repeat(row))
        sheet = found.get(key)
        said = f"judge {key[2]} has no sheet {key[3]} of model {key[0]}, question {key[1]}"
        if sheet is None:
            raise row.fault("judge_id", f"{said} in the sheets table")
        if not sheet.valid:
            raise row.fault("judge_id", "its sheet is marked as failed and yet has grades; one of the two is wrong")
        entries.setdefault(key, []).append((row.text("fact_id"), row.one_of("label", LABELS)))
    for key, given in entries.items():
        found[key] = replace(found[key], entries=tuple(given))
