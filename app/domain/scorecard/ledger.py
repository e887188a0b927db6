"""What was there and what was not: sheets and their defects by judge, the corpus, run settings, rules, reviews.

Responsible for counting, never for repairing: a defect stays in the raw rows, and what each scorer makes of it is in
`scorers`. Every count stands beside the number it is out of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from app.domain.scorecard.grid import ordered
from app.domain.scorecard.records import OFFICIAL_REPEAT, Fact, ScoreData, Sheet
from app.domain.scorecard.spec import ScorecardSpec
from app.domain.stats.statistic import Json

Place = tuple[str, str]
ENTRY_DEFECTS = ("duplicate_entries", "conflicting_ids", "extra_entries", "missing_ids")


def count_answers(data: ScoreData) -> Json:
    """Return `{models: {name: {n_valid, n_failed, N}}, n_valid, n_failed, N}`."""
    valid = Counter(answer.model_id for answer in data.answers if answer.valid)
    every = Counter(answer.model_id for answer in data.answers)
    models = {
        name: {"n_valid": valid[name], "n_failed": every[name] - valid[name], "N": every[name]}
        for name in ordered(every)
    }
    n, of = valid.total(), every.total()
    return {"models": models, "n_valid": n, "n_failed": of - n, "N": of}


def count_defects(data: ScoreData) -> dict[str, Json]:
    """Return by judge how many sheets were due and are there, and every defect of their entries.

    `n_due` valid answers; `n_valid` and `n_failed` first grades of them, `n_missing` the rest; `n_repeats` later
    grades; `n_of_failed_answers` sheets of failures, which nothing uses; `n_without_number` valid sheets with a null
    count or language score; and over the valid first grades: entries, duplicate and extra entries, conflicting and
    missing gold ids, with the number of sheets each concerns.
    """
    answered = {(a.model_id, a.question_id) for a in data.answers if a.valid}
    gold: dict[str, set[str]] = {}
    for fact in data.facts:
        gold.setdefault(fact.question_id, set()).add(fact.fact_id)
    return {
        judge: _defects([s for s in data.sheets if s.judge_id == judge], answered, gold)
        for judge in ordered(party.party_id for party in data.judges)
    }


def _defects(sheets: list[Sheet], answered: set[Place], gold: Mapping[str, set[str]]) -> Json:
    used = [s for s in sheets if (s.model_id, s.question_id) in answered]
    first = [s for s in used if s.repeat == OFFICIAL_REPEAT]
    valid = [s for s in first if s.valid]
    counts: Counter[str] = Counter()
    for sheet in valid:
        for name, n in entry_defects(sheet, gold.get(sheet.question_id, set())).items():
            counts[name] += n
            counts[f"sheets_with_{name}"] += n > 0
    return {
        "n_due": len(answered),
        "n_valid": len(valid),
        "n_failed": len(first) - len(valid),
        "n_missing": len(answered) - len(first),
        "n_repeats": sum(s.valid for s in used) - len(valid),
        "n_of_failed_answers": len(sheets) - len(used),
        "n_without_number": sum(s.unsupported is None or None in s.quality for s in valid),
        "n_entries": sum(len(s.entries) for s in valid),
        **{f"n_{name}": counts[name] for name in ENTRY_DEFECTS},
        **{f"n_sheets_with_{name}": counts[f"sheets_with_{name}"] for name in ENTRY_DEFECTS},
    }


def entry_defects(sheet: Sheet, gold: set[str]) -> dict[str, int]:
    """Return how many entries of a sheet are duplicates or extras, how many gold ids conflict or are missing."""
    labels: dict[str, list[str]] = {}
    for fact_id, label in sheet.entries:
        labels.setdefault(fact_id, []).append(label)
    known = {fact_id: given for fact_id, given in labels.items() if fact_id in gold}
    return {
        "duplicate_entries": sum(len(given) - 1 for given in known.values()),
        "conflicting_ids": sum(len(set(given)) > 1 for given in known.values()),
        "extra_entries": sum(len(given) for fact_id, given in labels.items() if fact_id not in gold),
        "missing_ids": len(gold) - len(known),
    }


def count_corpus(data: ScoreData, spec: ScorecardSpec) -> Json:
    """Return the selected corpus: questions, facts by salience, consensus core facts, inventories, publishers."""
    saliences = Counter(fact.salience for fact in data.facts)
    inventory = {
        column: dict(sorted(Counter(q.attributes.get(column, "") for q in data.questions).items()))
        for column in spec.inventory
    }
    return {
        "n_questions": len(data.questions),
        "n_facts": len(data.facts),
        "facts_by_salience": {name: saliences[name] for name in spec.salience.all},
        "n_core_by_all_contributors": sum(_by_all(fact, spec) for fact in data.facts),
        "inventory": inventory,
        "publishers": _publishers(data),
    }


def _by_all(fact: Fact, spec: ScorecardSpec) -> bool:
    named = spec.consensus_of is not None and fact.contributors == spec.consensus_of
    return named and fact.salience == spec.salience.core


def _publishers(data: ScoreData) -> Json | None:
    if data.sources is None:
        return None
    sources = Counter(source.publisher for source in data.sources)
    questions: dict[str, set[str]] = {}
    for source in data.sources:
        questions.setdefault(source.publisher, set()).add(source.question_id)
    return {
        "n_sources": len(data.sources),
        "n_publishers": len(sources),
        "by_publisher": {
            name: {"n_sources": sources[name], "n_questions": len(questions[name])} for name in sorted(sources)
        },
    }


def compare_settings(data: ScoreData, spec: ScorecardSpec) -> dict[str, Json]:
    """Return by stated common setting how many run headers say the same, and what the others say.

    For what ran, the run's own header counts; a stated common setting is an intention.
    """
    found = {}
    for name, stated in spec.stated_settings.items():
        actual = {party.party_id: party.settings.get(name, "") for party in data.models}
        others: dict[str, list[str]] = {}
        for model in ordered(actual):
            if actual[model] != stated:
                others.setdefault(actual[model], []).append(model)
        n = sum(value == stated for value in actual.values())
        found[name] = {"stated": stated, "n_as_stated": n, "N": len(actual), "others": dict(sorted(others.items()))}
    return found


def count_rules(data: ScoreData, spec: ScorecardSpec) -> dict[str, Json]:
    """Return by rule of generation how many valid answers keep it, break it, or leave it unrecorded."""
    valid = [answer for answer in data.answers if answer.valid]
    found = {}
    for rule in spec.rules:
        kept = Counter(answer.rules.get(rule.name) for answer in valid)
        found[rule.name] = {
            "enforced": rule.enforced,
            "n_kept": kept[True],
            "n_broken": kept[False],
            "n_unrecorded": kept[None],
            "N": len(valid),
        }
    return found


def count_reviews(data: ScoreData, spec: ScorecardSpec) -> Json:
    """Return `{planned, n_picked, n_reviewed}` of the human review; null where there is no list of picked sheets."""
    picked = data.reviews
    return {
        "planned": spec.planned.reviews,
        "n_picked": None if picked is None else len(picked),
        "n_reviewed": None if picked is None else sum(review.reviewed for review in picked),
    }
