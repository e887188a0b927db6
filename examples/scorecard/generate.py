"""Write the scorecard example: the tables beside `scorecard.yaml`, the same bytes every time.

    python -m examples.scorecard.generate              # writes beside itself
    python -m examples.scorecard.generate --out DIR    # writes there, with the scorecard file

Notices and facts are authored in `notices`, grades invented by `simulate`. Saved scores and copied intervals are those
of this data, rounded as a publication would; the manifest pins what they rest on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.domain.canonical import round_half_even
from app.domain.export.csv_form import table_bytes
from examples.scorecard.notices import NOTICES, Notice
from examples.scorecard.simulate import Row, Scene, chance, simulate

HERE = Path(__file__).resolve().parent
SKILL = {
    "orrery-large-2": 0.83,
    "orrery-mini-2": 0.62,
    "tallow-9": 0.77,
    "quill-sea": 0.81,
    "lumen-70": 0.71,
    "ember-small": 0.48,
}
PARTIES = {
    "orrery-large-2": ("Orrery Large 2", "orrery", "northhost"),
    "orrery-mini-2": ("Orrery Mini 2", "orrery", "northhost"),
    "tallow-9": ("Tallow 9", "tallow", "tallow"),
    "quill-sea": ("Quill Sea", "quill", "northhost"),
    "lumen-70": ("Lumen 70", "lumen", "southhost"),
    "ember-small": ("Ember Small", "ember", "southhost"),
    "judge-orrery": ("Orrery Large 2", "orrery", "northhost"),
    "judge-lumen": ("Lumen 120", "lumen", "southhost"),
    "judge-beacon": ("Beacon 3", "beacon", "beacon"),
    "gold-quill": ("Quill Sea", "quill", "northhost"),
    "gold-beacon": ("Beacon 3", "beacon", "beacon"),
    "gold-person": ("A person", "people", "none"),
}
STRICTNESS = {"judge-orrery": 0.03, "judge-lumen": 0.08, "judge-beacon": 0.05}
SETTINGS = {
    "tallow-9": {"response_format_mode": "json_object"},
    "quill-sea": {"max_tokens_sent": "4096", "reasoning": "low"},
}
STATED = {"response_format_mode": "json_schema", "max_tokens_sent": "1536", "reasoning": "off"}
UNPINNED = ("input_manifest.json", "saved_scores.csv", "copied_intervals.csv", "reviews.csv")


def main() -> None:
    """Write the example."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=HERE)
    write(options.parse_args().out)


def write(folder: Path) -> None:
    """Write every table, and the scorecard file if the folder is another one."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.resolve() != HERE:
        shutil.copyfile(HERE / "scorecard.yaml", folder / "scorecard.yaml")
    scene = Scene(
        facts={notice.question_id: [f"f{i + 1}" for i in range(len(notice.facts))] for notice in NOTICES},
        entities={notice.question_id: list(_surfaces(notice)) for notice in NOTICES},
        skill=SKILL,
        strictness=STRICTNESS,
        repeated=("judge-orrery", "judge-lumen"),
        n_repeated=4,
        failing=0.05,
        defects=0.08,
    )
    tables = {**_gold(), **_parties(), **simulate(scene)}
    tables["reviews"] = _reviews(tables["sheets"])
    for name, rows in tables.items():
        _write(folder / f"{name}.csv", rows)
    _pin(folder)
    _earlier(folder)


def _surfaces(notice: Notice) -> Iterable[tuple[str, str]]:
    for kind, surface, alias in notice.entities:
        yield kind, surface
        if alias and chance("alias", notice.question_id, alias) < 0.5:
            yield kind, alias


def _gold() -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {"questions": [], "facts": [], "gold_entities": [], "sources": []}
    for notice in NOTICES:
        key = {"question_id": notice.question_id}
        tables["questions"].append({**key, "story": notice.story, "input_language": notice.input_language})
        for i, (salience, contributors, words) in enumerate(notice.facts, start=1):
            fact = {"fact_id": f"f{i}", "salience": salience, "contributors": contributors, "words": words}
            tables["facts"].append({**key, **fact})
        for i, (kind, surface, alias) in enumerate(notice.entities, start=1):
            entity = {"entity_id": f"e{i}", "type": kind, "surface": surface, "aliases": alias}
            tables["gold_entities"].append({**key, **entity})
        for i, publisher in enumerate(notice.publishers, start=1):
            tables["sources"].append({**key, "source_id": f"s{i}", "publisher": publisher})
    return tables


def _parties() -> dict[str, list[Row]]:
    def rows(key: str, names: Iterable[str]) -> list[Row]:
        fields = ("display_name", "namespace", "host")
        return [{key: name, **dict(zip(fields, PARTIES[name], strict=True))} for name in names]

    models = [{**row, **STATED, **SETTINGS.get(row["model_id"], {})} for row in rows("model_id", SKILL)]
    judges = [{**row, "official": row["judge_id"] != "judge-beacon"} for row in rows("judge_id", STRICTNESS)]
    gold = [name for name in PARTIES if name.startswith("gold-")]
    return {"models": models, "judges": judges, "contributors": rows("contributor_id", gold)}


def _reviews(sheets: Sequence[Row]) -> list[Row]:
    """Eight sheets picked for people to look at, none of them looked at yet."""
    first = [row for row in sheets if row["repeat"] == 1 and row["status"] == "valid"]
    picked = sorted(first, key=lambda r: chance("review", r["model_id"], r["question_id"], r["judge_id"]))[:8]
    keys = ("model_id", "question_id", "judge_id")
    return [{**{key: row[key] for key in keys}, "reviewed": False} for row in picked]


def _pin(folder: Path) -> None:
    names = sorted(path.name for path in folder.glob("*.csv") if path.name not in UNPINNED)
    files = [{"path": n, "sha256": hashlib.sha256((folder / n).read_bytes()).hexdigest()} for n in names]
    (folder / "input_manifest.json").write_text(json.dumps({"files": files}, indent=2) + "\n", encoding="utf-8")


def _earlier(folder: Path) -> None:
    """Scores and intervals as an earlier publication would hold them, to six decimals."""
    from app.services.scorecard.computing import compute_twice

    _write(folder / "saved_scores.csv", [], ("model_id", "metric", "value"))
    columns = ("analysis", "first", "second", "lo", "hi", "draws", "seed")
    _write(folder / "copied_intervals.csv", [], columns)
    figures = compute_twice(folder / "scorecard.yaml", folder).figures
    saved = [
        {"model_id": name, "metric": metric, "value": round_half_even(model[metric]["value"], 6)}
        for name, model in figures["models"].items()
        for metric in ("effective_mean", "quality_only_mean")
    ]
    _write(folder / "saved_scores.csv", saved)
    _write(folder / "copied_intervals.csv", list(_intervals(figures)), columns)


def _intervals(figures: Mapping[str, Any]) -> Iterable[Row]:
    for name, model in figures["models"].items():
        yield _interval(("effective_mean", name, ""), model["effective_mean"]["ci95_original"])
    pair = figures["slices"]["NE-input"]["pairs"]["orrery-large-2"]["quill-sea"]
    yield _interval(("NE-input", "orrery-large-2", "quill-sea"), pair["ci95"])


def _interval(names: tuple[str, str, str], limits: Mapping[str, Any]) -> Row:
    lo, hi = (round_half_even(limits[key], 6) for key in ("lo", "hi"))
    key = dict(zip(("analysis", "first", "second"), names, strict=True))
    return {**key, "lo": lo, "hi": hi, "draws": limits["draws"], "seed": limits["seed"]}


def _write(path: Path, rows: Sequence[Row], columns: Sequence[str] | None = None) -> None:
    path.write_bytes(table_bytes(columns or tuple(rows[0]), rows))


if __name__ == "__main__":
    main()
