"""Invented grades for a scorecard: who answered what, how judges graded it, what it cost, with every defect planted.

Responsible for rows, not for files: `generate` writes the small example from them, the benchmark a large one. The
judges are a formula with noise; nothing here says anything about any model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LABELS = ("stated", "partial", "absent", "contradicted")
Row = dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """What grades are invented for: questions with facts and entities, models and judges with their habits.

    `facts[question]` are fact ids; `skill[model]` is the share of facts an answer states; `strictness[judge]` the share
    of them the judge does not see. `repeated` judges grade the first `n_repeated` questions twice.
    """

    facts: Mapping[str, Sequence[str]]
    entities: Mapping[str, Sequence[tuple[str, str]]]
    skill: Mapping[str, float]
    strictness: Mapping[str, float]
    repeated: Sequence[str] = ()
    n_repeated: int = 0
    failing: float = 0.02
    defects: float = 0.02
    languages: Sequence[str] = ("ne", "en")
    tables: dict[str, list[Row]] = field(default_factory=dict)


def chance(*words: object) -> float:
    """Return a number in [0, 1) that depends on nothing but the words: no generator, no order, the same everywhere."""
    digest = hashlib.sha256("|".join(map(str, words)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def simulate(scene: Scene) -> dict[str, list[Row]]:
    """Return the rows of answers, sheets, grades, calls and answer_entities."""
    tables: dict[str, list[Row]] = {name: [] for name in ("answers", "sheets", "grades", "calls", "answer_entities")}
    for model in scene.skill:
        for at, question in enumerate(scene.facts):
            valid = chance("fails", model, question) >= scene.failing
            tables["answers"].append(_answer(scene, model, question, valid))
            _call(tables, "candidate", model, question)
            if not valid:
                continue
            _mentions(scene, tables, model, question)
            for judge in scene.strictness:
                for repeat in (1, 2) if judge in scene.repeated and at < scene.n_repeated else (1,):
                    _grade(scene, tables, (model, question, judge, repeat))
    return tables


def _answer(scene: Scene, model: str, question: str, valid: bool) -> Row:
    stated = sum(_truth(scene, model, question, fact) == "stated" for fact in scene.facts[question])
    words = 24 + 9 * stated + int(18 * chance("words", model, question))
    return {
        "model_id": model,
        "question_id": question,
        "status": "valid" if valid else "failed",
        "en_words": words if valid else None,
        "ne_words": words - 5 + int(10 * chance("other", model, question)) if valid else None,
        "six_fields": "true" if valid and chance("fields", model, question) < 0.9 else "false" if valid else None,
        "headline_within_12_words": ("true" if chance("head", model, question) < 0.8 else "false") if valid else None,
    }


def _truth(scene: Scene, model: str, question: str, fact: str) -> str:
    drawn, skill = chance("truth", model, question, fact), scene.skill[model]
    if drawn < skill:
        return "stated"
    if drawn < skill + 0.15 * (1 - skill) + 0.1:
        return "partial"
    return "absent" if drawn < 0.985 else "contradicted"


def _grade(scene: Scene, tables: dict[str, list[Row]], place: tuple[str, str, str, int]) -> None:
    """One sheet: perhaps missing or failed; its entries perhaps doubled, foreign or left out."""
    model, question, judge, repeat = place
    key = {"model_id": model, "question_id": question, "judge_id": judge, "repeat": repeat}
    _call(tables, "judge", judge, *place)
    if chance("no sheet", *place) < scene.defects / 2:
        return
    failed = chance("failed sheet", *place) < scene.defects / 4
    quality = {f"{code}_quality": None if failed else _quality(scene, place, code) for code in scene.languages}
    unsupported = None if failed else int(3 * chance("unsupported", *place) ** 2)
    tables["sheets"].append({**key, "status": "failed" if failed else "valid", "unsupported": unsupported, **quality})
    if failed:
        return
    for fact in scene.facts[question]:
        label = _seen(scene, place, fact)
        if chance("left out", *place, fact) < scene.defects / 4:
            continue
        tables["grades"].append({**key, "fact_id": fact, "label": label})
        if chance("doubled", *place, fact) < scene.defects / 4:
            again = LABELS[min(LABELS.index(label) + 1, 3)]
            tables["grades"].append({**key, "fact_id": fact, "label": again})
    if chance("foreign", *place) < scene.defects:
        tables["grades"].append({**key, "fact_id": "f99", "label": "stated"})


def _quality(scene: Scene, place: tuple[str, str, str, int], code: str) -> float:
    """Half points from 1 to 10: mostly the model's, a little the question's, a little the judge's mood."""
    model, question, _, _ = place
    share = 0.75 * scene.skill[model] + 0.15 * chance("language", code, question) + 0.1 * chance("mood", code, *place)
    return 1 + round(18 * share) / 2


def _seen(scene: Scene, place: tuple[str, str, str, int], fact: str) -> str:
    """What a judge sees: the truth, one step less by its strictness, and a slip of its own on each repeat."""
    model, question, judge, _ = place
    step = LABELS.index(_truth(scene, model, question, fact))
    step += chance("strict", judge, model, question, fact) < scene.strictness[judge]
    step += chance("slip", *place, fact) < 0.04
    return LABELS[min(step, 2 if step < 3 else 3)]


def _call(tables: dict[str, list[Row]], phase: str, actor: str, *words: object) -> None:
    """One retained call, perhaps after a retry that it replaces; now and then a cost or a latency was not kept."""
    for attempt in range(1 + (chance("retry", phase, actor, *words) < 0.05)):
        said = (phase, actor, attempt, *words)
        cost = round(0.0004 + 0.004 * chance("cost", *said), 6)
        latency = round(1.5 + 12 * chance("latency", *said), 2)
        tables["calls"].append(
            {
                "phase": phase,
                "actor_id": actor,
                "question_id": words[0] if phase == "candidate" else words[1],
                "replaced": "true" if attempt == 0 and chance("retry", phase, actor, *words) < 0.05 else "false",
                "cost": None if chance("no cost", *said) < 0.03 else cost,
                "latency_seconds": None if chance("no latency", *said) < 0.02 else latency,
            }
        )


def _mentions(scene: Scene, tables: dict[str, list[Row]], model: str, question: str) -> None:
    for kind, surface in scene.entities.get(question, ()):
        drawn = chance("mention", model, question, surface)
        if drawn < 0.35 + 0.5 * scene.skill[model]:
            named = "organisation" if drawn < 0.03 and kind != "organisation" else kind
            tables["answer_entities"].append(
                {
                    "model_id": model,
                    "question_id": question,
                    "type": named,
                    "surface": surface.upper() if drawn < 0.1 else surface,
                }
            )
    if chance("invented", model, question) < 0.2:
        tables["answer_entities"].append(
            {"model_id": model, "question_id": question, "type": "place", "surface": "Far Quay"}
        )
