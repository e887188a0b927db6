"""A small scorecard folder as text, so that a test can break one line of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SPEC = """\
id: small
state_at_writing: written for a test
tables:
  questions: questions.csv
  facts: facts.csv
  models: models.csv
  judges: judges.csv
  answers: answers.csv
  sheets: sheets.csv
  grades: grades.csv
scenarios:
  flat: {core: 50, precision: 30, ne: 1, en: 1}
resampling:
  primary: {draws: 50, seed: 20260917}
  original: {draws: 10, seed: 20260917}
  ranks: {draws: 20, seed: 20260919}
  focus: {draws: 50, seed: 20260918}
"""
TABLES = {
    "questions.csv": "question_id\nq1\nq2\n",
    "facts.csv": "question_id,fact_id,salience\nq1,a,core\nq1,b,supporting\nq2,a,core\n",
    "models.csv": "model_id,display_name,namespace,host\nm1,Model One,one,h\nm2,Model Two,two,h\n",
    "judges.csv": "judge_id,display_name,namespace,host\nj1,Judge One,one,h\n",
    "answers.csv": "model_id,question_id,status\nm1,q1,valid\nm1,q2,failed\nm2,q1,valid\nm2,q2,valid\n",
    "sheets.csv": (
        "model_id,question_id,judge_id,repeat,status,unsupported,ne_quality,en_quality\n"
        "m1,q1,j1,1,valid,0,8,8\nm2,q1,j1,1,valid,1,7,7.5\nm2,q2,j1,,,0,6,6\n"
    ),
    "grades.csv": (
        "model_id,question_id,judge_id,repeat,fact_id,label\n"
        "m1,q1,j1,1,a,stated\nm1,q1,j1,1,b,partial\nm2,q1,j1,1,a,absent\nm2,q1,j1,1,b,stated\nm2,q2,j1,,a,stated\n"
    ),
}


def write_folder(folder: Path, changed: Mapping[str, str] | None = None, spec: str = SPEC) -> Path:
    """Write the small scorecard, `changed` files in place of its own, and return the path of its scorecard file."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**TABLES, **(changed or {})}.items():
        (folder / name).write_text(text, encoding="utf-8")
    path = folder / "scorecard.yaml"
    path.write_text(spec, encoding="utf-8")
    return path


def replaced(name: str, old: str, new: str) -> dict[str, str]:
    """One table with one thing changed in it."""
    assert TABLES[name].count(old) == 1, f"{old!r} does not stand once in {name}"
    return {name: TABLES[name].replace(old, new)}


def spec_with(old: str, new: str) -> str:
    """The scorecard file with one thing changed in it."""
    assert SPEC.count(old) == 1, f"{old!r} does not stand once"
    return SPEC.replace(old, new)
