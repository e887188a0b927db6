"""Second implementation: metrics of one sheet, and the mean of the judges, entry by entry.

Responsible for both scorers and for the core recall restricted to the facts all contributors named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.scorecard.check.plain import CREDIT, Panel, Row, Spec, mean_of

Metrics = dict[str, float | None]
OfSheets = Mapping[tuple[str, str, str], Metrics]
OfAnswers = Mapping[tuple[str, str], Metrics]


def score_all(panel: Panel, spec: Spec, scorer: str) -> OfSheets:
    """Return the metrics of every scoring sheet; scorer is historical, sanitised or consensus."""
    found = {}
    for place, sheet in panel.sheets.items():
        gold = panel.gold.get(place[1], [])
        found[place] = _one(sheet, gold, spec, scorer)
    return found


def composites(sheets: OfSheets, spec: Spec, scenario: str) -> Mapping[tuple[str, str, str], float | None]:
    """Return the composite of every sheet under a scenario; None where a part of it is undefined."""
    core, precision, *languages = spec["scenarios"][scenario]
    names = ["core_recall", "precision_proxy", *spec["qualities"]]
    weights = [core, precision, *languages]
    found: dict[tuple[str, str, str], float | None] = {}
    for place, metrics in sheets.items():
        parts = [metrics[name] for name in names]
        if any(part is None for part in parts):
            found[place] = None
        else:
            found[place] = sum(w * part for w, part in zip(weights, parts, strict=True) if part is not None)
    return found


def average(panel: Panel, values: Mapping[tuple[str, str, str], float | None]) -> dict[tuple[str, str], float | None]:
    """Return the mean over the official judges that have a value, for every model and question."""
    found = {}
    for model in panel.models:
        for question in panel.questions:
            given = [values.get((model, question, judge)) for judge in panel.official]
            found[model, question] = mean_of([value for value in given if value is not None])
    return found


def averages(panel: Panel, sheets: OfSheets, spec: Spec) -> dict[str, dict[tuple[str, str], float | None]]:
    """Return the judge mean of every metric by name."""
    names = ["core_recall", "supporting_recall", "coverage", "precision_proxy", *spec["qualities"]]
    return {name: average(panel, {place: metrics[name] for place, metrics in sheets.items()}) for name in names}


def _one(sheet: Row, gold: Sequence[Row], spec: Spec, scorer: str) -> Metrics:
    salience = {fact["fact_id"]: fact["salience"] for fact in gold}
    core_name, supporting_name = spec["salience"]["core"], spec["salience"]["supporting"]
    core = {fact_id for fact_id, name in salience.items() if name == core_name}
    if scorer == "consensus":
        core = {f["fact_id"] for f in gold if f["fact_id"] in core and f["contributors"] == spec["consensus_of"]}
    groups = {
        "core_recall": core,
        "supporting_recall": {fact_id for fact_id, name in salience.items() if name == supporting_name},
        "coverage": set(salience),
    }
    if scorer == "sanitised":
        lowest = _lowest(sheet, salience)
        metrics: Metrics = {
            name: mean_of([lowest.get(fact_id, 0.0) for fact_id in sorted(group)]) for name, group in groups.items()
        }
        credit = sum(lowest.values())
    else:
        entries = [(fact_id, CREDIT[label]) for fact_id, label in sheet["entries"]]
        metrics = {name: mean_of([c for fact_id, c in entries if fact_id in group]) for name, group in groups.items()}
        credit = sum(c for _, c in entries)
    metrics["precision_proxy"] = _proxy(credit, sheet["unsupported"], spec)
    metrics.update(zip(spec["qualities"], sheet["quality"], strict=True))
    return metrics


def _lowest(sheet: Row, salience: Mapping[str, str]) -> dict[str, float]:
    lowest: dict[str, float] = {}
    for fact_id, label in sheet["entries"]:
        if fact_id in salience:
            lowest[fact_id] = min(CREDIT[label], lowest.get(fact_id, 1.0))
    return lowest


def _proxy(credit: float, unsupported: int | None, spec: Spec) -> float | None:
    if unsupported is None:
        return None
    if credit + unsupported == 0:
        return 0.0 if spec["precision_of_nothing"] == "zero" else None
    return credit / (credit + unsupported)
