"""The tables beside the scores: plan, judges, overlaps, defects, entities, calls, corpus, settings, earlier results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.services.report_numbers import number
from app.services.scorecard.table import Body, fraction, limits, out_of, over

Document = Mapping[str, Any]
_CONTRIBUTORS_UNKNOWN = "no gold contributors are named, so their overlaps are not known"


def plan(document: Document) -> Body:
    """Return what was planned beside what was completed."""
    rows = [(line["concern"], line["planned"], line["completed"], line["status"]) for line in document["plan"]]
    note = "Generated from the records. Declared: stated in the scorecard file, where no record can show it."
    return Body(("Concern", "Planned", "Completed", "Status"), rows, words=4, note=note)


def judges_repeat(document: Document) -> Body:
    """Return the agreement of every judge with its own repeats."""
    rows: list[tuple[str, ...]] = []
    for judge, of in document["judges"]["intra"].items():
        found = [(judge, f"{a} and {b}", *_labels(pair)) for a, others in of.items() for b, pair in others.items()]
        rows.extend(found or [(judge, "no repeat", "not evaluated", "not evaluated", "")])
    gate = document["gate"]["calibration"]["intra_label_agreement"]
    head = ("Judge", "Grades", "Exact agreement", "Cohen’s κ", "95 %")
    return Body(head, rows, words=2, note=_gate("exact agreement with an own repeat of", gate) + _conflicting(document))


def judges_pairs(document: Document) -> Body:
    """Return the agreement of judges with each other and how alike they rank the models."""
    rows = [
        (f"{first}, {second}", *_labels(pair), over(pair["rank_correlation"], "models"), str(pair["n_answers"]))
        for first, others in document["judges"]["inter"].items()
        for second, pair in others.items()
    ]
    gate = document["gate"]["calibration"]["inter_rank_correlation"]
    head = ("Judges", "Exact agreement", "Cohen’s κ", "95 %", "Rank correlation of models", "Answers both graded")
    return Body(head, rows, note=_gate("a rank correlation between every two judges of", gate) + _conflicting(document))


def overlaps(document: Document) -> Body:
    """Return who stands on two sides."""
    sides = {
        "judge_contestant": "judge and contestant",
        "judge_contributor": "judge and gold contributor",
        "contributor_contestant": "gold contributor and contestant",
    }
    found = document["overlaps"]
    rows = [
        (words, pair["first"], pair["second"], pair["kind"])
        for key, words in sides.items()
        for pair in found[key] or ()
    ]
    note = "" if found["judge_contributor"] is not None else f"Not complete: {_CONTRIBUTORS_UNKNOWN}."
    none = [("none", "", "", "")]
    return Body(("Sides", "First", "Second", "Overlap"), rows or none, words=4, note=note)


def defects(document: Document) -> Body:
    """Return the sheets of every judge and the defects of their entries."""
    names = {
        "n_duplicate_entries": "Duplicate entries",
        "n_conflicting_ids": "Ids with two labels",
        "n_extra_entries": "Extra ids",
        "n_missing_ids": "Missing ids",
    }
    head = (
        "Judge",
        "Valid sheets",
        "Failed",
        "Missing",
        "Repeats",
        "Null number",
        *names.values(),
        "Of failures, unused",
    )
    rows = []
    for judge, of in document["defects"].items():
        entries = [f"{of[key]} in {of['n_sheets_with_' + key[2:]]}/{of['n_valid']} sheets" for key in names]
        rows.append(
            (
                judge,
                f"{of['n_valid']}/{of['n_due']}",
                str(of["n_failed"]),
                str(of["n_missing"]),
                str(of["n_repeats"]),
                str(of["n_without_number"]),
                *entries,
                str(of["n_of_failed_answers"]),
            )
        )
    note = "Official score: duplicates count in the denominator, extras in the precision proxy, missing ids nowhere."
    return Body(head, rows, note=note)


def entities(document: Document) -> Body:
    """Return the entity scores of every model."""
    head = ("Model", "Recall", "Precision", "F1", "Pooled recall", "Pooled precision", "Right surface, wrong type")
    rows = [
        (
            name,
            *(out_of(of[key]) for key in ("recall", "precision", "f1")),
            *(fraction(of[key]) for key in ("pooled_recall", "pooled_precision")),
            str(of["n_wrong_type"]),
        )
        for name, of in document["entities"]["models"].items()
    ]
    note = "Means over valid answers in which they are defined (n/N); pooled: one fraction over all of them."
    return Body(head, rows, note=note)


def calls(document: Document) -> Body:
    """Return cost and latency by phase and actor."""
    currency = document["currency"]
    head = (
        "Phase",
        "Actor",
        "Retained",
        "Replaced",
        f"Cost, {currency}",
        "Null costs",
        "Latency, seconds: mean",
        "Median",
        "95th percentile",
        "Null latencies",
    )
    rows: list[tuple[str, ...]] = []
    for phase, of in document["calls"]["phases"].items():
        rows.extend(_account(phase, actor, account) for actor, account in of["actors"].items())
        rows.append(_account(phase, "all", of["total"]))
    rows.append(_account("all phases", "all", document["calls"]["total"]))
    return Body(head, rows, words=2)


def corpus(document: Document) -> Body:
    """Return the counts of the selected corpus."""
    return Body(("What", "Count"), list(_corpus(document["corpus"])))


def settings(document: Document) -> Body:
    """Return stated settings beside those of the run headers."""
    rows = [
        (
            name,
            of["stated"],
            f"{of['n_as_stated']}/{of['N']}",
            "; ".join(f"{value or 'not recorded'}: {', '.join(who)}" for value, who in of["others"].items()) or "none",
        )
        for name, of in document["settings"].items()
    ]
    return Body(("Setting", "Stated", "Runs as stated", "Others"), rows, words=4)


def rules(document: Document) -> Body:
    """Return how many answers keep the rules of generation."""
    head = ("Rule", "Enforced", "Kept", "Broken", "Unrecorded")
    rows = [
        (
            name,
            "yes" if of["enforced"] else "no",
            *(f"{of[key]}/{of['N']}" for key in ("n_kept", "n_broken", "n_unrecorded")),
        )
        for name, of in document["rules"].items()
    ]
    return Body(head, rows, words=2)


def saved(document: Document) -> Body:
    """Return saved scores beside computed ones."""
    of = document["saved"]
    rows = [
        (
            row["model_id"],
            row["metric"].replace("_", " "),
            number(row["saved"]),
            number(row["computed"]),
            "equal" if row["equal"] else "differs",
        )
        for row in of["rows"]
    ]
    note = f"{of['n_equal']}/{of['n']} equal within {of['tolerance']:g}."
    return Body(("Model", "Metric", "Saved", "Computed", "Result"), rows, words=2, note=note)


def copied(document: Document) -> Body:
    """Return copied intervals beside computed ones, or why none was copied."""
    of = document["copied"]
    rows = [
        (
            row["analysis"].replace("_", " "),
            f"{row['first']}{', ' + row['second'] if row['second'] else ''}",
            limits(row),
            str(row["draws"]),
            limits({"lo": row["computed_lo"], "hi": row["computed_hi"]}),
            str(row["computed_draws"]),
        )
        for row in of["intervals"]
    ]
    head = ("Analysis", "Models", "Copied 95 %", "Draws", "Computed 95 %", "Draws")
    note = "" if of["copied"] else f"{of['n_offered']} intervals were offered and none was copied: {of['reason']}."
    return Body(head, rows, words=2, note=note)


def _labels(pair: Mapping[str, Any]) -> tuple[str, str, str]:
    kappa = pair["cohen_kappa"]
    low, high = kappa["ci95"]
    return fraction(pair["exact_agreement"]), over({**kappa, "n": pair["n"]}), limits({"lo": low, "hi": high})


def _gate(words: str, gate: Mapping[str, Any]) -> str:
    met = {True: "met", False: "not met", None: "not evaluated"}[gate["met"]]
    lowest = "" if gate["lowest"] is None else f", lowest {number(gate['lowest'])}"
    absent = f" Not evaluated: {', '.join(gate['not_evaluated'])}." if gate["not_evaluated"] else ""
    return f"Gate, {words} {gate['threshold']:.2f} or more: {met}{lowest}.{absent}"


def _conflicting(document: Document) -> str:
    return f" {document['judges']['n_conflicting_labels']} facts with two labels in one sheet are left out."


def _account(phase: str, actor: str, of: Mapping[str, Any]) -> tuple[str, ...]:
    latency = of["latency_seconds"]
    return (
        phase,
        actor,
        str(of["n_retained"]),
        str(of["n_replaced"]),
        f"{of['cost']['value']:.6f} ({of['cost']['n']}/{of['cost']['N']})",
        str(of["cost"]["n_null"]),
        *(out_of(latency[key]) for key in ("mean", "median", "p95")),
        str(latency["n_null"]),
    )


def _corpus(of: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Questions", str(of["n_questions"])
    yield "Gold facts", str(of["n_facts"])
    for name, n in of["facts_by_salience"].items():
        yield f"Facts: {name}", f"{n}/{of['n_facts']}"
    yield "Core facts named by all contributors", f"{of['n_core_by_all_contributors']}/{of['n_facts']}"
    for column, values in of["inventory"].items():
        for value, n in values.items():
            yield f"{column.replace('_', ' ').capitalize()}: {value or 'not recorded'}", f"{n}/{of['n_questions']}"
    if of["publishers"] is not None:
        yield "Sources", str(of["publishers"]["n_sources"])
        yield "Publishers", str(of["publishers"]["n_publishers"])
        for name, counts in of["publishers"]["by_publisher"].items():
            yield (
                f"Publisher: {name}",
                f"{counts['n_sources']} sources in {counts['n_questions']}/{of['n_questions']} questions",
            )
