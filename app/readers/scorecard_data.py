"""All tables of a scorecard, read and held against each other: the one value everything is computed from.

Responsible for the order of reading, for saved scores, copied intervals and the input manifest, and for the files that
planned steps left behind. Nothing is computed and nothing written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.domain.errors import BadInput
from app.domain.scorecard.records import CopiedInterval, Input, PinnedFile, SavedScore, ScoreData
from app.domain.scorecard.resampling import MOST_CELLS
from app.domain.scorecard.saved import OF_MODELS, known_metrics
from app.domain.scorecard.spec import ScorecardSpec
from app.domain.scorecard.spec_faults import OVERALL
from app.readers.csv_table import decode, read_bytes
from app.readers.scorecard_rows import Cells, refuse_doubled
from app.readers.scorecard_sheets import read_sheets, refuse_idle_judges
from app.readers.scorecard_tables import (
    Folder,
    read_answers,
    read_calls,
    read_entities,
    read_facts,
    read_mentions,
    read_parties,
    read_questions,
    read_reviews,
    read_sources,
    refuse_unknown,
)
from app.readers.source import parse_json

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


def read_scorecard_data(spec: ScorecardSpec, place: Path, spec_file: str) -> ScoreData:
    """Return every record the scorecard names, from the folder `place`.

    `spec_file` is what messages call the scorecard file. Raises `BadInput` naming file, row and column, or file and key
    where a declaration does not fit the tables.
    """
    if not place.is_dir():
        raise BadInput(f"{place} is not a folder; give --data the folder the tables are in")
    folder = Folder(place, spec)
    questions = read_questions(folder)
    question_ids = {question.question_id for question in questions}
    facts = read_facts(folder, question_ids)
    models = read_parties(folder, "models", "model_id")
    judges = read_parties(folder, "judges", "judge_id")
    model_ids, judge_ids = {m.party_id for m in models}, {j.party_id for j in judges}
    _refuse_misfits(spec, spec_file, model_ids, len(questions))
    if not any(judge.official for judge in judges):
        raise BadInput(f"{spec.tables['judges']}, column official: no judge is official, so nothing would be scored")
    answers = read_answers(folder, model_ids, question_ids)
    sheets = read_sheets(folder, {"model": model_ids, "question": question_ids, "judge": judge_ids})
    refuse_idle_judges(spec.tables["judges"], judges, sheets, answers)
    contributors = read_parties(folder, "contributors", "contributor_id") if folder.has("contributors") else None
    return ScoreData(
        questions=questions,
        facts=facts,
        models=models,
        judges=judges,
        answers=answers,
        sheets=sheets,
        contributors=contributors,
        calls=read_calls(folder),
        entities=read_entities(folder, question_ids),
        mentions=read_mentions(folder, model_ids, question_ids),
        sources=read_sources(folder, question_ids),
        reviews=read_reviews(folder, model_ids, question_ids, judge_ids),
        saved=_saved(folder, model_ids),
        copied=_copied(folder, model_ids),
        manifest=_manifest(folder),
        artefacts={step.file: (place / step.file).is_file() for step in spec.planned.steps},
        inputs=tuple(folder.inputs),
    )


def _refuse_misfits(spec: ScorecardSpec, spec_file: str, models: set[str], n_questions: int) -> None:
    """Raise `BadInput` for a declaration that the tables do not bear."""
    if spec.focus is not None:
        strangers = [name for name in spec.focus.models if name not in models]
        if strangers:
            raise BadInput(f'{spec_file}: focus.models: there is no model "{strangers[0]}" in the models table')
    for name, how in spec.resampling.items():
        if how.draws * n_questions > MOST_CELLS:
            raise BadInput(
                f"{spec_file}: resampling.{name}.draws: {how.draws} draws of {n_questions} questions are too many; at "
                f"most {MOST_CELLS // n_questions} fit"
            )


def _saved(folder: Folder, models: set[str]) -> tuple[SavedScore, ...] | None:
    if not folder.has("saved_scores"):
        return None
    table = folder.open("saved_scores", ("model_id", "metric", "value"))
    refuse_doubled(table.rows, ("model_id", "metric"))
    metrics = known_metrics(folder.spec)
    return tuple(
        SavedScore(
            refuse_unknown(row, "model_id", models, "model"), row.one_of("metric", metrics), _required(row, "value")
        )
        for row in table.rows
    )


def _copied(folder: Folder, models: set[str]) -> tuple[CopiedInterval, ...] | None:
    if not folder.has("copied_intervals"):
        return None
    columns = ("analysis", "first", "second", "lo", "hi", "draws", "seed")
    table = folder.open("copied_intervals", columns)
    refuse_doubled(table.rows, ("analysis", "first", "second", "draws"))
    analyses = (OF_MODELS, OVERALL, *(entry.name for entry in folder.spec.slices))
    return tuple(_interval(row, analyses, models) for row in table.rows)


def _interval(row: Cells, analyses: tuple[str, ...], models: set[str]) -> CopiedInterval:
    analysis = row.one_of("analysis", analyses)
    first = refuse_unknown(row, "first", models, "model")
    second = row.maybe("second") or ""
    if (analysis == OF_MODELS) != (not second):
        raise row.fault("second", f"is empty for {OF_MODELS} and names a model for a difference")
    if second and (second not in models or second == first):
        raise row.fault("second", f'"{second}" is not another model of the models table')
    lo, hi = _required(row, "lo"), _required(row, "hi")
    if lo > hi:
        raise row.fault("hi", "the upper limit is below the lower one")
    draws = row.whole("draws")
    if not draws:
        raise row.fault("draws", "takes the number of resamples, from 1 on")
    return CopiedInterval(analysis, first, second, lo, hi, draws, row.whole("seed"))


def _required(row: Cells, column: str) -> float:
    value = row.number(column)
    if value is None:
        raise row.fault(column, "the cell is empty; it takes a number")
    return value


def _manifest(folder: Folder) -> tuple[PinnedFile, ...] | None:
    """Return every file the manifest lists with the hash it has now."""
    if not folder.has("manifest"):
        return None
    name = folder.spec.tables["manifest"]
    data = read_bytes(folder.place / name)
    folder.inputs.append(Input("manifest", name, hashlib.sha256(data).hexdigest(), None))
    stated = _stated(parse_json(decode(data, name), name), name)
    return tuple(PinnedFile(path, digest, _hash_of(folder.place / path)) for path, digest in sorted(stated.items()))


def _stated(document: Any, name: str) -> dict[str, str]:
    """Return path → hash of `{"files": [{"path", "sha256"}]}` or of `{path: hash}`."""
    if not isinstance(document, Mapping):
        raise BadInput(f"{name}: takes an object: files with path and sha256, or paths with their hashes")
    listed = document.get("files")
    pairs = list(document.items()) if not isinstance(listed, list) else [_line(item, name) for item in listed]
    stated: dict[str, str] = {}
    for path, digest in pairs:
        if not isinstance(path, str) or not isinstance(digest, str) or not _SHA256.match(digest):
            raise BadInput(f"{name}: {path!r} has no sha256 of 64 lower-case hex digits")
        if Path(path).is_absolute() or ".." in Path(path).parts:
            raise BadInput(f"{name}: {path!r} leads out of the data folder")
        if path in stated:
            raise BadInput(f"{name}: {path!r} is listed twice")
        stated[path] = digest
    return stated


def _line(item: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(item, Mapping) or "path" not in item or "sha256" not in item:
        raise BadInput(f"{name}: every entry of files takes path and sha256")
    return item["path"], item["sha256"]


def _hash_of(path: Path) -> str | None:
    if not path.is_file():
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest()
