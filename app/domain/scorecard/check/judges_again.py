"""Second implementation: agreement of judges with themselves and each other, fact by fact, and the gates.

Kappa and its interval come from `stats.check`, which computes them in plain loops too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.scorecard.check.panel_again import spearman
from app.domain.scorecard.check.plain import FIRST_GRADE, Found, Panel, Row, Spec
from app.domain.stats.check.counted import identity
from app.domain.stats.check.intervals import primary_limits
from app.domain.stats.check.two_raters import Cells, cohen

LABELS = ("stated", "partial", "absent", "contradicted")
Labels = dict[tuple[str, str, str], str]
Graders = Mapping[tuple[str, int], Labels]
Composites = Mapping[tuple[str, str, str], float | None]


def judges_again(panel: Panel, sheets: Sequence[Row], composites: Composites, spec: Spec) -> Found:
    """Return the agreement within and between judges, the number of conflicting labels, and both gates."""
    graders, conflicting = _labels(panel, sheets)
    intra: Found = {}
    for judge in panel.judges:
        repeats = sorted(repeat for name, repeat in graders if name == judge)
        intra[judge] = {
            str(a): {str(b): _agreement(panel, graders[judge, a], graders[judge, b]) for b in repeats if b > a}
            for a in repeats[:-1]
        }
    inter: Found = {name: {} for name in panel.judges[:-1]}
    for a, first in enumerate(panel.judges):
        for second in panel.judges[a + 1 :]:
            pair = _agreement(panel, graders[first, FIRST_GRADE], graders[second, FIRST_GRADE])
            inter[first][second] = pair | _ranked_alike(panel, composites, first, second)
    return {
        "intra": intra,
        "inter": inter,
        "n_conflicting_labels": conflicting,
        "gates": _gates(intra, inter, spec["thresholds"]),
    }


def _labels(panel: Panel, sheets: Sequence[Row]) -> tuple[Graders, int]:
    """Return the single labels of gold facts by grader, and how many facts of a sheet have labels that differ."""
    graders: dict[tuple[str, int], Labels] = {(judge, FIRST_GRADE): {} for judge in panel.judges}
    conflicting = 0
    for sheet in sheets:
        model, question = sheet["model_id"], sheet["question_id"]
        if not sheet["valid"] or not panel.valid[model, question]:
            continue
        mine = graders.setdefault((sheet["judge_id"], sheet["repeat"]), {})
        for fact in panel.gold.get(question, []):
            given = [label for fact_id, label in sheet["entries"] if fact_id == fact["fact_id"]]
            if len(set(given)) > 1:
                conflicting += 1
            elif given:
                mine[model, question, fact["fact_id"]] = given[0]
    return graders, conflicting


def _agreement(panel: Panel, first: Labels, second: Labels) -> Found:
    by_question: dict[str, Cells] = {}
    whole: Cells = [[0] * len(LABELS) for _ in LABELS]
    for unit, label in first.items():
        if unit in second:
            k, m = LABELS.index(label), LABELS.index(second[unit])
            cells = by_question.setdefault(unit[1], [[0] * len(LABELS) for _ in LABELS])
            cells[k][m] += 1
            whole[k][m] += 1
    n, agreeing = sum(map(sum, whole)), sum(whole[k][k] for k in range(len(LABELS)))
    nominal = identity(len(LABELS))
    tables = [by_question[q] for q in panel.questions if q in by_question]
    low, high = primary_limits(whole, nominal, tables) or (None, None)
    return {
        "n": n,
        "exact_agreement": {"value": agreeing / n if n else None, "num": agreeing, "den": n},
        "cohen_kappa": {"value": cohen(whole, nominal), "ci95": [low, high]},
        "confusion": whole,
    }


def _ranked_alike(panel: Panel, composites: Composites, first: str, second: str) -> Found:
    points, n_answers = [], 0
    for model in panel.models:
        pairs = [(composites.get((model, q, first)), composites.get((model, q, second))) for q in panel.questions]
        both = [(x, y) for x, y in pairs if x is not None and y is not None]
        n_answers += len(both)
        if both:
            points.append((sum(x for x, _ in both) / len(both), sum(y for _, y in both) / len(both)))
    return {"rank_correlation": spearman(points, least=2), "n_answers": n_answers}


def _gates(intra: Found, inter: Found, thresholds: tuple[float, float]) -> Found:
    repeated = {
        judge: [pair["exact_agreement"]["value"] for pairs in of.values() for pair in pairs.values()]
        for judge, of in intra.items()
    }
    ranked = {
        f"{first} and {second}": [pair["rank_correlation"]["value"]]
        for first, of in inter.items()
        for second, pair in of.items()
    }
    return {
        "intra_label_agreement": _gate(thresholds[0], repeated),
        "inter_rank_correlation": _gate(thresholds[1], ranked),
    }


def _gate(threshold: float, values: Mapping[str, list[float | None]]) -> Found:
    known = [value for given in values.values() for value in given if value is not None]
    return {
        "threshold": threshold,
        "lowest": min(known, default=None),
        "met": all(value >= threshold for value in known) if known else None,
        "n_evaluated": len(known),
        "not_evaluated": [name for name, given in values.items() if not any(value is not None for value in given)],
    }
