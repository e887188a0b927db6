"""How long a scorecard takes: 17 models, 100 questions, 3 judges, every bootstrap at the document's draws.

Timed are the engine (arrays), the second implementation (plain loops, the same draws handed in), and the whole of
`saydo score`: reading, both implementations, a second process that does all of it again, report and figures. Run it
with `python -m benchmarks.scorecard`; it prints one JSON document.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.domain.export.csv_form import table_bytes
from app.domain.scorecard.check.recompute import recompute
from app.domain.scorecard.engine import compute
from app.domain.scorecard.gate import compare
from app.readers.scorecard_data import read_scorecard_data
from app.readers.scorecard_spec import load_scorecard
from app.services.scorecard.computing import Redrawn
from app.services.scorecard.scoring import score
from examples.scorecard.simulate import Row, Scene, chance, simulate

LIMIT_SECONDS = 10
SPEC = """\
id: large
state_at_writing: invented grades, for timing
tables:
  questions: questions.csv
  facts: facts.csv
  models: models.csv
  judges: judges.csv
  answers: answers.csv
  sheets: sheets.csv
  grades: grades.csv
  calls: calls.csv
  gold_entities: gold_entities.csv
  answer_entities: answer_entities.csv
ignored_columns: {calls: [question_id], answers: [headline_within_12_words]}
salience: {other: [context]}
scenarios:
  recall-heavy: {core: 60, precision: 20, ne: 1, en: 1}
  precision-heavy: {core: 20, precision: 60, ne: 1, en: 1}
  language-heavy: {core: 20, precision: 20, ne: 3, en: 3}
  no-language: {core: 60, precision: 40, ne: 0, en: 0}
slices: [{name: NE-input, column: input_language, value: ne}]
focus: {name: four, models: [m1, m2, m3, m4]}
length: {columns: [ne_words, en_words], unit: words}
consensus_of: 3
rules: [{name: six fields, column: six_fields, enforced: false}]
"""


def write(folder: Path, n_models: int, n_questions: int) -> Path:
    """Write the tables and the scorecard file, and return the file's path."""
    questions = [f"q{i}" for i in range(1, n_questions + 1)]
    facts = {q: [f"f{k}" for k in range(1, 11)] for q in questions}
    entities = {q: [("place", f"Place {q} {k}") for k in range(6)] for q in questions}
    skill = {f"m{i}": 0.4 + 0.5 * i / n_models for i in range(1, n_models + 1)}
    strictness = {"j1": 0.04, "j2": 0.08, "j3": 0.12}
    tables: dict[str, list[Row]] = simulate(Scene(facts, entities, skill, strictness, ("j1", "j2"), n_questions // 5))
    party = {"namespace": "invented", "host": "none"}
    kinds = ["core"] * 5 + ["supporting"] * 3 + ["context"] * 2
    tables["questions"] = [
        {"question_id": q, "input_language": "ne" if i % 2 else "en"} for i, q in enumerate(questions)
    ]
    tables["facts"] = [
        {"question_id": q, "fact_id": f, "salience": kind, "contributors": 2 + (chance("named", q, f) < 0.7)}
        for q, names in facts.items()
        for f, kind in zip(names, kinds, strict=True)
    ]
    tables["models"] = [{"model_id": m, "display_name": m, **party} for m in skill]
    tables["judges"] = [{"judge_id": j, "display_name": j, **party} for j in strictness]
    tables["gold_entities"] = [
        {"question_id": q, "entity_id": f"e{k}", "type": kind, "surface": surface}
        for q, named in entities.items()
        for k, (kind, surface) in enumerate(named)
    ]
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_bytes(table_bytes(tuple(rows[0]), rows))
    path = folder / "scorecard.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return path


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return (result, wall seconds, processor seconds of this process)."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - wall, time.process_time() - cpu


def main() -> int:
    """Print the timings and the ratio; 1 where the whole run takes longer than the limit."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--models", type=int, default=17)
    options.add_argument("--questions", type=int, default=100)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write(folder, asked.models, asked.questions)
        spec = load_scorecard(path)
        data, read_wall, _ = timed(lambda: read_scorecard_data(spec, folder, path.name))
        compute(data, spec)  # the first call loads what later ones find loaded
        figures, engine_wall, engine_cpu = timed(lambda: compute(data, spec))
        found, plain_wall, plain_cpu = timed(lambda: recompute(data.plain(), spec.plain(), Redrawn(spec)))
        gate = compare(figures, found)
        card, wall, cpu = timed(lambda: score(path, None, folder / "out"))
    report = {
        "models": asked.models,
        "questions": asked.questions,
        "sheets": len(data.sheets),
        "graded_facts": sum(len(sheet.entries) for sheet in data.sheets),
        "draws": {name: how.draws for name, how in spec.resampling.items()},
        "values_compared": gate["n_compared"],
        "implementations_agree": gate["agrees"],
        "max_abs_diff": gate["max_abs_diff"],
        "reading_seconds": round(read_wall, 2),
        "vectorised_seconds": round(engine_wall, 2),
        "plain_seconds": round(plain_wall, 2),
        "ratio_plain_to_vectorised": round(plain_wall / engine_wall, 1),
        "ratio_processor": round(plain_cpu / engine_cpu, 1),
        "whole_command_seconds": round(wall, 2),
        "whole_command_processor_seconds": round(cpu, 2),
        "limit_seconds": LIMIT_SECONDS,
        "reruns_identical": card.document["reruns_identical"],
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    print(json.dumps(report, indent=2))
    return int(wall > LIMIT_SECONDS or bool(card.refusals))


if __name__ == "__main__":
    sys.exit(main())
