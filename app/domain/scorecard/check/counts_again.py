"""Second implementation: counts of answers, sheets, defects, calls, settings, rules, and what was saved earlier."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.domain.scorecard.check.plain import FIRST_GRADE, Found, Panel, Row, Spec, Tables, in_order, rows
from app.domain.stats.check.intervals import percentile

DEFECTS = ("duplicate_entries", "conflicting_ids", "extra_entries", "missing_ids")


def answers_again(panel: Panel) -> Found:
    """Return valid and failed answers by model and in all."""
    models = {}
    for model in panel.models:
        n_valid = len(panel.answered(model))
        models[model] = {"n_valid": n_valid, "n_failed": len(panel.questions) - n_valid, "N": len(panel.questions)}
    total = {key: sum(counts[key] for counts in models.values()) for key in ("n_valid", "n_failed", "N")}
    return {"models": models, **total}


def defects_again(panel: Panel, sheets: Sequence[Row]) -> Found:
    """Return by judge how many sheets were due and there, and the defects of their entries."""
    due = sum(len(panel.answered(model)) for model in panel.models)
    found = {}
    for judge in panel.judges:
        counts = dict.fromkeys(
            ["n_valid", "n_failed", "n_repeats", "n_of_failed_answers", "n_without_number", "n_entries"], 0
        )
        counts |= {f"n_{name}": 0 for name in DEFECTS} | {f"n_sheets_with_{name}": 0 for name in DEFECTS}
        for sheet in sheets:
            if sheet["judge_id"] == judge:
                _count_sheet(panel, sheet, counts)
        found[judge] = counts | {"n_due": due, "n_missing": due - counts["n_valid"] - counts["n_failed"]}
    return found


def _count_sheet(panel: Panel, sheet: Row, counts: dict[str, int]) -> None:
    if not panel.valid[sheet["model_id"], sheet["question_id"]]:
        counts["n_of_failed_answers"] += 1
    elif sheet["repeat"] != FIRST_GRADE:
        counts["n_repeats"] += 1 if sheet["valid"] else 0
    elif not sheet["valid"]:
        counts["n_failed"] += 1
    else:
        counts["n_valid"] += 1
        counts["n_entries"] += len(sheet["entries"])
        if sheet["unsupported"] is None or any(score is None for score in sheet["quality"]):
            counts["n_without_number"] += 1
        _count_entries(panel, sheet, counts)


def _count_entries(panel: Panel, sheet: Row, counts: dict[str, int]) -> None:
    ids = [fact["fact_id"] for fact in panel.gold.get(sheet["question_id"], [])]
    found = dict.fromkeys(DEFECTS, 0)
    for fact_id in ids:
        given = [label for entry, label in sheet["entries"] if entry == fact_id]
        found["missing_ids"] += 0 if given else 1
        found["duplicate_entries"] += max(0, len(given) - 1)
        found["conflicting_ids"] += 1 if len(set(given)) > 1 else 0
    found["extra_entries"] = sum(1 for entry, _ in sheet["entries"] if entry not in ids)
    for name, n in found.items():
        counts[f"n_{name}"] += n
        counts[f"n_sheets_with_{name}"] += 1 if n else 0


def corpus_again(tables: Tables, spec: Spec, saliences: Sequence[str]) -> Found:
    """Return the counts of the selected corpus."""
    facts = rows(tables, "facts")
    inventory: Found = {}
    for column in spec["inventory"]:
        values = [row["attributes"].get(column, "") for row in rows(tables, "questions")]
        inventory[column] = {value: values.count(value) for value in values}
    every = spec["consensus_of"]
    by_all = [f for f in facts if every is not None and f["contributors"] == every]
    return {
        "n_questions": len(rows(tables, "questions")),
        "n_facts": len(facts),
        "facts_by_salience": {name: sum(f["salience"] == name for f in facts) for name in saliences},
        "n_core_by_all_contributors": sum(f["salience"] == spec["salience"]["core"] for f in by_all),
        "inventory": inventory,
        "publishers": _publishers(tables),
    }


def _publishers(tables: Tables) -> Found | None:
    sources = tables["sources"]
    if sources is None:
        return None
    by: Found = {}
    for row in sources:
        mine = [other["question_id"] for other in sources if other["publisher"] == row["publisher"]]
        by[row["publisher"]] = {"n_sources": len(mine), "n_questions": len(set(mine))}
    return {"n_sources": len(sources), "n_publishers": len(by), "by_publisher": by}


def calls_again(calls: Sequence[Row] | None) -> Found | None:
    """Return the accounts of calls by phase and actor, and in all."""
    if calls is None:
        return None
    phases: Found = {}
    for phase in {call["phase"] for call in calls}:
        here = [call for call in calls if call["phase"] == phase]
        actors = {name: _account([c for c in here if c["actor_id"] == name]) for name in {c["actor_id"] for c in here}}
        phases[phase] = {"actors": actors, "total": _account(here)}
    return {"phases": phases, "total": _account(calls)}


def _account(calls: Sequence[Row]) -> Found:
    retained = [call for call in calls if not call["replaced"]]
    n = len(retained)
    costs = [call["cost"] for call in retained if call["cost"] is not None]
    times = [call["latency_seconds"] for call in retained if call["latency_seconds"] is not None]
    counts = {"n": len(times), "N": n}
    return {
        "n_retained": n,
        "n_replaced": sum(1 for call in calls if call["replaced"]),
        "cost": {"value": math.fsum(costs), "n": len(costs), "N": n, "n_null": n - len(costs)},
        "latency_seconds": {
            "n_null": n - len(times),
            "mean": {"value": math.fsum(times) / len(times) if times else None, **counts},
            "median": {"value": percentile(times, 0.5) if times else None, **counts},
            "p95": {"value": percentile(times, 0.95) if times else None, **counts},
        },
    }


def settings_again(tables: Tables, spec: Spec) -> Found:
    """Return by stated setting the run headers that say so and those that do not."""
    found: Found = {}
    for name, stated in spec["stated_settings"].items():
        said = {row["party_id"]: row["settings"].get(name, "") for row in rows(tables, "models")}
        others: dict[str, list[str]] = {}
        for model in in_order(list(said)):
            if said[model] != stated:
                others.setdefault(said[model], []).append(model)
        alike = len(said) - sum(len(models) for models in others.values())
        found[name] = {"stated": stated, "n_as_stated": alike, "N": len(said), "others": others}
    return found


def rules_again(tables: Tables, spec: Spec) -> Found:
    """Return by rule how many valid answers keep it, break it, or do not say."""
    found: Found = {}
    valid = [row for row in rows(tables, "answers") if row["valid"]]
    for name, enforced in spec["rules"].items():
        said = [row["rules"].get(name) for row in valid]
        found[name] = {
            "enforced": enforced,
            "n_kept": sum(word is True for word in said),
            "n_broken": sum(word is False for word in said),
            "n_unrecorded": sum(word is None for word in said),
            "N": len(valid),
        }
    return found
